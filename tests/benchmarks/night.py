"""Make the lake of a whole archive from a small one, to measure nights: `python tests/benchmarks/night.py`.

    deid generate --notes 1005 --seed 5 --format jsonl …        a small archive, its notes written as .txt files
    deid run --input SMALL --lake SMALL_LAKE
    python tests/benchmarks/night.py make   --input SMALL --lake SMALL_LAKE --copies 180 --output DIR
    python tests/benchmarks/night.py change --output DIR --notes 180

`make` writes DIR/input with N copies of every file, and DIR/lake, the lake that a run over DIR/input would have made in
batches of 20,000, without running it. There `deid run` has nothing to do but the counts. Texts repeat; paths, ids and
rows do not. `change` changes the text of 180 files, evenly spread. Measure `deid run` with `time`.

    python tests/benchmarks/night.py check  --output DIR

`check` writes the lake's checksums, drops its files from the page cache, and prints files, megabytes, and the seconds
that the check for damage takes: of one night (what a run does at its start, and at its end without new files), and of
`deid check`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from deltalake import write_deltalake

from deid_core.lake.checks import checksums, integrity
from deid_core.lake.inspection.ledger_check import disagreements
from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import note_ids_for_run
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.lake.tables.lake_table import Tables

_BATCH_NOTES = 20_000


def make(small: Path, small_lake: Path, copies: int, output: Path) -> int:
    """Write input folder and lake; return how many notes they have."""
    source, target = Lake.at(small_lake), Lake.at(output / "lake")
    target.prepare()
    # Keys of patients are in rows that are copied.
    shutil.copy2(source.restricted / "key", target.restricted / "key")
    ids = note_ids_for_run(target)
    Tables(target).create()
    ledger = delta_reader.read(source.ledger, delta_reader.columns(source.ledger)).sort_by("note_id")
    texts = delta_reader.read(source.deidentified, delta_reader.columns(source.deidentified)).sort_by("note_id")
    of_notes = {
        path: delta_reader.read(path, delta_reader.columns(path)).sort_by("note_id")
        for path in (source.phi_audit, source.detections, source.dropped, source.patient_evidence)
    }
    raw = ds.dataset(source.notes, format="parquet", partitioning="hive").to_table().sort_by("note_id")
    if not ledger["note_id"].equals(texts["note_id"]) or not ledger["note_id"].equals(raw["note_id"]):
        raise SystemExit("the small lake must have a text for every file")
    places = {
        path: pa.array(np.searchsorted(ledger["note_id"].to_numpy(), rows["note_id"].to_numpy()))
        for path, rows in of_notes.items()
    }
    per_batch = max(1, _BATCH_NOTES // len(ledger))
    for number, first in enumerate(range(0, copies, per_batch)):
        batch = f"20200101T000000-00000000-{number:04d}"
        parts: defaultdict[str, list[pa.Table]] = defaultdict(list)
        for copy in range(first, min(first + per_batch, copies)):
            paths = [_copied(path, copy) for path in ledger["path"].to_pylist()]
            new = pa.array([ids.id_of(path) for path in paths])
            stats = list(_copy_files(small, output / "input", ledger["path"].to_pylist(), paths))
            named = {"note_id": new, "batch": pa.array([batch] * len(paths))}
            dates = {
                "size_bytes": pa.array([s.st_size for s in stats]),
                "mtime_ns": pa.array([s.st_mtime_ns for s in stats]),
            }
            parts["ledger"].append(_with(ledger, named | dates | {"path": pa.array(paths)}))
            parts["deidentified"].append(_with(texts, named))
            for path, rows in of_notes.items():
                parts[path.name].append(_with(rows, {"note_id": new.take(places[path])}))
            parts["raw"].append(_with(raw, named | {"source": pa.array(paths)}))
        tables = {name: pa.concat_tables(made) for name, made in parts.items()}
        for path in (
            target.ledger,
            target.deidentified,
            *(target.root / path.relative_to(source.root) for path in of_notes),
        ):
            write_deltalake(str(path), tables[path.name], mode="append")
        years = np.asarray(tables["raw"]["year"])
        for year in sorted(set(years.tolist())):
            folder = target.notes / f"year={year}" / f"batch={batch}"
            folder.mkdir(parents=True)
            stored = {*tables["raw"].column_names} - {"year"}
            columns = [name for name in task_schemas.READ.names if name in stored]
            pq.write_table(tables["raw"].filter(pa.array(years == year)).select(columns), folder / "part-00000.parquet")
    return copies * len(ledger)


def change(output: Path, notes: int) -> None:
    """Change the text of files spread evenly over the archive."""
    files = sorted(path for path in (output / "input").rglob("*") if path.is_file())
    for path in files[:: max(1, len(files) // notes)][:notes]:
        path.write_text(
            path.read_text(encoding="utf-8") + "\nNachtrag: Herr Dr. Kuzozonow bat um Rückruf.\n", encoding="utf-8"
        )


def check(output: Path) -> dict[str, float]:
    """Return the lake's files and megabytes, and the seconds of a night's check and of `deid check`."""
    lake = Lake.at(output / "lake")
    checksums.record(lake)
    files = [path for path in lake.root.rglob("*") if path.suffix in (".parquet", ".json")]
    seconds = {}
    steps: dict[str, Callable[[], object]] = {
        "a night's check": lambda: integrity.damages(lake, day=date.today().toordinal()),
        "checksums at its end": lambda: checksums.record(lake),
        "all files": lambda: integrity.damages(lake),
        "ledger against tables": lambda: disagreements(lake),
    }
    for name, step in steps.items():
        os.sync()
        for path in files:
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        start = time.monotonic()
        step()
        seconds[name] = time.monotonic() - start
    return {"files": len(files), "megabytes": sum(path.stat().st_size for path in files) / 1e6} | seconds


def _copied(path: str, copy: int) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/{copy:04d}/{name}" if folder else f"{copy:04d}/{name}"


def _copy_files(small: Path, large: Path, old: list[str], new: list[str]) -> Iterator[os.stat_result]:
    for source, path in zip(old, new, strict=True):
        target = large / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(small / source, target)
        yield target.stat()


def _with(table: pa.Table, columns: dict[str, pa.Array]) -> pa.Table:
    for name, values in columns.items():
        at = table.column_names.index(name)
        table = table.set_column(at, table.schema.field(at).with_type(values.type), values)
    return table


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Make the lake of a whole archive from a small one.")
    parser.add_argument("what", choices=("make", "change", "check"))
    parser.add_argument("--input", type=Path)
    parser.add_argument("--lake", type=Path)
    parser.add_argument("--copies", type=int, default=180)
    parser.add_argument("--notes", type=int, default=180)
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    if args.what == "make":
        print(f"{make(args.input, args.lake, args.copies, args.output):,} notes in {args.output}")
    elif args.what == "check":
        print(", ".join(f"{name} {value:,.1f}" for name, value in check(args.output).items()))
    else:
        change(args.output, args.notes)


if __name__ == "__main__":
    main()
