"""What the files of error lists and error reports share: quotes of notes in their context, and the HTML around them."""

from __future__ import annotations

_CONTEXT_CHARS = 40
_SIGNS = str.maketrans({"\n": "⏎", "\t": "⇥", "\r": " ", "\v": " ", "\f": " "})
_TABLE_STYLE = "td,th{padding:.1em .6em;text-align:left;vertical-align:top}mark{background:#fd8}"


def in_context(text: str, start: int, end: int) -> tuple[str, str, str]:
    """The 40 characters before [start, end), those in it, the 40 after it; on one line, as `on_one_line` has it."""
    before, after = text[max(0, start - _CONTEXT_CHARS) : start], text[end : end + _CONTEXT_CHARS]
    return on_one_line(before), on_one_line(text[start:end]), on_one_line(after)


def on_one_line(text: str) -> str:
    """The text with ⏎ for a line's end and ⇥ for a tab."""
    return text.translate(_SIGNS)


def html_head(style: str) -> str:
    """What a page of errors begins with; style: CSS of its body."""
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Errors</title>'
    return f"{head}<style>{style}{_TABLE_STYLE}</style>"


def html_row(cells: list[str], tag: str = "td") -> str:
    """One line of a table; cells are escaped already."""
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"
