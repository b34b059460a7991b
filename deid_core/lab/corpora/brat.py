r"""brat standoff: `note.ann` with the annotations, and the text beside it in `note.txt`, unchanged.

Source: https://brat.nlplab.org/standoff.html. Offsets count code points. In short:

    T1 →PER 5 15   →Anna Stein                    id, label and range, covered text, tab between
    T2 →LOC 17 20;21 28→Ulm Bahnhof               a line end within: one fragment for each line

Relations, events, attributes and notes are not read.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.lines import read_lines

SUFFIX = ".ann"
_TEXT = ".txt"
_TEXT_BOUND = re.compile(
    r"T[^\t]*\t(?P<label>\S+) (?P<ranges>[0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)\t(?P<covered>.*)", re.DOTALL
)
_OTHERS = tuple("REAMN#*")
"""First characters of the lines that are not read."""
_ONE_LINE = re.compile(r"[^\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
"""Text that `str.splitlines` leaves whole: brat reads its files by it."""

Range = tuple[int, int]


def read_brat(path: Path) -> list[AnnotatedText]:
    """Return the text beside an .ann file with its text-bound annotations, ascending.

    Fragments between which the text has blanks only are one span; others are spans of their own.
    Raises ConfigurationError if the text is missing, or with every bad line. Messages quote no text.
    """
    beside = path.with_suffix(_TEXT)
    try:
        text = beside.read_bytes().decode()
    except OSError as error:
        raise ConfigurationError(f"{beside}: the text of {path.name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{beside}: is not UTF-8: byte {error.start}") from None
    spans: list[LabelledSpan] = []
    problems: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith(_OTHERS):
            continue
        found = _TEXT_BOUND.fullmatch(line)
        if found is None:
            problems.append(f"{path}:{number}: is not a line of brat: id, label and offsets, text")
            continue
        ranges = [(int(start), int(end)) for start, end in (part.split() for part in found["ranges"].split(";"))]
        if not all(0 <= start < end <= len(text) for start, end in ranges):
            problems.append(f"{path}:{number}: the offsets lie outside the text of {len(text)} characters")
        elif " ".join(text[slice(*part)] for part in ranges) != found["covered"]:
            problems.append(f"{path}:{number}: the annotated text is not at its offsets in {beside.name}")
        else:
            spans += [LabelledSpan(start, end, found["label"]) for start, end in _joined(text, ranges)]
    if problems:
        raise ConfigurationError(problems)
    return [AnnotatedText(path.stem, text, tuple(sorted(spans)))]


def write_brat(path: Path, text: AnnotatedText) -> None:
    """Write one text and its annotations; reading them returns both, without line ends at the edges of spans.

    Raises ConfigurationError for spans of line ends only, and for labels with a blank.
    """
    fragments = [[found.span() for found in _ONE_LINE.finditer(text.text, s.start, s.end)] for s in text.spans]
    problems = []
    for span, parts in zip(text.spans, fragments, strict=True):
        if not parts:
            problems.append(f"{path}: span [{span.start}, {span.end}) holds nothing but line ends")
        if re.search(r"\s", span.label):
            problems.append(f"{path}: the label of span [{span.start}, {span.end}) has a blank, which brat cannot hold")
    if problems:
        raise ConfigurationError(problems)
    path.with_suffix(_TEXT).write_bytes(text.text.encode())
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, (span, parts) in enumerate(zip(text.spans, fragments, strict=True), 1):
            ranges = ";".join(f"{start} {end}" for start, end in parts)
            covered = " ".join(text.text[slice(*part)] for part in parts)
            file.write(f"T{number}\t{span.label} {ranges}\t{covered}\n")


def _joined(text: str, ranges: list[Range]) -> list[Range]:
    """Return the ranges, those joined between which the text has blanks only."""
    starts, ends = [ranges[0][0]], []
    for (_, end), (start, _) in pairwise(ranges):
        if end > start or text[end:start].strip():
            starts.append(start)
            ends.append(end)
    return list(zip(starts, [*ends, ranges[-1][1]], strict=True))
