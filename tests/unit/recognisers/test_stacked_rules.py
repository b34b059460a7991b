"""The shipped stacking model weighs rules by their names: it has seen those that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from case_files import CASES_DIR, read_cases

from deid_core.core.note import Note
from deid_core.crf.model_folder import load_model
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.institution import InstitutionRecogniser
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

UNSEEN = {"pattern.age.foreign_at", "pattern.email.obfuscated", "pattern.id.swiss_insurance"}
"""Rules that find nothing in the train letters. All but e-mail addresses, which the model has no label for, are certain
by their form, so it drops nothing that they find."""
PATTERN = {f"pattern.{rule.name}" for rules in GROUPS.values() for rule in rules}
_RULE = re.compile(r"detections\[-?\d+\]:(?P<rule>[a-z_]+\.[a-z_.]+)")
"""An attribute of the model for a recogniser and rule; those of labels and types have a colon more."""


@cache
def known() -> frozenset[str]:
    attributes = load_model("stacking-de").weights().attributes
    return frozenset(match["rule"] for attribute in attributes if (match := _RULE.fullmatch(attribute)))


def rules_of_cases(gazetteer: Gazetteer) -> Iterator[str]:
    vocabulary = Vocabulary()
    recogniser = InstitutionRecogniser(gazetteer, vocabulary)
    for file in sorted((CASES_DIR / "institution").glob("*.tsv")):
        for case in read_cases(file):
            document = Document(Note("n", case.text), vocabulary.tokenise(case.text), vocabulary)
            yield from (f"institution.{found.rule.partition('/')[0]}" for found in recogniser.recognise(document))


def test_the_model_has_seen_every_rule(small_gazetteer: Gazetteer) -> None:
    rules = PATTERN.union(rules_of_cases(small_gazetteer))
    assert len(rules) > 140
    assert rules - known() == UNSEEN, (
        "the shipped stacking model does not know these rules: train it again (docs/training.md), or name a rule in "
        "UNSEEN here and say why; take out of UNSEEN what it knows"
    )


def test_the_model_knows_no_rule_that_there_is_not() -> None:
    gone = {rule for rule in known() if rule.startswith("pattern.")} - PATTERN
    assert gone == set(), "the shipped stacking model weighs rules of these names: keep the names, or train it again"
