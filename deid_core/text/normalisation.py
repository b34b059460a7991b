"""Normalises a text to what a person sees: no invisible characters, composed letters, letter-spaced words as words.

A name must not stay readable because of how its letters are stored. The text is changed before it is cut into tokens,
and each character keeps the place that it has in the note, so spans are given in places of the note (`Places`). An
ordinary text is returned as it is.

| in the note                                                         | read as  |
|---------------------------------------------------------------------|----------|
| characters without width: joiners, marks of direction, selectors    | nothing  |
| a letter and its combining marks: "u" and U+0308                    | "ü"      |
| full-width and mathematical letters and digits, ligatures           | ASCII    |
| Cyrillic and Greek look-alikes in a word with Latin letters         | Latin    |
| "M ü l l e r", "B E F U N D"                                        | one word |
| "Mül-" and "ler" on the next line, but not "Haupt-" and "und"       | one word |
| "MüllerDr.", "FrauMüller", "DrMüller"                               | two      |
| Markdown, HTML, bars between the cells of a row (markup.py)         | nothing, a line end or a tab |
| a tab after a title, or within a sentence: no cells                 | a blank  |

A zero-width space may be a line break between words, so it stays for the tokeniser.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, compress, count
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from deid_core.core.note import Block, BlockKind, Note
from deid_core.core.spans import Detection, Dropped, Span
from deid_core.core.word_lists import word_list
from deid_core.text.arrays import characters_beyond
from deid_core.text.divided_words import HYPHENS, LINE_BREAK
from deid_core.text.markup import Edit, markup

_Range = TypeVar("_Range", Span, Dropped, Detection)

_INVISIBLE = (
    "\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's general category Cf and variation selectors, and fillers that show nothing; without the signs of Arabic
that are visible, the soft hyphen, and the zero-width space."""
_LATIN_1, _SOFT_HYPHEN = 0xFF, "\u00ad"
"""No character up to U+00FF but the soft hyphen is changed."""
_COMBINING = "\u0300-\u036f"
_CHANGED = re.compile(
    rf"""
    (?P<invisible>[{_INVISIBLE}]+|\u00ad(?!{LINE_BREAK}))
  | (?P<letter>[^\W\d_][{_COMBINING}]{{1,8}})
  | (?P<width>[\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff]+)
    """,
    re.VERBOSE,
)
_UNUSUAL = re.compile(
    rf"[\u00ad{_INVISIBLE}{_COMBINING}\u0370-\u03ff\u0400-\u052f\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff]"
)
_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеоѕіјрсухёЁїЇΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABESIJKMHOPCTYXaeosijpcyxëËïÏABEZHIKMNOPTYXo",
)
_FOREIGN_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]*[\u0370-\u03ff\u0400-\u052f][^\W\d_]*")
"""Tried where a word begins alone: elsewhere a long word would cost the square of its length."""
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_BLANKS = " \u00a0\u2000-\u200a\u202f"
_SPACED_LETTERS = re.compile(rf"[{_BLANKS}][^\W\d_][{_BLANKS}][^\W\d_](?![^\W_])")
"""In every text with a letter-spaced word; a search for a blank is several times faster than for the word."""
_SPACED_WORD = re.compile(rf"(?<![^\W_])[^\W\d_](?:[{_BLANKS}](?:-[{_BLANKS}])?[^\W\d_](?![^\W_])){{2,}}")

_HYPHENATED = re.compile(
    rf"[{HYPHENS}](?<=[a-zäöüß]{{2}}[{HYPHENS}]){LINE_BREAK}"
    r"(?=[a-zäöüß]{2})(?!(?:und|oder|bzw|sowie|als|wie|bis|noch|seit|anbei|heute|gestern|früher|keine|wird|wurden?)\b)"
)
"""It begins with a hyphen, to which the search skips."""
_INTRODUCING = ("Dr", "Herr", "Herrn", "Frau")
"""Salutations and titles that may stand before _GLUED_BEHIND."""
_GLUED_BEFORE = re.compile(
    r"(?<=[a-zäöüß]{2})(?<!Herr)(?<!Herrn)(?<!Frau)"
    r"(?:(?:Dr|Prof|Hr|Fr)\.|(?:Herrn?|Frau|OA|OÄ)(?![a-zäöüß]))[ .]{0,2}[A-ZÄÖÜ]"
)
_GLUED_BEHIND = re.compile(r"(?<=Dr)[A-ZÄÖÜ][a-zäöüß]{2}|(?<=err|rau|rrn)(?:[A-ZÄÖÜ][a-zäöüß.]|Dr\b|Prof\b)")
"""A salutation or title without the blank before it, and what comes without a blank after it."""
_SHAPES = bytes(
    ord("a") if re.match("[a-zäöüß]", chr(code))
    else ord("A") if re.match("[A-ZÄÖÜ]", chr(code))
    else ord("x") if re.match(r"[^\W\d_]", chr(code))
    else ord(" ") if re.match(f"[{_BLANKS}]", chr(code))
    else ord(".")
    for code in range(256)
)  # fmt: skip
"""The kind of each character of Latin-1. To search for a few bytes is many times faster than for classes of letters."""
_LETTERS_ALIKE = bytes.maketrans(b"Ax", b"aa")
_GLUED_LETTERS, _SPACED_SHAPE = b"aA", b" a a"
_BEYOND_LATIN_1 = re.compile(rf"[{_BLANKS}]|[^\W\d_]")
"""Characters that have no shape and may be part of _SPACED_LETTERS."""
_TAB_IN_NAME = re.compile(
    r"\t(?=[^\W\d_])(?:"
    + "|".join(rf"(?<=\b{re.escape(word)}\t)" for word in word_list("tokens/before-tabs-in-names"))
    + r"|(?<=[ \t(][A-ZÄÖÜ]\.\t))"
)
"""The tab after a salutation, a title, a particle of a name or an initial."""
_TAB_IN_SENTENCE = re.compile(r"(?<=[^\W\d_.,)])\t(?=[^\W\d_])")
_CELL_KINDS = frozenset({BlockKind.HEADER_CELL, BlockKind.TABLE_CELL})
_SENTENCE_WORDS = 7
"""Least number of words of a line in which tabs are no columns."""


