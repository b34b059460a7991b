"""Files of one token a line, with words and tags in columns; conll.py and germeval.py define the columns.

Handles tab or blank between columns, `-DOCSTART-` lines, comments, document names in comments, empty lines between
sentences, and listed errors of a corpus (`repairs`, `words_with_blanks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora.bio import chunks, is_tag
from deid_core.lab.corpora.joining import Sentence
from deid_core.lab.corpora.lines import read_lines

DOCUMENT_START = "-DOCSTART-"
_NO_DOCUMENT_NAME = ("O", "-X-")


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """Layout of a column file.

    word, tag: columns from 0.
    comment: regular expression that matches the start of comment lines. Its group `document` names the document that
    begins there. None: there are no comments, so "#" can be a token.
    words_with_blanks: columns are separated by blanks, and words may hold blanks; the last field is the tag.
    repairs: tag in the file → correct tag; "" is a missing tag.
    """

    word: int
    tag: int
    comment: str | None
    words_with_blanks: bool = False
    repairs: Mapping[str, str] = field(default_factory=dict)


def read_sentences(path: Path, layout: ColumnLayout) -> list[Sentence]:
    """Return the sentences of a file in order; ids are "document:line", with the file's stem if no document is named.

    Raises ConfigurationError with every bad line: a different number of columns than the first line, no word, an
    invalid tag. Messages quote no text.
    """
    reader = _ColumnReader(path, layout)
    sentences = list(reader.sentences())
    if reader.problems:
        raise ConfigurationError(reader.problems)
    return sentences


class _ColumnReader:
    """Reads one file; `problems` is complete when `sentences` is exhausted."""

    def __init__(self, path: Path, layout: ColumnLayout) -> None:
        self.path = path
        self.layout = layout
        self.problems: list[str] = []
        self._comment = _expression(layout.comment)
        self._columns = 0

    def sentences(self) -> Iterator[Sentence]:
        document, first_line = self.path.stem, 0
        words: list[str] = []
        tags: list[str] = []
        for number, line in enumerate([*read_lines(self.path), ""], 1):
            new_document = self._document(line)
            if words and (not line.strip() or new_document):
                yield Sentence(f"{document}:{first_line}", tuple(words), tuple(chunks(tags)))
                words, tags = [], []
            if new_document is not None:
                document = new_document or document
            elif line.strip():
                row = self._row(line, number)
                if row:
                    first_line = first_line if words else number
                    words.append(row[0])
                    tags.append(row[1])

    def _document(self, line: str) -> str | None:
        """Return the name of the document that begins here, "" for a comment or unnamed document, None for a token."""
        if line.startswith(DOCUMENT_START):
            fields = line.split()
            return fields[1] if len(fields) > 1 and fields[1] not in _NO_DOCUMENT_NAME else self.path.stem
        match = self._comment.match(line) if self._comment else None
        if match is None:
            return None
        return match.groupdict().get("document") or ""

    def _row(self, line: str, number: int) -> tuple[str, str] | None:
        fields = self._fields(line)
        problem = self._problem(fields)
        if problem is None:
            tag = fields[self.layout.tag]
            tag = self.layout.repairs.get(tag, tag)
            if is_tag(tag):
                return fields[self.layout.word], tag
            problem = "a tag is neither O nor B-, I-, E- or S- and a label; is the tag column right?"
        self.problems.append(f"{self.path}:{number}: {problem}")
        return None

    def _fields(self, line: str) -> list[str]:
        if self.layout.words_with_blanks:
            word, _, tag = line.rpartition(" ")
            return [word, tag] if word else [tag, ""]
        line = line.rstrip("\t ")
        return line.split("\t") if "\t" in line else re.split(" +", line)

    def _problem(self, fields: list[str]) -> str | None:
        self._columns = self._columns or len(fields)
        needed = max(self.layout.word, self.layout.tag) + 1
        if len(fields) < needed:
            return f"has {len(fields)} columns; word and tag need {needed}"
        if len(fields) != self._columns:
            return f"has {len(fields)} columns, the first line of tokens {self._columns}"
        return None if fields[self.layout.word] else "has no word"


def _expression(comment: str | None) -> re.Pattern[str] | None:
    try:
        return None if comment is None else re.compile(comment)
    except re.error as error:
        raise ConfigurationError(f"comment: is not a regular expression: {error}") from None
