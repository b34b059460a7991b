"""Recogniser `profession`: the cases of tests/cases/profession, and what holds for any text."""

from __future__ import annotations

import pytest
from case_files import CASES_DIR, Case, read_cases
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.profession import ProfessionRecogniser
from deid_core.recognisers.profession.flags import ProfessionFlag
from deid_core.recognisers.profession.word_flags import ProfessionForms
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.PROFESSION: [
            "arbeiter", "arzt", "bankkaufmann", "bauer", "dachdecker", "dolmetscher", "fahrer", "koch",
            "krankenschwester", "lehrer", "mechaniker", "meister", "notar", "polizeibeamter", "rentner",
            "richter", "schlosser", "schneider", "straßenwärter", "techniker", "trainer", "zeichner",
            "zimmermann",
        ],
        ListKind.COMMON_WORD: ["verstärker", "raucher", "morgen"],
        ListKind.TOWN: ["Hannover"],
    }
)  # fmt: skip
CASES = [case for file in sorted((CASES_DIR / "profession").glob("*.tsv")) for case in read_cases(file)]


def detections(text: str) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = ProfessionRecogniser(GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


@pytest.mark.parametrize("case", CASES, ids=[case.place for case in CASES])
def test_case(case: Case) -> None:
    found = detections(case.text)
    assert case.written(found) == case.expected
    assert {d.label for d in found} <= {Label.PROFESSION}


def test_there_are_cases_of_both_kinds() -> None:
    assert sum(case.expected != "-" for case in CASES) >= 40
    assert sum(case.expected == "-" for case in CASES) >= 20


def test_a_word_may_be_very_long() -> None:
    forms = ProfessionForms(GAZETTEER)
    assert forms.flags_of("a" * 300_000) == 0
    assert forms.flags_of("a" * 300_000 + "dachdecker") == ProfessionFlag.SURE_PROFESSION


@given(
    st.lists(st.sampled_from("Koch Herr als , . und Dachdecker ( ) Tochter Dr. ist \n Arzt 3".split(" ")), max_size=25)
)
def test_no_evidence_makes_a_profession_of_a_word_after_a_salutation_or_title(words: list[str]) -> None:
    text = " ".join(words)
    for detection in detections(text):
        before = text[: detection.start].split()
        if detection.rule == "evidence" and before:
            assert before[-1] not in ("Herr", "Dr.")
