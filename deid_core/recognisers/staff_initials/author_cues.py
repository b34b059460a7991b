"""Initials and user names after words for writing, correcting, releasing and printing: "Schrift: kb", "user muster_e".

Other than the cue words for dictation (dictation.py), these words have many other uses. So what follows, after a date
or "von" at most, must end its column or sentence or be followed by a date. A user name ends in digits, has "_" inside,
or contains a name of the note ("emuster" of Muster).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.core.word_lists import flags_by_word
from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import STOP
from deid_core.recognisers.person_names.name_line import NameLine
from deid_core.recognisers.staff_initials.flags import InitialsFlag
from deid_core.recognisers.staff_initials.staff_names import StaffNames
from deid_core.recognisers.staff_initials.words import BETWEEN, candidate_flags
from deid_core.text.folding import folded

_DATE = CueFlag.DATE.value
_ABBREVIATION = InitialsFlag.ABBREVIATION.value
_USER = InitialsFlag.USER_CUE.value
_USER_OR_LOG = (InitialsFlag.USER_CUE | InitialsFlag.LOG_CUE).value
_WRITER_OR_USER = (InitialsFlag.WRITER_CUE | InitialsFlag.USER_CUE).value
_BEFORE_INITIALS = _WRITER_OR_USER | InitialsFlag.READER_CUE.value
_ANY_CUE = _BEFORE_INITIALS | _USER_OR_LOG

_FLAGS_BY_WORD = flags_by_word(
    {
        InitialsFlag.WRITER_CUE: "staff_initials/writer-cues",
        InitialsFlag.READER_CUE: "staff_initials/reader-cues",
        InitialsFlag.USER_CUE: "staff_initials/user-cues",
        InitialsFlag.LOG_CUE: "staff_initials/log-cues",
    }
)
_BETWEEN = BETWEEN | {"h", "oa", "oä", "dr", "dr."}
_DATE_OR_TIME = re.compile(r"\d{1,2}[.:/]\d.*|\d{1,4}h?")
_USER_NAME = re.compile(r"[^\W_](?:[^\W_]|[._-](?=[^\W_])){2,30}")
_DIGIT_OR_UNDERSCORE = re.compile(r"[a-zäöüß]{3,30}[._-]?\d{1,4}|[^\W\d_]{1,30}_[^\W\d_]{1,30}\d{0,4}")
"""Forms that only user names have. "HbA1c" and "FEV1" have digits as well."""
_AFTER = frozenset("),]/;.")
_MAX_BETWEEN = 9
_MIN_SHARED = 4
"""Minimum length of a name that can be anywhere in a user name."""
_MIN_SHARED_START = 3
"""Number of letters at the start that a name and a user name share."""
_SURE_SCORE, _USER_SCORE, _UNSURE_SCORE = 0.8, 0.85, 0.6


def author_cue_flags(word: str) -> int:
    """Return the cue flags of a word."""
    return _FLAGS_BY_WORD.get(word.lower(), 0)


def authors_after_cues(
    line: NameLine, flags: npt.NDArray[np.uint32], staff: StaffNames
) -> Iterator[tuple[int, int, float]]:
    """Yield start, end and score of initials and user names, in characters; flags: author_cue_flags of each token."""
    for index in np.flatnonzero(flags & _ANY_CUE).tolist():
        at = _after_cue(line, index)
        if at is None:
            continue
        cue, start = int(flags[index]), line.starts[at]
        if cue & _USER_OR_LOG:
            user = _USER_NAME.match(line.text, start)
            if user and _is_user_name(user.group(), staff, labelled=bool(cue & _USER) and line.word(at - 1) == ":"):
                yield start, user.end(), _USER_SCORE
                continue
        if not _ends(line, at) or line.flags[at] & STOP or line.cues[at]:
            continue
        if score := _initials_score(line.word(at), cue, staff):
            yield start, line.ends[at], score


def _after_cue(line: NameLine, index: int) -> int | None:
    """Return the first word after a cue that can be initials or a user name, on the same line; None without one."""
    at = index + 1
    while at < min(line.count, index + _MAX_BETWEEN) and not line.breaks[at]:
        word = line.word(at)
        if not (word.lower() in _BETWEEN or _DATE_OR_TIME.fullmatch(word) or line.cues[at] & _DATE):
            return at if word[0].isalpha() else None
        at += 1
    return None


def _is_user_name(user: str, staff: StaffNames, *, labelled: bool) -> bool:
    """Whether a string is a user name; labelled: it follows "user:"."""
    if _DIGIT_OR_UNDERSCORE.fullmatch(user):
        return True
    letters = folded(user)
    if labelled:
        return candidate_flags(user) != 0 or len(user) > _MIN_SHARED
    return any(
        word != letters
        and (
            (len(word) >= _MIN_SHARED and word in letters)
            or (
                user == user.lower()
                and letters[:_MIN_SHARED_START] == word[:_MIN_SHARED_START]
                and word[0] == letters[0]
            )
        )
        for word in staff.words
    )


def _initials_score(word: str, cue: int, staff: StaffNames) -> float:
    flags = candidate_flags(word)
    if not flags:
        return 0.0
    if staff.may_have(word):
        return _SURE_SCORE
    if flags & _ABBREVIATION or not cue & _BEFORE_INITIALS:
        return 0.0
    return _SURE_SCORE if cue & _WRITER_OR_USER else 0.0 if word.isupper() else _UNSURE_SCORE


def _ends(line: NameLine, index: int) -> bool:
    """Whether the token ends its column or sentence, or a date follows it."""
    if line.ends_column(index):
        return True
    after = index + 1
    word = line.word(after)
    return word in _AFTER or bool(_DATE_OR_TIME.fullmatch(word) or line.cues[after] & _DATE)
