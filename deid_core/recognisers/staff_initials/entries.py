"""Signs by which nurses and doctors sign the entries of a record, by what the whole note says of them.

A sign is two to four letters that are no usual word, so no single place makes it sure. It is one where
- the note tells it with a name: "Sani: Klemmt (Kt)"; then it is one wherever it stands;
- it stands in an entry's places of signs (places.py) twice or more, and hardly elsewhere; then it is one there,
  too: "an kb weiter";
- it stands there once, and a name of the note may have given it (words.py), or, with a low score, nothing speaks
  against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.flags import COMMON, STOP
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.flags import BRACKET, ENTRY, STRONG
from deid_core.recognisers.staff_initials.places import has_stop, places
from deid_core.recognisers.staff_initials.words import DOUBTFUL, MAY_SIGN, Signers, signers
from deid_core.text.document import Document

_MIN_TIMES = 2
_MIN_TIMES_OF_WORD = 3
"""Of a common word that no name may have given: a column of meals has "Tee" twice."""
_SHORTEST_WORD = 3
"""Shorter ones that lists of words have are abbreviations rather than words."""
_RARELY_ELSEWHERE = 3
"""A sign has a third of its places at least where entries are signed."""
_TOLD, _REPEATED, _OF_NAME, _ELSEWHERE, _WEAKLY, _ALONE = 0.9, 0.85, 0.75, 0.7, 0.6, 0.55


def entry_signs(
    document: Document,
    walk: NameWalk,
    bits: npt.NDArray[np.uint32],
    shapes: npt.NDArray[np.uint32],
    staff: Mapping[int, str],
    names: Signers,
) -> Iterator[tuple[int, int, float]]:
    """First token, the one behind the last, and score of each sign.

    bits: wordlists' bits of each token; shapes: sign_words' and sign_places' bits; staff: the names of staff by where
    they end in the text; names: all of them.
    """
    may_sign = ((shapes & MAY_SIGN) != 0) & ((bits & STOP) == 0)
    found = places(document, shapes, may_sign)
    if not found:
        return
    told = {walk.word(index) for index, _ in found if _is_told(walk, index, staff)}
    words = {walk.word(index) for index, _ in found if _is_common(walk, index) and not names.may_sign(walk.word(index))}
    repeated = _repeated(walk, found, may_sign, words)
    for index, score in _everywhere(document, told, _TOLD):
        yield index, index + 1, score
    placed = set()
    for index, place in found:
        doubtful = bool(shapes[index] & DOUBTFUL) or walk.word(index) in words
        score = _score(walk, index, place, repeated, names, doubtful=doubtful)
        if score:
            placed.add(index)
            # "Wunde reizlos. Mu." is signed with the full stop of an abbreviation.
            yield index, index + 1 + (place == ENTRY and has_stop(walk, index)), score
    for index, score in _everywhere(document, repeated, _ELSEWHERE):
        if index not in placed:
            yield index, index + 1, score


def _everywhere(document: Document, signs: Collection[str], score: float) -> Iterator[tuple[int, float]]:
    """Every token with the spelling of one of the signs, with this score."""
    if signs:
        types = [document.vocabulary.number(sign) for sign in signs]
        for index in np.flatnonzero(np.isin(document.tokens.types, types)).tolist():
            yield index, score


def _is_common(walk: NameWalk, index: int) -> bool:
    return bool(walk.bits[index] & COMMON) and len(walk.word(index)) >= _SHORTEST_WORD


def _repeated(
    walk: NameWalk, found: Sequence[tuple[int, int]], may_sign: npt.NDArray[np.bool_], common: Collection[str]
) -> set[str]:
    """The signs, as they are spelt, that stand in places of signs several times, and seldom elsewhere.

    common: those that are common words.
    """
    times = Counter(walk.word(index) for index, place in found if place & STRONG)
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
    every = Counter(map(walk.word, np.flatnonzero(may_sign).tolist()))
    return {
        word
        for words in several
        if sum(times[word] for word in words) * _RARELY_ELSEWHERE >= sum(every[word] for word in words)
        for word in words
    }


def _score(
    walk: NameWalk, index: int, place: int, repeated: Collection[str], names: Signers, *, doubtful: bool
) -> float:
    """How sure the sign in this place is; 0 for none."""
    word = walk.word(index)
    if word in repeated:
        return _REPEATED
    if doubtful or walk.triggers[index]:
        return 0.0
    if names.may_sign(word):
        return _OF_NAME if place & STRONG else _WEAKLY
    return _ALONE if place & (ENTRY | BRACKET) and not word.isupper() else 0.0


def _is_told(walk: NameWalk, index: int, staff: Mapping[int, str]) -> bool:
    """Whether the token stands in brackets behind the name that it is the sign of."""
    if index < 2 or walk.word(index - 1) != "(" or walk.word(index + 1) != ")":
        return False
    name = staff.get(walk.ends[index - 2])
    return name is not None and signers([name]).may_sign(walk.word(index))
