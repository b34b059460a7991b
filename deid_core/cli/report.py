"""`deid report`: how much was removed or dropped, as a table on the terminal or as the audit page and its figures."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.errors import ConfigurationError, ExitCode, quoted
from deid_core.core.files import write_whole
from deid_core.core.text_tables import table
from deid_core.lake.layout import exists

if TYPE_CHECKING:
    from deid_core.lake.layout import Lake

KEYS = ("year", "label", "recogniser")
_DROPPED_KEYS = (*KEYS, "rule", "reason")
_STDOUT = "-"
LANGUAGES = ("en", "de")
"""The same as audit_page.language.LANGUAGES, which `--help` does not load."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--by", choices=(*KEYS, "type"), help="sum over the other keys; else a row for each combination")
    what.add_argument("--dropped", action="store_true", help="what a rule found and the pipeline dropped, and why")
    what.add_argument("--table", choices=("corpus",), help="corpus: notes, non-blank lines and tokens of each year")
    parser.add_argument(
        "--html", type=local_path, metavar="FILE", help="write the audit page, one file that opens offline"
    )
    parser.add_argument("--pdf", type=local_path, metavar="FILE", help="write the audit page as PDF; needs Chromium")
    parser.add_argument(
        "--csv", type=local_path, metavar="DIR", help="write the figures of the audit page, a file a table"
    )
    parser.add_argument(
        "--json",
        nargs="?",
        const=_STDOUT,
        metavar="FILE",
        help="write the figures of the audit page; without FILE print JSON lines instead of a table",
    )
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of the audit page (default: en)")


def run(args: argparse.Namespace) -> int:
    """Print the counts, or write the audit page and its figures."""
    lake = existing_lake(args.lake)
    to_file = args.json not in (None, _STDOUT)
    if args.html or args.pdf or args.csv or to_file:
        if args.by or args.dropped or args.table or args.json == _STDOUT:
            raise ConfigurationError(
                "--by, --dropped, --table and --json without a file print to the terminal; --html, --pdf, --csv and "
                "--json FILE write the audit page: call them apart"
            )
        _write_page(args, lake)
        return ExitCode.DONE
    counts = lake.dropped_counts if args.dropped else lake.phi_counts
    if not exists(counts):
        raise ConfigurationError(
            f"--lake {quoted(args.lake)}: there are no counts; the next `deid run` on it makes them"
        )
    rows = _rows(args, lake)
    if args.json:
        print("\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
    elif rows:
        print(table([tuple(rows[0]), *(tuple(_cell(*item) for item in row.items()) for row in rows)]))
    else:
        print("nothing was dropped" if args.dropped else "nothing was removed")
    return ExitCode.DONE


def _rows(args: argparse.Namespace, lake: Lake) -> list[dict[str, Any]]:
    with spark_extra("report"):
        from deid_core.audit_page.corpus import corpus_rows
        from deid_core.audit_page.figures import type_rows
        from deid_core.lake.tables import delta_reader
    if args.table:
        rows = corpus_rows(lake)
        return rows if args.json else with_total(rows)
    if args.by == "type":
        return summed(type_rows(lake), "type")
    keys = _DROPPED_KEYS if args.dropped else KEYS
    columns = [*keys, "notes", *(("detections",) if args.dropped else ("spans", "tokens", "per_1000_tokens"))]
    read = delta_reader.read(lake.dropped_counts if args.dropped else lake.phi_counts, columns)
    rows = sorted(read.to_pylist(), key=lambda row: [row[key] for key in keys])
    return summed(rows, args.by) if args.by else rows


def _write_page(args: argparse.Namespace, lake: Lake) -> None:
    """Write the files that were asked for. Nothing is read before it is clear that they can be written.

    Raises ConfigurationError if a folder is missing, may not be written, or there is no browser for --pdf.
    """
    with spark_extra("report"):
        from deid_core.audit_page.export import to_csv, to_json
        from deid_core.audit_page.figures import gather
        from deid_core.audit_page.page import html_page
        from deid_core.audit_page.pdf import browser, to_pdf
    program = browser() if args.pdf else ""
    files = {"--html": args.html, "--pdf": args.pdf, "--json": Path(args.json) if args.json else None}
    problems = [
        f"{option} {file}: there is no folder {file.parent}"
        if not file.parent.is_dir()
        else f"{option} {file}: a folder"
        for option, file in files.items()
        if file and (not file.parent.is_dir() or file.is_dir())
    ]
    if problems:
        raise ConfigurationError(problems)
    figures = gather(lake, datetime.now(UTC))
    html = html_page(figures, args.language) if args.html or args.pdf else ""
    contents: dict[Path, bytes] = {}
    if args.html:
        contents[args.html] = html.encode()
    if args.pdf:
        contents[args.pdf] = to_pdf(html, program)
    if args.json:
        contents[Path(args.json)] = to_json(figures).encode()
    if args.csv:
        contents |= {args.csv / name: text.encode() for name, text in to_csv(figures).items()}
    try:
        if args.csv:
            args.csv.mkdir(parents=True, exist_ok=True)
        for file, content in contents.items():
            write_whole(file, content)
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise ConfigurationError(f"{error.filename}: cannot be written: {error.strerror}") from None
    for file in (args.html, args.pdf, args.csv, args.json):
        if file:
            print(file)


def with_total(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows and, if there are any, one of their sums, whose year is "total"."""
    if not rows:
        return []
    return [*rows, {name: "total" if name == "year" else sum(row[name] for row in rows) for name in rows[0]}]


def summed(rows: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return spans and their rate by one key.

    Notes are left out, since a note with two labels would count twice. A rate is over the tokens of all years that have
    a row, each year's once.
    """
    with spark_extra("report"):
        from deid_core.lake.checks.audit_counts import per_1000_tokens
    tokens_of_year = {row["year"]: row["tokens"] for row in rows}
    spans: defaultdict[Any, int] = defaultdict(int)
    for row in rows:
        spans[row[key]] += row["spans"]
    sums = []
    for value in sorted(spans):
        tokens = tokens_of_year[value] if key == "year" else sum(tokens_of_year.values())
        sums.append(
            {
                key: value,
                "spans": spans[value],
                "tokens": tokens,
                "per_1000_tokens": per_1000_tokens(spans[value], tokens),
            }
        )
    return sums


def _cell(name: str, value: object) -> object:
    return str(value) if name == "year" else value
