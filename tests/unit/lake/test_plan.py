"""The plan of a run: files to read, deleted files, unchanged files, and notes that wait for the engine."""

from __future__ import annotations

import errno
import os
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError, DeidError, Reason, SecretMissingError, TryAgainError
from deid_core.core.files import sha256_of
from deid_core.lake.inputs import folder as input_folder
from deid_core.lake.inputs.folder import InputFolder
from deid_core.lake.inputs.plan import (
    Plan,
    ReadReason,
    SourceStat,
    check_deletions,
    make_plan,
)
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import NoteIds, note_ids_for_run
from deid_core.lake.notes.ledger import LedgerRow, ReaderFingerprint, read_ledger, without_lost_texts
from deid_core.lake.notes.pending import pending, wrongly_quarantined
from deid_core.lake.notes.year import YearFinder
from deid_core.lake.states import State, YearSource
from deid_core.lake.tables.lake_table import Tables
from deid_core.lake.tables.task_schemas import LISTING
from deid_core.readers.settings import YearSettings
from deid_core.spark.deidentify_notes import _row_after

PRINTS = ReaderFingerprint("notes", "refused")
STAT = SourceStat("n", b"/in/a.txt", "a.txt", 10, 20)
CONVERTED = LedgerRow(
    "n", "a.txt", 10, 20, "hash", State.CONVERTED, "notes", "r", batch="b", year=2010, year_source=YearSource.PATH
)
REFUSED = LedgerRow("n", "a.txt", 10, 20, "hash", State.QUARANTINED, "refused", "r", Reason.CORRUPT, "")
FAILED = replace(CONVERTED, state=State.QUARANTINED, reason=Reason.ENGINE_TIMEOUT, pipeline="p")


NOW = datetime(2026, 1, 10, 1, tzinfo=UTC)


def plan_for(row: LedgerRow | None, stat: SourceStat = STAT, *, retry: bool = False) -> Plan:
    return make_plan([stat], {} if row is None else {row.note_id: row}, PRINTS, now=NOW, retry=retry)


def test_a_withdrawn_file_is_left_out() -> None:
    """Whether it changed, and also when it is gone; it is then no deletion either."""
    row = CONVERTED.withdrawn("key", run_id="r2")
    assert (row.path, row.size_bytes, row.sha256, row.batch) == ("", 0, "key", None)
    for stat in (STAT, replace(STAT, size_bytes=99)):
        plan = plan_for(row, stat, retry=True)
        assert {name for name, count in plan.counts.items() if count} == {"listed", "left_out"}
    gone = make_plan([], {"n": row}, PRINTS, now=NOW)
    assert gone.gone == ()
    check_deletions(gone, 0.0)


def test_unknown_file_is_new() -> None:
    plan = plan_for(None)
    assert {name for name, count in plan.counts.items() if count} == {"listed", "new"}
    assert plan.gone == ()


@pytest.mark.parametrize("row", [CONVERTED, REFUSED, FAILED])
def test_same_size_and_date_is_unchanged(row: LedgerRow) -> None:
    assert plan_for(row).counts["unchanged"] == 1


@pytest.mark.parametrize("changed", [{"size_bytes": 11}, {"mtime_ns": 21}])
def test_other_size_or_date_is_read_and_hashed(changed: dict[str, int]) -> None:
    [item] = plan_for(CONVERTED, replace(STAT, **changed)).to_read
    assert item.known_sha256 == "hash"


def test_a_year_from_the_file_date_is_determined_again() -> None:
    [item] = plan_for(replace(CONVERTED, year_source=YearSource.FILE), replace(STAT, mtime_ns=21)).to_read
    assert item.known_sha256 == ""


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (replace(CONVERTED, reader="older"), ReadReason.READER),
        (replace(REFUSED, reader="older"), ReadReason.READER),
        (replace(CONVERTED, reader="older", size_bytes=11), ReadReason.CHANGED),
        (replace(REFUSED, size_bytes=11), ReadReason.CHANGED),
        (replace(REFUSED, state=State.DELETED), ReadReason.NEW),
    ],
)
def test_is_read_again(row: LedgerRow, reason: ReadReason) -> None:
    assert [item.reason for item in plan_for(row).to_read] == [reason]


