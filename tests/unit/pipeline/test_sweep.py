"""The sweep: what a header says is found in the text that is left, and replacements are not searched."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.lab.evaluate.planted_leaks import is_found, planted_leaks
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.sweep import Leak, Sweep, Term, TermKind, header_terms

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
    return Sweep(compile_lists({ListKind.COMMON_WORD: ["Herz", "Wald"], ListKind.STOP_WORD: ["von", "der"]}))


def found(text: str, terms: tuple[Term, ...] = TERMS) -> list[tuple[str, str, bool]]:
    return [(text[leak.start : leak.end], leak.kind.value, leak.common) for leak in sweep().find(text, (), terms)]


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


@pytest.mark.parametrize("text", ["Lunge frei", "RR 120/80", "am 2.1.1950", "Leuko 6912", "z.B. i.A.", "Wald"])
def test_other_words_and_numbers_are_not_found(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "word"), [("das Herz ist", "Herz"), ("von der Klinik", "von")])
def test_a_particle_and_a_common_word_are_told_apart(text: str, word: str) -> None:
    assert found(text) == [(word, "name", True)]


def test_replacements_are_not_searched() -> None:
    text = "Herr Thorwald, dann Thorwald"
    assert sweep().find(text, [(5, 13)], TERMS) == [Leak(20, 28, TermKind.NAME, common=False)]


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
