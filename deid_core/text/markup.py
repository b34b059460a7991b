"""Finds markup in a text, and what a reader sees in its place: Markdown, HTML, rows of tables with bars.

Exports of systems mix markup into plain text. "**Müller**" is a name, "| Müller | Peter |" is two cells, and
"M&uuml;ller" is one word. Only HTML's own tags are tags: "CRP <5, aber >3" stays as it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from deid_core.core.spans import Span

Edit = tuple[int, int, str]
"""A range [start, end) of a text and what is seen in its place."""

_OF_LINES = r"address|article|br|center|div|dl|dd|dt|footer|form|h[1-6]|header|hr|li|main|ol|p|pre|section|table|tr|ul"
_OF_CELLS = "td|th"
_INLINE = (
    "a|b|big|body|code|em|font|head|html|i|img|label|mark|meta|o:p|s|small|span|strong|style|sub|sup|tbody|thead|u"
)
_ATTRIBUTE = r"\s+[\w:-]{1,40}(?:\s*=\s*(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}'|[^\s\"'<>]{1,200}))?"
_TAG = re.compile(
    rf"</?(?:(?P<line>{_OF_LINES})|(?P<cell>{_OF_CELLS})|(?:{_INLINE}))(?:{_ATTRIBUTE}){{0,12}}\s?/?>", re.IGNORECASE
)
_INLINE_TAG = re.compile(rf"<(?:{_INLINE})(?:{_ATTRIBUTE}){{0,12}}\s?>", re.IGNORECASE)
_INLINE_END = re.compile(rf"</(?:{_INLINE})>", re.IGNORECASE)
_LONGEST_TAG = 300
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#[0-9]{1,6}|#[xX][0-9A-Fa-f]{1,5});")
_STARS = re.compile(r"\*{2,3}(?=[^\s*])|(?<=[^\s*])\*{2,3}")
_PAIRED_STARS = re.compile(r"\*{2,3}")
_EMPHASIS = re.compile(r"\*(?<![\w*]\*)(?=[^\W\d])[^*\n]{1,80}(?<=[\w.!?:)])\*(?![\w*])")
"""A single star is the sign of a birth, too, so it needs another one after its words. The expression begins with the
star, to which the search skips."""
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+(?=[^\s#])", re.MULTILINE)
_BULLET = re.compile(r"\*[ \t]+(?=[^\W\d_]{2})(?!(?i:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez))")
"""The star of a list at the beginning of a line, which is no sign of a birth: after that a date stands, no word but a
month."""
_ROW = re.compile(r"[ \t]*\|[^\n|]*\|[^\n]*(?<=\|)[ \t]*$", re.MULTILINE)
"""Matched at the beginning of a line."""
_CLOSED_BY = {")": "(", "]": "[", "“": "„", "”": "„“", "«": "»", "»": "«", '"': '"'}
"""What each mark at the end closes."""
_RULER = re.compile(r"[|: \t-]+")
_BAR = re.compile(r"[ \t]*\|[ \t]*")


def markup(text: str) -> list[Edit]:
    """Return the edits that make a text with markup what a reader sees: ascending and apart."""
    found: list[Edit] = []
    if "<" in text:
        found += _tags(text)
    if "&" in text:
        found += _entities(text)
    if "**" in text:
        found += [(stars.start(), stars.end(), "") for stars in _STARS.finditer(text)]
    if "*" in text:
        for words in _EMPHASIS.finditer(text):
            found += [(words.start(), words.start() + 1, ""), (words.end() - 1, words.end(), "")]
        stars = [star.start() for star in _BULLET.finditer(text)]
        found += [(star, star + 1, "-") for star in stars if not text[_line_start(text, star) : star].strip(" \t")]
    if "#" in text:
        found += [(heading.start(), heading.end(), "") for heading in _HEADING.finditer(text)]
    if "|" in text:
        found += _bars(text)
    return _apart(found)


def with_pair(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range [start, end), and with it the mark that touches it if the other one of its pair is within.

    So "**Müller**, Peter" leaves no stars, "<b>Müller</b>, Peter" no tag, and "Werder (Havel)" no bracket.
    """
    inside = text[start:end]
    if text[end : end + 1] in _CLOSED_BY and _opens(inside, text[end : end + 1]):
        return start, end + 1
    if "**" in inside and len(_PAIRED_STARS.findall(inside)) % 2:
        stars = _PAIRED_STARS.search(inside)
        mark = stars.group() if stars else ""
        if text.endswith(mark, 0, start):
            return start - len(mark), end
        if text.startswith(mark, end):
            return start, end + len(mark)
    if "<" in inside:
        opened, closed = _INLINE_TAG.findall(inside), _INLINE_END.findall(inside)
        if len(closed) == len(opened) + 1:
            # Attributes are not long: _ATTRIBUTE.
            for tag in _INLINE_TAG.finditer(text, max(0, start - _LONGEST_TAG), start):
                if tag.end() == start:
                    return tag.start(), end
        elif len(opened) == len(closed) + 1 and (closing := _INLINE_END.match(text, end)):
            return start, closing.end()
    return start, end


def with_pairs(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans, ascending and disjoint, each with the mark whose pair it holds (`with_pair`)."""
    wider: list[Span] = []
    for number, span in enumerate(spans):
        start, end = with_pair(text, span.start, span.end)
        if start == span.start and end == span.end:
            # So it is nearly always.
            wider.append(span)
            continue
        is_free = not wider or wider[-1].end <= start
        is_free &= number + 1 == len(spans) or end <= spans[number + 1].start
        wider.append(span._replace(start=start, end=end) if is_free else span)
    return tuple(wider)


def _opens(inside: str, closing: str) -> bool:
    """Whether a text opens a bracket or quotation that it does not close, and that this mark closes."""
    opening = _CLOSED_BY[closing]
    opened = sum(map(inside.count, opening))
    return opened % 2 == 1 if opening == closing else opened > inside.count(closing)


def _tags(text: str) -> Iterator[Edit]:
    for tag in _TAG.finditer(text):
        yield tag.start(), tag.end(), "\n" if tag["line"] else "\t" if tag["cell"] else ""


def _entities(text: str) -> Iterator[Edit]:
    for entity in _ENTITY.finditer(text):
        seen = html.unescape(entity.group())
        if len(seen) == 1:
            yield entity.start(), entity.end(), seen


def _bars(text: str) -> Iterator[Edit]:
    """Yield the bars of table rows: nothing at both ends of a line, tabs between cells; rulers are seen as blank."""
    for row in _rows(text):
        if _RULER.fullmatch(row.group()):
            yield row.start(), row.end(), ""
            continue
        for bar in _BAR.finditer(text, row.start(), row.end()):
            is_edge = bar.start() == row.start() or bar.end() == row.end()
            yield bar.start(), bar.end(), "" if is_edge else "\t"


def _rows(text: str) -> Iterator[re.Match[str]]:
    """Yield the rows of tables: lines that begin and end with a bar."""
    at = text.find("|")
    while at >= 0:
        if row := _ROW.match(text, _line_start(text, at)):
            yield row
        line_end = text.find("\n", at)
        at = text.find("|", line_end) if line_end >= 0 else -1


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _apart(edits: list[Edit]) -> list[Edit]:
    """Return the edits ascending, of two that overlap the first."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept
