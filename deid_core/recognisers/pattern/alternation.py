"""Alternations of many words for look-arounds, grouped so that a failing match tries few of them.

An alternation tries its alternatives one after the other. After most numbers none of a hundred units follows, and the
hundred steps cost many times what the rest of the rule costs. In groups by first or last character, one test of a
character class is mostly enough. Grouping changes the order of the words, so this is for look-arounds only, which ask
whether any word matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_GROUPS_PER_BLOCK = 6
"""So many groups are tried one after the other; blocks of them are guarded by their set of characters."""


def lookahead_alternation(words: Iterable[str]) -> str:
    """Return an expression for the words, grouped by their first characters."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words):
        groups.setdefault(re.escape(word[0]), []).append(re.escape(word[1:]))
    blocks = [
        (f"[{''.join(block)}]", "|".join(f"{first}(?:{'|'.join(groups[first])})" for first in block))
        for block in _blocks(sorted(groups))
    ]
    guarded = "|".join(f"(?={firsts})(?:{alternatives})" for firsts, alternatives in blocks)
    return f"(?:(?=[{''.join(groups)}])(?:{guarded}))"


def lookbehind_alternation(words: Iterable[str]) -> str:
    """Return an expression for the words, grouped by their last characters: a look-behind reads from right to left."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words):
        groups.setdefault(re.escape(word[-1]), []).append(re.escape(word[:-1]))
    blocks = [
        (f"[{''.join(block)}]", "|".join(f"(?:{'|'.join(groups[last])}){last}" for last in block))
        for block in _blocks(sorted(groups))
    ]
    guarded = "|".join(f"(?:{alternatives})(?<={lasts})" for lasts, alternatives in blocks)
    return f"(?:(?:{guarded})(?<=[{''.join(groups)}]))"


def _blocks(characters: list[str]) -> list[list[str]]:
    return [characters[start : start + _GROUPS_PER_BLOCK] for start in range(0, len(characters), _GROUPS_PER_BLOCK)]
