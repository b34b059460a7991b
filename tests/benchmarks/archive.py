"""Measure a run over a whole archive as a user starts it: `python tests/benchmarks/archive.py`.

    deid generate --notes 180900 --seed 2018 --format parquet --output NOTES
    python tests/benchmarks/archive.py lake  --notes NOTES/notes.parquet --output LAKE
    python tests/benchmarks/archive.py run   --lake LAKE [--cores N]

    deid generate --notes 4020 --seed 2018 --format doc --output NOTES
    python tests/benchmarks/archive.py files --docs NOTES/notes --copies 45 --output INPUT
    python tests/benchmarks/archive.py run   --input INPUT --lake LAKE [--cores N]

`lake` writes the lake that the first stage would have made of generated notes, without Word files: raw notes and their
ledger rows, no redacted text. `files` writes an archive that holds each file several times under different names. `run`
calls `deid run`, watches its processes, and prints a line of JSON. Summary and log of `deid run` go to stderr. Each
`run` needs a new lake (`cp -r`), since it refuses to report a run without work.

A process's memory is its resident set, including shared pages. Workers are forks, so their sum counts some pages twice.
`peak_mib` is the kernel's high-water mark. `thirds_mib` are the largest samples, one a second, of the first, second and
last third of the time in which such a process existed. `share_mib` is the largest sample of the proportional set size,
which divides a page by the processes that share it: of one process, and of all of the kind together. `cpu_s` is CPU
time, which does not depend on what else the machine did. `load_before` is the machine's load before the run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_core.lake.layout import Lake
from deid_core.lake.notes.ids import NoteIds, note_ids_for_run
from deid_core.lake.notes.ledger import LedgerRow, ReaderFingerprint
from deid_core.lake.states import State, YearSource
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.settings_file import load_settings

_NOTES_A_FILE = 1_000
"""The same number as in a file that a task of the first stage writes."""
_RUN_ID = "20200101T000000-00000000"
_SAMPLE_S = 1.0
_MIB = 1 << 20
_ENGINE = "engine"
"""Part of the stage `deidentify`."""


# Make a lake from a Parquet file of notes.


def make_lake(notes: Path, output: Path, limit: int | None, settings: Path | None) -> int:
    """Write a lake whose notes wait for the engine; return how many there are.

    notes: output of `deid generate --format parquet`. limit: take the first so many. Holds a year of notes in memory.
    """
    lake = Lake.at(output)
    if delta_reader.exists(lake.ledger):
        raise SystemExit(f"{output}: is a lake already")
    lake.prepare()
    ids = note_ids_for_run(lake)
    tables = Tables(lake)
    tables.create()
    known = load_settings(settings)
    generated = ds.dataset(notes, format="parquet")
    years = Counter(generated.to_table(columns=["year"])["year"].to_pylist()[:limit])
    ledger: list[LedgerRow] = []
    for year in sorted(years):
        # In the order of paths, like listed files.
        of_year = generated.to_table(filter=pc.field("year") == year).slice(0, years[year]).sort_by("id")
        for part, batch in _parts(of_year, len(ledger), known.run.batch_notes):
            made = list(_ledger_rows(part, ids, batch, ReaderFingerprint.from_settings(known).notes))
            _write_notes(part, made, lake.notes / f"year={year}" / f"batch={batch}")
            ledger += made
    tables.ledger.upsert(asdict(row) for row in ledger)
    return len(ledger)


def _parts(notes: pa.Table, before: int, batch_notes: int) -> Iterator[tuple[pa.Table, str]]:
    """Yield a table for each file, and its batch. before: number of the lake's notes before these."""
    done = 0
    while done < len(notes):
        batch, place = divmod(before + done, batch_notes)
        size = min(_NOTES_A_FILE - place % _NOTES_A_FILE, batch_notes - place)
        yield notes.slice(done, size), f"{_RUN_ID}-{batch:04d}"
        done += size


def _ledger_rows(notes: pa.Table, ids: NoteIds, batch: str, reader_fingerprint: str) -> Iterator[LedgerRow]:
    """Yield the ledger rows of these notes as if each had been read from a file in a folder of its year."""
    for name, year, text in zip(*(notes[column].to_pylist() for column in ("id", "year", "text")), strict=True):
        path, content = f"{year}/{name}.doc", text.encode()
        yield LedgerRow(
            note_id=ids.id_of(path),
            path=path,
            size_bytes=len(content),
            mtime_ns=0,
            sha256=sha256(content).hexdigest(),
            state=State.CONVERTED,
            reader=reader_fingerprint,
            run_id=_RUN_ID,
            batch=batch,
            year=year,
            year_source=YearSource.PATH,
        )


