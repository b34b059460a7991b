"""`deid gazetteers build | fetch | check`: compile the lists, get larger ones, say what a list would change."""

from __future__ import annotations

import argparse
import difflib
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from deid_core.cli import gazetteers_check
from deid_core.core.errors import ExitCode

if TYPE_CHECKING:
    from deid_core.lexicon.gazetteer.settings import GazetteerSettings

_SEED_SIZES = {"first_name": 20_562, "surname": 31_983, "town": 11_739, "street": 96_100}
"""What the thesis had (seed 000, section 6.1)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two actions and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    build = actions.add_parser("build", help="compile all lists; say per source what was taken, dropped and why")
    build.add_argument("--lists-dir", metavar="DIR", help="folder of the larger lists; stands for gazetteers.lists_dir")
    build.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    fetch = actions.add_parser("fetch", help="download the lists that sources.yaml marks `fetch`")
    fetch.add_argument("--only", metavar="NAME", action="append", help="only this source; may be given again")
    check = actions.add_parser("check", help="say what a list of your own would change on given letters")
    gazetteers_check.add_arguments(check)
    for action in (build, fetch):
        action.add_argument("--sources", metavar="FILE", help="instead of gazetteers/sources.yaml")


def run(args: argparse.Namespace) -> int:
    """Runs one action."""
    if args.action == "check":
        return gazetteers_check.run(args)
    # Imported here, as in other commands: `--help` and a wrong argument need no lists.
    from deid_core.pipeline.settings_file import load_settings

    settings = load_settings().gazetteers
    if args.sources:
        settings = settings.model_copy(update={"sources": str(Path(args.sources).resolve())})
    return _fetch(settings, args.only) if args.action == "fetch" else _build(settings, args)


def _build(settings: GazetteerSettings, args: argparse.Namespace) -> int:
    from deid_core.lexicon.gazetteer import build as building
    from deid_core.lexicon.gazetteer import cache
    from deid_core.lexicon.gazetteer.kinds import ListKind

    if args.lists_dir:
        settings = settings.model_copy(update={"lists_dir": args.lists_dir})
    built = building.build(settings)
    stored, unread = cache.store(built.gazetteer, settings), building.unread_files(settings)
    size = len(built.gazetteer.to_bytes())
    if args.json:
        report = {
            "digest": built.gazetteer.digest,
            "lists": list(built.gazetteer.lists),
            "bytes": size,
            "file": str(stored) if stored else None,
            "compile_seconds": round(built.compile_seconds, 3),
            "entries": dict(built.entries),
            "not_read": unread,
            "sources": [asdict(source) | {"seconds": round(source.seconds, 3)} for source in built.sources],
        }
        print(json.dumps(report, ensure_ascii=False, indent=2))
        return ExitCode.DONE
    print(f"{'source':<29}{'kind':<15}{'read':>9}{'taken':>9}{'dropped':>9}{'seconds':>9}  why dropped or skipped")
    for source in built.sources:
        why = source.skipped or ", ".join(f"{reason} {count:,}" for reason, count in source.dropped.items())
        dropped = sum(source.dropped.values())
        print(
            f"{source.name:<29}{source.kind:<15}{source.read:>9,}{source.taken:>9,}{dropped:>9,}"
            f"{source.seconds:>9.2f}  {why}"
        )
    for name in unread:
        close = difflib.get_close_matches(name, building.list_names(settings), n=1)
        print(f"not read: {name}" + (f"; did you mean {close[0]}?" if close else ""))
    for kind, seed_size in _SEED_SIZES.items():
        print(f"{kind}: {built.entries.get(ListKind(kind), 0):,} entries; the thesis (seed 000) had {seed_size:,}")
    print(f"compiled in {built.compile_seconds:.2f} s, {size / 1e6:.1f} MB, digest {built.gazetteer.digest[:16]}")
    print(f"written to {stored}" if stored else "no folder can be written: compiled anew by every process")
    return ExitCode.DONE


def _fetch(settings: GazetteerSettings, only: list[str] | None) -> int:
    from deid_core.lexicon.gazetteer.fetch import fetch_all

    for fetched in fetch_all(settings, only):
        print(f"{fetched.name}: {fetched.size_bytes:,} bytes, sha256 {fetched.sha256}")
        if not fetched.pinned:
            print(
                f"{fetched.name}: not pinned: nothing says that these are the right bytes; to hold later downloads to "
                f"them, write this checksum into sources.yaml"
            )
    return ExitCode.DONE
