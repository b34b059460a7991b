"""Annotated letters: text files in which entities are enclosed in tags of their type, `<town>Ulm</town>`.

The format is that of data/letters/README.md: a head of `key: value` lines, a line of `---`, then the letter, in which a
line between bars is a table row. Notes are built as by the readers of Word files, so a letter has the blocks that its
Word file would have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType, label_of
from deid_core.core.note import BlockKind, Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.lines import read_lines
from deid_core.readers.canonical import CanonicalBuilder, clean
from deid_core.text.divided_words import BETWEEN_PARTS

SUFFIX = ".txt"
_END_OF_HEAD = "---"
_TAG = re.compile(r"<(?P<end>/?)(?P<type>[^\W\d][\w-]*)>")
"""A "<" of the text itself is followed by a number or a blank ("CRP < 5"), so it does not match."""
_TYPES = {str(phi_type): phi_type for phi_type in PhiType}
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class LetterHead:
    """The head of a letter. year: in which it is set; not in the note. country: DE, AT, CH, …"""

    kind: str
    speciality: str
    country: str
    year: int


@dataclass(frozen=True, slots=True)
class AnnotatedLetter:
    """A letter: its note, named after the file without its ending, its gold spans, ascending, and its head."""

    note: Note
    gold: tuple[GoldSpan, ...]
    head: LetterHead


@dataclass(frozen=True, slots=True)
class _Piece:
    """The text of a paragraph or cell without tags, and its annotations (start, end, type)."""

    text: str
    annotations: tuple[tuple[int, int, PhiType], ...]


def read_letters(folder: Path) -> list[AnnotatedLetter]:
    """Return the letters of a folder's .txt files, sorted by name.

    Raises ConfigurationError if there is no such file, or with every error of every file as "file:line: …": a missing
    or wrong line of the head, an unknown type, a tag that is nested, empty, not opened or not closed in its line or
    cell, a blank at the edge of an annotation, a control character. Messages name columns and quote no text.
    """
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        raise ConfigurationError(f"{folder}: there is no letter, a file that ends in {SUFFIX}")
    letters, problems = [], []
    for file in files:
        try:
            letters.append(read_letter(file))
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return letters


def read_letter(path: Path) -> AnnotatedLetter:
    """Return the letter of a file. Raises ConfigurationError with every error, as `read_letters`."""
    return parse_letter(path, read_lines(path))


def parse_letter(path: Path, lines: Sequence[str]) -> AnnotatedLetter:
    """Return the letter in these lines. path: only names the letter and its errors; it is not read.

    Raises ConfigurationError with every error, as `read_letters`.
    """
    problems: list[str] = []
    body = body_start(lines)
    if not body:
        problems.append(f"{path}:1: no line {_END_OF_HEAD} ends the head")
    head = _head(path, lines[: max(body - 1, 0)], problems) if body else None
    builder = CanonicalBuilder()
    gold: list[GoldSpan] = []
    table, row = -1, 0
    for number, line in enumerate(lines[body:], body + 1):
        where = f"{path}:{number}"
        if clean(line) != line:
            problems.append(f"{where}: a control character; remove it")
            continue
        cells = _cells(line)
        if cells is None:
            row = 0
            pieces = [_piece(line, 0, where, problems)]
            blocks = [builder.add(BlockKind.PARAGRAPH, pieces[0].text)]
        else:
            table += row == 0
            pieces = [_piece(cell, at, where, problems) for at, cell in cells]
            blocks = builder.add_row([piece.text for piece in pieces], table=table, row=row)
            row += 1
        for block, piece in zip(blocks, pieces, strict=True):
            gold += (GoldSpan(block.start + s, block.start + e, label_of(t), t) for s, e, t in piece.annotations)
    if problems or head is None:
        raise ConfigurationError(problems)
    note = builder.build(path.stem, source=path.name)
    return AnnotatedLetter(note, _hyphenated_joined(gold, note.text), head)


def _hyphenated_joined(gold: Sequence[GoldSpan], text: str) -> tuple[GoldSpan, ...]:
    """Join the spans of a word that a line end divides: a file annotates each line for itself."""
    joined: list[GoldSpan] = []
    for span in gold:
        last = joined[-1] if joined else None
        if last and last.type is span.type and BETWEEN_PARTS.fullmatch(text, last.end, span.start):
            joined[-1] = GoldSpan(last.start, span.end, last.label, last.type)
        else:
            joined.append(span)
    return tuple(joined)


def read_letter_text(path: Path, *, types: bool = False) -> list[AnnotatedText]:
    """Return a letter as a corpus of one text, with labels, or with types if `types`.

    Raises ConfigurationError as `read_letter`.
    """
    letter = read_letter(path)
    spans = (LabelledSpan(g.start, g.end, str(g.type if types else g.label)) for g in letter.gold)
    return [AnnotatedText(letter.note.note_id, letter.note.text, tuple(spans))]


def split_of(path: Path) -> str | None:
    """Return the split (train, dev, test) of data/letters that a path lies in, links resolved; None for other paths."""
    place, root = path.resolve(), letters_dir().resolve()
    return place.relative_to(root).parts[0] if place.is_relative_to(root) and place != root else None


def body_start(lines: Sequence[str]) -> int:
    """Return the index of the first line after the head, 0 if no line ends the head."""
    return lines.index(_END_OF_HEAD) + 1 if _END_OF_HEAD in lines else 0


def split_annotations(line: str) -> list[tuple[PhiType | None, str]]:
    """Return the pieces of a valid line in order, annotated ones with their type, others with None."""
    pieces: list[tuple[PhiType | None, str]] = []
    opened: PhiType | None = None
    for tag, between, _ in _tags(line):
        pieces.append((opened, between))
        opened = _TYPES[tag["type"]] if tag and not tag["end"] else None
    return [(phi, text) for phi, text in pieces if text]


def join_annotations(pieces: Iterable[tuple[PhiType | None, str]]) -> str:
    """Return the line of these pieces with tags: the inverse of `split_annotations`."""
    return "".join(text if phi is None else f"<{phi}>{text}</{phi}>" for phi, text in pieces)


def _head(path: Path, lines: Sequence[str], problems: list[str]) -> LetterHead | None:
    """Return the head of these lines; None if a line is missing or wrong, which is added to the problems."""
    found: dict[str, str] = {}
    wrong: list[str] = []
    keys = [field.name for field in fields(LetterHead)]
    for number, line in enumerate(lines, 1):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key not in keys or not value:
            wrong.append(f"{path}:{number}: not a line of the head, `key: value` with a key of {', '.join(keys)}")
        elif key in found:
            wrong.append(f"{path}:{number}: {key} is repeated in the head")
        else:
            found[key] = value
            if key == "year" and not _YEAR.fullmatch(value):
                wrong.append(f"{path}:{number}: year is four digits, 1900 to 2099")
    if missing := [key for key in keys if key not in found]:
        wrong.append(f"{path}:1: the head lacks {', '.join(missing)}")
    if wrong:
        problems += wrong
        return None
    return LetterHead(found["kind"], found["speciality"], found["country"], int(found["year"]))


def _cells(line: str) -> list[tuple[int, str]] | None:
    """Return the stripped cells of a table row with their start columns; None if the line is no table row."""
    row = line.rstrip()
    if len(row) < 2 or row[0] != "|" or row[-1] != "|":
        return None
    cells, at = [], 1
    for cell in row[1:-1].split("|"):
        cells.append((at + len(cell) - len(cell.lstrip()), cell.strip()))
        at += len(cell) + 1
    return cells


def _piece(tagged: str, column: int, where: str, problems: list[str]) -> _Piece:
    """Parse a paragraph or cell that begins at this column (from 0); errors are added to problems."""
    text = ""
    ranges: list[tuple[int, int, PhiType]] = []
    opened: tuple[str, int, int] | None = None  # type, offset in text, column
    for tag, between, at in _tags(tagged):
        text += between
        place = f"{where}: column {column + at + 1}"
        if tag is None:
            break
        if tag["type"] not in _TYPES:
            problems.append(f"{place}: there is no such type; types are {', '.join(_TYPES)}")
        elif not tag["end"]:
            if opened:
                problems.append(f"{place}: a tag within an annotation")
            opened = (tag["type"], len(text), at)
        elif opened is None or opened[0] != tag["type"]:
            problems.append(f"{place}: a closing tag without its opening tag")
            opened = None
        else:
            start, opened = opened[1], None
            if not text[start:] or text[start:].strip() != text[start:]:
                problems.append(f"{place}: the annotation is empty or has a blank at its edge")
            else:
                ranges.append((start, len(text), _TYPES[tag["type"]]))
    if opened:
        problems.append(f"{where}: column {column + opened[2] + 1}: a tag that is not closed in its line or cell")
    return _Piece(text, tuple(ranges))


def _tags(tagged: str) -> Iterator[tuple[re.Match[str] | None, str, int]]:
    """Yield each tag with the text before it and its column; at the end None with the rest of the text."""
    end = 0
    for tag in _TAG.finditer(tagged):
        yield tag, tagged[end : tag.start()], tag.start()
        end = tag.end()
    yield None, tagged[end:], end
