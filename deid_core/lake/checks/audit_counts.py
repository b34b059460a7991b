"""Count what was removed, dropped and found by the sweep per year, for the auditor. The third stage of a run.

Each table of counts carries, in its latest commit, the states of the tables that it was made from. It is made again
when these differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from deid_core.lake.checks import leak_sweep
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.lake_table import LakeTable, Tables

LAKE_NOTES, LAKE_TOKENS, LAKE_SPANS = "lake.notes", "lake.tokens", "lake.spans."
"""Keys, and beginning of keys, of `lake_totals`."""
_OF_SPANS = ("label", "recogniser")
_OF_DROPPED = ("label", "recogniser", "rule", "reason")
_States = dict[str, str | None]
"""By the names of tables (`delta_reader.state`)."""


def are_outdated(lake: Lake) -> bool:
    """Return whether `update` would write counts."""
    return bool(_outdated(Tables(lake)))


def update(tables: Tables, searched_by: str | None = None) -> None:
    """Bring the counts up to the tables that they are made from.

    searched_by: the fingerprint of the pipeline, if it sweeps.
    """
    outdated = _outdated(tables)
    if made_from := outdated.get(tables.phi_counts.path):
        tokens = _tokens(tables.deidentified)
        rows = [row for year in sorted(tokens) for row in _span_counts(tables.phi_audit, year, tokens[year])]
        _overwrite(tables.phi_counts, rows, made_from)
    if made_from := outdated.get(tables.dropped_counts.path):
        years = sorted(set(delta_reader.read(tables.dropped.path, ["year"])["year"].to_pylist()))
        rows = [row for year in years for row in _by_key(tables.dropped, year, _OF_DROPPED, "detections")]
        _overwrite(tables.dropped_counts, rows, made_from)
    if made_from := outdated.get(tables.leak_sweep.path):
        _overwrite(tables.leak_sweep, list(leak_sweep.rows(tables, searched_by)), made_from)


def per_1000_tokens(spans: int, tokens: int) -> float:
    """Return the rate to three decimals, 0.0 if there are no tokens."""
    return round(1000 * spans / tokens, 3) if tokens else 0.0


def lake_totals(tables: Tables) -> dict[str, int]:
    """Return what the lake holds now, for the run's row: notes, tokens, and removed spans of each label.

    The keys begin with `lake.`: `lake.notes`, `lake.tokens`, `lake.spans.PER`.
    """
    notes = delta_reader.read(tables.deidentified.path, ["tokens"])["tokens"]
    spans = (
        delta_reader.read(tables.phi_counts.path, ["label", "spans"]).group_by("label").aggregate([("spans", "sum")])
    )
    return {
        LAKE_NOTES: len(notes),
        LAKE_TOKENS: pc.sum(notes, min_count=0).as_py(),
        **{f"{LAKE_SPANS}{row['label']}": row["spans_sum"] for row in spans.to_pylist()},
    }


def _outdated(tables: Tables) -> dict[Path, _States]:
    """Return the paths of counts to be made again, each with the states of the tables that they are made from."""
    of_spans = (tables.deidentified, tables.phi_audit)
    sources = {
        tables.phi_counts.path: of_spans,
        tables.dropped_counts.path: (tables.dropped,),
        tables.leak_sweep.path: (*of_spans, tables.dropped, tables.ledger),
    }
    states = {table.path: delta_reader.state(table.path) for table in sources[tables.leak_sweep.path]}
    made_from = {counts: {table.path.name: states[table.path] for table in of} for counts, of in sources.items()}
    return {
        counts: of
        for counts, of in made_from.items()
        if None not in of.values() and delta_reader.commit_metadata(counts).get("made_from") != of
    }


def _overwrite(counts: LakeTable, rows: list[dict[str, Any]], made_from: _States) -> None:
    counts.overwrite(pa.Table.from_pylist(rows, schema=counts.columns), {"made_from": made_from})


def _tokens(texts: LakeTable) -> dict[int, int]:
    """Return the tokens of all notes of each year, before redaction."""
    notes = delta_reader.read(texts.path, ["year", "tokens"])
    sums = notes.group_by("year").aggregate([("tokens", "sum")]).to_pylist()
    return {row["year"]: row["tokens_sum"] for row in sums}


def _span_counts(audit: LakeTable, year: int, tokens: int) -> Iterator[dict[str, Any]]:
    for row in _by_key(audit, year, _OF_SPANS, "spans"):
        yield row | {"tokens": tokens, "per_1000_tokens": per_1000_tokens(row["spans"], tokens)}


def _by_key(table: LakeTable, year: int, key: tuple[str, ...], name: str) -> Iterator[dict[str, Any]]:
    """Yield notes and rows of a year by key, sorted by key.

    A year has some two million rows. What is counted are the numbers that Parquet stores in place of words.
    """
    files = [file for file in delta_reader.data_files(table.path) if table.year_of(file) == year]
    with delta_reader.damage_named(table.path):
        (notes, note_ids), *columns = delta_reader.encoded(files, ("note_id", *key))
    codes = np.zeros(len(notes), np.int64)
    for numbers, words in columns:
        codes = codes * len(words) + numbers
    rows_of = np.bincount(codes)
    used = np.flatnonzero(rows_of)
    place = np.zeros(len(rows_of), np.int64)
    place[used] = np.arange(len(used))
    occurs = np.zeros((len(note_ids), len(used)), bool)
    occurs[notes, place[codes]] = True
    of_parts = zip(np.unravel_index(used, [len(words) for _, words in columns]), columns, strict=True)
    named = zip(*([words[number] for number in numbers] for numbers, (_, words) in of_parts), strict=True)
    counts = zip(occurs.sum(axis=0).tolist(), rows_of[used].tolist(), strict=True)
    for parts, (in_notes, rows) in sorted(zip(named, counts, strict=True)):
        yield {"year": year, **dict(zip(key, parts, strict=True)), "notes": in_notes, name: rows}
