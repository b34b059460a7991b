"""Given names in enumerations of children and relatives: "Kinder: Anna (14) und Maro (11)", "zwei Söhne: Jan, 29, …".

A name that is on no list counts if an age follows it. The cues are kinship words for several people.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.lexicon.flags import CAPITALISED, COMMON, IS_WORD, STOP
from deid_core.recognisers.person_names.name_line import NameLine

_MAX_TOKENS = 45
_MAX_AGE_DIGITS = 2
_AND = frozenset(("und", "u.", "u", "sowie", "&", "+"))
_AFTER_AGE = frozenset("),;") | {"j", "j.", "J.", "J", "Jahre", "jährig", "Mon.", "Mon", "Monate", "Mt", "Wo"}


def children(line: NameLine, index: int) -> Iterator[Detection]:
    """Yield the names with an age after them in the sentence that begins with the cue at `index`."""
    with_age = 0
    for at in range(index + 1, min(line.count, index + _MAX_TOKENS)):
        if line.word(at) == "." or (line.breaks[at] and line.gap(at).count("\n") > 1):
            return
        if not (_may_be_name(line, at) or _is_before_age_in_brackets(line, at)):
            continue
        after_age = _past_age(line, at + 1)
        if line.word(at - 1) == "mit":
            # "mit Down-Syndrom, 28"
            continue
        # The last name may be without an age: "Anna (14), Jan (11) und Maro".
        is_last = with_age and line.word(at - 1) in _AND and line.is_given_name(at)
        if after_age > at + 1 or is_last:
            with_age += 1
            two_names = _may_be_name(line, at - 1) and line.adjacent(at) and line.is_given_name(at - 1)
            score = 0.8 if line.is_given_name(at) else 0.7
            yield line.detection(at - 1 if two_names else at, at + 1, PhiType.RELATIVE, "child", score)


def _may_be_name(line: NameLine, index: int) -> bool:
    flags = line.flags_as_capitalised(index)
    if not flags & IS_WORD or flags & STOP or line.cues[index]:
        return False
    if not (line.flags[index] & CAPITALISED or line.lower_case_note):
        return False
    return line.is_listed(index) or (line.is_rare(index) and not flags & COMMON)


def _is_before_age_in_brackets(line: NameLine, index: int) -> bool:
    """Whether a common word is followed by an age alone in brackets: "Töchter Linde (14) und Maro (11)"."""
    flags = line.flags[index]
    if not flags & CAPITALISED or flags & STOP or line.cues[index] or line.is_noun_like(index):
        return False
    return line.word(index + 1) == "(" and _past_age(line, index + 1) == index + 3 and line.word(index + 3) == ")"


def _past_age(line: NameLine, index: int) -> int:
    """Return the token after "(14", ", 14," or "14 J.", `index` itself without an age."""
    age = index + (line.word(index) in {"(", ","})
    digits = line.word(age).rstrip("jJ")
    if not (digits.isdigit() and len(digits) <= _MAX_AGE_DIGITS):
        return index
    ends = (
        line.word(age) != digits or line.word(age + 1) in _AFTER_AGE or line.word(index) == "(" or line.ends_line(age)
    )
    return age + 1 if ends else index
