"""A pattern rule: at which tokens it is tried, what it matches, and which part of the match is PHI.

A rule is data; recogniser.py runs it. All expressions are of the `regex` module in verbose mode: escape blanks and `#`
or put them into a class. Every quantifier is bounded or possessive, so that a match costs a bounded number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.document_style import DocumentStyle

Check = Callable[["regex.Match[str]"], bool]
StyleCheck = Callable[[DocumentStyle], bool]

ALWAYS = 1
"""Bit 0 of the prefilter: the condition that every token and both ends of a note meet, where a rule asks nothing."""


@dataclass(frozen=True, slots=True)
class PatternRule:
    r"""One rule of a group.

    name: "group.rule", as detections and the audit table name it.
    pattern: matched at the start of a candidate token. If the named group `phi` matched, it is the PHI, else the whole
        match is. A group `head`, captured in a look-behind, extends the PHI to the left of the token, such as the local
        part before an "@".
    score: 0 to 1. Among matches of equal length from different groups the higher score wins.
    check: what an expression cannot test, such as a check digit; the match is dropped if it returns False.
    style: what the writing style of the whole note must be; the match is dropped if it returns False.
    certain: whether the form alone shows PHI: the stacking model never drops it, and no entity of it cuts it. So are
        numbers with a check digit or groups that no other number has, ages in languages that the model does not know,
        user names in a log of signatures, births, dates in numbers, dates with the name of a month or a Roman month,
        and ranges. Not so is what may be something else: a year alone may be that of a publication, "10/10" a score,
        and "20140612" a number of something else.
    whole: whether no entity cuts it, though its score is low and the model may drop it ("1970" and "er").

    The other fields are the prefilter: expressions that must match whole tokens. They are evaluated once per word type,
    so the rule costs nothing at other tokens. The pattern must ask for all of this again; the prefilter only tells
    earlier where the pattern cannot match. A rule needs `token_regex`, `token_pair` or both.

    token_regex: the rule is tried at each token that matches: "KW|Kalenderwoche".
    token_pair: the rule is also tried where a token matches the first expression and the next token the second. A full
        stop between the two is skipped: ("[1-4]", "Quartal") has candidates in "2 Quartal" and "2. Quartal".
    next_token: a further condition of `token_pair`. The very next token must match, even if it is a full stop:
        FULL_STOP accepts only "2. Quartal".
    second_next: a further condition of `token_pair`. The token after the pair must match. "\n" matches the end of a
        line, of a cell or of the note: "/" and initials as a pair, and then the end of the line.
    """

    name: str
    type: PhiType
    pattern: str
    token_regex: str | None = None
    token_pair: tuple[str, str] | None = None
    next_token: str | None = None
    second_next: str | None = None
    score: float = 1.0
    check: Check | None = None
    style: StyleCheck | None = None
    certain: bool = False
    whole: bool = False


def digits(text: str) -> str:
    """Return the decimal digits of a text in their order."""
    return "".join(character for character in text if character.isdecimal())


def decimal_count(text: str) -> int:
    """Return the number of decimal digits in a text."""
    return sum(map(str.isdecimal, text))


def phi_text(match: regex.Match[str]) -> str:
    """Return the part of a match that is PHI, without its `head`."""
    text: str | None = match["phi"] if "phi" in match.re.groupindex else None
    return match.group() if text is None else text
