"""The cases of tests/cases/pattern, each run through its group's rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from case_files import CASES_DIR, Case, read_cases

from deid_core.core.note import Note
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.recognisers.pattern.recogniser import PatternRecogniser
from deid_core.recognisers.settings import PatternSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

FOLDER = CASES_DIR / "pattern"
KNOWN_FAILURES = FOLDER / "known_failures.tsv"
AT_LEAST = {"date": 60, "phone": 50}
"""Cases a group must have; 25 for the others, and of all of them a fair share must be negative."""


@pytest.fixture(scope="module")
def find() -> Callable[[Case], str]:
    vocabulary = Vocabulary()
    recognisers = {g: PatternRecogniser(PatternSettings(kind="pattern", groups=[g]), vocabulary) for g in GROUPS}

    def found(case: Case) -> str:
        document = Document(Note("case", case.text), vocabulary.tokenise(case.text), vocabulary)
        return case.written(recognisers[case.group].recognise(document))

    return found


CASES = [case for group in GROUPS for case in read_cases(FOLDER / f"{group}.tsv")]
FAILURES = read_cases(KNOWN_FAILURES, GROUPS)


@pytest.mark.parametrize("case", CASES, ids=[case.place for case in CASES])
def test_case(case: Case, find: Callable[[Case], str]) -> None:
    assert find(case) == case.expected


@pytest.mark.parametrize("case", FAILURES, ids=[case.place for case in FAILURES])
def test_known_failure_still_fails(case: Case, find: Callable[[Case], str]) -> None:
    assert find(case) != case.expected, f"{case.place} comes right now: move it to {case.group}.tsv"


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_cases_of_both_kinds(group: str) -> None:
    cases = [case for case in CASES if case.group == group]
    negative = sum(case.expected == "-" for case in cases)
    assert len(cases) >= AT_LEAST.get(group, 25)
    assert negative * 3 >= len(cases)
