"""The table of identities: its files, whose note a row is of, and the fingerprints that follow from it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.lake.inputs.identities import Identities, load_identities
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import NoteIds, pipeline_of
from deid_core.lake.patients import note_identities
from deid_core.lake.patients.note_identities import NoteIdentities
from deid_core.pipeline.known_terms import KnownTerms, Term, TermKind, TermSource
from deid_core.policies.patient_evidence import EvidenceKind, PatientEvidence
from deid_core.spark import engine_task

IDS = NoteIds(bytes(32))
PATHS = {"a": "4711/a.doc", "b": "4711/b.doc", "c": "c.doc"}


def names(identities: Identities, numbers: frozenset[int]) -> list[str]:
    return [term.text for term in identities.terms(numbers)]


@pytest.mark.parametrize("kind", ["comma", "semicolon", "parquet"])
def test_files_of_the_table(tmp_path: Path, kind: str) -> None:
    file = tmp_path / ("known.parquet" if kind == "parquet" else "known.csv")
    if kind == "parquet":
        columns = {"path": ["4711/*", None], "patient": [None, "0815"], "name": ["Eva Muster|Jan Muster", "Ute Probe"]}
        born = pa.array([None, "1956-12-01"]).cast(pa.date32())
        pq.write_table(pa.table(columns | {"birth_date": born, "ward": ["N2", "N3"]}), file)
    elif kind == "comma":
        file.write_text(
            'path,patient,name,birth_date,ward\n4711/*,,Eva Muster | Jan Muster,,N2\n,0815,"Probe, Ute",1.12.1956,N3\n'
        )
    else:
        file.write_text(
            "patient;name;path;birth_date;ward\n;Eva Muster|Jan Muster;4711/*;;N2\n815;Ute Probe;;1.12.56;\n"
        )
    table = load_identities(str(file))
    assert names(table, table.of_path("4711/a.doc")) == ["Eva Muster", "Jan Muster"]
    assert table.of_path("4712/a.doc") == frozenset()
    assert [term.kind for term in table.terms(table.of_patients(["815"]))] == ["birth_date", "name"]
    assert table.ignored == ("ward",)
    assert table.unusable == ()


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("path,name\n,Eva\na.doc,Eva\n,Jan\n", [":2: has no path and no patient", ":4: has no path and no patient"]),
        ("file,name\na.doc,Eva\n", [":1: patient.identities needs the column path or patient"]),
        ("path,names\na.doc,Eva\n", [":1: patient.identities needs one of the columns name, address, postcode, "]),
        (None, [": patient.identities cannot be read: No such file or directory"]),
        (b"path,name\n\xff,1\n", [": patient.identities cannot be read: is not in UTF-8; save it as"]),
        ("path,name,name\na.doc,Eva,Jan\n", [":1: patient.identities has the column name more than once"]),
        ("path,name\na.doc,Muster, Eva\nb.doc,Jan\n", [":2: has more values than line 1; a separator in one"]),
        (
            'path,name\na.doc,"Eva\nb.doc,Jan\n',
            [": patient.identities cannot be read: is no table: unexpected end of data"],
        ),
    ],
)
def test_mistakes_of_the_table(tmp_path: Path, content: str | bytes | None, problems: list[str]) -> None:
    file = tmp_path / "known.csv"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigurationError) as error:
        load_identities(str(file))
    assert len(error.value.problems) == len(problems)
    for told, problem in zip(error.value.problems, problems, strict=True):
        assert told.startswith(f"{file}{problem}")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([123456789012.0], ": patient.identities: column number is of type double; cast it to text"),
        ([True], ": patient.identities: column number is of type bool; cast it to text"),
        ([["123456"]], ": patient.identities: column number is of type list"),
        ([b"\xff"], ": patient.identities cannot be read: is no table (ArrowInvalid)"),
    ],
)
def test_columns_whose_values_would_be_other_texts_are_refused(
    tmp_path: Path, values: list[object], problem: str
) -> None:
    """An id that became 1.2e+11 would be of no note, and its names would stay in."""
    file = tmp_path / "known.parquet"
    pq.write_table(pa.table({"patient": ["1"], "number": values}), file)
    with pytest.raises(ConfigurationError) as error:
        load_identities(str(file))
    assert str(error.value).startswith(f"{file}{problem}")


def test_a_parquet_file_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "known.parquet"
    columns = [pa.array(["1"]), pa.array(["Eva"]), pa.array(["Jan"])]
    pq.write_table(pa.Table.from_arrays(columns, names=["patient", "name", "name"]), file)
    with pytest.raises(ConfigurationError, match=r":1: patient.identities has the column name more than once"):
        load_identities(str(file))


def test_damaged_parquet_is_refused_and_named(tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.table({"patient": ["1", "2"], "name": ["Eva Muster", "Ute Probe"]}), whole)
    for content in (b"", b"PAR1", whole.read_bytes()[:-20], whole.read_bytes()[40:]):
        file = tmp_path / "known.parquet"
        file.write_bytes(content)
        with pytest.raises(ConfigurationError, match=r"known.parquet: patient.identities cannot be read: is no table"):
            load_identities(str(file))


def test_a_changed_byte_of_a_parquet_file_is_noticed(tmp_path: Path) -> None:
    """If its writer wrote checksums, as Spark does."""
    file = tmp_path / "known.parquet"
    options: dict[str, Any] = {"compression": "none", "write_statistics": False, "write_page_checksum": True}
    pq.write_table(pa.table({"patient": ["1"], "name": ["Eva Muster"]}), file, **options)
    file.write_bytes(file.read_bytes().replace(b"Muster", b"Mister", 1))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_identities(str(file))


def test_a_birth_date_may_have_a_time_of_day(tmp_path: Path) -> None:
    """As pandas writes dates."""
    file = tmp_path / "known.parquet"
    born = [datetime(1950, 2, 1), None]
    pq.write_table(pa.table({"patient": ["1", "2"], "birth_date": born}), file)
    table = load_identities(str(file))
    assert (names(table, table.of_patients(["1"])), table.unusable) == (["1950-02-01"], ())


LINES = st.text(st.sampled_from('ab12.,;|"\n\r\t \0*[]\\ü\u0308\ufeff\u2028'), max_size=60)


@given(
    st.one_of(st.binary(max_size=60), LINES.map(str.encode)), st.sampled_from(["", "path,name\n", "patient;number\n"])
)
def test_whatever_a_file_holds_is_a_table_or_a_problem_of_it(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, head: str
) -> None:
    file = tmp_path_factory.mktemp("known") / "known.csv"
    file.write_bytes(head.encode() + content)
    try:
        table = load_identities(str(file))
    except ConfigurationError as error:
        assert all(problem.startswith(str(file)) for problem in error.problems)
        return
    assert {*table.unusable} <= {row.line for row in table.rows}
    for row in table.rows:
        table.of_path(row.path)


def test_separators_after_the_last_value_are_no_value(tmp_path: Path) -> None:
    file = tmp_path / "known.csv"
    file.write_text("path;name\na.doc;Eva Muster;;\n")
    assert names(load_identities(str(file)), frozenset({0})) == ["Eva Muster"]


def test_a_path_with_brackets_is_a_path_and_a_pattern(tmp_path: Path) -> None:
    file = tmp_path / "known.csv"
    file.write_text("path,name\nBrief [12].doc,Eva Muster\n")
    table = load_identities(str(file))
    for path in ("Brief [12].doc", "Brief 2.doc"):
        assert names(table, table.of_path(path)) == ["Eva Muster"]


@pytest.mark.parametrize("kind", [*TermKind])
def test_a_cell_of_megabytes_is_told_by_its_line(tmp_path: Path, kind: TermKind) -> None:
    """It took minutes, for each note that it is of."""
    file = tmp_path / "known.parquet"
    pq.write_table(pa.table({"patient": ["1"], kind.value: ["1.Eva " * 1_000_000]}), file)
    table = load_identities(str(file))
    assert (table.unusable, table.terms([0])) == ((1,), ())


def test_values_that_cannot_be_searched_for_are_told_by_their_line(tmp_path: Path) -> None:
    file = tmp_path / "known.csv"
    file.write_text("path,name,number\na.doc,Eva Muster,12\nb.doc,Jan,123456\nc.doc,E.,\nd.doc,,\n")
    table = load_identities(str(file))
    assert table.unusable == (2, 4)
    assert names(table, table.of_path("a.doc")) == ["Eva Muster"]


def known_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rows: str | None) -> NoteIdentities:
    """Return what is known of the notes PATHS, of which note c says the patient id 815."""
    monkeypatch.setattr(note_identities.ledger, "paths", lambda lake: PATHS)
    said = {"c": frozenset({"815"})}
    keys = SimpleNamespace(
        patient_ids=lambda note_id, with_text: said.get(note_id, frozenset()) if with_text else set()
    )
    identities = None
    if rows is not None:
        file = tmp_path / "known.csv"
        file.write_text(f"path,patient,name\n{rows}")
        identities = load_identities(str(file))
    inputs = SimpleNamespace(identities=identities, spec=SimpleNamespace(fingerprint="f" * 16))
    return NoteIdentities(Lake.at(tmp_path), IDS, inputs, keys)  # type: ignore[arg-type]


def fingerprints(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, rows: str | None) -> dict[str, str]:
    known = known_of(monkeypatch, tmp_path, rows)
    return {note_id: known.made_with(note_id) for note_id in PATHS}


def test_a_changed_identity_changes_the_fingerprint_of_its_notes_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing = fingerprints(monkeypatch, tmp_path, None)
    first = fingerprints(monkeypatch, tmp_path, "4711/*,,Eva Muster\n,0815,Ute Probe\n")
    assert set(nothing.values()) == {"f" * 16}
    assert {pipeline_of(found) for found in first.values()} == {"f" * 16}
    # Also of two notes with the same identity: nobody can tell from them that these are of one patient.
    assert len({*first.values(), *nothing.values()}) == 4
    other = fingerprints(monkeypatch, tmp_path, "4711/*,,Eva Muster\n,0815,Ute Prober\n")
    assert {note_id for note_id in PATHS if first[note_id] != other[note_id]} == {"c"}
    more = fingerprints(monkeypatch, tmp_path, ",815,Ute Probe\n4711/*,,Eva Muster\n4711/b.doc,,Jan Muster\n")
    assert {note_id for note_id in PATHS if first[note_id] != more[note_id]} == {"b"}
    assert "Muster" not in str(first)


def test_rows_of_no_note_are_told_by_their_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = "4711/*,,Eva Muster\n4712/*,,Eva Muster\n,815,Ute Probe\n,816,Ute Probe\nd.doc,815,Ute Probe\n"
    assert known_of(monkeypatch, tmp_path, rows).unmatched() == (3, 5)
    assert known_of(monkeypatch, tmp_path, None).unmatched() == ()


def test_the_engine_gets_what_the_path_tells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    eva, ute = (Term(TermKind.NAME, name, TermSource.HOSPITAL) for name in ("Eva Muster", "Ute Probe"))
    jan = Term(TermKind.NAME, "Jan Muster", TermSource.PATIENT)
    others = {"a": [jan], "b": [jan], "d": [jan]}
    known = known_of(monkeypatch, tmp_path, "4711/a.doc,,Eva Muster\n,815,Ute Probe\n").known_terms("abc", others)
    assert known == KnownTerms({"a": (eva, jan), "b": (jan,)}, {"815": (ute,)})
    assert known_of(monkeypatch, tmp_path, None).known_terms("abc", {}) == KnownTerms({}, {})


def test_a_note_that_says_its_patients_id_is_read_again_with_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Term, ...]] = []

    class Done(SimpleNamespace):
        text, tokens, spans, outputs, dropped, refused, languages = "x", 1, (), (), (), 0, ()

    def deidentify(note: Note, known: tuple[Term, ...] = ()) -> Done:
        calls.append(known)
        return Done()

    said = (PatientEvidence(EvidenceKind.ID, "815"), PatientEvidence(EvidenceKind.PERSON, "816"))
    monkeypatch.setattr(engine_task, "evidence_of", lambda text, spans: said)
    eva, ute = Term(TermKind.NAME, "Eva Muster"), Term(TermKind.NAME, "Ute Probe")
    row = {"note_id": "n", "year": 2015, "batch": "b", "text": "x", "blocks": []}
    engine = SimpleNamespace(deidentify=deidentify)
    for known, wanted in (
        (KnownTerms({"n": (eva,)}, {"815": (ute,), "816": (eva,)}), [(eva,), (eva, ute)]),
        (KnownTerms({"n": (eva,)}, {"817": (ute,)}), [(eva,)]),
        (KnownTerms({}, {}), [()]),
    ):
        calls.clear()
        engine_task._deidentified(engine, row, known)  # type: ignore[arg-type]
        assert calls == wanted
