"""Where the text after a cue word begins: past full stops, titles, colons, brackets and quotation marks."""

from __future__ import annotations

from deid_core.lexicon.cue_words import CueFlag
from deid_core.recognisers.person_context.name_line import NameLine

_TITLE = CueFlag.TITLE.value
_ABBREVIATED = CueFlag.ABBREVIATED.value
_AMBIGUOUS_FIELD = CueFlag.AMBIGUOUS_FIELD.value

_FEMALE_ENDINGS = frozenset(("in", "ssa", "a"))
"""Endings of a title that are tokens of their own: "Dr.in", "Dott.ssa"."""
_OPENING = frozenset({":", "(", '"', "„", "»", "«", "‚", "“"})
_DASHES = frozenset("-–—")


def past_full_stop(line: NameLine, index: int) -> int:
    """Return the token after the cue at `index` and after the full stop of an abbreviation or the rest of a title."""
    after = index + 1
    if line.cues[index] & _ABBREVIATED and line.word(after) == ".":
        return after + 1
    return _past_title(line, after) if line.cues[index] & _TITLE else after


def past_marks(line: NameLine, index: int) -> int:
    """Return the token after the cue at `index` and after the colon, bracket or quotation mark that may follow it.

    "Patient/in:" and "Versicherte(r):" are one cue.
    """
    after = past_full_stop(line, index)
    if line.cues[index] & _AMBIGUOUS_FIELD and line.word(after).isdigit():
        # "Fall 1:", "FALL 1 – "
        if line.word(after + 1) in _DASHES and line.adjacent(after + 1):
            return after + 2
        after += line.word(after + 1) == ":"
    elif line.word(after) == "/" and line.word(after + 1) in {"in", "innen"}:
        after += 2
    elif line.word(after) == "(" and line.word(after + 1) in {"r", "in", "n"} and line.word(after + 2) == ")":
        after += 3
    for _ in range(2):
        if line.word(after) in _OPENING:
            after += 1
    return after


def _past_title(line: NameLine, index: int) -> int:
    """Return the token after the rest of a title that may be at `index`."""
    word, following = line.word(index), line.word(index + 1)
    if word in _FEMALE_ENDINGS and line.starts[index] == line.ends[index - 1]:
        return index + 1
    if word == "-" and line.word(index + 2) == ".":
        # "Dipl.-Psych .": the full stop is a token of its own.
        return index + 3
    if (word == "-" and following[-1:] == ".") or (word == "h." and following == "c."):
        # "Dipl.-Psych.", "Dr. h. c."
        return index + 2
    return index
