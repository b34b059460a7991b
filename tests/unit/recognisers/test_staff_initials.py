"""Staff initials: the cases of tests/cases/staff_initials, and the parts of the search."""

from __future__ import annotations

import pytest
from case_files import CASES_DIR, Case, read_cases

from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.recognisers.person_context import PersonContextRecogniser
from deid_core.recognisers.staff_initials import columns
from deid_core.recognisers.staff_initials.chains import chain_flags
from deid_core.recognisers.staff_initials.finder import initials_flags
from deid_core.recognisers.staff_initials.flags import InitialsFlag
from deid_core.recognisers.staff_initials.staff_names import StaffNames
from deid_core.recognisers.staff_initials.words import candidate_flags
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

FOLDER = CASES_DIR / "staff_initials"
MIN_SCORES = {"entries": 0.6, "chains": 0.6, "author-cues": 0.6}
"""Files whose cases count detections with this score or a higher one."""
CASES = [case for path in sorted(FOLDER.glob("*.tsv")) for case in read_cases(path)]


def initials(text: str, gazetteer: Gazetteer, min_score: float = 0.0) -> list[Detection]:
    vocabulary = Vocabulary()
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    found = PersonContextRecogniser(gazetteer, vocabulary).recognise(document)
    return [d for d in found if d.rule.startswith("initials") and d.score >= min_score]


@pytest.mark.parametrize("case", CASES, ids=[f"{case.group}-{case.place}" for case in CASES])
def test_case(case: Case, small_gazetteer: Gazetteer) -> None:
    assert case.written(initials(case.text, small_gazetteer, MIN_SCORES.get(case.group, 0.0))) == case.expected


def test_there_are_cases_of_both_kinds() -> None:
    assert len(CASES) >= 60
    assert sum(case.expected == "-" for case in CASES) >= 20


def test_initials_that_occur_once_without_a_name_have_a_low_score(small_gazetteer: Gazetteer) -> None:
    (found,) = initials("Wunde reizlos. qb\n", small_gazetteer)
    assert (found.start, found.end) == (15, 17)
    assert found.score < 0.6


@pytest.mark.parametrize(
    ("word", "flags"),
    [
        ("qb", InitialsFlag.CANDIDATE),
        ("Qu.", InitialsFlag.CANDIDATE),
        ("bk", InitialsFlag.CANDIDATE | InitialsFlag.ABBREVIATION),
        ("mg", 0),
        ("neg.", 0),
        ("q", 0),
        ("qwert", 0),
        ("q1", 0),
    ],
)
def test_candidates(word: str, flags: int) -> None:
    assert candidate_flags(word) == flags


def test_initials_of_names() -> None:
    staff = StaffNames.from_names(["Anna Dorn-Sommer", "Müller"])
    assert [s for s in ("AD", "DS", "SA", "Do", "Smr", "mü", "mlr", "xy", "nn") if staff.may_have(s)] == [
        "AD", "DS", "SA", "Do", "Smr", "mü", "mlr",
    ]  # fmt: skip
    assert staff.begin_with("DS") and staff.begin_with("Mü") and not staff.begin_with("Mlr")
    assert not StaffNames.from_names([]).may_have("ab")


def test_chain_flags() -> None:
    whole, part, date = (chain_flags(word) for word in ("pa-sb", "kb", "3.4.2010"))
    assert whole & InitialsFlag.WHOLE_CHAIN and whole & InitialsFlag.CHAIN_PART
    assert part & InitialsFlag.CHAIN_PART
    assert not part & (InitialsFlag.WHOLE_CHAIN | InitialsFlag.BEFORE_CHAIN)
    assert date == InitialsFlag.BEFORE_CHAIN
    assert all(chain_flags(mark) & InitialsFlag.BEFORE_CHAIN for mark in ("/", ":", "-", ";", "2010"))
    assert not chain_flags(",") & InitialsFlag.BEFORE_CHAIN  # "Bypass 2001, Lyse"


def test_each_cell_below_headings_is_looked_at_once(
    small_gazetteer: Gazetteer, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = []

    class Counted:
        def fullmatch(self, cell: str) -> None:
            cells.append(cell)

    monkeypatch.setattr(columns, "_INITIALS_CELL", Counted())
    initials("Arznei\tFrage\tSign\n" + "Xyl\tgegeben\tgegeben\n" * 50, small_gazetteer)
    assert len(cells) == 99


def test_every_flag_is_set_for_some_word() -> None:
    words = """
        kb Mu. q bk mg pa-sb / : - ; , . ) ( [ ] + ! " 3 3.4.2010 2010 o.k. uhr Mo zeichen az schrift vis user druck
        freigegeben gegeben Hdz.
    """.split()
    flags = 0
    for word in words:
        flags |= initials_flags(word)
    assert InitialsFlag(flags) == ~InitialsFlag(0)
