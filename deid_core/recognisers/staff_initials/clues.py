"""Signs and user names behind words of writing, correcting, releasing and printing: "Schrift: kb", "user muster_e".

Beside the words of dictation (triggers.py), whose next word is a sign unless it is a common word, these words stand
before many other things, too. So what follows them, behind a date or "von" at most, must end its column or sentence, or
a date must follow. A user name has digits at its end, "_" within or a name of the note in it ("emuster" of Muster).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from deid_core.lexicon.cue_words import CueFlag
from deid_core.lexicon.flags import STOP, bits_by_word
from deid_core.recognisers.person_names.walk import NameWalk
from deid_core.recognisers.staff_initials.words import BETWEEN, DOUBTFUL, Signers, sign_shape
from deid_core.text.folding import folded

_DATE = CueFlag.DATE.value

WRITTEN, READ, USER, LOGGED = 16, 32, 64, 128
"""Bits of words: before the sign of who wrote or corrected; of who read or saw; before a user name; who released or
printed, where a user name may follow."""

_CLUES = {
    WRITTEN: """
        schrift schreiben schreibdienst schreibbüro schreibb schreibkraft schr vid visiert korr korrektur
        korrekturgelesen gegengez gegenz
    """,
    READ: "gelesen gesehen gegenzeichnung sachbearb bearb sig vis unterschrift handzeichen f.d.r. erstellt geändert",
    USER: "user benutzer login benutzername benutzerkennung username kürzel userid",
    LOGGED: """
        freigegeben freigabe vidiert visiert validiert signiert gedruckt ausgedruckt ausdruck druck export exportiert
        erstellt geändert erfasst eingegeben dokumentiert unterschrieben archiviert benutzer user
    """,
}
_BY_WORD = bits_by_word(_CLUES)
_BETWEEN = BETWEEN | frozenset("h oa oä dr dr.".split())
_DATE_OR_TIME = re.compile(r"\d{1,2}[.:/]\d.*|\d{1,4}h?")
_USER_NAME = re.compile(r"[^\W_](?:[^\W_]|[._-](?=[^\W_])){2,30}")
_DIGIT_OR_BAR = re.compile(r"[a-zäöüß]{3,30}[._-]?\d{1,4}|[^\W\d_]{1,30}_[^\W\d_]{1,30}\d{0,4}")
"""What user names alone are like; "HbA1c" and "FEV1" have digits as well."""
_BEHIND = frozenset("),]/;.")
_MAX_BETWEEN = 9
_MIN_SHARED = 4
"""Letters of a name that stand anywhere in a user name."""
_MIN_BEGINNING = 3
"""Letters that a name and a user name begin with."""
_SURE, _USER_SCORE, _UNSURE = 0.8, 0.85, 0.6


def clue_bits(word: str) -> int:
    """The bits of a word."""
    return _BY_WORD.get(word.lower(), 0)


def clued(walk: NameWalk, text: str, bits: npt.NDArray[np.uint32], names: Signers) -> Iterator[tuple[int, int, float]]:
    """Where in the text each sign and user name begins and ends, and its score; bits: clue_bits of each token."""
    for index in np.flatnonzero(bits & (WRITTEN | READ | USER | LOGGED)).tolist():
        at = _behind(walk, index)
        if at is None:
            continue
        clue, start = int(bits[index]), walk.starts[at]
        if clue & (USER | LOGGED):
            user = _USER_NAME.match(text, start)
            if user and _is_user(user.group(), names, told=bool(clue & USER) and walk.word(at - 1) == ":"):
                yield start, user.end(), _USER_SCORE
                continue
        if not _ends(walk, at) or walk.bits[at] & STOP or walk.triggers[at]:
            continue
        if score := _sign_score(walk.word(at), clue, names):
            yield start, walk.ends[at], score


def _behind(walk: NameWalk, index: int) -> int | None:
    """The token behind a clue and what may stand between, on its line; None where there is none."""
    at = index + 1
    while at < min(len(walk), index + _MAX_BETWEEN) and not walk.breaks[at]:
        word = walk.word(at)
        if not (word.lower() in _BETWEEN or _DATE_OR_TIME.fullmatch(word) or walk.triggers[at] & _DATE):
            return at if word[0].isalpha() else None
        at += 1
    return None


def _is_user(user: str, names: Signers, *, told: bool) -> bool:
    """Whether a string is a user name; told: it stands behind "user:"."""
    if _DIGIT_OR_BAR.fullmatch(user):
        return True
    letters = folded(user)
    if told:
        return sign_shape(user) != 0 or len(user) > _MIN_SHARED
    return any(
        word != letters
        and (
            (len(word) >= _MIN_SHARED and word in letters)
            or (user == user.lower() and letters[:_MIN_BEGINNING] == word[:_MIN_BEGINNING] and word[0] == letters[0])
        )
        for word in names.words
    )


def _sign_score(word: str, clue: int, names: Signers) -> float:
    shape = sign_shape(word)
    if not shape:
        return 0.0
    if names.may_sign(word):
        return _SURE
    if shape & DOUBTFUL or not clue & (WRITTEN | READ | USER):
        return 0.0
    return _SURE if clue & (WRITTEN | USER) else 0.0 if word.isupper() else _UNSURE


def _ends(walk: NameWalk, index: int) -> bool:
    """Whether the token ends its column or sentence, or a date stands behind it."""
    after = index + 1
    if walk.ends_column(index):
        return True
    return walk.word(after) in _BEHIND or bool(
        _DATE_OR_TIME.fullmatch(walk.word(after)) or walk.triggers[after] & _DATE
    )
