"""`deid text`: the de-identified text of one file on stdout."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from deid_core.cli.engine_arguments import add_pipeline_arguments, engine_for
from deid_core.core.errors import ConfigurationError, ExitCode, NoteError
from deid_core.core.note import Note
from deid_core.pipeline.settings import load_settings
from deid_core.readers import NoteReader, SourceFile
from deid_core.readers.canonical import CanonicalBuilder
from deid_core.readers.plain import read_plain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="a .doc, .docx, .rtf or .txt, or - for plain text on stdin")
    add_pipeline_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the text; a file that cannot be read or processed gives its reason and exit code 65."""
    engine = engine_for(args)
    try:
        note = _stdin() if args.file == "-" else _read(args)
        text = engine.deidentify(note).text
    except NoteError as error:
        print(f"deid text: {error}", file=sys.stderr)
        return ExitCode.QUARANTINE
    sys.stdout.write(text + ("" if text.endswith("\n") else "\n"))
    return ExitCode.DONE


def _stdin() -> Note:
    """Plain text from stdin; it is never written to a file, where a killed program would leave it."""
    builder = CanonicalBuilder()
    read_plain(sys.stdin.buffer.read(), builder)
    return builder.build("stdin")


def _read(args: argparse.Namespace) -> Note:
    path = Path(args.file)
    if not path.is_file():
        raise ConfigurationError(f"{path}: there is no such file")
    with NoteReader(load_settings(args.settings).reading) as reader:
        [(_, note)] = reader.read([SourceFile(path.resolve(), path.name, path.stem)])
    if isinstance(note, NoteError):
        raise note
    return note
