"""`deid review`: read notes before and after in the browser, and mark what was missed or wrong.

The page is served to this machine alone, below an address with a secret in it. Without --reader it stores nothing.
"""

from __future__ import annotations

import argparse
import re
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deid_core.cli.choices import WRITABLE
from deid_core.cli.existing_lake import existing_lake
from deid_core.cli.local_path import local_path
from deid_core.cli.report import LANGUAGES
from deid_core.cli.spark_extra import spark_extra
from deid_core.core.data_folders import DEFAULT_POLICY
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.files import protect_process

if TYPE_CHECKING:
    from deid_core.lake.layout import Lake
    from deid_core.review.queue import QueuedNote

ORDERS = ("plan", "doubt", "random")
_NAME = re.compile(r"[\w.-]{1,40}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--lake", type=local_path, metavar="DIR", required=True, help="folder of the lake")
    parser.add_argument(
        "--reader", metavar="NAME", help="store what is marked as this reader's; else nothing is stored"
    )
    parser.add_argument(
        "--order",
        choices=ORDERS,
        help="plan: the notes of `deid certify plan`; doubt: the most doubtful first; random: of each year in turn "
        "(default: plan if there is one, else doubt)",
    )
    parser.add_argument("--adjudicate", action="store_true", help="decide where two readers differ")
    parser.add_argument(
        "--policy", metavar="NAME", help="read the texts of an output (default: those with placeholders)"
    )
    parser.add_argument("--port", type=int, default=0, help="of the page (default: a free one)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="of the page (default: en)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--agreement", action="store_true", help="only print how far two readers agree")
    what.add_argument(
        "--export", type=local_path, metavar="PATH", help="only write what readers marked: HOLDS TEXT OF NOTES"
    )
    what.add_argument(
        "--proposals",
        type=local_path,
        metavar="PATH",
        help="only write the notes to read with what was removed, for another tool: HOLDS TEXT OF NOTES",
    )
    what.add_argument(
        "--import", type=local_path, metavar="PATH", dest="from_tool", help="only store what another tool wrote"
    )
    parser.add_argument("--format", choices=WRITABLE, help="of --export, --proposals, --import; else by the ending")
    parser.add_argument("--types", action="store_true", help="write types such as patient, not labels such as PER")


def run(args: argparse.Namespace) -> int:
    """Serve the page until it is interrupted, or do what else is asked for."""
    protect_process()
    lake = existing_lake(args.lake)
    if args.reader is not None and not _NAME.fullmatch(args.reader):
        raise ConfigurationError("--reader: a name has letters, digits, dots, - and _, 40 at most")
    if args.agreement:
        return _print_agreement(lake)
    if args.export or args.proposals or args.from_tool:
        return _exchange(args, lake)
    return _serve(args, lake)


def _exchange(args: argparse.Namespace, lake: Lake) -> int:
    with spark_extra("review"):
        from deid_core.cli.review_exchange import export_proposals, export_reviews, import_reviews
        from deid_core.review.marks import ReaderName
    if args.from_tool:
        if not args.reader:
            raise ConfigurationError("--import: give --reader NAME, who marked")
        count = import_reviews(lake, args.from_tool, args.format, ReaderName(args.reader))
    elif args.export:
        count = export_reviews(lake, args.export, args.format, types=args.types)
    else:
        count = export_proposals(lake, queue_of(lake, args.order), args.proposals, args.format, types=args.types)
    print(f"{count:,} notes")
    return ExitCode.DONE


def _serve(args: argparse.Namespace, lake: Lake) -> int:
    with spark_extra("review"):
        from deid_core.lake.notes.reviews import ReviewRole, read_reviews
        from deid_core.review.application import ReviewTask
        from deid_core.review.marks import ReaderName
        from deid_core.review.queue import QueuedNote, disputed
        from deid_core.review.serve import serve
    role = ReviewRole.ADJUDICATOR if args.adjudicate else ReviewRole.READER
    disputes = disputed(read_reviews(lake)) if args.adjudicate else {}
    if args.adjudicate and not args.reader:
        raise ConfigurationError("--adjudicate: give --reader NAME, who decides")
    if args.policy not in (None, DEFAULT_POLICY) and args.policy not in lake.outputs():
        known = ", ".join(lake.outputs()) or "none"
        raise ConfigurationError(f"--policy {args.policy}: the lake has no texts of it; its outputs: {known}")
    queue = [QueuedNote(note_id) for note_id in sorted(disputes)] if args.adjudicate else queue_of(lake, args.order)
    task = ReviewTask(
        lake,
        queue,
        ReaderName(args.reader, role) if args.reader else None,
        args.language,
        disputes,
        lambda: _agreement(lake),
        None if args.policy == DEFAULT_POLICY else args.policy,
    )
    serve(task, args.port, lambda address: print(f"{address}\nOpen it in a browser; Ctrl+C ends it.", flush=True))
    return ExitCode.DONE


def queue_of(lake: Lake, order: str | None) -> Sequence[QueuedNote]:
    """Return the notes to read. Raises ConfigurationError for the order `plan` without a plan."""
    with spark_extra("review"):
        from deid_core.review.doubt import note_doubts
        from deid_core.review.queue import QueuedNote, doubt_queue, random_queue
    if order in ("plan", None) and lake.sampling_plan.exists():
        with spark_extra("review"):
            from deid_core.certify.sampling_plan import read_plan
        if drawn := read_plan(lake):
            return [QueuedNote(note.note_id, note.text_sha256) for note in drawn[0].sample]
    if order == "plan":
        raise ConfigurationError(f"--lake {lake.root}: no sampling plan; draw one with `deid certify plan`")
    doubts = note_doubts(lake)
    return random_queue(doubts, secrets.token_hex(8)) if order == "random" else doubt_queue(doubts)


def _agreement(lake: Lake) -> dict[str, float] | None:
    # Loaded when it is asked for: the page shall be there at once.
    from deid_core.cli.reader_agreement import reader_agreement
    from deid_core.lake.notes.reviews import read_reviews

    return reader_agreement(lake, read_reviews(lake))


def _print_agreement(lake: Lake) -> int:
    if (found := _agreement(lake)) is None:
        print("no note was read by two readers")
    else:
        print(f"{found['notes']} notes, kappa {found['kappa']:.3f} (tokens), F1 {found['f1']:.3f} (marks)")
    return ExitCode.DONE
