"""How initials belong to the names of staff."""

from __future__ import annotations

import pytest

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.ensemble.staff_initials import InitialsRule, StaffInitials
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.lexicon.word_flags import word_flags
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists({ListKind.COMMON_WORD: ["Klotz", "Kl"]})


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("AD", InitialsRule.INITIALS),
        ("MK", InitialsRule.INITIALS),
        ("DS.", InitialsRule.INITIALS),
        ("Mue", InitialsRule.BEGINNING),
        ("Mü", InitialsRule.BEGINNING),
        ("Mlr", InitialsRule.LETTERS),
        ("Dorn", None),
        ("Xy", None),
        ("lm", None),
        ("kltz", None),
    ],
)
def test_each_sign_has_its_rule(word: str, rule: InitialsRule | None) -> None:
    names, vocabulary = "Karl Müller, Anna Dorn-Sommer", Vocabulary()
    text = f"{names}\nVisite {word}"
    initials = StaffInitials(word_flags(GAZETTEER, vocabulary), vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    people = [(0, 11), (13, len(names))]
    detections = [Detection(*place, Label.PER, PhiType.CLINICIAN, "gazetteer", "surname") for place in people]
    found = {d.rule for d in initials.find(document, detections, "propagation") if d.start > len(names)}
    assert found == ({rule.value} if rule else set())


def test_without_names_there_are_no_initials() -> None:
    vocabulary = Vocabulary()
    document = Document(Note("n", "Visite KM"), vocabulary.tokenise("Visite KM"), vocabulary)
    assert list(StaffInitials(word_flags(GAZETTEER, vocabulary), vocabulary).find(document, [], "propagation")) == []


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("Hb 9 (kx)\nRR gut (kx)\n(kx) ist leer", ["kx", "kx"]),
        ("Pat. müde. mz\nSchläft. mz\nSchläft mz", ["mz", "mz"]),
        ("3.4., 8 Uhr bz: Diät.\n4.4. bz: gut.\nHb bz: 9", ["bz", "bz"]),
        ("Pat. müde. mz\nSchläft. yt", []),
        ("Pat. müde. Kl\nSchläft. Kl", ["Kl", "Kl"]),
        ("Verlauf ohne Besonderheiten bz:\nBefund der Leber bz:", []),
    ],
)
def test_what_signs_several_entries_is_initials_without_a_name(text: str, signs: list[str]) -> None:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    found = list(StaffInitials(word_flags(GAZETTEER, vocabulary), vocabulary).find(document, [], "propagation"))
    assert [text[d.start : d.end] for d in found] == signs
    assert {d.rule for d in found} <= {InitialsRule.ENTRIES.value}
