"""Which notes go with a withdrawn patient: cases, and that a crash between any two removals changes nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.lake.notes.ids import NoteIds
from deid_core.lake.patients.matching import resolve
from deid_core.lake.patients.withdrawn import notes_to_withdraw
from deid_core.policies.patient_evidence import EvidenceKind, PatientEvidence

ALIAS = NoteIds(b"0" * 32).alias
IDS = [PatientEvidence(EvidenceKind.ID, str(number)) for number in range(3)]
PERSONS = [PatientEvidence(EvidenceKind.PERSON, f"{name} 1950-02-01") for name in ("anna m", "berta m", "clara m")]
EVIDENCE = st.dictionaries(
    st.integers(0, 9).map(str), st.frozensets(st.sampled_from(IDS + PERSONS), max_size=3), max_size=8
)
ANNA, BERTA, _ = PERSONS
Evidence = dict[str, frozenset[PatientEvidence]]


def withdrawn(
    evidence: Evidence, listed: set[str], present: set[str] | None = None, table: dict[str, set[str]] | None = None
) -> tuple[set[str], set[str], set[str]]:
    """Return own notes, those of others, and the list, as the lake has these notes."""
    resolved = resolve(evidence, table or {})
    return notes_to_withdraw(present or set(evidence), evidence, resolved, listed, ALIAS)


@pytest.mark.parametrize(
    ("notes", "own", "others"),
    [
        # By id, and by the name that a note with the id has.
        ([{IDS[0]}, {IDS[1]}], "0", ""),
        ([{IDS[0], ANNA}, {ANNA}, {BERTA}], "01", ""),
        # Mother and child: the note goes, but tells nothing of the patient.
        ([{IDS[0]}, {IDS[0], IDS[1]}, {IDS[1]}], "0", "1"),
        ([{IDS[0], ANNA, BERTA}, {BERTA}], "0", ""),
        # The same name and birth date with another id.
        ([{IDS[0], ANNA}, {IDS[1], ANNA}, {IDS[1]}], "0", "1"),
        ([set(), {IDS[1]}], "", ""),
    ],
)
def test_cases(notes: list[set[PatientEvidence]], own: str, others: str) -> None:
    evidence = {str(number): frozenset(said) for number, said in enumerate(notes)}
    assert withdrawn(evidence, {ALIAS("id 0")})[:2] == (set(own), set(others))


def test_the_hospitals_table_tells_the_id_of_the_letters() -> None:
    evidence = {"0": frozenset({IDS[1]}), "1": frozenset({IDS[1]}), "2": frozenset({IDS[2]})}
    assert withdrawn(evidence, {ALIAS("id 77")}, table={"0": {"77"}})[:2] == ({"0", "1"}, set())


@given(EVIDENCE, st.sampled_from(["id 0", "name anna m 1950-02-01"]), st.data())
def test_a_crash_changes_nothing(evidence: Evidence, identity: str, data: st.DataObject) -> None:
    """Whatever was removed of the notes that go: the rest of them go then, and no others."""
    own, others, listed = withdrawn(evidence, {ALIAS(identity)})
    assert own.isdisjoint(others)
    going = own | others
    forgotten = data.draw(st.sets(st.sampled_from(sorted(going)))) if going else set()
    left = {note_id: said for note_id, said in evidence.items() if note_id not in forgotten}
    again = withdrawn(left, listed, set(evidence))
    assert again[0] | again[1] == going
    assert again[2] == listed
    # What is left when all are gone stays.
    kept = {note_id: said for note_id, said in evidence.items() if note_id not in going}
    assert withdrawn(kept, listed)[:2] == (set(), set()) or not kept


@given(EVIDENCE, EVIDENCE)
def test_a_later_note_is_treated_as_an_earlier_one(first: Evidence, later: Evidence) -> None:
    """A note that says what tells the patient never stays, whenever it comes."""
    listed = withdrawn(first, {ALIAS("id 0")})[2]
    own, others, _ = withdrawn(later, listed)
    for note_id, said in later.items():
        if IDS[0] in said:
            assert note_id in own | others
