"""Chains of initials of those who dictated, wrote and saw a letter: "Unser Zeichen: Mu/kb", "3.4.2010  pa-sb/we".

A chain has one to four parts of one to four letters, joined by slashes, hyphens or colons, at the end of a column or
sentence. It counts after the label of a letter's reference, after the letter's date, or alone, in brackets or in its
column, if one part can belong to a name of the note. chain_kernel.py finds the possible chains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag, cue_flags
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.flags import InitialsFlag
from deid_core.recognisers.staff_initials.staff_names import StaffNames
from deid_core.recognisers.staff_initials.words import candidate_flags

_DATE = CueFlag.DATE.value
_CANDIDATE = InitialsFlag.CANDIDATE.value
_CHAIN_PART = InitialsFlag.CHAIN_PART.value
_WHOLE_CHAIN = InitialsFlag.WHOLE_CHAIN.value
_REFERENCE_LABEL = InitialsFlag.REFERENCE_LABEL.value
_BEFORE_CHAIN = InitialsFlag.BEFORE_CHAIN.value
_AFTER_CHAIN = InitialsFlag.AFTER_CHAIN.value
_CHAIN_JOINT = InitialsFlag.CHAIN_JOINT.value

_PART = re.compile(r"[^\W\d_]{1,4}\.?(?:-[^\W\d_]{1,4}){0,3}\.?")
_REFERENCE = re.compile(r"(?:\w{0,12}zeichen|[ui]\.?z\.?|[ui]hr\.?z\.?|a\.?z\.?|zch\.?|dikt\.?-?z\.?)", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+\.?")
_JOINTS = frozenset("/:-")
_INTRODUCTIONS = _JOINTS | {";"}
_CLOSINGS = frozenset("),")
_AFTER_DATE = frozenset("/,;-")
_YEAR = re.compile(r"(?:\d{1,2}[./-]\d{1,2}[./-])?(?:19|20)\d\d")
_MIN_LETTERS = 2
_LABELLED_SCORE, _OF_NAME_SCORE, _DATED_PAIR_SCORE, _DATED_SINGLE_SCORE = 0.85, 0.75, 0.7, 0.6


def chain_flags(word: str) -> int:
    """Return the flags of a word that the search for chains uses."""
    flags = _REFERENCE_LABEL if _REFERENCE.fullmatch(word) else 0
    if _PART.fullmatch(word):
        flags |= _CHAIN_PART | _WHOLE_CHAIN if "-" in word else _CHAIN_PART
    if word in _INTRODUCTIONS or cue_flags(word) & _DATE or _YEAR.fullmatch(word):
        flags |= _BEFORE_CHAIN
    if word in _JOINTS:
        flags |= _CHAIN_JOINT
    return flags | _AFTER_CHAIN if word in _CLOSINGS else flags


def chains(line: NameLine, flags: npt.NDArray[np.uint32], staff: StaffNames) -> Iterator[tuple[int, int, float]]:
    """Yield start, end and score of the initials of each chain, in characters.

    flags: chain_flags, position_flags and candidate_flags of each token.
    """
    # Imported here, so that pipelines without this recogniser do not load numba for it.
    from deid_core.recognisers.staff_initials.chain_kernel import possible_chains

    tokens, text = line.document.tokens, line.text
    possible = np.empty((len(tokens), 3), np.int32)
    count = possible_chains(tokens.starts, tokens.ends, tokens.breaks, flags, possible)
    for start_token, end_token, labelled in possible[:count].tolist():
        found = [
            (line.starts[part] + initials.start(), line.starts[part] + initials.end())
            for part in range(start_token, end_token, 2)
            for initials in _LETTERS.finditer(text[line.starts[part] : line.ends[part]])
        ]
        chain = [text[start:end] for start, end in found]
        score = _LABELLED_SCORE if labelled else _score(line, start_token, chain, staff)
        if score:
            for start, end in found:
                yield start, end, score


def _score(line: NameLine, start_token: int, chain: list[str], staff: StaffNames) -> float:
    """Return the score of the initials of a chain without a label, 0 if it is none."""
    if len(chain) > 1:
        return _pair_score(line, start_token, chain, staff)
    initials = chain[0]
    if not candidate_flags(initials) or line.cues[start_token] or not _is_after_date(line, start_token):
        return 0.0
    if "," in {line.word(start_token - 1), line.word(start_token + 1)}:
        # "Bypass 2001, Lyse, Stent"
        return 0.0
    if staff.may_have(initials):
        return _OF_NAME_SCORE
    return 0.0 if initials.isupper() else _DATED_SINGLE_SCORE


def _pair_score(line: NameLine, start_token: int, chain: list[str], staff: StaffNames) -> float:
    """Return the score of several initials, 0 if all are units or sides, as in "g/dl", "Mo/Mi/Fr", "re/li"."""
    if any(len(initials.rstrip(".")) < _MIN_LETTERS for initials in chain):
        return 0.0
    flags = [candidate_flags(initials) for initials in chain]
    all_candidates, some_unusual = all(flags), _CANDIDATE in flags
    if not (all_candidates or some_unusual):
        return 0.0
    dated = _is_after_date(line, start_token)
    if not (dated or _opens_line_or_bracket(line, start_token)):
        return 0.0
    if (some_unusual and staff.begin_with(chain[0])) or (all_candidates and any(map(staff.may_have, chain))):
        return _OF_NAME_SCORE
    return _DATED_PAIR_SCORE if dated and all_candidates else 0.0


def _opens_line_or_bracket(line: NameLine, index: int) -> bool:
    """Whether a line, a column separated by blanks or brackets begin with the token."""
    if index == 0 or line.word(index - 1) == "(":
        return True
    if line.breaks[index]:
        return "\n" in line.gap(index)
    return line.opens_blank_column(index)


def _is_after_date(line: NameLine, index: int) -> bool:
    """Whether a year or whole date, and at most a slash, comma or dash, is before the token on its line."""
    if index == 0:
        return False
    at = index - 1
    if line.word(at) in _AFTER_DATE and at > 0 and not line.breaks[at]:
        at -= 1
    on_line = not any(line.breaks[between] for between in range(at + 1, index + 1))
    return on_line and bool(line.cues[at] & _DATE or _YEAR.fullmatch(line.word(at)))
