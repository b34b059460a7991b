"""What arguments may be, and their defaults, for `--help`: the same as in modules that take long to load.

tests/unit/cli/test_quick_commands.py compares each with its original.
"""

from __future__ import annotations

from deid_core.core.file_formats import ENDINGS, USUAL_ENDINGS, listed
from deid_core.core.labels import Label

JSON_LINES = ".jsonl"
READ = listed(ENDINGS)
USUAL = listed(USUAL_ENDINGS)
INPUT_HELP = f"JSON lines {{id, text}} ({JSON_LINES}), a {READ}, or a folder of them"

IDENTITY_KINDS = ("name", "address", "postcode", "birth_date", "number", "electronic")

NEVER = "never"
NAME_KINDS = ("first_name", "surname", "town", "street", "country", "region", "postcode", "hospital")
LIST_KINDS = (NEVER, *map(str, Label), *NAME_KINDS)

MARK_FORMATS = ("jsonl", "conll", "germeval", "webanno", "cas", "brat", "letters")
"""Formats of annotated texts."""
WRITABLE = ("jsonl", "conll", "webanno", "cas", "brat")
OF_FOLDERS = ("webanno", "cas", "brat")
"""Formats with a file for each note."""
INDEX_FILE = "index.tsv"

SPLITS = ("train", "test")
NOTE_FORMATS = ("doc", "docx", "jsonl", "parquet")
CORPORA = ("random", "ambiguous", "oov", "challenge")

RESAMPLES, ROUNDS = 2_000, 9_999
FEWEST_LETTERS = 20

PIPELINES = "baseline,variants,full,default"
ALL_SYSTEMS = "all"
AS_WRITTEN = "plain"
LETTER_SETS = (
    "letters-dev", "letters-dev-long", "letters-train", "letters-train-long", "letters-test", "letters-test-long",
    "letters-test-mixed", "letters-test-varied", "letters-dev-varied", "letters-dev-sentences",
    "letters-dev-fresh",
)  # fmt: skip
MADE_SETS = ("generated", *CORPORA)
DEFAULT_SETS = ("letters-dev", "letters-dev-long", "generated", "germeval-dev", "ler-dev")
LAYOUTS = (
    "wrapped", "ragged", "flowing", "tight", "spaced", "doubled", "soft-hyphens", "invisible", "no-break-blanks",
    "tabs", "decomposed", "full-width", "look-alikes", "letter-spaced", "letter-spaced-capitals", "hyphenated",
    "capitals", "small", "misread", "joined", "run-together", "text", "header-table",
)  # fmt: skip