def test_a_file_that_moved(tmp_path: Path) -> None:
    """Its bytes tell, once for each file that disappeared. A copy is new, and so is a file with other bytes."""
    for name, content in (("b", "same bytes"), ("c", "same bytes"), ("d", "other text")):
        (tmp_path / name).write_text(content)
    listed = [SourceStat(name, os.fsencode(tmp_path / name), name, 10, 20) for name in "bcd"]
    gone = replace(CONVERTED, sha256=sha256_of(os.fsencode(tmp_path / "b")))
    plan = make_plan(listed, {"n": gone}, PRINTS, now=NOW)
    assert [item.reason for item in plan.to_read] == [ReadReason.MOVED, ReadReason.NEW, ReadReason.NEW]
    assert (plan.counts["moved"], plan.counts["new"], plan.counts["deleted"]) == (1, 2, 0)
    assert plan.gone == (gone,)
    check_deletions(plan, 0)
    assert make_plan(listed, {"n": replace(gone, mtime_ns=21)}, PRINTS, now=NOW).counts["new"] == 3


def test_a_row_is_compared_by_the_hash_of_its_content() -> None:
    """Size and date of the table say nothing. A row that is read again keeps the date of when it was new."""
    row = replace(STAT, size_bytes=99, mtime_ns=99, sha256="hash")
    assert plan_for(CONVERTED, row).counts["unchanged"] == plan_for(REFUSED, row).counts["unchanged"] == 1
    [item] = plan_for(replace(CONVERTED, reader="older"), row).to_read
    assert (item.reason, item.stat.mtime_ns) == (ReadReason.READER, CONVERTED.mtime_ns)
    other = replace(row, sha256="other")
    for before in (CONVERTED, REFUSED):
        [item] = plan_for(before, other).to_read
        assert (item.reason, item.known_sha256, item.stat.mtime_ns) == (ReadReason.CHANGED, "", 99)


def test_a_row_that_moved() -> None:
    """To another id: its content tells, once for each row that disappeared."""
    listed = [SourceStat(name, b"", name, 1, 1, "hash") for name in "bc"]
    plan = make_plan(listed, {"n": CONVERTED}, PRINTS, now=NOW)
    assert [item.reason for item in plan.to_read] == [ReadReason.MOVED, ReadReason.NEW]


def test_a_vanished_file_is_read_again_once_it_is_back(tmp_path: Path) -> None:
    stat, row = replace(STAT, path=os.fsencode(tmp_path / "a.txt")), replace(REFUSED, reason=Reason.VANISHED)
    assert plan_for(row, stat).counts["unchanged"] == 1
    (tmp_path / "a.txt").symlink_to(tmp_path / "target")
    assert plan_for(row, stat).counts["unchanged"] == 1
    (tmp_path / "target").touch()
    assert len(plan_for(row, stat).to_read) == 1


def test_lost_raw_text_is_read_again(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path)
    there = replace(CONVERTED, note_id="m")
    (lake.notes / "year=2010" / "batch=b").mkdir(parents=True)
    known = without_lost_texts({"m": there, "n": replace(CONVERTED, batch="gone"), "o": REFUSED}, lake)
    assert (known["m"], known["o"]) == (there, REFUSED)
    assert len(plan_for(known["n"]).to_read) == 1


def test_retry_reads_refused_files_only() -> None:
    assert len(plan_for(REFUSED, retry=True).to_read) == 1
    assert plan_for(CONVERTED, retry=True).to_read == ()
    assert plan_for(FAILED, retry=True).to_read == ()


@pytest.mark.parametrize(
    ("reason", "run_id", "again"),
    [
        (Reason.CONVERTER_FAILED, "20260109T010000-0123abcd", 1),
        (Reason.KILLED, "20260109T010000-0123abcd", 1),
        (Reason.TIMEOUT, "20260107T013000-0123abcd", 1),
        (Reason.TIMEOUT, "20260107T005959-0123abcd", 0),
        (Reason.CORRUPT, "20260109T010000-0123abcd", 0),
    ],
)
def test_transient_failures_are_retried_for_three_days(reason: Reason, run_id: str, again: int) -> None:
    """A full /tmp or too little memory: retries are automatic, and end."""
    assert plan_for(replace(REFUSED, reason=reason, run_id=run_id)).counts["retry"] == again


