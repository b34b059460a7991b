"""`deid report`: how much was removed or dropped, per year, label and recogniser. Reads the clean tables only."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.tables import table

KEYS = ("year", "label", "recogniser")
_DROPPED_KEYS = (*KEYS, "rule", "reason")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=Path, metavar="DIR", required=True, help="folder of the lake")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--by", choices=KEYS, help="sum over the other two keys; else a row for each combination")
    what.add_argument("--dropped", action="store_true", help="what a rule found and the pipeline dropped, and why")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of a table")


def run(args: argparse.Namespace) -> int:
    """Print the counts."""
    with spark_extra("report"):
        from deid_core.lake import delta_reader
        from deid_core.lake.layout import Lake
    lake = Lake.at(args.lake)
    counts = lake.dropped_counts if args.dropped else lake.phi_counts
    if not delta_reader.exists(counts):
        raise ConfigurationError(f"--lake {args.lake}: there are no counts; `deid run` makes them")
    keys = _DROPPED_KEYS if args.dropped else KEYS
    columns = [*keys, "notes", *(("detections",) if args.dropped else ("spans", "tokens", "per_1000_tokens"))]
    rows = sorted(delta_reader.read(counts, columns).to_pylist(), key=lambda row: [row[key] for key in keys])
    if args.by:
        rows = summed(rows, args.by)
    if args.json:
        print("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    elif rows:
        print(table([tuple(rows[0]), *(tuple(_cell(*item) for item in row.items()) for row in rows)]))
    else:
        print("nothing was dropped" if args.dropped else "nothing was removed")
    return ExitCode.DONE


def summed(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return spans and their rate by one key.

    Notes are left out, since a note with two labels would count twice. A rate is over the tokens of all years that have
    a row, each year's once.
    """
    tokens_of_year = {row["year"]: row["tokens"] for row in rows}
    spans: defaultdict[Any, int] = defaultdict(int)
    for row in rows:
        spans[row[key]] += row["spans"]
    sums = []
    for value in sorted(spans):
        tokens = tokens_of_year[value] if key == "year" else sum(tokens_of_year.values())
        rate = round(1000 * spans[value] / tokens, 3) if tokens else 0.0
        sums.append({key: value, "spans": spans[value], "tokens": tokens, "per_1000_tokens": rate})
    return sums


def _cell(name: str, value: object) -> object:
    return str(value) if name == "year" else value