class Places(NamedTuple):
    """Where the characters of a normalised text are in the note.

    starts: int64 (length of the normalised text + 1,), ascending; the last one is the length of the note's text. ends:
    int64 (length of the normalised text,). What is not seen belongs to the character before it, but markup belongs to
    none. A blank that the note lacks has no character of it: it ends where it starts.
    """

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    def moved(self, ranges: Iterable[_Range]) -> tuple[_Range, ...]:
        """Return spans, or (dropped) detections, with their places in the note instead of those in the normalised text.

        Where two letters are read of one ligature, the first one has it.
        """
        starts, ends = self.starts, self.ends
        moved = []
        for found in ranges:
            start, end = found.start, found.end
            is_second = start > 0 and starts[start - 1] == starts[start] < ends[start - 1]
            first, last = int(starts[start]) + int(is_second), int(ends[end - 1])
            if first < last:
                moved.append(found._replace(start=first, end=last))
        return tuple(moved)

    def in_text(
        self, starts: npt.NDArray[np.int32], ends: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return ranges of the normalised text for ranges [start, end) of the note; the reverse of `moved`.

        A range has the characters that are read of one of its characters in part or whole.
        """
        of_characters = self.starts[:-1]
        last = of_characters.searchsorted(starts, side="right") - 1
        first = of_characters.searchsorted(of_characters[last.clip(0)]) if len(of_characters) else last.clip(0)
        return first.astype(np.int32), of_characters.searchsorted(ends).astype(np.int32)


class Normalised(NamedTuple):
    """A note with its normalised text, and the places of its characters; None if they have the same places."""

    note: Note
    places: Places | None


def normalised(note: Note) -> Normalised:
    """Return the note as a person sees it; the note itself if that is how it is stored."""
    text, places = note.text, None
    beyond = characters_beyond(text, _LATIN_1)
    if _SOFT_HYPHEN in text or _UNUSUAL.search(beyond):
        text, places = _replaced(text, [(m.start(), m.end(), _seen(m)) for m in _CHANGED.finditer(text)], places)
        text = _FOREIGN_WORD.sub(_latin, text)
    if marks := markup(text):
        text, places = _replaced(text, marks, places, belong=False)
    if text != note.text:
        beyond = characters_beyond(text, _LATIN_1)
    if inside := sorted(_inside_words(text, beyond)):
        text, places = _replaced(text, inside, places)
    if "\t" in text:
        text = _without_stray_tabs(text, note, places)
    if text == note.text:
        return Normalised(note, None)
    if places is None:
        return Normalised(replace(note, text=text), None)
    return Normalised(replace(note, text=text, blocks=_moved(note.blocks, places.starts)), places)


def _seen(found: re.Match[str]) -> str:
    """Return what is seen of a match of _CHANGED."""
    if found["invisible"]:
        return ""
    return unicodedata.normalize("NFC" if found["letter"] else "NFKC", found.group())


def _latin(word: re.Match[str]) -> str:
    """Return the word with Latin letters for look-alikes, if it is else a Latin one."""
    found = word.group()
    written = found.translate(_LOOK_ALIKES)
    return written if _LATIN.search(found) and not _FOREIGN_WORD.search(written) else found


def _inside_words(text: str, beyond: str) -> Iterator[Edit]:
    """Yield the hyphens at line ends that divide a word, the blanks in letter-spaced words, and missing blanks.

    beyond: the distinct characters of the text beyond Latin-1.

    A blank before a capital may be that between two letter-spaced words.
    """
    for hyphen in _HYPHENATED.finditer(text):
        yield hyphen.start(), hyphen.end(), ""
    shape = text.encode("latin-1", "replace").translate(_SHAPES)
    at = shape.find(_GLUED_LETTERS)
    while at >= 0:
        capital = at + 1
        if _GLUED_BEFORE.match(text, capital) or _is_behind_salutation(text, capital):
            yield capital, capital, " "
        at = shape.find(_GLUED_LETTERS, capital)
    if not _may_have_spaced_letters(shape, beyond):
        return
    last = 0
    for found in _SPACED_LETTERS.finditer(text):
        if found.start() < last:
            # Within the last word. Matching it again from each of its letters would cost the square of its length.
            continue
        # The word begins with the letter before the first blank, or with the one after it.
        start = max(found.start() - 1, 0)
        word = _SPACED_WORD.match(text, start) or _SPACED_WORD.match(text, found.start() + 1)
        if word is None:
            continue
        last = word.end()
        for blank in range(word.start() + 1, word.end() - 1):
            is_between = text[blank - 1].islower() and text[blank + 1].isupper()
            if text[blank].isspace() and not is_between:
                yield blank, blank + 1, ""


def _is_behind_salutation(text: str, capital: int) -> bool:
    """Return whether a salutation or title ends before the capital, and what follows has no blank before it."""
    if not _GLUED_BEHIND.match(text, capital):
        return False
    starts = (capital - len(word) for word in _INTRODUCING if text.endswith(word, 0, capital))
    return any(not text[start - 1 : start].isalpha() for start in starts)


def _may_have_spaced_letters(shape: bytes, beyond: str) -> bool:
    """Return whether _SPACED_LETTERS may match a text of this shape: much faster than a search, and seldom true."""
    return _SPACED_SHAPE in shape.translate(_LETTERS_ALIKE) or _BEYOND_LATIN_1.search(beyond) is not None


def _without_stray_tabs(text: str, note: Note, places: Places | None) -> str:
    """Return the text with blanks for tabs that separate no cells: within names, and in the sentences of a paragraph.

    A line of a table has neighbours with tabs, too. places: where the text is in the note, whose table cells count.
    """
    text = _TAB_IN_NAME.sub(" ", text)
    lines = text.split("\n")
    # With one line more before and after them, which have no tab.
    tabbed = [False, *["\t" in line for line in lines], False]
    doubtful = [
        number
        for number in compress(count(), tabbed[1:])
        if not tabbed[number] and not tabbed[number + 2] and len(lines[number].split()) >= _SENTENCE_WORDS
    ]
    if not doubtful:
        return text
    cells, starts = _cells(note, places), [0, *accumulate(len(line) + 1 for line in lines)]
    for number in doubtful:
        at, line = starts[number], lines[number]
        if not any(start < at + len(line) and at < end for start, end in cells):
            lines[number] = _TAB_IN_SENTENCE.sub(" ", line)
    return "\n".join(lines)


def _cells(note: Note, places: Places | None) -> list[tuple[int, int]]:
    """Return the ranges of the note's table cells in the normalised text."""
    cells = [block for block in note.blocks if block.kind in _CELL_KINDS]
    moved = cells if places is None else _moved(tuple(cells), places.starts)
    return [(block.start, block.end) for block in moved]


def _replaced(text: str, edits: list[Edit], places: Places | None, *, belong: bool = True) -> tuple[str, Places | None]:
    """Return the text with its edits, ascending and apart, and the places in the note of its characters.

    places: those of the text's own characters; None if it is the note's. belong: what is left out belongs to the
    character before it.
    """
    pieces: list[str] = []
    at = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        at = end
    edited = "".join([*pieces, text[at:]])
    if all([len(new) == end - start for start, end, new in edits]):
        # As if the star of a list becomes a dash.
        return edited, places
    starts: list[npt.NDArray[np.int64]] = []
    ends: list[npt.NDArray[np.int64]] = []
    at = 0
    for start, end, new in edits:
        of_new = np.arange(start, start + len(new))
        starts += (np.arange(at, start), np.minimum(of_new, max(start, end - 1)))
        ends += (np.arange(at, start) + 1, np.minimum(of_new + 1, end))
        ends[-1][-1:] = end
        at = end
    starts.append(np.arange(at, len(text) + 1))
    ends.append(np.arange(at, len(text)) + 1)
    of_starts, of_ends = np.concatenate(starts), np.concatenate(ends)
    found = Places(of_starts, np.maximum(of_ends, of_starts[1:]) if belong else of_ends)
    return edited, found if places is None else _in_note(found, places)


def _in_note(found: Places, before: Places) -> Places:
    """Return places in a text, whose own places in the note are `before`, as places in the note."""
    starts = before.starts[found.starts]
    # Only a missing blank has no character.
    ends = np.where(found.ends > found.starts[:-1], before.ends[found.ends - 1], starts[:-1])
    return Places(starts, ends)


def _moved(blocks: tuple[Block, ...], places: npt.NDArray[np.int64]) -> tuple[Block, ...]:
    """Return the blocks as ranges of the normalised text."""
    starts = np.searchsorted(places, [block.start for block in blocks]).tolist()
    ends = np.searchsorted(places, [block.end for block in blocks]).tolist()
    # `_replace` takes three times as long, and a note has hundreds of blocks.
    return tuple([Block(b[0], start, end, *b[3:]) for b, start, end in zip(blocks, starts, ends, strict=True)])
