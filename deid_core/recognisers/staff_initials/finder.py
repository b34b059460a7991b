"""All initials of a note, by the rule with the best score, except those after a cue for dictation (dictation.py).

Initials are a few letters that are no usual word, so they need evidence: a slash between two of them at the end of a
line or column (pairs.py), several lines that end with them (line_endings.py), signed entries (entries.py), a chain
(chains.py), a table column for them (columns.py), or a word for releasing or printing before them (author_cues.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.author_cues import author_cue_flags, authors_after_cues
from deid_core.recognisers.staff_initials.chains import chain_flags, chains
from deid_core.recognisers.staff_initials.columns import column_initials, heading_flags
from deid_core.recognisers.staff_initials.entries import entry_initials
from deid_core.recognisers.staff_initials.line_endings import line_end_initials
from deid_core.recognisers.staff_initials.pairs import pair_flags, pairs
from deid_core.recognisers.staff_initials.positions import position_flags
from deid_core.recognisers.staff_initials.staff_names import StaffNames
from deid_core.recognisers.staff_initials.words import candidate_flags
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_SCORE = 0.75
"""Of pairs and of line endings."""
_STAFF = frozenset((PhiType.CLINICIAN, PhiType.PERSON))
_MAX_NAMES = 200
"""Maximum number of names of staff to compare initials with. No letter has more."""


class StaffInitialsFinder:
    """Finds the initials for which the whole note must be known."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._flags = TypeFeature(vocabulary, initials_flags)

    def find(self, line: NameLine, word_flags: npt.NDArray[np.uint32], found: Sequence[Detection]) -> list[Detection]:
        """Return one detection per initials, by the rule with the best score.

        found: the names of the note and the initials after dictation.
        """
        flags = self._flags.gather(line.document.tokens.types)
        of_staff = [d for d in found if d.type in _STAFF and d.rule != "initials"][:_MAX_NAMES]
        names_by_end = {d.end: line.text[d.start : d.end] for d in of_staff}
        staff = StaffNames.from_names(set(names_by_end.values()))
        best: dict[int, Detection] = {}
        for rule, ranges in (
            ("initials", _with_score(line, pairs(line, flags), _SCORE)),
            ("initials", _with_score(line, line_end_initials(line, word_flags), _SCORE)),
            ("initials_entry", _in_text(line, entry_initials(line, word_flags, flags, names_by_end, staff))),
            ("initials_chain", chains(line, flags, staff)),
            ("initials_cue", authors_after_cues(line, flags, staff)),
            ("initials_cue", column_initials(line, flags)),
        ):
            for start, end, score in ranges:
                if start not in best or best[start].score < score:
                    best[start] = line.detection_of(start, end, PhiType.CLINICIAN, rule, score)
        return list(best.values())


def initials_flags(word: str) -> int:
    """Return the InitialsFlag values of a word as a plain int."""
    return (
        pair_flags(word)
        | candidate_flags(word)
        | position_flags(word)
        | chain_flags(word)
        | author_cue_flags(word)
        | heading_flags(word)
    )


def _with_score(line: NameLine, ranges: Iterable[tuple[int, int]], score: float) -> Iterator[tuple[int, int, float]]:
    """Yield token ranges as ranges of the text, all with the same score."""
    return _in_text(line, ((start_token, end_token, score) for start_token, end_token in ranges))


def _in_text(line: NameLine, ranges: Iterable[tuple[int, int, float]]) -> Iterator[tuple[int, int, float]]:
    """Yield token ranges as ranges of the text."""
    return ((line.starts[start_token], line.ends[end_token - 1], score) for start_token, end_token, score in ranges)