def test_a_missing_file_is_deleted_once() -> None:
    assert make_plan([], {"n": CONVERTED}, PRINTS, now=NOW).gone == (CONVERTED,)
    assert make_plan([], {"n": CONVERTED.deleted(run_id="r2")}, PRINTS, now=NOW).gone == ()


@given(st.integers(0, 50), st.integers(0, 50))
def test_no_more_than_the_allowed_share_may_disappear(gone: int, left: int) -> None:
    rows = {str(n): replace(CONVERTED, note_id=str(n)) for n in range(gone + left)}
    plan = make_plan([replace(STAT, note_id=str(n)) for n in range(left)], rows, PRINTS, now=NOW)
    if gone > left:
        with pytest.raises(ConfigurationError):
            check_deletions(plan, 0.5)
    else:
        check_deletions(plan, 0.5)
    check_deletions(plan, 1.0)


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ([], "none of the lake's 1 notes (files) is among the 0 of the input"),
        ([replace(STAT, note_id="m", source="b.txt")], "none of the lake's 1 notes (files) is among the 1 (files)"),
        ([replace(STAT, note_id="m", source="4711")], "1 notes (files) is among the 1 (rows of a table) of the input"),
    ],
)
def test_another_input_is_told_and_no_way_to_empty_the_lake(listed: list[SourceStat], told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_deletions(make_plan(listed, {"n": CONVERTED}, PRINTS, now=NOW), 0.5)
    assert told in str(caught.value)
    assert "--allow-deletions" not in str(caught.value)


@pytest.mark.parametrize(
    ("row", "done", "retry", "waits"),
    [
        (CONVERTED, set(), False, True),
        (CONVERTED, {("n", "b")}, False, False),
        (CONVERTED, {("n", "older batch")}, False, True),
        (FAILED, set(), False, False),
        (FAILED, set(), True, True),
        (replace(FAILED, pipeline="older"), set(), False, True),
        (REFUSED, set(), True, False),
        (replace(FAILED, run_id="20260109T010000-0123abcd"), set(), False, True),
        (replace(FAILED, run_id="20260106T010000-0123abcd"), set(), False, False),
        (replace(FAILED, run_id="20260109T010000-0123abcd", reason=Reason.INTERNAL), set(), False, False),
    ],
)
def test_notes_that_wait_for_the_engine(row: LedgerRow, done: set[tuple[str, str]], retry: bool, waits: bool) -> None:
    assert pending([row], done, lambda note_id: "p", retry=retry, now=NOW) == ([row] if waits else [])


def test_a_quarantined_note_with_a_text_is_wrongly_quarantined() -> None:
    assert wrongly_quarantined([CONVERTED, FAILED, REFUSED], {("n", "b")}) == [FAILED]
    assert wrongly_quarantined([FAILED], {("n", "older batch")}) == []


@pytest.mark.parametrize(
    ("reason", "pipeline", "kept"),
    [(Reason.ENGINE_TIMEOUT, "p", True), (Reason.INTERNAL, "p", False), (Reason.ENGINE_TIMEOUT, "older", False)],
)
def test_the_same_failure_keeps_its_date(reason: Reason, pipeline: str, kept: bool) -> None:
    """Otherwise a note that always times out would be retried every night."""
    run = SimpleNamespace(run_id="now")
    after = _row_after(run, FAILED, {"reason": reason, "detail": "another rule"}, pipeline)  # type: ignore[arg-type]
    assert (after.run_id, after.reason, after.pipeline) == ("r" if kept else "now", reason, pipeline)


@pytest.mark.parametrize(
    ("source", "header", "expected"),
    [
        ("2010/a.doc", 2011, (2010, YearSource.PATH)),
        ("1850/2012/a.doc", 2011, (2012, YearSource.PATH)),
        ("x/a.doc", 2011, (2011, YearSource.HEADER)),
        ("x/a.doc", 1850, (2017, YearSource.FILE)),
        ("x2010/a.doc", None, (2017, YearSource.FILE)),
    ],
)
def test_year(source: str, header: int | None, expected: tuple[int, YearSource]) -> None:
    assert YearFinder(YearSettings()).year_of(source, header, 1_500_000_000 * 10**9) == expected


def test_years_change_in_utc() -> None:
    new_year = 1_483_228_800  # 2017-01-01T00:00:00Z
    finder = YearFinder(YearSettings())
    assert finder.year_of("a", None, new_year * 10**9)[0] == 2017
    assert finder.year_of("a", None, new_year * 10**9 - 1)[0] == 2016


@pytest.mark.parametrize(("seconds", "year"), [(11_000_000_000, 2318), (10**18, 9999), (-(10**18), 1)])
def test_a_file_of_any_date_has_a_year(seconds: int, year: int) -> None:
    assert YearFinder(YearSettings()).year_of("a", None, seconds * 10**9) == (year, YearSource.FILE)


def test_ids_depend_on_path_and_key_only() -> None:
    ids = NoteIds(b"k" * 32)
    assert ids.id_of("ä/b.doc") == NoteIds(b"k" * 32).id_of("ä/b.doc")
    assert len({ids.id_of("a"), ids.id_of("b"), NoteIds(b"l" * 32).id_of("a")}) == 3
    assert len(ids.id_of("a")) == 32


def test_key_is_made_once_and_never_remade(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path)
    lake.prepare()
    first = note_ids_for_run(lake).id_of("a")
    assert note_ids_for_run(lake).id_of("a") == first
    assert lake.key.stat().st_mode & 0o777 == 0o600
    lake.ledger.mkdir()
    lake.key.write_text("short")
    with pytest.raises(SecretMissingError):
        note_ids_for_run(lake)
    lake.key.unlink()
    with pytest.raises(SecretMissingError):
        note_ids_for_run(lake)


def test_restricted_is_closed_again(tmp_path: Path) -> None:
    lake = Lake.at(tmp_path)
    lake.prepare()
    lake.restricted.chmod(0o755)
    lake.prepare()
    assert lake.restricted.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.EACCES, ConfigurationError), (errno.EIO, TryAgainError), (errno.ESTALE, TryAgainError)],
)
def test_a_file_without_a_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: type[DeidError]
) -> None:
    """As in a folder that may be listed but not entered. It is the input's fault, not the lake's."""
    (tmp_path / "Müller.txt").touch()

    def refused(path: Path) -> os.stat_result:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(input_folder, "_status", refused)
    with pytest.raises(expected, match=f"input {tmp_path}: .*{os.strerror(number)}") as caught:
        InputFolder(tmp_path).list_notes(NoteIds(b"k"))
    assert "Müller" not in str(caught.value)


