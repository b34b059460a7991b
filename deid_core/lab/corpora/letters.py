"""Letters with marks: text files in which what identifies somebody stands between marks, `<town>Ulm</town>`.

The form is that of the guide beside the letters (data/letters/README.md): a head of `key: value` lines, a line
of `---`, then the letter, in which a line between bars is a row of a table. The note is built as the readers of Word
files build theirs, so that a letter has the blocks that its file would have. The marks say what the author of the
letter knows; this module does not judge whether something was forgotten.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType, label_of
from deid_core.core.note import BlockKind, Note
from deid_core.core.resources import letters_dir
from deid_core.core.spans import GoldSpan
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.lines import read_lines
from deid_core.readers.canonical import CanonicalBuilder, clean

SUFFIX = ".txt"
_END_OF_HEAD = "---"
_MARK = re.compile(r"<(?P<end>/?)(?P<type>[^\W\d][\w-]*)>")
"""A letter's own "<" stands before a number or a blank ("CRP < 5"), so that it is no mark."""
_TYPES = {str(phi_type): phi_type for phi_type in PhiType}
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class LetterHead:
    """What the author says of a letter. year: in which it plays, which the note does not know; country: DE, AT, CH."""

    kind: str
    speciality: str
    country: str
    year: int


@dataclass(frozen=True, slots=True)
class AnnotatedLetter:
    """A letter: its note, which is named as the file without its ending, its gold spans, ascending, and its head."""

    note: Note
    gold: tuple[GoldSpan, ...]
    head: LetterHead


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph's or cell's text without its marks, and what they say: (start, end, type) in the piece."""

    text: str
    marked: tuple[tuple[int, int, PhiType], ...]


def read_letters(folder: Path) -> list[AnnotatedLetter]:
    """The letters of a folder's .txt files, in the order of their names.

    Raises ConfigurationError with every mistake of every file as "file:line: …": a line of the head that is missing or
    wrong, an unknown type, a mark that is nested, empty, not opened or not closed in its line or cell, a blank within
    a mark's edge, a control character. It names columns and quotes no text. Also if there is no such file.
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
    """The letter of a file. Raises ConfigurationError with every mistake of it, as `read_letters` does."""
    return parse_letter(path, read_lines(path))


def parse_letter(path: Path, lines: Sequence[str]) -> AnnotatedLetter:
    """The letter of these lines; `path` names it and its mistakes, nothing is read from there.

    Raises ConfigurationError with every mistake, as `read_letters` does.
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
            gold += (GoldSpan(block.start + s, block.start + e, label_of(t), t) for s, e, t in piece.marked)
    if problems or head is None:
        raise ConfigurationError(problems)
    return AnnotatedLetter(builder.build(path.stem, source=path.name), tuple(gold), head)


def read_letter_text(path: Path, *, types: bool = False) -> list[AnnotatedText]:
    """The letter of a file as a corpus of one text, labelled with the project's labels, or with the finer types.

    Raises ConfigurationError as `read_letter` does.
    """
    letter = read_letter(path)
    spans = (LabelledSpan(g.start, g.end, str(g.type if types else g.label)) for g in letter.gold)
    return [AnnotatedText(letter.note.note_id, letter.note.text, tuple(spans))]


def split_of(path: Path) -> str | None:
    """Return the split (train, dev, test) of data/letters that a path lies in, links resolved; None for other paths."""
    place, root = path.resolve(), letters_dir().resolve()
    return place.relative_to(root).parts[0] if place.is_relative_to(root) and place != root else None


def body_start(lines: Sequence[str]) -> int:
    """The place of the first line behind the head, 0 if no line ends the head."""
    return lines.index(_END_OF_HEAD) + 1 if _END_OF_HEAD in lines else 0


def split_marks(line: str) -> list[tuple[PhiType | None, str]]:
    """A line's pieces in order, marked ones with their type, the others with None; of a line without mistakes."""
    pieces: list[tuple[PhiType | None, str]] = []
    opened: PhiType | None = None
    for mark, between, _ in _marks(line):
        pieces.append((opened, between))
        opened = _TYPES[mark["type"]] if mark and not mark["end"] else None
    return [(phi, text) for phi, text in pieces if text]


def join_marks(pieces: Iterable[tuple[PhiType | None, str]]) -> str:
    """The line of these pieces, marks written out: the inverse of `split_marks`."""
    return "".join(text if phi is None else f"<{phi}>{text}</{phi}>" for phi, text in pieces)


def _head(path: Path, lines: Sequence[str], problems: list[str]) -> LetterHead | None:
    """The head of these lines; None if one is missing or wrong, which is added to the problems."""
    found: dict[str, str] = {}
    wrong: list[str] = []
    keys = [field.name for field in fields(LetterHead)]
    for number, line in enumerate(lines, 1):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key not in keys or not value:
            wrong.append(f"{path}:{number}: not a line of the head, `key: value` with a key of {', '.join(keys)}")
        elif key in found:
            wrong.append(f"{path}:{number}: {key} stands twice in the head")
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
    """The cells of a table's row with the columns where they begin, blanks around them left out; None if it is none."""
    row = line.rstrip()
    if len(row) < 2 or row[0] != "|" or row[-1] != "|":
        return None
    cells, at = [], 1
    for cell in row[1:-1].split("|"):
        cells.append((at + len(cell) - len(cell.lstrip()), cell.strip()))
        at += len(cell) + 1
    return cells


def _piece(marked: str, column: int, where: str, problems: list[str]) -> _Piece:
    """A paragraph or cell that begins at this column (from 0), its marks taken out; mistakes are added to problems."""
    text = ""
    ranges: list[tuple[int, int, PhiType]] = []
    opened: tuple[str, int, int] | None = None  # type, place in text, column
    for mark, between, at in _marks(marked):
        text += between
        place = f"{where}: column {column + at + 1}"
        if mark is None:
            break
        if mark["type"] not in _TYPES:
            problems.append(f"{place}: there is no such type; types are {', '.join(_TYPES)}")
        elif not mark["end"]:
            if opened:
                problems.append(f"{place}: a mark within a mark")
            opened = (mark["type"], len(text), at)
        elif opened is None or opened[0] != mark["type"]:
            problems.append(f"{place}: closes what is not open")
            opened = None
        else:
            start, opened = opened[1], None
            if not text[start:] or text[start:].strip() != text[start:]:
                problems.append(f"{place}: the mark is empty or has a blank within its edge")
            else:
                ranges.append((start, len(text), _TYPES[mark["type"]]))
    if opened:
        problems.append(f"{where}: column {column + opened[2] + 1}: a mark that its line or cell does not close")
    return _Piece(text, tuple(ranges))


def _marks(marked: str) -> Iterator[tuple[re.Match[str] | None, str, int]]:
    """Each mark with the text before it and its column; last None with the text behind all of them."""
    end = 0
    for mark in _MARK.finditer(marked):
        yield mark, marked[end : mark.start()], mark.start()
        end = mark.end()
    yield None, marked[end:], end
