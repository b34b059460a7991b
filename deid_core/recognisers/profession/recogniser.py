"""Recogniser `profession`: what somebody does or did for a living, by a list of professions and its context.

| the word                                                        | is taken                     | rule      | score |
|---|---|---|---|
| a profession that neither staff nor families have: "Dachdecker" | wherever it stands           | word      | 0.80  |
| one that staff of the clinic has as well: "Krankenschwester"    | with evidence                | evidence  | 0.85  |
| one that is a family name as well: "Koch"                       | with evidence                | evidence  | 0.85  |
| an office or trade before its holder's name: "Richter Muster"   | behind "der", "vom", a mark  | named     | 0.60  |
| in no list, but formed like a profession: "Manglerin"           | where one is announced       | announced | 0.65  |
| the same                                                        | with weaker evidence         | likely    | 0.50  |

Evidence are "als", "gelernte", "Beruf:", "ist" before the word, or a relative: "Tochter Anna (34, Lehrerin)", "Vater
Bergbauer"; behind it "gewesen", "werden", "i. R."; for a family name also "zum", "ein" before it and "bei", "im" behind
it, but never "Herr" or "Dr." before it. What announces a profession is "gelernte", "Umschulung zum", "Beruf:", or "als"
near a word of work: "als Manglerin beschäftigt".

A function in the letter's own clinic ("Oberarzt", "Stationsschwester") is in no list and no profession. A profession
joined to one that was taken ("Maurer und Polier", "Weberin, dann Köchin") has the evidence of that one. One that a
line's end splits is read as one word and gives two detections.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.profession import words
from deid_core.recognisers.profession.reading import Reading
from deid_core.recognisers.profession.split import Split, split_words
from deid_core.recognisers.profession.words import profession_bits, profession_lookup
from deid_core.text.capitals import is_flat
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

_SCORES = {"word": 0.8, "evidence": 0.85, "named": 0.6, "announced": 0.65, "likely": 0.5}


class ProfessionRecogniser:
    """Professions by list and context; see the module."""

    kind = "profession"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._column = profession_bits(gazetteer, vocabulary)
        self._lookup = profession_lookup(gazetteer)
        self._hyphen = vocabulary.number("-")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """PROFESSION detections, ascending; for the rules see the module."""
        bits = self._column.gather(document.tokens.types)
        splits: dict[int, Split] = {}
        for split, of_both in split_words(document, self._hyphen, self._lookup):
            bits[split.first] |= of_both
            bits[split.second] &= ~words.ANY
            splits[split.first] = split
        places = np.flatnonzero(bits & words.ANY)
        if not len(places):
            return []
        flat = is_flat(int(np.count_nonzero(bits & words.WORDLIKE)), int(np.count_nonzero(bits & words.MIXED)))
        if not flat:
            # A noun in small letters among others is careless; what it is like must be listed.
            places = places[(bits[places] & (words.CAPITAL | words.SURE)) != 0]
        reading = Reading(document, bits.tolist(), splits, flat)
        return [found for at in places.tolist() for found in _detections(document, reading, at, splits.get(at))]


def _detections(document: Document, reading: Reading, at: int, split: Split | None) -> Iterator[Detection]:
    """The profession at `at`, in its parts; none if it is another's name or nobody's."""
    rule = reading.take(at)
    if rule is None:
        return
    tokens, phi = document.tokens, PhiType.PROFESSION
    start = int(tokens.starts[at - 1 if reading.has_adjective(at) else at])
    end = int(tokens.ends[at]) if split is None else split.end
    if rule == "named" and document.text.startswith(".", end):
        end += 1  # A name stands behind, so the full stop is an abbreviation's: "Bgm. Muster".
    parts = [(start, end)]
    if split is not None:
        parts.append((int(tokens.starts[split.second]), int(tokens.ends[split.second])))
    for first, behind in parts:
        yield Detection(first, behind, label_of(phi), phi, "profession", rule, _SCORES[rule])
