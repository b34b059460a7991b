"""Which notes are of one patient: cases, and that neither order nor what was there before matters."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("deltalake", reason="needs the extra spark")

from deid_core.core.errors import ConfigurationError
from deid_core.lake.inputs.patient_table import PatientTable, load_patient_table
from deid_core.lake.patients.matching import Resolved, are_close, resolve
from deid_core.policies.patient_evidence import EvidenceKind, PatientEvidence

CASES = Path(__file__).resolve().parents[2] / "cases" / "patients" / "matching.tsv"
LINES = [line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
IDS = [PatientEvidence(EvidenceKind.ID, str(number)) for number in range(3)]
PERSONS = [
    PatientEvidence(EvidenceKind.PERSON, f"{name} {birth}")
    for name in ("anna m", "berta m")
    for birth in ("1950-02-01", "1951-02-01", "1962-11-30")
]
NOTES = st.dictionaries(
    st.integers(0, 30).map(str), st.frozensets(st.sampled_from(IDS + PERSONS), max_size=3), max_size=12
)
TABLE = st.dictionaries(st.integers(0, 30).map(str), st.frozensets(st.sampled_from("012"), min_size=1, max_size=2))


def resolved(notes: str) -> Resolved:
    """Return the patients of notes written as in the cases."""
    evidence: dict[str, list[PatientEvidence]] = {}
    table: dict[str, list[str]] = {}
    for number, said in enumerate(notes.split()):
        parts = [] if said == "-" else said.split("+")
        table |= {str(number): found} if (found := [part[1:] for part in parts if part[0] == "T"]) else {}
        evidence[str(number)] = [
            PatientEvidence(EvidenceKind.PERSON, part.replace(":", " "))
            if ":" in part
            else PatientEvidence(EvidenceKind.ID, part)
            for part in parts
            if part[0] != "T"
        ]
    return resolve(evidence, table)


@pytest.mark.parametrize(("notes", "expected"), LINES)
def test_matching(notes: str, expected: str) -> None:
    found = resolved(notes)
    reasons = {conflict.note_id: f"!{conflict.reason}" for conflict in found.conflicts}
    told = []
    for number in range(len(notes.split())):
        identity, source = found.patient_of(str(number))
        alone = reasons.get(str(number), "note")
        told.append(alone if source == "note" else f"{source} {identity.partition(' ')[2]}")
    assert ", ".join(told) == expected


@given(NOTES, TABLE, st.randoms())
def test_the_order_of_notes_does_not_matter(notes: dict, table: dict, random: object) -> None:  # type: ignore[type-arg]
    shuffled = list(notes.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert resolve(dict(shuffled), dict(reversed(table.items()))) == resolve(notes, table)


@given(NOTES, TABLE)
def test_no_note_is_of_a_patient_that_its_own_evidence_contradicts(notes: dict, table: dict) -> None:  # type: ignore[type-arg]
    found = resolve(notes, table)
    listed = {conflict.note_id for conflict in found.conflicts}
    by_patient = defaultdict(set)
    for note_id in notes.keys() | table.keys():
        identity, _ = found.patient_of(note_id)
        assert (note_id in listed) <= (identity == f"note {note_id}")
        ids = set(table.get(note_id, ())) or {item.value for item in notes[note_id] if item.kind == EvidenceKind.ID}
        if ids and not identity.startswith("note "):
            by_patient[identity] |= ids
    assert all(len(ids) == 1 for ids in by_patient.values())


@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("1950-02-01", "1950-02-01", True),
        ("1950-02-01", "1950-02-09", True),
        ("1950-02-01", "1905-02-01", True),
        ("1950-02-11", "1950-11-02", True),
        ("1950-02-01", "1950-03-02", False),
        ("1950-02-01", "1962-02-01", False),
    ],
)
def test_close_birth_dates(one: str, other: str, close: bool) -> None:
    assert are_close(one, other) is are_close(other, one) is close


def test_the_table_by_path_and_by_pattern() -> None:
    table = PatientTable(
        [("a/1.doc", "0007"), ("a/*", "8"), ("b/*_4711_*", "4711"), ("b/*_4712_*", "4712"), ("*/x?.doc", "9")]
    )
    assert table.patients_of("a/1.doc") == {"7"}
    assert table.patients_of("a/sub/2.doc") == {"8"}
    assert table.patients_of("b/Brief_4711_1.doc") == {"4711"}
    assert table.patients_of("b/Brief_4711_4712_.doc") == {"4711", "4712"}
    assert table.patients_of("c/xy.doc") == {"9"}
    assert table.patients_of("c/y.doc") == frozenset()


def test_composed_and_decomposed_letters_are_the_same_path() -> None:
    assert PatientTable([("Mu\u0308ller.doc", "7")]).patients_of("M\u00fcller.doc") == {"7"}


@pytest.mark.parametrize("kind", ["comma", "semicolon", "parquet"])
def test_files_of_the_table(tmp_path: Path, kind: str) -> None:
    file = tmp_path / ("patients.parquet" if kind == "parquet" else "patients.csv")
    if kind == "parquet":
        pq.write_table(pa.table({"patient": [7, 8], "path": ["a/Müller, Anna.doc", "b/*"]}), file)
    elif kind == "comma":
        file.write_text('\ufeffpath,patient,ward\n"a/Müller, Anna.doc",7,N2\nb/*,8,\n', encoding="utf-8")
    else:
        file.write_text("patient;path\n7;a/Müller, Anna.doc\n8;b/*\n", encoding="utf-8")
    table = load_patient_table(str(file))
    assert table.patients_of("a/Müller, Anna.doc") == {"7"}
    assert table.patients_of("b/c.doc") == {"8"}


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("path,patient\na.doc,\n,7\nb.doc\n", [":2: patient is empty", ":3: path is empty", ":4: patient is empty"]),
        ("file,patient\na.doc,7\n", [":1: patient.table lacks the column path"]),
        ("", [":1: patient.table lacks the column path", ":1: patient.table lacks the column patient"]),
        (None, [": patient.table cannot be read: No such file or directory"]),
        (b"path,patient\n\xff,1\n", [": patient.table cannot be read: is not in UTF-8; save it as `CSV UTF-8`"]),
    ],
)
def test_mistakes_of_the_table(tmp_path: Path, content: str | bytes | None, problems: list[str]) -> None:
    file = tmp_path / "patients.csv"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError) as error:
        load_patient_table(str(file))
    assert error.value.problems == [f"{file}{problem}" for problem in problems]


def test_a_parquet_file_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / "patients.parquet"
    file.write_bytes(b"PAR?")
    with pytest.raises(ConfigurationError, match="is no table"):
        load_patient_table(str(file))
