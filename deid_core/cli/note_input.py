"""The notes of a command's input: JSON lines, a Word or text file, or a folder of such files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from deid_core.cli.choices import JSON_LINES, READ
from deid_core.core.errors import ConfigurationError, NoteError
from deid_core.core.note import Note
from deid_core.readers import ENDINGS, NoteReader, source_files


def input_problems(path: Path) -> list[str]:
    """Return what can be told to be wrong of an input before lists and models are loaded."""
    if not path.exists():
        return [f"{path}: there is no such file or folder"]
    if not (path.is_dir() or _is_json_lines(path) or path.suffix.lower() in ENDINGS):
        # As text it would be read without an error, whatever it is, and each line of another JSON be taken for prose.
        return [f"{path}: a file's ending must be {JSON_LINES}, {READ}"]
    return []


def notes_of(path: Path, settings: Path | None) -> Iterator[Note | NoteError]:
    """Yield the notes of an input, or the error of a file that cannot be read. settings: None is conf/settings.yaml.

    Raises ConfigurationError for a line that is no note, and for a folder without files that are read.
    """
    return _json_lines(path) if _is_json_lines(path) else _word_files(path, settings)


def _is_json_lines(path: Path) -> bool:
    return path.suffix.lower() == JSON_LINES and not path.is_dir()


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


def _word_files(path: Path, settings: Path | None) -> Iterator[Note | NoteError]:
    # Imported here, as in commands: `--help` needs no settings.
    from deid_core.pipeline.settings_file import load_settings

    files = source_files(path)
    if not files:
        raise ConfigurationError(f"{path}: holds no {READ} file")
    with NoteReader(load_settings(settings).reading) as reader:
        for _, result in reader.read(files):
            yield result
