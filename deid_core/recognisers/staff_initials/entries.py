"""Initials by which nurses and doctors sign the entries of a record, from evidence in the whole note.

Candidates are two to four letters that are no usual word. A single position is never enough evidence. They are initials
- wherever they are, if the note gives them with a name: "Sani: Klemmt (Kt)";
- if they are in a position of initials (positions.py) at least twice and hardly elsewhere; then also elsewhere:
  "an kb weiter";
- if they are in such a position once and can belong to a name of the note (staff_names.py), or, with a low score, if
  nothing speaks against them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.flags import COMMON, STOP
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.flags import InitialsFlag, Position
from deid_core.recognisers.staff_initials.positions import has_full_stop, positions
from deid_core.recognisers.staff_initials.staff_names import StaffNames
from deid_core.text.document import Document

_CANDIDATE = InitialsFlag.CANDIDATE.value
_ABBREVIATION = InitialsFlag.ABBREVIATION.value
_ENTRY_END = Position.ENTRY_END.value
_STRONG = Position.STRONG.value
_END_OR_BRACKET = (Position.ENTRY_END | Position.BRACKET).value

_MIN_TIMES = 2
_MIN_TIMES_OF_WORD = 3
"""For common words that cannot belong to a name: a column of meals has "Tee" twice."""
_MIN_WORD_LETTERS = 3
"""Shorter entries of word lists are abbreviations rather than words."""
_MIN_POSITION_SHARE = 3
"""At least a third of the occurrences of initials must be in positions of initials."""
_GIVEN_SCORE, _REPEATED_SCORE, _OF_NAME_SCORE, _ELSEWHERE_SCORE, _WEAK_SCORE, _SINGLE_SCORE = (
    0.9, 0.85, 0.75, 0.7, 0.6, 0.55,
)  # fmt: skip


def entry_initials(
    line: NameLine,
    word_flags: npt.NDArray[np.uint32],
    flags: npt.NDArray[np.uint32],
    names_by_end: Mapping[int, str],
    staff: StaffNames,
) -> Iterator[tuple[int, int, float]]:
    """Yield start_token, end_token and score of initials.

    flags: candidate_flags and position_flags of each token. names_by_end: the names of staff by their end in the text.
    staff: the same names.
    """
    may_sign = ((flags & _CANDIDATE) != 0) & ((word_flags & STOP) == 0)
    found = positions(line.document, flags, may_sign)
    if not found:
        return
    given = {line.word(index) for index, _ in found if _is_given_with_name(line, index, names_by_end)}
    common = {
        line.word(index) for index, _ in found if _is_common(line, index) and not staff.may_have(line.word(index))
    }
    repeated = _repeated(line, found, may_sign, common)
    for index in _occurrences(line.document, given):
        yield index, index + 1, _GIVEN_SCORE
    positioned = set()
    for index, position in found:
        doubtful = bool(flags[index] & _ABBREVIATION) or line.word(index) in common
        score = _score(line, index, position, repeated, staff, doubtful=doubtful)
        if score:
            positioned.add(index)
            # The full stop of an abbreviation belongs to the initials: "Wunde reizlos. Mu."
            yield index, index + 1 + (position == _ENTRY_END and has_full_stop(line, index)), score
    for index in _occurrences(line.document, repeated):
        if index not in positioned:
            yield index, index + 1, _ELSEWHERE_SCORE


def _occurrences(document: Document, initials: Collection[str]) -> Iterator[int]:
    """Yield every token that is spelt like one of the initials."""
    if initials:
        types = [document.vocabulary.number(word) for word in initials]
        yield from np.flatnonzero(np.isin(document.tokens.types, types)).tolist()


def _is_common(line: NameLine, index: int) -> bool:
    return bool(line.flags[index] & COMMON) and len(line.word(index)) >= _MIN_WORD_LETTERS


def _repeated(
    line: NameLine, found: Sequence[tuple[int, int]], may_sign: npt.NDArray[np.bool_], common: Collection[str]
) -> set[str]:
    """Return the spellings of initials that are in positions of initials several times, and seldom elsewhere.

    common: those that are common words.
    """
    times = Counter(line.word(index) for index, position in found if position & _STRONG)
    spellings: dict[str, list[str]] = {}
    for word in times:
        spellings.setdefault(word.lower(), []).append(word)
    several = [
        words
        for words in spellings.values()
        if sum(times[word] for word in words)
        >= (_MIN_TIMES_OF_WORD if any(word in common for word in words) else _MIN_TIMES)
    ]
    if not several:
        return set()
    occurrences = Counter(map(line.word, np.flatnonzero(may_sign).tolist()))
    return {
        word
        for words in several
        if sum(times[word] for word in words) * _MIN_POSITION_SHARE >= sum(occurrences[word] for word in words)
        for word in words
    }


def _score(
    line: NameLine, index: int, position: int, repeated: Collection[str], staff: StaffNames, *, doubtful: bool
) -> float:
    """Return the score of initials in this position, 0 for none."""
    word = line.word(index)
    if word in repeated:
        return _REPEATED_SCORE
    if doubtful or line.cues[index]:
        return 0.0
    if staff.may_have(word):
        return _OF_NAME_SCORE if position & _STRONG else _WEAK_SCORE
    return _SINGLE_SCORE if position & _END_OR_BRACKET and not word.isupper() else 0.0


def _is_given_with_name(line: NameLine, index: int, names_by_end: Mapping[int, str]) -> bool:
    """Whether the token is in brackets after a name that it can belong to."""
    if index < 2 or line.word(index - 1) != "(" or line.word(index + 1) != ")":
        return False
    name = names_by_end.get(line.ends[index - 2])
    return name is not None and StaffNames.from_names([name]).may_have(line.word(index))
