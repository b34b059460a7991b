"""Takes an expression for whole words apart into alternatives, of which few have to be tried at a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

_PIECE = regex.compile(r"\\[pP]\{\w+\}|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^:=!<>)|]*:|[^\\\[]", regex.DOTALL)
"""An escaped character, a class of characters, the opening of a group, or a character."""
_GROUPS = ("(?:", "(?i:")
_QUANTIFIERS = frozenset("?*+{")
_KIND_OF_LETTER = regex.compile(r"\\[pP]\{(?:L|Lu|Ll|N|Nd)\}|\\[dDsSwW\W]")
"""What an expression may say of letters if it asks for their kind alone: it matches "Haus" if it matches "Qqqq"."""

_QUANTIFIER = regex.compile(r"\{\d*,?\d*\}")
_VACUOUS = regex.compile(r"\(\?!\\p\{L\}(?:\|-\\p\{L\})?\)\s*\Z")
"""A look-ahead that holds at the end of a word."""

_Pieces = list[str]


def alternatives_of(expression: str) -> list[str]:
    """Return the alternatives of a verbose expression; it matches a whole word if one of them does.

    A group at the beginning is resolved, and so is one that may be missing there: "(?:a|b)?c" has "c", "ac" and "bc".
    """
    pieces = _PIECE.findall(expression)
    # A "|" in a comment is none.
    return [expression] if "#" in pieces else ["".join(found) for found in _alternatives(pieces)]


def asks_for_form(alternative: str) -> bool:
    """Return whether an alternative asks for the kind of letters and digits alone, and names none."""
    rest = _QUANTIFIER.sub("", _KIND_OF_LETTER.sub("", alternative))
    return "\\" not in rest and not any(map(str.isalnum, rest))


def words_of(alternative: str) -> tuple[str, ...]:
    """Return the words, folded, that an alternative matches, if they are one with and without a full stop, else none.

    It may match fewer words: those of another case it does not, unless it ignores case.
    """
    pieces = _without_blanks(_VACUOUS.sub("", alternative))
    with_stop = pieces[-2:] == [r"\.", "?"]
    pieces = pieces[:-2] if with_stop else pieces
    if pieces[:1] == ["(?i:"] and pieces[-1] == ")":
        pieces = pieces[1:-1]
    word = _literal(pieces)
    if not word or len(word) < len(pieces):
        return ()
    return (folded(word), folded(f"{word}.")) if with_stop else (folded(word),)


def beginning_of(alternative: str) -> str:
    """Return with what the folded form begins of whatever the alternative matches; "" if that may be anything."""
    pieces = _without_blanks(alternative)
    if pieces[:1] == ["(?i:"]:
        if "".join(pieces[_close(pieces) + 1 :])[:1] in _QUANTIFIERS:
            return ""
        pieces = pieces[1:]
    return folded(_literal(pieces))


def _literal(pieces: _Pieces) -> str:
    """Return the literal characters at the beginning."""
    found = ""
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=False):
        is_literal = piece.isalnum() or piece in "-/" or (piece[0] == "\\" and not piece[1].isalnum())
        if not is_literal or following in _QUANTIFIERS:
            break
        found += piece[-1]
    return found


def _without_blanks(alternative: str) -> _Pieces:
    return [piece for piece in _PIECE.findall(alternative) if not piece.isspace()]


def folded(word: str) -> str:
    """Return the word in the form that is equal for words that are equal but for case."""
    lower = word.casefold()
    return lower if lower.isascii() else lower.replace("i\u0307", "i").replace("\u0131", "i")


def has_mark(alternative: str) -> bool:
    """Return whether an alternative asks for some character that is no letter, besides what it may do without."""
    pieces = _PIECE.findall(alternative)
    depth = 0
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=False):
        depth += piece.startswith("(") - (piece == ")")
        if not depth and piece == r"\P{L}" and following not in _QUANTIFIERS:
            return True
    return False


def _alternatives(pieces: _Pieces) -> Iterator[_Pieces]:
    parts = list(_parts(pieces))
    if len(parts) > 1:
        for part in parts:
            yield from _alternatives(part)
        return
    while pieces and pieces[0].isspace():
        pieces = pieces[1:]
    close = _close(pieces) if pieces and pieces[0] in _GROUPS else 0
    opening, within, after = pieces[:1], pieces[1:close], pieces[close + 1 :]
    first, second = [*after, "", ""][:2]
    if not close or (first in _QUANTIFIERS and (first != "?" or second in _QUANTIFIERS)):
        yield from _ends_apart(pieces)
        return
    if first == "?":
        after = after[1:]
        yield from _alternatives(after)
    for found in _alternatives(within):
        yield from _ends_apart([*found, *after] if opening == ["(?:"] else [*opening, *found, ")", *after])


def _ends_apart(pieces: _Pieces) -> Iterator[_Pieces]:
    r"""Yield `\p{L}{2,9}akte` and `\p{L}{2,9}karte` for `\p{L}{2,9}(?:akte|karte)`, else the pieces."""
    flagged = pieces[:1] == ["(?i:"] and _close(pieces) == len(pieces) - 1
    within = pieces[1:-1] if flagged else pieces
    start = next((at for at, piece in enumerate(within) if piece in _GROUPS), 0)
    end = start + _close(within[start:])
    if not start or within[0] not in (r"\p{L}", ".") or "".join(within[end + 1 :])[:1] in ("?", "*", "+", "{"):
        yield pieces
        return
    opening = within[start : start + 1] if within[start] != "(?:" else []
    for part in _parts(within[start + 1 : end]):
        found = [*within[:start], *opening, *part, *([")"] if opening else []), *within[end + 1 :]]
        yield ["(?i:", *found, ")"] if flagged else found


def _parts(pieces: _Pieces) -> Iterator[_Pieces]:
    """Yield what stands between the "|" that are in no group."""
    part: _Pieces = []
    depth = 0
    for piece in pieces:
        depth += piece.startswith("(") - (piece == ")")
        if piece == "|" and not depth:
            yield part
            part = []
        else:
            part.append(piece)
    yield part


def _close(pieces: Sequence[str]) -> int:
    """Return where the group closes that the first piece opens."""
    depth = 0
    for place, piece in enumerate(pieces):
        depth += piece.startswith("(") - (piece == ")")
        if not depth:
            return place
    return 0
