"""`deid report`: how much was removed, per year, label and recogniser. It reads the clean tables only."""

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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("--lake", type=Path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument("--by", choices=KEYS, help="sums over the other two; else a row for each combination")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of a table")


def run(args: argparse.Namespace) -> int:
    """Prints the counts."""
    with spark_extra("report"):
        from deid_core.lake import delta_reader
        from deid_core.lake.layout import Lake
    lake = Lake.at(args.lake)
    if not delta_reader.exists(lake.phi_counts):
        raise ConfigurationError(f"--lake {args.lake}: there are no counts; `deid run` makes them")
    columns = [*KEYS, "notes", "spans", "tokens", "per_1000_tokens"]
    rows = sorted(delta_reader.read(lake.phi_counts, columns).to_pylist(), key=lambda row: [row[key] for key in KEYS])
    if args.by:
        rows = summed(rows, args.by)
    if args.json:
        print("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    elif rows:
        print(table([tuple(rows[0]), *(tuple(_cell(*item) for item in row.items()) for row in rows)]))
    else:
        print("nothing was removed")
    return ExitCode.DONE


def summed(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Spans and their rate by one key.

    Notes cannot be summed, since a note with two labels would count twice, and are left out; a rate is over the tokens
    of all years that have a row, each year's once.
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
