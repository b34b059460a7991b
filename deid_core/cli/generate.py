"""`deid generate`: synthetic notes and their gold spans."""

from __future__ import annotations

import argparse
import os
import sys

from deid_core.cli.choices import CORPORA, NOTE_FORMATS, SPLITS
from deid_core.cli.local_path import local_path
from deid_core.core.errors import ConfigurationError, ExitCode

_NUMBERS = ("notes", "patients", "notes-per-patient", "workers")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the command's arguments."""
    parser.epilog = (
        "Writes DIR/notes/YEAR/ID.doc or .docx, DIR/notes.jsonl or DIR/notes.parquet, and DIR/gold.jsonl with the gold "
        "spans. The two splits share no name and no template: train on one, measure on the other. "
        "The same arguments give the same notes; what an earlier call wrote into DIR is replaced."
    )
    number = parser.add_mutually_exclusive_group(required=True)
    number.add_argument("--notes", type=int, metavar="N", help="how many, each of another patient")
    number.add_argument("--patients", type=int, metavar="N", help="how many patients, with several notes each")
    parser.add_argument(
        "--notes-per-patient", type=int, default=5, metavar="N", help="with --patients: notes of each patient (5)"
    )
    parser.add_argument("--seed", type=int, required=True, help="any whole number; another gives other notes")
    parser.add_argument("--format", choices=NOTE_FORMATS, required=True, help=".doc needs LibreOffice")
    parser.add_argument(
        "--output", type=local_path, required=True, metavar="DIR", help="folder, made if it is not there"
    )
    parser.add_argument("--split", choices=SPLITS, default="train", help="half of names and templates (train)")
    parser.add_argument(
        "--corpus",
        choices=CORPORA,
        help="replace names and places: by others of the lists, by medical and common words, by names that are no "
        "words (oov, out of vocabulary), or by all of these with misspellings (challenge), as in Uzuner et al. 2008",
    )
    parser.add_argument(
        "--years",
        type=_year,
        default=None,
        metavar="YYYY",
        help="one year for all letters (else they spread as in Richter-Pechanski 2018, Table 1)",
    )
    parser.add_argument("--workers", type=int, default=_cores(), help=f"processes (one a core: {_cores()})")


def run(args: argparse.Namespace) -> int:
    """Makes and writes the notes. Raises ConfigurationError for arguments out of range."""
    numbers = {name: getattr(args, name.replace("-", "_")) for name in _NUMBERS}
    problems = [f"--{name} must be at least 1" for name, value in numbers.items() if value is not None and value < 1]
    if args.patients and args.corpus:
        problems.append("--corpus: draws names anew for each note, so it cannot go with --patients")
    if problems:
        raise ConfigurationError(problems)
    # Imported here, as in other commands: `--help` and a wrong argument need no generator.
    from tqdm import tqdm

    from deid_core.lab.synthetic.note_files import CorpusSpec, write_corpus

    per_patient = args.notes_per_patient if args.patients else 1
    count = args.patients * per_patient if args.patients else args.notes
    with tqdm(total=count, unit=" notes", disable=not sys.stderr.isatty()) as bar:
        spec = CorpusSpec(count, args.seed, args.split, args.years, args.corpus, per_patient)
        write_corpus(spec, args.output, args.format, workers=args.workers, progress=bar.update)
    return ExitCode.DONE


def _year(text: str) -> int:
    if len(text) == 4 and text.isdecimal() and 1950 <= int(text) <= 2099:
        return int(text)
    raise argparse.ArgumentTypeError("is no year from 1950 to 2099")


def _cores() -> int:
    return len(os.sched_getaffinity(0))
