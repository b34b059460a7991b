"""`deid letters`: the index of data/letters, and its export to formats that other tools read.

    index     writes data/letters/index.tsv: head and counts of each letter, no text
    export    writes folders of letters as UIMA CAS (XMI), CoNLL, JSON lines, WebAnno TSV or brat standoff

Test letters are exported only with --test: copies of them are easily trained on by mistake.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from deid_core.cli.choices import INDEX_FILE, WRITABLE
from deid_core.cli.local_path import local_path
from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError, ExitCode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands."""
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("index", help=f"write data/letters/{INDEX_FILE}")
    export = commands.add_parser("export", help="write letters in a format that other tools read")
    export.add_argument("--input", type=Path, nargs="+", help="folders of letters (default: all of train and dev)")
    export.add_argument(
        "--format", choices=WRITABLE, required=True, help="cas, webanno and brat write a file for each letter"
    )
    export.add_argument(
        "--output", type=local_path, required=True, help="a folder; each input gets a file or folder in it"
    )
    export.add_argument("--types", action="store_true", help="write the types of spans (patient, …), not their labels")
    export.add_argument("--test", action="store_true", help="allow test letters")


def run(args: argparse.Namespace) -> int:
    """Write the index or the export. Raises ConfigurationError if letters are missing or must not be exported."""
    # Imported here, as in other commands: `--help` needs no corpora.
    from deid_core.lab.corpora import FORMATS, read_corpus, write_corpus
    from deid_core.lab.corpora.letter_index import letter_parts, letters_index
    from deid_core.lab.corpora.letters import split_of

    root = letters_dir()
    if args.what == "index":
        (root / INDEX_FILE).write_text(letters_index(root), encoding="utf-8")
        return ExitCode.DONE
    folders = args.input or [part for part in letter_parts(root) if split_of(part) in ("train", "dev")]
    if not args.test and (refused := [folder for folder in folders if split_of(folder) == "test"]):
        raise ConfigurationError([f"{folder}: holds test letters; give --test to export them" for folder in refused])
    suffix = FORMATS[args.format].suffixes[0] if FORMATS[args.format].write else ""
    args.output.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        texts = read_corpus(folder, "letters", types=args.types)
        name = "-".join(folder.resolve().parts[-2:])
        write_corpus(args.output / f"{name}{suffix}", texts, args.format)
        print(f"{folder}: {len(texts):,} letters")
    return ExitCode.DONE
