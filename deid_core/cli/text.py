"""`deid text`: print the de-identified text of one file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deid_core.cli.choices import IDENTITY_KINDS, READ
from deid_core.cli.engine_arguments import add_pipeline_arguments, engine_for
from deid_core.cli.patient_argument import STDIN, patient_id
from deid_core.core.data_folders import DEFAULT_POLICY, policy_names
from deid_core.core.errors import ConfigurationError, ExitCode, NoteError
from deid_core.core.remedies import REMEDIES_OF_ONE_FILE

if TYPE_CHECKING:
    from deid_core.core.note import Note
    from deid_core.pipeline.engine import Deidentified, Engine
    from deid_core.pipeline.known_terms import Term


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help=f"a {READ}, or - for plain text on stdin",
    )
    add_pipeline_arguments(parser)
    parser.add_argument(
        "--policy",
        default=DEFAULT_POLICY,
        help=f"what replaces the spans: one of {', '.join(policy_names())}, or a .yaml file; else {DEFAULT_POLICY}",
    )
    parser.add_argument("--key", type=Path, metavar="FILE", help="the policy's key; else the variable DEID_POLICY_KEY")
    parser.add_argument(
        "--patient",
        default="",
        metavar="ID",
        help="whose note it is, - reads it from standard input; else the note stands for itself",
    )
    parser.add_argument(
        "--identity",
        action="append",
        type=_known,
        default=[],
        metavar="KIND=VALUE",
        help="what is known of the note's people, to be searched for; may be repeated; kinds: "
        f"{', '.join(IDENTITY_KINDS)}. "
        "Other users of the machine can read it while the command runs; docs/command-line.md says what to do instead",
    )
    parser.add_argument(
        "--why",
        action="store_true",
        help="print on stderr why each span was removed, what was found and dropped, and by which threshold: "
        "HOLDS TEXT OF THE NOTE",
    )


def run(args: argparse.Namespace) -> int:
    """Print the text; a file that cannot be read or processed gives its reason, what to do and exit code 65."""
    from deid_core.pipeline.identity_terms import terms_of_values

    known = terms_of_values(_by_kind(args.identity))
    if args.file == args.patient == STDIN:
        raise ConfigurationError("FILE and --patient cannot both be -: standard input is read once")
    patient = patient_id(args.patient)
    engine = engine_for(args, args.policy, args.key)
    from deid_core.api import read_note
    from deid_core.ensemble.own_lists import refused_message
    from deid_core.readers.plain import decode, note_from_text

    try:
        # Stdin is never written to a file, where a killed program would leave it.
        stdin = args.file == STDIN
        note = (
            note_from_text(decode(sys.stdin.buffer.read())) if stdin else read_note(args.file, settings=args.settings)
        )
        done = engine.deidentify(note, patient, known=known)
    except NoteError as error:
        place = "" if stdin else f"{args.file}: "
        print(f"deid text: {place}{error}\n  {REMEDIES_OF_ONE_FILE[error.reason]}", file=sys.stderr)
        return ExitCode.QUARANTINE
    sys.stdout.write(done.text + ("" if done.text.endswith("\n") else "\n"))
    if done.refused:
        print(f"deid text: {refused_message(done.refused)}", file=sys.stderr)
    if args.why:
        # Not on stdout: what a user writes to a file from there has no text of the note.
        sys.stdout.flush()
        print(*_why(engine, note, done, known), sep="\n", file=sys.stderr)
    return ExitCode.DONE


def _why(engine: Engine, note: Note, done: Deidentified, known: Sequence[Term]) -> Iterator[str]:
    from deid_core.cli.found_table import explanation_lines
    from deid_core.pipeline.explanation import explain

    return explanation_lines(note.text, explain(engine, note, done, known))


def _known(text: str) -> tuple[str, str]:
    kind, equals, value = text.partition("=")
    if not equals:
        # The text may be a name.
        raise argparse.ArgumentTypeError("is written KIND=VALUE, as name=Muster")
    return kind, value


def _by_kind(known: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for kind, value in known:
        values.setdefault(kind, []).append(value)
    return values
