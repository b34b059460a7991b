"""All signs of a note but those behind a word of dictation (dictation.py), each by the surest rule that finds it.

A sign is a few letters that are no usual word, so it needs something that says so: a slash between two signs at a
line's or column's end (pairs.py), that several lines end with it (endings.py), that the note's entries are signed with
it (entries.py), that it stands in a chain (chains.py), in a column of signs (columns.py), or behind a word of releasing
and printing (clues.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.chains import chain_bits, chains
from deid_core.recognisers.staff_initials.clues import clue_bits, clued
from deid_core.recognisers.staff_initials.columns import column_signs, heading_bits
from deid_core.recognisers.staff_initials.endings import endings
from deid_core.recognisers.staff_initials.entries import entry_signs
from deid_core.recognisers.staff_initials.pairs import pair_bits, pairs
from deid_core.recognisers.staff_initials.places import place_bits
from deid_core.recognisers.staff_initials.words import sign_shape, signers
from deid_core.text.document import Document
from deid_core.text.vocabulary import TypeFeature, Vocabulary

_SCORE = 0.75
"""Of a pair, and of an ending."""
_STAFF = frozenset((PhiType.CLINICIAN, PhiType.PERSON))
_MOST_NAMES = 200
"""Of staff, with which signs are compared; no letter has more."""


class StaffInitialsFinder:
    """Finds the signs for which the whole note has to be known."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._shapes = TypeFeature(vocabulary, _shape_bits)

    def find(
        self, document: Document, walk: NameWalk, bits: npt.NDArray[np.uint32], found: Sequence[Detection]
    ) -> list[Detection]:
        """One detection a sign, of the surest rule.

        bits: wordlists' bits of each token; found: the names in the note and its other signs.
        """
        types = document.tokens.types
        shapes = self._shapes.gather(types)
        named = [d for d in found if d.type in _STAFF and d.rule != "sign"][:_MOST_NAMES]
        staff = {d.end: document.text[d.start : d.end] for d in named}
        names = signers(set(staff.values()))
        surest: dict[int, Detection] = {}
        for rule, signed in (
            ("sign", _placed(walk, pairs(walk, shapes), _SCORE)),
            ("sign", _placed(walk, endings(document, walk, bits), _SCORE)),
            ("sign_entry", _scored(walk, entry_signs(document, walk, bits, shapes, staff, names))),
            ("sign_chain", chains(document, walk, shapes, names)),
            ("sign_clue", clued(walk, document.text, shapes, names)),
            ("sign_clue", column_signs(walk, document.text, shapes)),
        ):
            for start, end, score in signed:
                if start not in surest or surest[start].score < score:
                    label = label_of(PhiType.CLINICIAN)
                    surest[start] = Detection(start, end, label, PhiType.CLINICIAN, "context", rule, score)
        return list(surest.values())


def _placed(walk: NameWalk, ranges: Iterable[tuple[int, int]], score: float) -> Iterator[tuple[int, int, float]]:
    """The places in the text of token ranges that have one score."""
    return _scored(walk, ((first, behind, score) for first, behind in ranges))


def _scored(walk: NameWalk, ranges: Iterable[tuple[int, int, float]]) -> Iterator[tuple[int, int, float]]:
    """The places in the text of token ranges."""
    return ((walk.starts[first], walk.ends[behind - 1], score) for first, behind, score in ranges)


def _shape_bits(word: str) -> int:
    """What a word may be of a sign; the bits of the modules are disjoint."""
    return (
        pair_bits(word) | sign_shape(word) | place_bits(word) | chain_bits(word) | clue_bits(word) | heading_bits(word)
    )
