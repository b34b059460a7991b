"""The rule of a pattern: where it may start, what it matches, what of the match is PHI.

A rule does not run anything; deid_core/recognise/pattern.py does. All expressions are of the `regex` module, written
verbose (blanks and `#` must be escaped or stand in a class). Every quantifier is bounded or possessive: a rule
looks at a bounded number of characters per start, or consumes what it looks at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from deid_core.core.labels import PhiType

Check = Callable[["regex.Match[str]"], bool]


@dataclass(frozen=True, slots=True)
class PatternRule:
    """One rule of a group.

    name: "group.rule", what a detection and the audit name.
    starts: decided once per word type: the whole token must match for the rule to be tried there.
    before: (word, next): the rule is also tried where the token matches `word` and the token behind it matches `next`;
        a full stop between them is passed over. Both are decided once per word type, so that words as common as "3"
        or "mit" cost a match only where something can come of it.
    direct, then: further conditions of `before`: what the token directly behind must match, a full stop too, and the
        one behind the next; there a newline is the end of a line, a cell or the note.
    after: what the token before must match. near: what some token must match that ends at most NEAR characters
        before. They are conditions of both `starts` and `before`.
        What these ask, the pattern asks too; they only tell sooner, for all tokens at once, where it cannot match.
    pattern: matched at the token's start. A named group `phi`, if it matched, is the PHI, else the whole match is; a
        group `head`, captured in a look-behind, extends the PHI to the left of the token (what stands before an "@").
    score: 0 to 1, how sure the rule is by itself; among equally long matches of different groups the higher one wins.
    check: what an expression cannot say (check digits, number of digits); False drops the match.
    """

    name: str
    type: PhiType
    starts: str
    pattern: str
    score: float = 1.0
    check: Check | None = None
    before: tuple[str, str] | None = None
    direct: str | None = None
    then: str | None = None
    after: str | None = None
    near: str | None = None


OPEN = 1
"""The gate that every word opens, and the note's ends; of what an entry does not ask."""
NEAR = 400
"""A token is near for so many characters, twice what the rules look back."""
RULE, NEXT, DIRECT, THEN, AFTER, NEAR_BY = range(6)
"""Columns of an entry (tries.py): the rule's number, then the gates of what it asks of the tokens around."""
NOWHERE = r"(?!)"
"""For `starts` of a rule that is only tried `before` something."""


def digits(text: str) -> str:
    """The decimal digits of a text, in their order."""
    return "".join(character for character in text if character.isdecimal())


def decimal_count(text: str) -> int:
    """How many decimal digits a text has."""
    return sum(map(str.isdecimal, text))


def found(match: regex.Match[str]) -> str:
    """The part of a rule's match that is PHI, without its `head`."""
    text: str | None = match["phi"] if "phi" in match.re.groupindex else None
    return match.group() if text is None else text