@pytest.mark.parametrize(("seconds", "year"), [(11_000_000_000, 2262), (-11_000_000_000, 1677)])
def test_a_date_that_no_column_can_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, year: int
) -> None:
    """As a broken clock gives it. The file system of this test may not hold such a date, so the status is imitated."""
    (tmp_path / "a.txt").touch()
    dated = SimpleNamespace(st_size=1, st_mtime_ns=seconds * 10**9, st_mode=0o100600)
    monkeypatch.setattr(input_folder, "_status", lambda _: dated)
    [stat] = InputFolder(tmp_path).list_notes(NoteIds(b"k")).notes
    assert pa.array([stat.mtime_ns], LISTING.field("mtime_ns").type).to_pylist() == [stat.mtime_ns]
    assert YearFinder(YearSettings()).year_of("a", None, stat.mtime_ns)[0] == year
    tables = Tables(Lake.at(tmp_path / "lake"))
    tables.ledger.create()
    row = replace(CONVERTED, note_id=stat.note_id, size_bytes=1, mtime_ns=stat.mtime_ns)
    tables.ledger.upsert([asdict(row)])
    known = read_ledger(Lake.at(tmp_path / "lake"))
    assert (
        make_plan(InputFolder(tmp_path).list_notes(NoteIds(b"k")).notes, known, PRINTS, now=NOW).counts["unchanged"]
        == 1
    )


def test_file_names_in_any_encoding(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/M\xfcller.txt"
    with open(raw, "w") as file:
        file.write("x")
    [stat] = InputFolder(tmp_path).list_notes(NoteIds(b"k")).notes
    assert stat.path == raw
    stat.source.encode()
