"""The sweep: what a header says is found in the text that is left, and replacements are not searched."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Dropped, DropReason, Span
from deid_core.lab.evaluate.planted_leaks import is_found, planted_leaks
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.known_terms import Term, TermKind, TermSource, document_terms, evidence_terms, header_terms
from deid_core.pipeline.sweep import Leak, LeakRule, Sweep, in_note
from deid_core.policies.patient_evidence import EvidenceKind, PatientEvidence
from deid_core.recognisers.letterhead import LetterheadRecogniser
from deid_core.recognisers.settings import LetterheadSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

NAME = Term(TermKind.NAME, "Peter von Thorwald")
TERMS = (
    NAME,
    Term(TermKind.NAME, "Anna Herz"),
    Term(TermKind.BIRTH_DATE, "1.2.1950"),
    Term(TermKind.NUMBER, "06221/56-1234"),
    Term(TermKind.POSTCODE, "69120"),
    Term(TermKind.ELECTRONIC, "p.thorwald@beispiel.de"),
)


@cache
def sweep() -> Sweep:
    common = ["Herz", "Wald", "Hasen", "Hasel", "langen", "gasse", "quer", "finger", "mo", "mi", "Fr"]
    lists = {ListKind.COMMON_WORD: common, ListKind.STOP_WORD: ["von", "der", "in"], ListKind.FIRST_NAME: ["Anna"]}
    return Sweep(compile_lists(lists))


def found(text: str, terms: tuple[Term, ...] = TERMS) -> list[tuple[str, str, bool]]:
    leaks = sweep().find(text, (), terms)
    return [(text[leak.start : leak.end], str(leak.kind.value), leak.common) for leak in leaks]


@pytest.mark.parametrize(
    ("text", "leak", "kind"),
    [
        ("Befund Thorwald", "Thorwald", "name"),
        ("befund THORWALD", "THORWALD", "name"),
        ("befund thorwald.", "thorwald", "name"),
        ("Thorwalds Sohn", "Thorwalds", "name"),
        ("Thorwlad kam", "Thorwlad", "name"),
        ("Frau Meier-Thorwald", "Meier-Thorwald", "name"),
        ("Thor\u00adwald", "Thor\u00adwald", "name"),
        ("P. T. kam", "P. T.", "name"),
        ("Herr T. kam", "T.", "name"),
        ("geb. 01.02.50", "01.02.50", "birth_date"),
        ("geb. 1. Februar 1950", "1. Februar 1950", "birth_date"),
        ("geb. 1950-02-01", "1950-02-01", "birth_date"),
        ("Tel. 06221 561234", "06221 561234", "number"),
        ("Tel. +49 6221 56 1234", "49 6221 56 1234", "number"),
        ("69120 Ort", "69120", "postcode"),
        ("an P.Thorwald@Beispiel.de", "P.Thorwald@Beispiel.de", "electronic"),
    ],
)
def test_a_known_term_is_found(text: str, leak: str, kind: str) -> None:
    assert (leak, kind, False) in found(text)


@pytest.mark.parametrize(
    ("text", "leak"),
    [
        ("Anna Herz kam", "Herz"),
        ("HERZ, ANNA", "HERZ"),
        ("Frau Herz kam", "Herz"),
        ("<SALUTE> <TITLE> Herz kam", "Herz"),
        ("A. Herz kam", "Herz"),
        ("in der Langen Gasse 7", "Langen"),
    ],
)
def test_a_common_word_is_a_name_beside_what_says_so(text: str, leak: str) -> None:
    terms = (Term(TermKind.NAME, "Anna Herz"), Term(TermKind.ADDRESS, "Langen Gasse"))
    assert (leak, False) in {(word, common) for word, _, common in found(text, terms)}


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("Wald FMH", "Facharzt FMH"),
        ("Dr. Vord. Wald", "Vord. Kreuzband"),
        ("Pühringer", "drei Querfinger"),
        ("Thorwald", "Mo Mi Fr"),
        ("Mo Mi Fr", "Mo Mi Fr"),
    ],
)
def test_degrees_abbreviations_and_compounds_are_no_names(term: str, text: str) -> None:
    assert [leak for leak in found(text, (Term(TermKind.NAME, term),)) if not leak[2]] == []


def test_a_listed_name_in_a_compound_is_one_though_it_may_be_cut_into_common_words() -> None:
    lists = {ListKind.SURNAME: ["Hellwig"], ListKind.COMMON_WORD: ["hell", "wig", "konsil", "quer", "finger"]}
    find = Sweep(compile_lists(lists)).find
    text = "Hellwig-Konsil, Querfinger-Konsil"
    terms = [Term(TermKind.NAME, "Hellwig"), Term(TermKind.NAME, "Querfinger")]
    assert [(text[leak.start : leak.end], leak.common) for leak in find(text, (), terms)] == [
        ("Hellwig-Konsil", False),
        ("Querfinger-Konsil", True),
    ]


def test_a_misspelt_name_that_is_a_common_word_is_counted() -> None:
    assert found("mit Hasen", (Term(TermKind.NAME, "Uwe Hansen"),)) == [("Hasen", "name", True)]
    assert found("Herr Hasen", (Term(TermKind.NAME, "Uwe Hansen"),)) == [("Hasen", "name", False)]
    assert found("mit Hasel", (Term(TermKind.NAME, "Uwe Hansen"),)) == []


@pytest.mark.parametrize(
    ("reason", "who"),
    [
        (DropReason.DROP_ABOVE, "stacking"),
        (DropReason.CUT_ABOVE, "stacking"),
        (DropReason.TRIMMED, "boundary_trimming"),
        (DropReason.FOREIGN, "foreign_passages"),
        (DropReason.NEVER, "own_list"),
    ],
)
def test_who_should_have_found_it(reason: DropReason, who: str) -> None:
    note = "Thorwald und Thorwald"
    sweeper = Sweep(compile_lists({}), None, ["pattern", "letterhead"], [])
    name = Dropped(0, 8, Label.PER, PhiType.PERSON, "crf", "r", 0.5, reason)
    leaks = sweeper.find(note, [], [NAME._replace(source=TermSource.PATIENT)])
    spans, _ = sweeper.added(leaks, [], [name])
    assert [LeakRule.from_text(span.rule) for span in spans] == [
        LeakRule(TermSource.PATIENT, TermKind.NAME, who),
        LeakRule(TermSource.PATIENT, TermKind.NAME, "letterhead"),
    ]
    spans, _ = sweep().added(sweep().find("geb. 1.2.1950", [], TERMS), [])
    assert [span.rule for span in spans] == ["header.birth_date.none"]
    assert LeakRule.from_text("name") == LeakRule(TermSource.HEADER, TermKind.NAME, "none")


@given(st.lists(st.tuples(st.text("ab ", max_size=3), st.text("cd", min_size=1, max_size=3)), max_size=4), st.data())
def test_a_leak_is_at_the_same_words_in_note_and_output(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    note, output, spans, outputs = "", "", [], []
    for kept, removed in pairs:
        note, output = note + kept, output + kept
        replacement = data.draw(st.sampled_from(["", "<PER>", "x"]))
        spans.append(Span(len(note), len(note) + len(removed), Label.PER, PhiType.PERSON, "r", "r"))
        outputs.append((len(output), len(output) + len(replacement)))
        note, output = note + removed, output + replacement
    note, output = f"{note} leak", f"{output} leak"
    leaks = [Leak(len(output) - 4, len(output), TermKind.NAME, TermSource.HEADER, common=False)]
    assert [note[leak.start : leak.end] for leak in in_note(leaks, spans, outputs)] == ["leak"]


def test_a_leak_around_what_is_replaced_by_nothing_is_two() -> None:
    span = Span(3, 6, Label.PER, PhiType.PERSON, "r", "r")
    leaks = [Leak(0, 6, TermKind.NAME, TermSource.HEADER, common=False)]
    assert [leak[:2] for leak in in_note(leaks, [span], [(3, 3)])] == [(0, 3), (6, 9)]


def test_what_the_pipeline_keeps_is_not_looked_for() -> None:
    sweeper = Sweep(compile_lists({}), None, [], [Label.PLZ])
    assert [leak.kind for leak in sweeper.find("69120 Thorwald", (), TERMS)] == [TermKind.NAME]


def test_words_that_are_never_removed_stay_but_for_names_of_header_and_hospital() -> None:
    terms = [Term(TermKind.ADDRESS, "Bad Thorstadt"), Term(TermKind.NAME, "Peter Thorwald")]
    terms.append(Term(TermKind.NAME, "Anna Quandel", TermSource.PATIENT))
    terms.append(Term(TermKind.NAME, "Uta Prandel", TermSource.HOSPITAL))
    sweeper = Sweep(compile_lists({}), never=["Bad Thorstadt", "Thorwald", "Quandel", "Prandel"])
    text = "Thorwald in Bad Thorstadt, Bad, Quandel, Prandel"
    assert [text[leak.start : leak.end] for leak in sweeper.find(text, (), terms)] == ["Thorwald", "Bad", "Prandel"]


def test_the_header_and_the_detected_fields_give_the_same_terms() -> None:
    subject = "Betr.: Fall 4711223, geb. 1.2.1950"
    text = f"Herrn\nPeter Thorwald\nHauptstraße 3\n69120 Heidelberg\n\n{subject}\n\nSehr geehrter Herr Kollege,\n"
    terms = header_terms(Note("", text))
    assert Term(TermKind.NUMBER, "4711223") in terms
    vocabulary = Vocabulary()
    settings = LetterheadSettings(kind="letterhead", typed=True, max_ratio=0.333)
    recogniser = LetterheadRecogniser(settings, compile_lists({}), vocabulary)
    document = Document(Note("", text), vocabulary.tokenise(text), vocabulary)
    assert document_terms(document, recogniser.recognise(document)) == terms


def test_what_other_notes_say_gives_terms() -> None:
    evidence = [
        PatientEvidence(EvidenceKind.ID, "4711223"),
        PatientEvidence(EvidenceKind.NAME, "Müller, Anna"),
        PatientEvidence(EvidenceKind.BIRTH_DATE, "1950-02-01"),
        PatientEvidence(EvidenceKind.PERSON, "anna muller 1950-02-01"),
    ]
    terms = evidence_terms(evidence)
    assert {term.source for term in terms} == {TermSource.PATIENT}
    told = {kind: word for word, kind, _ in found("Anna, geb. 1.2.1950, Nr. 4711 223", tuple(terms))}
    assert told == {"name": "Anna", "birth_date": "1.2.1950", "number": "4711 223"}


@pytest.mark.parametrize("text", ["Lunge frei", "RR 120/80", "am 2.1.1950", "Leuko 6912", "z.B. i.A.", "Wald"])
def test_other_words_and_numbers_are_not_found(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "word"), [("das Herz ist", "Herz"), ("von der Klinik", "von")])
def test_a_particle_and_a_common_word_are_told_apart(text: str, word: str) -> None:
    assert found(text) == [(word, "name", True)]


def test_replacements_are_not_searched() -> None:
    text = "Herr Thorwald, dann Thorwald"
    assert sweep().find(text, [(5, 13)], TERMS) == [Leak(20, 28, TermKind.NAME, TermSource.HEADER, common=False)]


@given(st.text(), st.text(), st.sampled_from(["Thorwald", "THORWALD", "thorwald", "Thorwalds"]))
def test_a_name_is_found_in_any_text(before: str, after: str, name: str) -> None:
    text = f"{before}\n{name}\n{after}"
    start = len(before) + 1
    leaks = sweep().find(text, (), [NAME])
    assert any(leak.start <= start and leak.end >= start + len(name) for leak in leaks)


def test_the_header_gives_terms() -> None:
    note = Note("", "Herrn\nPeter Thorwald\nHauptstraße 3\n69120 Heidelberg\n\nSehr geehrter Herr Kollege,\n")
    assert {(term.kind.value, term.text) for term in header_terms(note)} >= {
        ("name", "Peter Thorwald"),
        ("postcode", "69120"),
        ("address", "Heidelberg"),
    }


def test_every_planted_leak_is_found() -> None:
    missed = [
        planted.form
        for planted in planted_leaks(60, seed=1)
        if not is_found(planted, sweep().find(planted.text, planted.replaced, planted.terms))
    ]
    assert missed == []
