"""Shared by the integration tests: letters, an input folder with its lake, and views of tables to compare."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from docx import Document

from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import DETECTIONS, DROPPED, DROPPED_COUNTS, PATIENT_CONFLICTS, PATIENT_EVIDENCE
from deid_core.spark.run_lake import run_lake
from deid_core.spark.run_options import Options
from deid_core.spark.spark_run import SparkRun

JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""Options of a JVM that lives for a minute and sees a dozen notes."""
PIPELINE = "baseline"
MTIME = 1_500_000_000  # July 2017
"""The date of every file, in seconds since 1970."""

LETTER = """An\tUniversitätsklinikum Heidelberg
Herrn Dr. med. Peter Schneider\tTel. 06221/56-{number}
Heidelberg, den 12.03.2011
Sehr geehrter Herr Dr. Schneider,
wir berichten über Frau Anna {name}, geb. am 01.02.1950, wohnhaft Hauptstr. {number}, 69120 Heidelberg.
Diagnose: Morbus Parkinson.
"""
PATIENT_LETTER = """Universitätsklinikum Heidelberg
Heidelberg, den 12.03.2011
{id}
Sehr geehrter Herr Dr. Schneider,
wir berichten über {name}, geb. am {birth}, {number} mal in unserer Ambulanz.
"""
PATIENT_ID = "Pat.-Nr.: 4711223"
"""A line of PATIENT_LETTER, which may also be empty."""
NAMES = ("Müller", "Schmidt", "Weber", "Fischer", "Wagner", "Becker", "Hoffmann", "Schulz", "Koch", "Richter")


def write_notes(folder: Path) -> Path:
    """Write thirteen letters, most in folders of years, a damaged file and an empty one, all of one date."""
    for number, name in enumerate(NAMES):
        path = folder / str(2010 + number % 2) / f"{name}, Anna {number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, LETTER.format(name=name, number=1000 + number))
    write(folder / "ohne Jahr" / "Brief.txt", LETTER.format(name="Krüger", number=77))
    write(folder / "ohne Jahr" / "Notiz.txt", "Frau Krüger hat angerufen.\n")
    letter = Document()
    row = letter.add_table(1, 2).rows[0].cells
    row[0].text, row[1].text = "Herrn Dr. Karl Vogel", "Heidelberg, den 12.03.2011"
    letter.add_paragraph("Sehr geehrter Herr Dr. Vogel,\nwir berichten über Herrn Jan Peters, geb. am 01.02.1950.")
    letter.save(str(folder / "2010" / "Peters.docx"))
    os.utime(folder / "2010" / "Peters.docx", (MTIME, MTIME))
    write(folder / "kaputt.docx", "PK\x03\x04 broken")
    write(folder / "leer.txt", "")
    return folder


def write(path: Path, text: str, *, seconds: int = MTIME) -> None:
    """Write a file with a fixed date, so that years and changes do not depend on the clock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (seconds, seconds))


@dataclass(frozen=True)
class Archive:
    """An input folder and its lake."""

    input: Path
    root: Path

    @property
    def lake(self) -> Lake:
        return Lake.at(self.root)

    def run(self, **options: object) -> SparkRun:
        """Run once."""
        chosen = {"pipeline": PIPELINE} | options
        return run_lake(Options(input=self.input, lake=self.root, **chosen))  # type: ignore[arg-type]

    def copy(self, folder: Path) -> Archive:
        """Copy files and lake, to change them."""
        copied = Archive(folder / "input", folder / "lake")
        shutil.copytree(self.input, copied.input, symlinks=True)
        if self.root.exists():
            shutil.copytree(self.root, copied.root)
        return copied

    def ledger(self) -> dict[str, dict[str, object]]:
        """Return the ledger's rows by path."""
        columns = ["note_id", "path", "state", "reason", "detail", "batch", "year", "year_source", "sha256", "run_id"]
        return {row["path"]: row for row in delta_reader.read(self.lake.ledger, columns).to_pylist()}

    def rows(self) -> dict[str, list[dict[str, object]]]:
        """Return what must not depend on how and when a run was made: all tables but `runs`, without run and batch."""
        return {path.name: _sorted(delta_reader.read(path, columns)) for path, columns in self._columns().items()}

    def versions(self) -> dict[str, int]:
        """Return the number of each table's latest commit."""
        return {path.name: delta_reader.version(path) for path in [*self._columns(), self.lake.runs]}

    def files(self) -> set[tuple[str, int, int]]:
        """Return every file of the lake with size and date."""
        return {
            (str(path.relative_to(self.root)), path.stat().st_size, path.stat().st_mtime_ns)
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def _columns(self) -> dict[Path, list[str]]:
        return {
            self.lake.ledger: ["note_id", "path", "size_bytes", "sha256", "state", "reason", "year", "year_source"],
            self.lake.deidentified: [
                "note_id",
                "year",
                "patient_key",
                "patient_key_id",
                "patient_source",
                "text",
                "tokens",
                "fingerprint",
            ],
            self.lake.phi_audit: [
                "note_id",
                "year",
                "output_start",
                "output_end",
                "label",
                "type",
                "recogniser",
                "rule",
                "score",
            ],
            self.lake.phi_counts: ["year", "label", "recogniser", "notes", "spans", "tokens", "per_1000_tokens"],
            self.lake.detections: DETECTIONS.names,
            self.lake.patient_evidence: PATIENT_EVIDENCE.names,
            self.lake.patient_conflicts: PATIENT_CONFLICTS.names,
            self.lake.dropped: [name for name in DROPPED.names if name != "run_id"],
            self.lake.dropped_counts: DROPPED_COUNTS.names,
        }


def tables_of_counts(lake: Lake) -> list[Path]:
    """Return the clean tables that hold no text, also those to come, and restricted/dropped."""
    clean = [path for path in lake.clean.iterdir() if not path.name.startswith(lake.deidentified.name)]
    return [*clean, lake.dropped]


def _sorted(table: pa.Table) -> list[dict[str, object]]:
    return sorted(table.to_pylist(), key=repr)


class Crash(BaseException):
    """Stands for a process that dies in the middle of its work. Nothing catches it."""
