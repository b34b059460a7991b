"""Kinds of errors: one text for each rule, and the laws that every list of errors keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from span_samples import at, spans

from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.entity_scores import EntityEvaluation
from deid_core.lab.evaluate.error_kinds import ErrorOutcome, Kind, ScoredNote, Side, find_errors
from deid_core.lab.evaluate.listed_words import ListedWords
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind

LISTED = ListedWords(
    common=frozenset({"sommer", "war", "beim"}),
    names=frozenset({"anna", "stein", "ulm", "meier", "sommer"}),
    prefixes=frozenset({"dr", "von", "frau"}),
)
LONG = "ab cd ef gh "


def errors(
    text: str, gold: list[tuple[str, str]], found: list[tuple[str, str]]
) -> list[tuple[Side, ErrorOutcome, Kind]]:
    note = ScoredNote("n", text, [at(text, *g) for g in gold], [at(text, *f) for f in found])
    return [(case.side, case.outcome, case.kind) for case in find_errors([note], LISTED)]


FN, FP = Side.FALSE_NEGATIVE, Side.FALSE_POSITIVE


def test_what_is_right_is_no_error() -> None:
    assert errors("Anna Stein", [("Anna Stein", "PER")], [("Anna Stein", "PER")]) == []


@pytest.mark.parametrize(
    ("text", "surface", "kind"),
    [
        ("gestern A. B. hier", "A. B.", Kind.ABBREVIATION),
        ("im KHB gewesen", "KHB", Kind.ABBREVIATION),
        ("Herr MEIER kam", "MEIER", Kind.OTHER),
        ("Herr Sommer kam", "Sommer", Kind.COMMON_LANGUAGE),
        ("Herr Xylophonski kam", "Xylophonski", Kind.OUT_OF_VOCABULARY),
        ("Frau Stein kam", "Stein", Kind.OTHER),
        ("Frau Stein und ein Stein", "Stein", Kind.AMBIGUITY),
        ("Herr Ulm-Stein kam", "Ulm-Stein", Kind.COMPOUND),
        ("Herr Steinbach kam", "Stein", Kind.TOKENISATION),
        ("am 3.4.2010 kam", "3.4.2010", Kind.OTHER),
    ],
)
def test_a_missed_span(text: str, surface: str, kind: Kind) -> None:
    assert errors(text, [(surface, "PER")], []) == [(FN, ErrorOutcome.MISSED, kind)]


def test_a_predicted_span_that_cuts_a_token_is_a_compound() -> None:
    found = errors("Herr Steinbach kam", [("Steinbach", "PER")], [("Stein", "PER")])
    assert found == [(FP, ErrorOutcome.TOO_SHORT, Kind.COMPOUND), (FN, ErrorOutcome.TOO_SHORT, Kind.COMPOUND)]


def test_a_title_taken_for_part_of_the_name_is_a_prefix() -> None:
    found = errors("Herr Dr. von Stein kam", [("Stein", "PER")], [("Dr. von Stein", "PER")])
    assert found == [(FP, ErrorOutcome.TOO_LONG, Kind.PREFIX), (FN, ErrorOutcome.TOO_LONG, Kind.PREFIX)]


def test_an_initial_that_was_left_out_is_an_abbreviation() -> None:
    found = errors("Herr A. Stein kam", [("A. Stein", "PER")], [("Stein", "PER")])
    assert {kind for _, _, kind in found} == {Kind.ABBREVIATION}


def test_a_span_of_another_label_is_a_wrong_label_on_both_sides() -> None:
    found = errors("aus Ulm", [("Ulm", "LOC")], [("Ulm", "PER")])
    assert [(side, outcome) for side, outcome, _ in found] == [
        (FN, ErrorOutcome.WRONG_LABEL),
        (FP, ErrorOutcome.WRONG_LABEL),
    ]


def test_spans_that_overlap_at_their_ends_are_shifted() -> None:
    found = errors("Anna Stein Ulm", [("Anna Stein", "PER")], [("Stein Ulm", "PER")])
    assert {outcome for _, outcome, _ in found} == {ErrorOutcome.SHIFTED}


def test_a_spurious_span_that_is_gold_elsewhere_may_be_a_missing_annotation() -> None:
    text = "Stein kam. stein ging. Anna blieb."
    assert errors(text, [("Stein", "PER")], [("Stein", "PER"), ("stein", "PER")]) == [
        (FP, ErrorOutcome.SPURIOUS, Kind.MISSING_ANNOTATION)
    ]


def test_a_case_says_what_a_reader_of_the_redacted_text_would_see() -> None:
    text = "Anna Stein aus Ulm"
    note = ScoredNote("n", text, [at(text, "Anna Stein", "PER"), at(text, "Ulm", "LOC")], [at(text, "Ulm", "PER")])
    missed, mistaken, _ = find_errors([note], LISTED)
    assert (missed.legible, missed.other_label) == (True, "")
    assert (mistaken.legible, mistaken.other_label) == (False, "PER")


@given(spans(), spans())
def test_errors_are_what_exact_matching_leaves(gold: list[LabelledSpan], found: list[LabelledSpan]) -> None:
    cases = find_errors([ScoredNote("n", LONG, gold, found)], LISTED)
    evaluation = EntityEvaluation()
    evaluation.add(gold, found)
    assert sum(case.side is FN for case in cases) == evaluation.micro.false_negative
    assert sum(case.side is FP for case in cases) == evaluation.micro.false_positive
    assert all(
        (case.other_label == "") == (case.outcome in (ErrorOutcome.MISSED, ErrorOutcome.SPURIOUS)) for case in cases
    )


def test_the_words_are_those_of_the_lists() -> None:
    lists = {ListKind.SURNAME: ["Stein"], ListKind.COMMON_WORD: ["Sommer"], ListKind.TITLE: ["Dr."]}
    known = ListedWords.of(compile_lists(lists))
    assert known.is_common("SOMMER")
    assert known.is_name("Stein")
    assert not known.is_common("Stein")
    assert known.is_prefix("Dr.") and known.is_prefix("von")
    assert not known.is_listed("Xylophonski")
