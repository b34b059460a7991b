"""Rules of the group `id` for numbers that begin with letters, as journals and manufacturers issue them.

Year and number of a journal ("B13/20455"), serial numbers of letters and at least six digits; and any sequence of nine
digits or more, which no clinical value has.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.next_token import DIGITS_FIRST
from deid_core.recognisers.pattern.rule import PatternRule

_NO_MONTH = r"(?!\d{0,2}[-/](?:19|20)\d\d(?!\d))"
"""No month and year follows: "ED 12/2009"."""

LETTERED_RULES = (
    PatternRule(
        "id.journal",  # year and number: "B13/20455", "CT-2007-18832", "E/16/04471", "HH-18-40772"
        PhiType.ID,
        token_regex=r"\p{Lu}{1,3}-?(?:\d\d|(?:19|20)\d\d)(?:-\d{3,7})?|\p{Lu}{1,3}-\d\d-\p{L}.*",
        pattern=r"\p{Lu}{1,3}[-/]?(?:\d\d|(?:19|20)\d\d)(?:[-/]\p{Lu})?[-/.](?:\d{4,7}|\d{2}-\d{4,7}|(?<=/)\d{3})"
        r"(?:-\p{Lu})?(?![\d\p{L}]|[.,/-]\d)(?<!\p{Lu}\d\d?[-/](?:19|20)\d\d)",
        score=0.7,
        token_pair=(r"\p{Lu}", "/"),
        second_next=DIGITS_FIRST,
    ),
    PatternRule(
        "id.journal_spaced",  # "H 09/2207", "Mi 16-7702"
        PhiType.ID,
        pattern=rf"\p{{Lu}}\p{{L}}?{B}{_NO_MONTH}\d\d[-/]\d{{4,6}}(?![\d\p{{L}}]|[.,/-]\d)",
        score=0.6,
        token_pair=(r"\p{Lu}\p{L}?", r"\d\d[-/]\d{4,6}"),
    ),
    PatternRule(
        "id.serial",
        PhiType.DEVICE_ID,
        token_regex=r"\p{Lu}{2,4}-?\d{6,12}\p{L}?|\p{Lu}{1,3}-\d{4,8}-\d{2,8}",
        pattern=r"\p{Lu}{2,4}-?\d{6,12}\p{L}?(?![\p{L}\d-])|\p{Lu}{1,3}-\d{4,8}-\d{2,8}(?![\p{L}\d-])",
        score=0.6,
    ),
    PatternRule(
        "id.letter_number", PhiType.ID, token_regex=r"\p{Lu}\d{7,12}", pattern=r"\p{Lu}\d{7,12}(?![\p{L}\d])", score=0.6
    ),
    PatternRule("id.long_number", PhiType.ID, token_regex=r"\d{9,}+\p{L}?", pattern=r"\d++", score=0.5),
)
