"""The index of data/letters: one row a letter with its head and its counts, never its text.

Rows of test letters come from the same counts; nobody needs to open them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deid_core.core.labels import Label
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letters
from deid_core.text.vocabulary import Vocabulary

INDEX_FILE = "index.tsv"
COLUMNS = (
    "file", "split", "part", "writer", "kind", "speciality", "country", "year", "characters", "tokens", *Label,
)  # fmt: skip
"""split: train, dev, test. part: dense, long, mixed. One column for each label holds its number of spans."""
_WRITER = re.compile(r"[^\W\d_]+")


def writer_of(note_id: str) -> str:
    """Return the writer of a letter: the letters before the first digit of its file name; "" if it begins otherwise."""
    found = _WRITER.match(note_id)
    return found.group() if found else ""


def letters_index(root: Path) -> str:
    """Return the index of a folder of <split>/<part>/*.txt as TSV with a header line, sorted by path.

    Raises ConfigurationError with every mistake of the letters' files.
    """
    vocabulary = Vocabulary()
    rows = ["\t".join(COLUMNS)]
    for folder in letter_parts(root):
        rows += ["\t".join(_row(letter, folder.relative_to(root), vocabulary)) for letter in read_letters(folder)]
    return "\n".join(rows) + "\n"


def letter_parts(root: Path) -> Iterator[Path]:
    """Yield the folders <split>/<part> below a folder, sorted."""
    yield from sorted(path for path in root.glob("*/*") if path.is_dir())


def _row(letter: AnnotatedLetter, part: Path, vocabulary: Vocabulary) -> list[str]:
    note, head = letter.note, letter.head
    spans = Counter(span.label for span in letter.gold)
    numbers = (head.year, len(note.text), len(vocabulary.tokenise(note.text)), *(spans[label] for label in Label))
    names = ((part / note.source).as_posix(), *part.parts, writer_of(note.note_id))
    return [*names, head.kind, head.speciality, head.country, *map(str, numbers)]
