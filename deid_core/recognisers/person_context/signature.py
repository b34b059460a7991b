"""Names of those who signed: below the closing formula, each at the start of a line or column."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.word_flags import CAPITALISED, GIVEN_NAME, IS_WORD, STOP, SURNAME
from deid_core.recognisers.person_context.name_line import NameLine
from deid_core.recognisers.person_context.name_reader import name_at
from deid_core.text.closing import CLOSING

_PARTICLE = CueFlag.PARTICLE.value

_SIGNATURE_CHARS = 600
_POSTSCRIPT = frozenset(("PS", "PS.", "P.S.", "NB", "N.B.", "D.", "CC"))
"""First words of a line below a signature that are no initials. After "D.:" follow those who get a copy."""


def signatures(line: NameLine, closings: Sequence[int]) -> Iterator[Detection]:
    """Yield the names below the last closing formula; closings: the tokens that may begin one."""
    text = line.text
    closing_end = _closing_end(line, closings)
    if closing_end < 0:
        return
    end = min(len(text), closing_end + _SIGNATURE_CHARS)
    line_end = text.find("\n", closing_end, end)
    if line_end < 0:
        return
    index = bisect_left(line.starts, line_end)
    yield from _single_word(line, index)
    while index < line.count and line.starts[index] < end:
        if line.opens_column(index) or line.word(index - 1) == "/":
            yield from _signature_at(line, index)
        index += 1


def _closing_end(line: NameLine, closings: Sequence[int]) -> int:
    """Return where the last closing formula ends in the text, -1 without one."""
    for index in reversed(closings):
        if (index == 0 or line.breaks[index]) and (match := CLOSING.match(line.text, line.starts[index])):
            return match.end()
    return -1


def _signature_at(line: NameLine, start_token: int) -> Iterator[Detection]:
    lower = line.lower_case_note
    name = name_at(line, start_token, lower=lower)
    if name is None or line.word(start_token).upper() in _POSTSCRIPT:
        return
    words = [i for i in range(*name) if line.flags[i] & IS_WORD]
    initials = name[1] - name[0] - len(words) or any(line.is_initial(i, lower=lower) for i in words)
    listed = any(line.is_listed(i) or line.flags[i] & (GIVEN_NAME | SURNAME) for i in words)
    rare = len(words) >= 2 and all(line.is_rare(i) or line.cues[i] & _PARTICLE for i in words)
    if any(line.flags[i] & STOP for i in words) or all(line.is_initial(i) for i in words):
        return
    if initials or listed or rare:
        yield line.detection(*name, PhiType.CLINICIAN, "signature", 0.9 if listed else 0.8)


def _single_word(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield one word that fills the first line below the closing, listed or not: "Herzlich, dein" and "Maro"."""
    if index >= line.count or line.flags[index] & STOP or not (line.ends_line(index) or line.word(index + 1) == ","):
        return
    lower = line.lower_case_note or not line.flags[index] & CAPITALISED
    is_name = name_at(line, index, lower=lower) == (index, index + 1)
    if (is_name and line.is_rare(index) and not line.is_listed(index)) or (
        lower and not line.lower_case_note and line.is_given_name(index)
    ):
        yield line.detection(index, index + 1, PhiType.CLINICIAN, "signature", 0.7)
