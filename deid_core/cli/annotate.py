"""`deid annotate`: the spans of JSON lines or of Word files, one JSON object a note."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from tqdm import tqdm

from deid_core.cli.engine_arguments import add_pipeline_arguments, engine_for
from deid_core.core.errors import ConfigurationError, ExitCode, NoteError
from deid_core.core.note import Note
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.settings import load_settings
from deid_core.readers import ENDINGS, NoteReader, source_files

_JSON_LINES = ".jsonl"
_READ = f"{', '.join(sorted(ENDINGS)[:-1])} or {max(ENDINGS)}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    of_input = f"JSON lines {{id, text}} ({_JSON_LINES}), a {_READ}, or a folder of them"
    parser.add_argument("--input", type=Path, required=True, help=of_input)
    parser.add_argument("--output", type=Path, required=True, help="JSON lines {id, text, spans}")
    add_pipeline_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Writes the spans; a note that fails is named on stderr by its number and reason and is not in the output."""
    _check(args)
    engine = engine_for(args)
    notes = _json_lines(args.input) if _is_json_lines(args.input) else _word_files(args)
    # Written beside and renamed: an output of that name is always whole.
    part = args.output.with_name(args.output.name + ".part")
    try:
        output = part.open("w", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{part}: cannot be written: {error.strerror}") from None
    try:
        with output:
            failed = _annotate(engine, notes, output)
        part.replace(args.output)
    finally:
        part.unlink(missing_ok=True)
    return ExitCode.QUARANTINE if failed else ExitCode.DONE


def _check(args: argparse.Namespace) -> None:
    """Raises ConfigurationError for what can be told of the paths before lists and models are loaded."""
    problems = []
    if not args.input.exists():
        problems.append(f"{args.input}: there is no such file or folder")
    elif not (args.input.is_dir() or _is_json_lines(args.input) or args.input.suffix.lower() in ENDINGS):
        # As text it would be read without an error, whatever it is, and each line of another JSON be taken for prose.
        problems.append(f"{args.input}: a file's ending must be {_JSON_LINES}, {_READ}")
    if not args.output.absolute().parent.is_dir():
        problems.append(f"{args.output}: its folder does not exist")
    elif args.output.is_dir():
        problems.append(f"{args.output}: is a folder; name a file")
    if problems:
        raise ConfigurationError(problems)


def _is_json_lines(path: Path) -> bool:
    return path.suffix.lower() == _JSON_LINES and not path.is_dir()


def _annotate(engine: Engine, notes: Iterable[Note | NoteError], output: TextIO) -> int:
    """Writes the spans of the notes and returns how many notes failed."""
    failed = 0
    for number, note in enumerate(tqdm(notes, unit=" notes", disable=not sys.stderr.isatty()), 1):
        try:
            if isinstance(note, NoteError):
                raise note
            _write(output, note, [span.to_json() for span in engine.annotate(note)])
        except NoteError as error:
            failed += 1
            print(f"deid annotate: note {number} of the input: {error}", file=sys.stderr)
    return failed


def _write(output: TextIO, note: Note, spans: list[dict[str, object]]) -> None:
    output.write(json.dumps({"id": note.note_id, "text": note.text, "spans": spans}, ensure_ascii=False) + "\n")


def _json_lines(path: Path) -> Iterator[Note]:
    try:
        lines = path.open("rb")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from None
    with lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    note = Note.from_json(json.loads(line.decode()))
                    # A lone surrogate, as "\\ud800" gives one, could not be written again.
                    (note.note_id + note.text).encode()
                except (ValueError, KeyError, TypeError):
                    problem = 'needs a JSON object in UTF-8 with "id" and "text", strings of valid Unicode'
                    raise ConfigurationError(f"{path}:{number}: {problem}") from None
                yield note


def _word_files(args: argparse.Namespace) -> Iterator[Note | NoteError]:
    files = source_files(args.input)
    if not files:
        raise ConfigurationError(f"{args.input}: holds no {_READ} file")
    with NoteReader(load_settings(args.settings).reading) as reader:
        for _, result in reader.read(files):
            yield result
