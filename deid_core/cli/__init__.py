"""The command `deid`: one module a subcommand, each with `add_arguments` and `run`.

Exit codes are the contract of deid_core/errors.py. Errors go to stderr as plain lines; a traceback appears only with
DEID_DEBUG=1, since an exception's context might hold text of a note.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from deid_core import __version__
from deid_core.errors import DeidError, ExitCode, place_of

# Subcommand → one line of help; the module of the same name holds it and is imported when it is called.
COMMANDS = {
    "run": "convert, de-identify and audit a folder of notes into a lake, incrementally",
    "text": "print the de-identified text of one .doc, .docx or .txt",
    "annotate": "write the spans of JSON lines or Word files as JSON lines",
    "show": "print a note of a lake before and after, with its spans coloured",
    "report": "print what was removed, per year, label and recogniser",
    "evaluate": "compare predicted with gold spans: tokens, entities, leaks, significance",
    "compare": "measure pipelines against each other on made letters and news (as Richter-Pechanski 2018, Table 13)",
    "read": "print the note of each file, or its error, as JSON lines",
    "generate": "make synthetic notes with gold spans",
    "train": "make the statistical model again, or measure how it depends on its data",
    "gazetteers": "build the lists, or fetch larger ones",
    "bench": "measure notes and tokens per second of each stage",
}


class _Parser(argparse.ArgumentParser):
    """Leaves with the contract's code for a usage error instead of argparse's 2."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(ExitCode.USAGE)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one subcommand and returns its exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    parser = _Parser(prog="deid", description="De-identifies an archive of German clinical letters.")
    parser.add_argument("--version", action="version", version=f"deid {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    chosen = next((a for a in arguments if not a.startswith("-")), None)
    for name, help_line in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=help_line, description=help_line)
        if name == chosen:
            module = importlib.import_module(f"deid_core.cli.{name}")
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    args = parser.parse_args(arguments)
    try:
        return int(args.run(args))
    except DeidError as error:
        print(f"deid {args.command}: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (deid report | head); nothing is wrong here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.DONE
    except KeyboardInterrupt:
        print(f"deid {args.command}: interrupted", file=sys.stderr)
        return ExitCode.RETRY
    except Exception as error:
        if os.environ.get("DEID_DEBUG") == "1":
            print(f"deid {args.command}: DEID_DEBUG is set: what follows may quote a note", file=sys.stderr)
            raise
        # The message of an unknown exception may quote a note: print its class and place only.
        print(f"deid {args.command}: internal error: {place_of(error)}", file=sys.stderr)
        return ExitCode.INTERNAL
