"""Long lists of words in an expression, in groups by their first or last character, so that few are looked at.

An alternation is tried from its first alternative to its last. Where none fits, as behind most numbers, a list of a
hundred units is a hundred steps through memory that the pipeline's other parts have pushed out of the caches, many
times what the rest of the rule costs. Grouped, one look at a set of characters is mostly enough.
The order of the words is lost: this is for look-arounds, which only ask whether any of them fits.
"""

from __future__ import annotations

_SOME = 6
"""So many groups are tried one after the other; more are put behind looks at the characters of some."""


def by_first(words: str) -> str:
    """A look-ahead's words, which begin with a letter or digit each; parted by "|", which may stand nowhere else."""
    groups: dict[str, list[str]] = {}
    for word in "".join(words.split()).split("|"):
        groups.setdefault(word[0], []).append(word[1:])
    some = [
        (f"[{''.join(firsts)}]", "|".join(f"{first}(?:{'|'.join(groups[first])})" for first in firsts))
        for firsts in _in_parts(sorted(groups))
    ]
    parts = "|".join(f"(?={firsts})(?:{part})" for firsts, part in some)
    return f"(?:(?=[{''.join(groups)}])(?:{parts}))"


def by_last(words: str) -> str:
    """As `by_first` for a look-behind, which reads from right to left; the words end with a letter or digit each."""
    groups: dict[str, list[str]] = {}
    for word in "".join(words.split()).split("|"):
        groups.setdefault(word[-1], []).append(word[:-1])
    some = [
        (f"[{''.join(lasts)}]", "|".join(f"(?:{'|'.join(groups[last])}){last}" for last in lasts))
        for lasts in _in_parts(sorted(groups))
    ]
    parts = "|".join(f"(?:{part})(?<={lasts})" for lasts, part in some)
    return f"(?:(?:{parts})(?<=[{''.join(groups)}]))"


def _in_parts(characters: list[str]) -> list[list[str]]:
    return [characters[at : at + _SOME] for at in range(0, len(characters), _SOME)]
