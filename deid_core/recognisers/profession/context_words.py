"""Flags of the words and marks around a profession: "gelernter", "Beruf", "als", a relative, "Herr", "gewesen"."""

from __future__ import annotations

import re

from deid_core.core.word_lists import flags_by_word
from deid_core.recognisers.profession import flags

_BY_WORD = flags_by_word(
    {
        flags.ANNOUNCES_PROFESSION: "profession/announcing-words",
        flags.STRONG_CUE: "profession/strong-announcing-words",
        flags.LEADS_IN: "profession/leading-words",
        flags.COPULA: "profession/copulas",
        flags.RELATIVE: "profession/relatives",
        flags.FORM_OF_ADDRESS: "profession/forms-of-address",
        flags.SKIPPED: "profession/skipped-words",
        flags.CONJUNCTION: "profession/joining-words",
        flags.WORK_WORD: "profession/work-words",
        flags.FOLLOWING_CUE: "profession/following-words",
        flags.TIME_ADVERB: "profession/time-adverbs",
        flags.PATIENT_WORD: "profession/patient-words",
        flags.AGE_WORD: "profession/age-words",
        flags.YEAR_PREPOSITION: "profession/year-prepositions",
    }
)
_BY_WORD["als"] |= flags.ALS
_BY_MARK = dict.fromkeys(",/(&:-–+", flags.CONJUNCTION) | dict.fromkeys(".;!?", flags.SENTENCE_MARK)
_YEAR = re.compile(r"(?:19|20)\d\d")
_AGED = (
    "jähriger", "jährige", "jährigen", "jähriges", "jährig", "jaehriger", "jaehrige", "jaehrigen", "jähr.",
)  # fmt: skip


def mark_flags(mark: str) -> int:
    """Return the ProfessionFlag values of a mark or a number."""
    if mark[0].isdigit():
        return flags.SKIPPED | (flags.YEAR_NUMBER if _YEAR.fullmatch(mark) else 0)
    return _BY_MARK.get(mark, 0)


def context_flags(lower: str) -> int:
    """Return the ProfessionFlag values of a word of the context, given in lower case."""
    return _BY_WORD.get(lower, 0) | (flags.ANNOUNCES_PROFESSION if lower.endswith(_AGED) else 0)
