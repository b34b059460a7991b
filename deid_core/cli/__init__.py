"""The command `deid`: one module a subcommand, each with `add_arguments` and `run`.

Exit codes are the contract of core/errors.py, also where stdout cannot be written. Errors go to stderr as plain
lines; a traceback appears only with DEID_DEBUG=1, since an exception's context might hold text of a note.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NoReturn

from deid_core.core.errors import NO_ROOM, DeidError, ExitCode, place_of
from deid_core.core.extras import how_to_install
from deid_core.core.file_formats import USUAL_ENDINGS, listed
from deid_core.core.logs import forward_log_records
from deid_core.core.version import __version__

# Subcommand → one line of help; the module of the same name holds it and is imported when it is called.
COMMANDS = {
    "run": "convert, de-identify and audit a folder or table of notes into a lake, incrementally",
    "text": f"print the de-identified text of one {listed(USUAL_ENDINGS)}",
    "annotate": "write the spans of JSON lines, Word or text files, also for annotation tools",
    "show": "print a note of a lake before and after, with its spans coloured",
    "list": "find the notes of a lake by year, state, reason or score",
    "check": "whether all files of a lake are whole, and whether ledger and tables agree",
    "export": "write the de-identified texts of a lake as JSON lines, Parquet or the OMOP table NOTE",
    "publish": "keep copies of a lake's clean tables in a folder or on an object store, as Delta tables",
    "withdraw": "remove a patient's notes from a lake, and keep them out of it",
    "rekey": "give the patients of a lake a new key, and make the outputs again",
    "report": "print what was removed, per year, label and recogniser, or write the audit page",
    "review": "read notes before and after in the browser, and mark what was missed or wrong",
    "certify": "draw notes for readers, sign what follows from what they found, verify what was signed",
    "release": "make a numbered copy of a clean table that never changes",
    "evaluate": "compare predicted with gold spans: tokens, entities, leaks, significance",
    "compare": "measure pipelines on letters, synthetic notes, non-medical texts (as Richter-Pechanski 2018, Table 13)",
    "read": "print the note of each file, or its error, as JSON lines",
    "generate": "make synthetic notes with gold spans",
    "train": "train one of the shipped models, or measure how recogniser crf depends on its data",
    "adapt": "train models further with 20 to 200 marked letters of one hospital, if that makes them better",
    "letters": "write the index of the annotated letters, or export them for annotation tools",
    "policies": "list the policies, or show what one does with every type of span",
    "labels": "print the labels, their types, and what other schemes call them",
    "gazetteers": "build the lists, fetch larger ones, or say what a list of your own would change",
    "bench": "measure notes and tokens per second of each stage",
    "completion": "print a script by which bash, zsh or fish complete commands and options",
}

_NOWHERE = logging.NullHandler()


class _Parser(argparse.ArgumentParser):
    """Leaves with the contract's code for a usage error instead of argparse's 2."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see `{self.prog} --help`", file=sys.stderr)
        raise SystemExit(ExitCode.USAGE)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one subcommand and returns its exit code. Raises SystemExit for help and usage errors."""
    # Not by `list`, which is the subcommand's module once that is imported.
    arguments = [*(sys.argv[1:] if argv is None else argv)]
    chosen = next((a for a in arguments if not a.startswith("-")), None)
    parser = _Parser(prog="deid", description="De-identifies an archive of German clinical letters.")
    if chosen is not None and chosen not in COMMANDS:
        similar = difflib.get_close_matches(chosen, COMMANDS, 1)
        parser.error(f"there is no command {chosen!r}" + "".join(f"; did you mean {name!r}?" for name in similar))
    parser.add_argument("--version", action="version", version=f"deid {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for name, help_line in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=help_line, description=help_line)
        if name == chosen:
            module = importlib.import_module(f"deid_core.cli.{name}")
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    try:
        args = parser.parse_args(arguments)
    except SystemExit as leave:
        raise SystemExit(_written(parser.prog, int(leave.code or ExitCode.DONE))) from None
    prog = f"{parser.prog} {args.command}"
    return _written(prog, _run(prog, args))


def _run(prog: str, args: argparse.Namespace) -> int:
    """Runs the subcommand and returns its exit code; print errors on stderr, after `prog`."""
    if os.environ.get("DEID_DEBUG") != "1":
        # What libraries log may quote a note, and py4j logs a traceback when a person interrupts a run.
        logging.getLogger().addHandler(_NOWHERE)
    try:
        # RunLog prints these records itself.
        has_log = hasattr(args, "log_format")
        with nullcontext() if has_log else forward_log_records(lambda said: print(f"{prog}: {said}", file=sys.stderr)):
            return int(args.run(args))
    except DeidError as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return error.exit_code
    except ModuleNotFoundError as error:
        if str(error.name).startswith("deid_core"):
            return _internal(prog, error)
        print(f"{prog}: needs the package {error.name}, of the extra 'lab': {how_to_install('lab')}", file=sys.stderr)
        return ExitCode.USAGE
    except BrokenPipeError:
        # The reader of our output went away (deid report | head); nothing is wrong here.
        return ExitCode.DONE
    except KeyboardInterrupt:
        print(f"{prog}: interrupted; start it again", file=sys.stderr)
        return ExitCode.RETRY
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            print(f"{prog}: the output or a temporary file cannot be written: {_words(error)}", file=sys.stderr)
            return ExitCode.RETRY
        if isinstance(error, PermissionError):
            print(f"{prog}: a file or folder is closed to this account: {place_of(error)}", file=sys.stderr)
            return ExitCode.USAGE
        if os.environ.get("DEID_DEBUG") == "1":
            print(f"{prog}: DEID_DEBUG is set: what follows may quote a note", file=sys.stderr)
            raise
        return _internal(prog, error)


def _internal(prog: str, error: Exception) -> int:
    """Print class and place only, since the message of an unknown exception may quote a note; return the exit code."""
    print(f"{prog}: internal error: {place_of(error)}; report this line, it quotes no note", file=sys.stderr)
    return ExitCode.INTERNAL


def _written(prog: str, code: int) -> int:
    """Writes what stdout still holds; the code, or RETRY for DONE if it cannot be written.

    Left to the interpreter's end, a reader that went away or a full disk would give a code of the interpreter's, 120.
    """
    if sys.stdout is None:  # closed by the caller
        return code
    try:
        sys.stdout.flush()
    except OSError as error:
        # It is kept after a failure, and would fail again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # No error: the reader went away. Nothing new: the command told of an error itself.
        if not isinstance(error, BrokenPipeError) and code == ExitCode.DONE:
            print(f"{prog}: stdout cannot be written: {_words(error)}", file=sys.stderr)
            return ExitCode.RETRY
    return code


def _words(error: OSError) -> str:
    """The system's words alone: the exception may name a file, and files are named after patients."""
    return os.strerror(error.errno or 0)
