"""`deid read`: the note of each file, or its error, as JSON lines."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from deid_core.cli.choices import USUAL
from deid_core.core.errors import ConfigurationError, ExitCode, NoteError, quoted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the subcommand."""
    parser.epilog = (
        'A line is {"id", "source", "sha256", "year", "text", "blocks"} or {"id", "source", "error", "detail"}. '
        "Leaves with 65 if a file gave an error; the others are printed all the same."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=f"{USUAL}, or a folder of them")


def run(args: argparse.Namespace) -> int:
    """Prints a line for each file.

    Raises ConfigurationError for a path that does not exist, a folder without files to read, or a missing LibreOffice.
    """
    # Imported here, as in other commands: `--help` needs no reader.
    from deid_core.pipeline.settings_file import load_settings
    from deid_core.readers import ENDINGS, NoteReader, source_files

    found = {path: source_files(path) for path in args.files}
    if empty := [path for path, sources in found.items() if not sources]:
        raise ConfigurationError([f"{quoted(path)}: holds no {', '.join(sorted(ENDINGS))} file" for path in empty])
    sources = [source for path in args.files for source in found[path]]
    failed = False
    with NoteReader(load_settings().reading) as reader:
        for source, result in reader.read(sources):
            if isinstance(result, NoteError):
                failed = True
                row = {"id": source.note_id, "source": source.relative, "error": result.reason, "detail": result.detail}
            else:
                row = result.to_json()
            print(json.dumps(row, ensure_ascii=False), flush=True)
    return ExitCode.QUARANTINE if failed else ExitCode.DONE
