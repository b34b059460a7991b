"""Read the TSV cases of tests/cases and write detections as the cases do; tests/cases/README.md has the format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.spans import Detection

CASES_DIR = Path(__file__).resolve().parents[2] / "cases"
_TAGS: Mapping[str, Callable[[Detection], str]] = {
    "none": lambda detection: "",
    "label": lambda detection: f"{detection.label} ",
    "type": lambda detection: f"{detection.type} ",
    "rule": lambda detection: f"{detection.rule} ",
}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


@dataclass(frozen=True)
class Case:
    """A text and what should be found in it, written as in the file.

    group: what is tested, the name of the case's file unless the line names it. place: file and line.
    """

    group: str
    text: str
    expected: str
    place: str
    tag: str = "none"

    def written(self, detections: Iterable[Detection]) -> str:
        """Return the detections as the case writes them, each range once, in the order of the text."""
        tag_of = _TAGS[self.tag]
        found = sorted({(d.start, d.end, tag_of(d)) for d in detections})
        return " | ".join(f"[{tag}{self.text[start:end]}]" for start, end, tag in found) or "-"


class MalformedCase(Exception):
    """A line of a case file is not a case; the message has file and line."""


def read_cases(path: Path, groups: Iterable[str] = ()) -> list[Case]:
    """Return the cases of a file.

    groups: if given, each line begins with one of these names and a tab. Raises MalformedCase.
    """
    known, tag, cases = tuple(groups), "none", []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        place, group = f"{path.name}:{number}", path.stem
        if line.startswith("# tag:"):
            tag = line.removeprefix("# tag:").strip()
            if tag not in _TAGS:
                raise MalformedCase(f"{place}: there is no tag {tag!r}; there are: {', '.join(_TAGS)}")
        if not line or line.startswith("#"):
            continue
        if known:
            group, _, line = line.partition("\t")
            if group not in known:
                raise MalformedCase(f"{place}: there is no group {group!r}")
        cases.append(_parse(line, place, group, tag))
    return cases


def _parse(line: str, place: str, group: str, tag: str) -> Case:
    fields = line.split("\t")
    if len(fields) != 2:
        raise MalformedCase(f"{place}: needs a text, one tab, and what is found; has {len(fields) - 1} tabs")
    text, expected = (_unescape(field, place) for field in fields)
    if not text:
        raise MalformedCase(f"{place}: the text is empty")
    if expected == "-":
        return Case(group, text, expected, place, tag)
    if not (expected.startswith("[") and expected.endswith("]")):
        raise MalformedCase(f"{place}: what is found stands in square brackets, or is -")
    end = 0
    for part in expected[1:-1].split("] | ["):
        if tag != "none":
            name, blank, part = part.partition(" ")
            if not name or not blank:
                raise MalformedCase(f"{place}: a found part needs its {tag}, a blank, and the text")
        start = text.find(part, end)
        if not part or start < 0:
            raise MalformedCase(f"{place}: a found part is empty or not in the text after the one before")
        end = start + len(part)
    return Case(group, text, expected, place, tag)


def _unescape(text: str, place: str) -> str:
    out, at = [], 0
    while at < len(text):
        if text[at] != "\\":
            out.append(text[at])
            at += 1
            continue
        escape = text[at : at + 2]
        if escape not in _ESCAPES:
            raise MalformedCase(f"{place}: {escape!r} is no escape; there are {', '.join(_ESCAPES)}")
        out.append(_ESCAPES[escape])
        at += 2
    return "".join(out)
