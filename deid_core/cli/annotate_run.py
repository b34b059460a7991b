"""`deid annotate`: the spans of JSON lines or of Word files, as JSON lines or for annotation tools.

The project's JSON lines are written here, since they say also which rule found a span; other formats are those of
lab/corpora, with labels alone.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from deid_core.cli.engine_arguments import engine_for
from deid_core.cli.note_input import input_problems, notes_of
from deid_core.core.errors import ConfigurationError, ExitCode, NoteError, Reason
from deid_core.core.labels import Scheme, name_in
from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.lab.corpora import FORMATS, AnnotatedText, LabelledSpan, write_corpus
from deid_core.lab.corpora.formats import file_name

if TYPE_CHECKING:
    from deid_core.pipeline.engine import Engine

_OPTION = {
    "layer": re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*)+", re.ASCII),
    "feature": re.compile(r"[A-Za-z]\w*", re.ASCII),
}
_EXAMPLES = {"layer": "webanno.custom.PHI", "feature": "kind"}
_MAX_NAME = 255
"""Characters of a file's name."""


def run(args: argparse.Namespace) -> int:
    """Writes the spans; a note that fails is named on stderr by its number and reason and is not in the output."""
    _check(args)
    engine = engine_for(args)
    notes = notes_of(args.input, args.settings)
    annotator = _Annotator(engine, Scheme(args.scheme))
    # Written beside and renamed: an output of that name is always whole.
    part = args.output.with_name(args.output.name + ".part")
    try:
        if _is_folder(args.format):
            part.mkdir()
        else:
            part.write_bytes(b"")
    except OSError as error:
        raise ConfigurationError(f"{part}: cannot be written: {error.strerror}") from None
    try:
        if args.format == "jsonl":
            _write_json_lines(part, annotator.annotate(notes))
        elif _is_folder(args.format):
            annotator.write_files(part, args.format, notes, _tool_options(args))
        else:
            write_corpus(part, (_annotated_text(*found) for found in annotator.annotate(notes)), args.format)
        part.replace(args.output)
    finally:
        if part.is_dir():
            shutil.rmtree(part)
        else:
            part.unlink(missing_ok=True)
    if annotator.unnamed:
        print(
            f"deid annotate: {annotator.unnamed} spans are not written: --scheme {args.scheme} has no label for them; "
            "`deid labels` shows which",
            file=sys.stderr,
        )
    return ExitCode.QUARANTINE if annotator.failed else ExitCode.DONE


def _check(args: argparse.Namespace) -> None:
    """Raises ConfigurationError for what can be told of the paths before lists and models are loaded."""
    problems = input_problems(args.input)
    if not args.output.absolute().parent.is_dir():
        problems.append(f"{args.output}: its folder does not exist")
    elif not _is_folder(args.format):
        if args.output.is_dir():
            problems.append(f"{args.output}: is a folder; name a file")
    elif args.output.exists() and not _can_be_replaced(args.output):
        problems.append(f"{args.output}: exists; format {args.format} writes a file for each note, name a new folder")
    for name, value in _tool_options(args).items():
        if name not in FORMATS[args.format].options():
            problems.append(f"--{name}: format {args.format} has none; cas and webanno have")
        elif not _OPTION[name].fullmatch(value):
            problems.append(f"--{name}: is not the name of a UIMA {name}, as {_EXAMPLES[name]}")
    try:
        FORMATS[args.format].check()
    except ConfigurationError as error:
        problems += error.problems
    if problems:
        raise ConfigurationError(problems)


def _can_be_replaced(path: Path) -> bool:
    return path.name not in ("", "..") and path.is_dir() and not any(path.iterdir())


def _tool_options(args: argparse.Namespace) -> dict[str, str]:
    return {name: value for name in _OPTION if (value := getattr(args, name)) is not None}


def _is_folder(form: str) -> bool:
    return FORMATS[form].write is None


class _Annotator:
    """Finds the spans of notes; a note that fails is named on stderr by its number and reason.

    failed: how many notes are not in the output. unnamed: how many spans the scheme has no label for.
    """

    def __init__(self, engine: Engine, scheme: Scheme) -> None:
        self.failed = self.unnamed = 0
        self._engine, self._scheme = engine, scheme
        self._number = 0

    def annotate(self, notes: Iterable[Note | NoteError]) -> Iterator[tuple[Note, list[tuple[str, Span]]]]:
        """Yield each note with its spans and what the scheme calls them."""
        for self._number, note in enumerate(tqdm(notes, unit=" notes", disable=not sys.stderr.isatty()), 1):
            try:
                if isinstance(note, NoteError):
                    raise note
                spans = self._engine.annotate(note)
            except NoteError as error:
                self._fail(error)
                continue
            named = [(name, span) for span in spans if (name := name_in(self._scheme, span.label, span.type))]
            self.unnamed += len(spans) - len(named)
            yield note, named

    def write_files(
        self, folder: Path, form: str, notes: Iterable[Note | NoteError], options: Mapping[str, str]
    ) -> None:
        """Write a file for each note, named after its id. options: of the format's writer. Raises OSError."""
        names: set[str] = set()
        for note, spans in self.annotate(notes):
            name = file_name(note.note_id, FORMATS[form])
            if not note.note_id or name in names or len(name) > _MAX_NAME:
                detail = "no file can be named after it: its id is empty, repeated or too long"
                self._fail(NoteError(Reason.UNSUPPORTED, detail))
                continue
            try:
                write_corpus(folder / name, [_annotated_text(note, spans)], form, **options)
            except ConfigurationError:
                # Its message names the file, and files are named after patients.
                (folder / name).unlink(missing_ok=True)
                detail = f"format {form} cannot hold its text or spans; jsonl can"
                self._fail(NoteError(Reason.UNSUPPORTED, detail))
                continue
            names.add(name)

    def _fail(self, error: NoteError) -> None:
        self.failed += 1
        print(f"deid annotate: note {self._number} of the input: {error}", file=sys.stderr)


def _annotated_text(note: Note, spans: Iterable[tuple[str, Span]]) -> AnnotatedText:
    return AnnotatedText(note.note_id, note.text, tuple(LabelledSpan(s.start, s.end, name) for name, s in spans))


def _write_json_lines(path: Path, annotated: Iterable[tuple[Note, list[tuple[str, Span]]]]) -> None:
    with path.open("w", encoding="utf-8") as output:
        for note, spans in annotated:
            rows = [span.to_json() | {"label": name} for name, span in spans]
            output.write(json.dumps({"id": note.note_id, "text": note.text, "spans": rows}, ensure_ascii=False) + "\n")
