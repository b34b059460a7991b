"""How initials belong to the names of staff."""

from __future__ import annotations

import pytest

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.ensemble.staff_signs import SignRule, StaffSigns
from deid_core.lexicon.flags import word_flags
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists({ListKind.COMMON_WORD: ["Klotz", "Kl"]})


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("AD", SignRule.INITIALS),
        ("MK", SignRule.INITIALS),
        ("DS.", SignRule.INITIALS),
        ("Mue", SignRule.BEGINNING),
        ("Mü", SignRule.BEGINNING),
        ("Mlr", SignRule.LETTERS),
        ("Dorn", None),
        ("Xy", None),
        ("lm", None),
        ("kltz", None),
    ],
)
def test_each_sign_has_its_rule(word: str, rule: SignRule | None) -> None:
    names, vocabulary = "Karl Müller, Anna Dorn-Sommer", Vocabulary()
    text = f"{names}\nVisite {word}"
    signs = StaffSigns(word_flags(GAZETTEER, vocabulary), vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    people = [(0, 11), (13, len(names))]
    detections = [Detection(*place, Label.PER, PhiType.CLINICIAN, "person_context", "title") for place in people]
    found = {d.rule for d in signs.find(document, detections, "propagation") if d.start > len(names)}
    assert found == ({rule.value} if rule else set())


def test_without_names_there_are_no_signs() -> None:
    vocabulary = Vocabulary()
    document = Document(Note("n", "Visite KM"), vocabulary.tokenise("Visite KM"), vocabulary)
    assert list(StaffSigns(word_flags(GAZETTEER, vocabulary), vocabulary).find(document, [], "propagation")) == []
