r"""Lines of WebAnno TSV 3: escapes, headers and token lines; webanno.py interprets them.

Source: WebAnno user guide, appendix "WebAnno TSV 3.2 File format", and files that WebAnno and INCEpTION write. In
short:

    #FORMAT=WebAnno TSV 3.3
    #T_SP=webanno.custom.Name|value               a span layer and its features, one column each (#T_RL, #T_CH: others)
                                                  two empty lines, one before each further sentence
    #Text=Frau Anna Stein                         a sentence; one such line for each of its lines
    1-1 →0-4  →Frau  →_      →                    sentence-token, offsets, token, columns, tab between and after
    1-2 →5-9  →Anna  →PER[1] →                    [n] identifies an annotation, | separates stacked ones
    1-3 →10-15→Stein →PER[1] →                    _ no annotation, * an annotation without a value
    1-3.1→10-12→St   →OTHER  →                    a part of token 1-3

Offsets count UTF-16 code units, since the tools are written in Java.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

FORMAT_LINE = "#FORMAT=WebAnno TSV 3.3"
FORMAT = re.compile(r"#FORMAT=WebAnno TSV 3\.[23]")
TEXT = "#Text="
_LAYER = re.compile(r"#T_(SP|RL|CH)=([^|]*)((?:\|.*)?)")
NO_ANNOTATION = "_"

_TOKEN = re.compile(r"[0-9]+-[0-9]+(?:\.[0-9]+)?\t([0-9]+)-([0-9]+)\t([^\t]*)(?:\t(.*))?", re.DOTALL)
_VALUE = re.compile(r"((?:[^\\|\[\]]|\\.)*)(?:\[([0-9]+)\])?", re.DOTALL)

# "->" is a reserved word of two characters, the others are characters.
_RESERVED = re.compile(r"->|[\\\[\]|_;\t\n*]")
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_NAMES = {"\t": "t", "\n": "n", "\f": "f", "\r": "r", "\b": "b"}
_CHARACTERS = {name: character for character, name in _NAMES.items()}
_CONTROL = re.compile(r"[\x00-\x0a\x0c-\x1f\\]")


@dataclass(frozen=True, slots=True)
class Layer:
    """The declaration of a layer: kind SP (span), RL (relation) or CH (chain), type name, names of its columns."""

    kind: str
    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WebannoToken:
    """The line of a token or sub-token; offsets in UTF-16 code units, columns unparsed."""

    begin: int
    end: int
    token: str
    columns: tuple[str, ...]


def parse_layer(line: str) -> Layer | None:
    """Return the layer that a header line declares, None for other lines."""
    match = _LAYER.fullmatch(line)
    if match is None:
        return None
    # A layer without features still has one column, which marks its annotations.
    columns = tuple(name for name in match[3].split("|") if name)
    return Layer(match[1], match[2], columns or ("",))


def parse_token(line: str) -> WebannoToken | None:
    """Return the token of a line, None for other lines."""
    match = _TOKEN.fullmatch(line)
    if match is None or int(match[1]) >= int(match[2]):
        return None
    columns = () if match[4] is None else tuple(match[4].split("\t"))
    return WebannoToken(int(match[1]), int(match[2]), match[3], columns)


def parse_values(column: str) -> list[tuple[str, int | None]] | None:
    """Return value and number of each annotation stacked in a column, [] for none; None for an invalid column."""
    if column == NO_ANNOTATION:
        return []
    values = []
    position = 0
    while (match := _VALUE.match(column, position)) and match[1]:
        values.append((unescape_value(match[1]), int(match[2]) if match[2] else None))
        position = match.end() + 1
        if match.end() == len(column):
            return values
        if column[match.end()] != "|":
            break
    return None


def escape_value(value: str) -> str:
    """Return the value of an annotation escaped for a column."""
    return _RESERVED.sub(lambda found: "\\" + _NAMES.get(found.group(), found.group()), value)


def unescape_value(value: str) -> str:
    """Reverse `escape_value`."""
    return _ESCAPED.sub(lambda found: {"t": "\t", "n": "\n"}.get(found[1], found[1]), value)


def escape_text(line: str) -> str:
    """Return a line of text escaped for `#Text=`: readable escapes, and a backslash before other control characters."""
    return _CONTROL.sub(lambda found: "\\" + _NAMES.get(found.group(), found.group()), line)


def unescape_text(line: str) -> str:
    """Reverse `escape_text`."""
    return _ESCAPED.sub(lambda found: _CHARACTERS.get(found[1], found[1]), line)


class Utf16Offsets:
    """Converts offsets of a text between code points and UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self._wide = [position for position, character in enumerate(text) if character > "\uffff"]
        self._wide_units = [position + before for before, position in enumerate(self._wide)]

    def units(self, position: int) -> int:
        """Return the number of code units before the code point at `position`."""
        return position + bisect_right(self._wide, position - 1)

    def position(self, units: int) -> int:
        """Return the number of code points in the first `units` code units; half a pair counts as a whole one."""
        return units - bisect_right(self._wide_units, units - 2)
