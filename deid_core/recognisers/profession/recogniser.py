"""Recogniser `profession`: what somebody does or did for a living, by a list of professions and their context.

| the word                                                        | is taken                     | rule      | score |
|---|---|---|---|
| a profession that neither staff nor families have: "Dachdecker" | always                       | word      | 0.80  |
| a profession that the clinic's staff has: "Krankenschwester"    | with evidence                | evidence  | 0.85  |
| a profession that is also a family name: "Koch"                 | with evidence                | evidence  | 0.85  |
| an office or trade before its holder's name: "Richter Muster"   | after "der", "vom", a mark   | named     | 0.60  |
| in no list, but formed like a profession: "Manglerin"           | where one is announced       | announced | 0.65  |
| the same                                                        | with weaker evidence         | likely    | 0.50  |

Evidence is "als", "gelernte", "Beruf:" or "ist" before the word, or a relative: "Tochter Anna (34, Lehrerin)", "Vater
Bergbauer". After the word it is "gewesen", "werden", "i. R.". A family name may also have "zum" or "ein" before it or
"bei" or "im" after it, but never "Herr" or "Dr." before it. A profession is announced by "gelernte", "Umschulung zum",
"Beruf:", or by "als" near a word of work: "als Manglerin beschäftigt".

A function in the letter's own clinic ("Oberarzt", "Stationsschwester") is in no list and no profession. A profession
that is joined to one already found ("Maurer und Polier", "Weberin, dann Köchin") shares its evidence. A profession
hyphenated at a line's end is looked up as one word and gives two detections.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.profession import flags
from deid_core.recognisers.profession.context_rules import ProfessionContext
from deid_core.recognisers.profession.hyphenation import HyphenatedWord, hyphenated_words
from deid_core.recognisers.profession.word_flags import ProfessionForms, profession_flags
from deid_core.text.capitals import is_flat
from deid_core.text.document import Document
from deid_core.text.token_line import TokenLine
from deid_core.text.vocabulary import Vocabulary

_SCORES = {"word": 0.8, "evidence": 0.85, "named": 0.6, "announced": 0.65, "likely": 0.5}


class ProfessionRecogniser:
    """Finds professions by list and context; see the module."""

    kind = "profession"

    def __init__(self, gazetteer: Gazetteer, vocabulary: Vocabulary) -> None:
        self._forms = ProfessionForms(gazetteer)
        self._word_flags = profession_flags(self._forms, gazetteer, vocabulary)
        self._hyphen = vocabulary.number("-")

    def recognise(self, document: Document) -> Iterable[Detection]:
        """Return PROFESSION detections, ascending; for the rules see the module."""
        bits = self._word_flags.gather(document.tokens.types)
        hyphenated: dict[int, HyphenatedWord] = {}
        for word, of_both in hyphenated_words(document, self._hyphen, self._forms.listed_flags):
            bits[word.first_token] |= of_both
            bits[word.second_token] &= ~flags.ANY_PROFESSION
            hyphenated[word.first_token] = word
        candidates = np.flatnonzero(bits & flags.ANY_PROFESSION)
        if not len(candidates):
            return []
        words, with_one_capital = (int(np.count_nonzero(bits & f)) for f in (flags.WORD_CHARACTERS, flags.ONE_CAPITAL))
        flat = is_flat(words, with_one_capital)
        if not flat:
            # A noun in small letters in a text with capitals is a typing error; then only sure professions count.
            candidates = candidates[(bits[candidates] & (flags.INITIAL_CAPITAL | flags.SURE_PROFESSION)) != 0]
        line = TokenLine(document, bits.data, self.kind)
        context = ProfessionContext(line, hyphenated, flat=flat)
        return [found for at in candidates.tolist() for found in _detections(line, context, at, hyphenated.get(at))]


def _detections(
    line: TokenLine, context: ProfessionContext, at: int, hyphenated: HyphenatedWord | None
) -> Iterator[Detection]:
    """Yield the profession at `at`, each of its parts; none if no rule applies."""
    rule = context.take(at)
    if rule is None:
        return
    start = line.start(at - 1 if context.has_adjective(at) else at)
    end = line.end(at) if hyphenated is None else hyphenated.first_end
    if rule == "named" and line.text.startswith(".", end):
        end += 1  # A name follows, so the full stop marks an abbreviation: "Bgm. Muster".
    parts = [(start, end)]
    if hyphenated is not None:
        parts.append((line.start(hyphenated.second_token), line.end(hyphenated.second_token)))
    for part_start, part_end in parts:
        yield line.detection_of(part_start, part_end, PhiType.PROFESSION, rule, _SCORES[rule])