def _write_notes(notes: pa.Table, ledger: list[LedgerRow], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    columns = {
        "note_id": [row.note_id for row in ledger],
        "source": [row.path for row in ledger],
        "sha256": [row.sha256 for row in ledger],
        "year_source": [row.year_source for row in ledger],
        "text": notes["text"],
        "blocks": notes["blocks"],
        "patient": pa.nulls(len(ledger)),
        "reason": pa.nulls(len(ledger)),
        "detail": pa.nulls(len(ledger)),
    }
    stored = pa.table(columns).select(task_schemas.STORED.names).cast(task_schemas.STORED)
    pq.write_table(stored, folder / f"part-{len(list(folder.iterdir())):05d}.parquet")


# Make an archive from a few thousand Word files.


def make_files(docs: Path, copies: int, output: Path, *, link: bool) -> int:
    """Write YEAR/NAME-COPY.doc for each file below `docs` and each copy; return how many there are.

    link: make hard links, which take no space and share the system's cache; else copies.
    """
    if output.exists():
        raise SystemExit(f"{output}: already exists")
    put = os.link if link else shutil.copyfile
    files = sorted(path for path in docs.rglob("*") if path.is_file())
    for file in files:
        folder = output / file.parent.relative_to(docs)
        folder.mkdir(parents=True, exist_ok=True)
        for copy in range(copies):
            put(file, folder / f"{file.stem}-{copy:04d}{file.suffix}")
    return copies * len(files)


# Run and watch.


@dataclass
class Watched:
    """Samples of the processes of one kind: memory in MiB, CPU time in seconds."""

    peak_mib: float = 0.0
    samples: list[tuple[float, float]] = field(default_factory=list)
    """(seconds since the start, memory of the largest process)."""
    shares: list[tuple[float, float]] = field(default_factory=list)
    """Proportional set size at each sample: of the largest process, and of all together."""
    cpu_s: dict[int, float] = field(default_factory=dict)
    """CPU time by process id at its last sample."""

    def figures(self) -> dict[str, Any]:
        """Return the figures of the JSON line."""
        first, last = self.samples[0][0], self.samples[-1][0]
        thirds: dict[int, float] = defaultdict(float)
        for at, mib in self.samples:
            third = min(2, int(3 * (at - first) / (last - first))) if last > first else 0
            thirds[third] = max(thirds[third], mib)
        return {
            "count": len(self.cpu_s),
            "peak_mib": round(self.peak_mib),
            "share_mib": [round(max(column)) for column in zip(*self.shares, strict=True)],
            "thirds_mib": [round(thirds[third]) for third in range(3)],
            "cpu_s": round(sum(self.cpu_s.values()), 1),
        }


def watch(command: list[str], variables: dict[str, str]) -> tuple[float, dict[str, Watched]]:
    """Run a command to its end; return its seconds and its processes by kind.

    Raises SystemExit with the command's exit code if that is not 0.
    """
    watched: dict[str, Watched] = defaultdict(Watched)
    start = time.monotonic()
    with subprocess.Popen(command, env=os.environ | variables, stdout=sys.stderr) as started:
        driver = psutil.Process(started.pid)
        while True:
            _sample(driver, time.monotonic() - start, watched)
            try:
                code = started.wait(_SAMPLE_S)
                break
            except subprocess.TimeoutExpired:
                continue
    seconds = time.monotonic() - start
    if code:
        raise SystemExit(code)
    return seconds, watched


def _sample(driver: psutil.Process, at: float, watched: dict[str, Watched]) -> None:
    largest: dict[str, float] = defaultdict(float)
    shares: dict[str, list[float]] = defaultdict(list)
    for process in [driver, *_children(driver)]:
        try:
            kind = _kind(process, driver)
            if kind is None:
                continue
            times = process.cpu_times()
            resident, peak = process.memory_info().rss / _MIB, _field_mib(process.pid, "status", "VmHWM:")
            shares[kind].append(_field_mib(process.pid, "smaps_rollup", "Pss:"))
        except (psutil.Error, OSError, IndexError):
            continue  # It ended meanwhile.
        largest[kind] = max(largest[kind], resident)
        watched[kind].peak_mib = max(watched[kind].peak_mib, peak, resident)
        watched[kind].cpu_s[process.pid] = times.user + times.system
    for kind, mib in largest.items():
        watched[kind].samples.append((at, mib))
        watched[kind].shares.append((max(shares[kind]), sum(shares[kind])))


def _children(driver: psutil.Process) -> list[psutil.Process]:
    try:
        return driver.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _kind(process: psutil.Process, driver: psutil.Process) -> str | None:
    """Return the kind of a process; None for short-lived helpers, which may share the JVM's memory for a moment."""
    if process == driver:
        return "driver_python"
    if process.name() == "java" and process.ppid() == driver.pid:
        return "driver_jvm"
    if process.name().startswith("soffice"):
        return "libreoffice"
    if not _is_of_daemon(process):
        return None
    # Spark's Python workers are forks of a daemon and have its command line.
    parent = process.parent()
    forked = parent is not None and _is_of_daemon(parent)
    return "worker" if forked else "worker_daemon"


def _is_of_daemon(process: psutil.Process) -> bool:
    return any(part.endswith(("pyspark.daemon", "worker_daemon")) for part in process.cmdline())


def _field_mib(pid: int, file: str, name: str) -> float:
    content = Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8")
    return int(content.split(name)[1].split()[0]) / 1024


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Run `deid run` over a lake and return the content of the JSON line.

    Raises SystemExit if it failed or found nothing to do.
    """
    lake = Lake.at(args.lake)
    before = delta_reader.distinct(lake.runs, "run_id")
    command = [sys.executable, "-m", "deid_core.cli", "run", "--lake", str(args.lake)]
    for name in ("input", "pipeline", "settings"):
        if value := getattr(args, name):
            command += [f"--{name}", str(value)]
    for stage in args.stage or ([] if args.input else ["deidentify", "audit"]):
        command += ["--stage", stage]
    # The command line of spark-submit overrides conf/spark/local.conf.
    master = {"PYSPARK_SUBMIT_ARGS": f"--master local[{args.cores},4] pyspark-shell"} if args.cores else {}
    load = os.getloadavg()[0]
    seconds, watched = watch(command, master)
    if not delta_reader.distinct(lake.runs, "run_id") - before:
        raise SystemExit("the run had nothing to do: it needs a new lake, or another input")
    row = max(delta_reader.read(lake.runs, delta_reader.columns(lake.runs)).to_pylist(), key=lambda run: run["started"])
    counts, stage_s = dict(row["counts"]), dict(row["seconds"])
    tokens = counts.get("tokens", 0)
    return {
        "notes": counts.get("deidentified", counts.get("converted", 0)),
        "quarantined": counts.get("quarantined", 0),
        "tokens": tokens,
        "cores": args.cores or len(os.sched_getaffinity(0)),
        "pipeline": row["pipeline"],
        "seconds": {"all": round(seconds, 1)}
        | {stage: round(s, 1) for stage, s in stage_s.items()}
        | {"outside_stages": round(seconds - sum(s for stage, s in stage_s.items() if stage != _ENGINE), 1)},
        "tokens_per_s": {
            _ENGINE: round(row["tokens_per_second"]),
            "all": round(tokens / seconds),
            "worker_cpu": round(tokens / (sum(watched["worker"].cpu_s.values()) or 1)),
        },
        "processes": {kind: found.figures() for kind, found in sorted(watched.items()) if found.samples},
        "files": _files(lake),
        "load_before": round(load, 1),
    }


def _files(lake: Lake) -> dict[str, dict[str, float]]:
    """Return the number of data files and their mean size, for the raw notes and each table."""
    of_table = {table.path.name: delta_reader.data_files(table.path) for table in Tables(lake).all()}
    of_table["notes"] = sorted(lake.notes.rglob("*.parquet"))
    sizes = {name: [file.stat().st_size for file in files] for name, files in of_table.items()}
    return {name: {"files": len(s), "mean_mib": round(sum(s) / max(1, len(s)) / _MIB, 2)} for name, s in sizes.items()}


# Command line.


def main() -> None:
    """Parse the arguments and run one of the three commands."""
    parser = argparse.ArgumentParser(description="Measure a run over a whole archive.")
    what = parser.add_subparsers(dest="what", required=True)
    lake = what.add_parser("lake", help="a lake of generated notes that wait for the engine")
    lake.add_argument("--notes", type=Path, required=True, metavar="NOTES.parquet")
    lake.add_argument("--output", type=Path, required=True, metavar="LAKE")
    lake.add_argument("--limit", type=int, metavar="N", help="only the first N notes")
    lake.add_argument("--settings", type=Path)
    files = what.add_parser("files", help="an archive of copies of a few files")
    files.add_argument("--docs", type=Path, required=True, metavar="DIR", help="folder of year folders")
    files.add_argument("--copies", type=int, required=True, metavar="N", help="how often each file is there")
    files.add_argument("--output", type=Path, required=True, metavar="DIR")
    files.add_argument("--link", action="store_true", help="hard links instead of copies: same disk, no space")
    run = what.add_parser("run", help="deid run, watched; prints a line of JSON")
    run.add_argument("--lake", type=Path, required=True)
    run.add_argument("--input", type=Path, help="without it: the stages deidentify and audit")
    run.add_argument("--stage", action="append", choices=("convert", "deidentify", "audit"))
    run.add_argument("--cores", type=int, metavar="N", help="tasks, and so Python workers, at once; all if not given")
    run.add_argument("--pipeline")
    run.add_argument("--settings", type=Path)
    args = parser.parse_args()
    if args.what == "lake":
        print(f"{make_lake(args.notes, args.output, args.limit, args.settings):,} notes in {args.output}")
    elif args.what == "files":
        made = make_files(args.docs, args.copies, args.output, link=args.link)
        print(f"{made:,} {'hard links' if args.link else 'copies'} in {args.output}")
    else:
        print(json.dumps(measure(args)))


if __name__ == "__main__":
    main()
