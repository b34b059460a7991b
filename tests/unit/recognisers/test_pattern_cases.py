"""The cases of tests/cases/patterns, each run through its group's rules; a malformed line fails with file and line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from deid_core.core.note import Note
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.recognisers.pattern.recogniser import PatternRecogniser
from deid_core.recognisers.settings import PatternSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

FOLDER = Path(__file__).resolve().parents[2] / "cases" / "patterns"
KNOWN_FAILURES = FOLDER / "known_failures.tsv"
AT_LEAST = {"date": 60, "phone": 50}
"""Cases a group must have; 25 for the others, and of all of them a fair share must be negative."""


@dataclass(frozen=True)
class Case:
    """A text and what the group should find in it, written as in the file."""

    group: str
    text: str
    expected: str
    place: str


class MalformedCase(Exception):
    """A line of a case file is not a case; the message has file and line."""


def unescape(text: str, place: str) -> str:
    out, at = [], 0
    while at < len(text):
        if text[at] != "\\":
            out.append(text[at])
            at += 1
            continue
        mark = text[at : at + 2]
        if mark not in ("\\n", "\\t", "\\\\"):
            raise MalformedCase(f"{place}: {mark!r} is no escape; there are \\n, \\t and \\\\")
        out.append({"\\n": "\n", "\\t": "\t", "\\\\": "\\"}[mark])
        at += 2
    return "".join(out)


def parse(line: str, place: str, group: str) -> Case:
    fields = line.split("\t")
    if len(fields) != 2:
        raise MalformedCase(f"{place}: needs a text, one tab, and what is found; has {len(fields) - 1} tabs")
    text, expected = (unescape(field, place) for field in fields)
    if not text:
        raise MalformedCase(f"{place}: the text is empty")
    if expected == "-":
        return Case(group, text, expected, place)
    if not (expected.startswith("[") and expected.endswith("]")):
        raise MalformedCase(f"{place}: what is found stands in square brackets, or is -")
    at = 0
    for part in expected[1:-1].split("] | ["):
        at = text.find(part, at) + len(part)
        if not part or at < len(part):
            raise MalformedCase(f"{place}: a found part is empty or not in the text behind the one before")
    return Case(group, text, expected, place)


def read_cases(path: Path) -> list[Case]:
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        place, group = f"{path.name}:{number}", path.stem
        if path == KNOWN_FAILURES:
            group, _, line = line.partition("\t")
            if group not in GROUPS:
                raise MalformedCase(f"{place}: there is no group {group!r}")
        cases.append(parse(line, place, group))
    return cases


@pytest.fixture(scope="module")
def find() -> Callable[[Case], str]:
    vocabulary = Vocabulary()
    recognisers = {g: PatternRecogniser(PatternSettings(kind="pattern", groups=[g]), vocabulary) for g in GROUPS}

    def found(case: Case) -> str:
        document = Document(Note("case", case.text), vocabulary.tokenise(case.text), vocabulary)
        places = sorted((d.start, d.end) for d in recognisers[case.group].recognise(document))
        return " | ".join(f"[{case.text[start:end]}]" for start, end in places) or "-"

    return found


CASES = [case for group in GROUPS for case in read_cases(FOLDER / f"{group}.tsv")]
FAILURES = read_cases(KNOWN_FAILURES)


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


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nur ein Text", "0 tabs"),
        ("a\tb\tc", "2 tabs"),
        ("am 1.3.09\t1.3.09", "square brackets"),
        ("am 1.3.09\t[2.3.09]", "not in the text"),
        ("am 1.3.09\t[]", "empty"),
        ("a\\x\t-", "no escape"),
        ("\t-", "the text is empty"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "date.tsv"
    path.write_text(f"# cases\n\n{line}\n", encoding="utf-8")
    with pytest.raises(MalformedCase, match=r"date\.tsv:3: ") as raised:
        read_cases(path)
    assert says in str(raised.value)
