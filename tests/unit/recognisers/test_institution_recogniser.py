"""Recogniser `institution`: the cases of tests/cases/institution, and what holds for any text."""

from __future__ import annotations

import pytest
from case_files import CASES_DIR, Case, read_cases
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.institution import InstitutionRecogniser, head_words
from deid_core.recognisers.institution.ocr_repair import repaired
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.FIRST_NAME: ["Anna", "Elisabeth", "Vinzenz"],
        ListKind.SURNAME: ["Knarz", "Knarzmann", "Muster"],
        ListKind.TOWN: ["Biberach", "Essen", "Heidelberg", "Mannheim", "Singen", "Weil"],
        ListKind.REGION: ["Baden-Württemberg", "Bergstraße", "Kurpfalz", "Odenwald", "Pfalz"],
        ListKind.COUNTRY: ["Dänemark", "Kasachstan"],
        ListKind.CLINIC_WORD: [
            "abteilung", "innere", "kardiologie", "klinik", "labor", "medizinische", "patient", "praxis",
            "radiologie", "station",
        ],
        ListKind.MEDICAL_WORD: [
            "befund", "dyspnoe", "gallenstein", "gefäß", "haut", "herz", "kalium", "kopf", "lunge", "therapie",
        ],
        ListKind.STOP_WORD: ["an", "auf", "aus", "der", "die", "für", "in", "und", "war"],
        ListKind.COMMON_WORD: [
            "bauernhof", "besserung", "der", "deutsche", "dorf", "essen", "gesetzliche", "gestern", "guten", "hand",
            "heute", "hirten", "hummel", "knarz", "kommt", "kontrolle", "markt", "medizin", "mit", "muster",
            "patient", "pause", "rheintal", "schule", "singen", "software", "tage", "tasche", "union", "unsere",
            "urlaub", "visite", "wald", "weg", "wieder", "wohnt", "zustand",
        ],
    }
)  # fmt: skip
CASES = [case for file in sorted((CASES_DIR / "institution").glob("*.tsv")) for case in read_cases(file)]


def detections(text: str) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = InstitutionRecogniser(GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


def found(text: str) -> list[str]:
    return [text[d.start : d.end] for d in detections(text)]


@pytest.mark.parametrize("case", CASES, ids=[case.place for case in CASES])
def test_case(case: Case) -> None:
    assert case.written(detections(case.text)) == case.expected


def test_there_are_cases_of_all_files() -> None:
    assert len({case.group for case in CASES}) >= 4
    assert len(CASES) >= 150


WORDS = [
    *"Klinik KLINIKUM am zum Bad St. - und Dr. AG GmbH & Co. AOK TK bei arbeitet Station Xylo . , der 3".split(),
    *["Heidelberg", "Rhein", '"', "\n", "\t"],
]


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.sampled_from(["", " ", "  "]))
def test_a_name_stays_on_its_line_and_within_its_reach(words: list[str], gap: str) -> None:
    for name in found(gap.join(words)):
        assert name == name.strip()
        assert "\n" not in name
        assert "\t" not in name


@given(st.sampled_from(sorted(head_words._HEADS)) | st.text(max_size=4), st.text(max_size=3))
def test_the_longest_head_word_at_the_end_of_a_word_counts(head: str, before: str) -> None:
    ends = [ending for ending in head_words._HEADS if (before + head).endswith(ending)]
    assert head_words.head_of(before + head) == max(ends, key=len, default="")


@pytest.mark.parametrize(
    ("misread", "word"),
    [
        ("K1inikum", "Klinikum"),
        ("Abtei1ung", "Abteilung"),
        ("A0K", "AOK"),
        ("lnstitut", "Institut"),
        ("Klinikurn", "Klinikum"),
        ("H0CHWALD", "HOCHWALD"),
        ("Retourn", "Retourn"),
        ("C1", "C1"),
        ("HbA1c", "HbA1c"),
        ("Klinikum", "Klinikum"),
    ],
)
def test_ocr_errors_are_repaired(misread: str, word: str) -> None:
    assert repaired(misread) == word


@pytest.mark.timeout(30)
def test_a_long_word_that_is_no_misreading_costs_little() -> None:
    """An expression with several ways to match took seconds for each of them."""
    for letter in "abcdefghijklmnopqrstuvwxyz":
        word = f"K0{letter * 240}_"
        assert repaired(word) == word
