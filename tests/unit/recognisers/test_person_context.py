"""Names by context: the cases of tests/cases/person_context, and the work on adversarial text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from case_files import CASES_DIR, Case, read_cases
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.person_context import PersonContextRecogniser
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

FOLDER = CASES_DIR / "person_context"
_LOWER_CASE = "es gab husten und fieber bei der kontrolle und danach ging alles wieder gut nach hause " * 3
BEFORE = {"lower-case-note": f"{_LOWER_CASE}\n\n", "upper-case-note": f"{_LOWER_CASE.upper()}\n\n"}
"""Text that is put before each case of these files."""
CASES = [case for path in sorted(FOLDER.glob("*.tsv")) for case in read_cases(path)]


@pytest.fixture(scope="module")
def find(small_gazetteer: Gazetteer) -> Callable[[str], list[Detection]]:
    def found(text: str) -> list[Detection]:
        vocabulary = Vocabulary()
        document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
        return list(PersonContextRecogniser(small_gazetteer, vocabulary).recognise(document))

    return found


@pytest.mark.parametrize("case", CASES, ids=[f"{case.group}-{case.place}" for case in CASES])
def test_case(case: Case, find: Callable[[str], list[Detection]]) -> None:
    before = BEFORE.get(case.group, "")
    shift = len(before)
    detections = [d._replace(start=d.start - shift, end=d.end - shift) for d in find(before + case.text)]
    assert case.written(detections) == case.expected


def test_there_are_cases_of_both_kinds() -> None:
    assert len(CASES) >= 90
    assert sum(case.expected == "-" for case in CASES) >= 20


@given(text=st.text(alphabet="Herr FauDmd.Müleg,\n\t-ABc:*1", max_size=200))
def test_names_have_no_blanks_around_them(text: str, find: Callable[[str], list[Detection]]) -> None:
    for detection in find(text):
        name = text[detection.start : detection.end]
        assert name == name.strip() != ""


@pytest.mark.parametrize(
    "word", ["Dr. ", "Herr ", "i.A. ", "Herrn Kollegen ", "geb. ", "Dr. von ", "Dres. Müller und "]
)
def test_work_is_linear_in_repeated_cues(
    word: str, find: Callable[[str], list[Detection]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Count calls instead of seconds: four times the text may need at most five times the calls."""
    calls = [0]

    def counting(method: Callable[..., object]) -> Callable[..., object]:
        def counted(line: NameLine, index: int) -> object:
            calls[0] += 1
            return method(line, index)

        return counted

    for name in ("word", "adjacent", "opens_column"):
        monkeypatch.setattr(NameLine, name, counting(getattr(NameLine, name)))

    def work(times: int) -> int:
        calls[0] = 0
        find(word * times)
        return calls[0]

    assert 500 <= work(500)
    assert work(2000) <= 5 * work(500)
