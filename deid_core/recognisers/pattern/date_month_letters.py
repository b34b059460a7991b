"""Rules of the group `date` for months in letters between numbers: Roman ones, and those that devices print.

"12. X.", "3.XI.1962" in old letters; "14-MRZ-97" on a fax, "12-FEB-1972" in a passport.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import DAY, YEAR4, B
from deid_core.recognisers.pattern.next_token import DATE_LETTERS, MONTH_ABBREVIATED
from deid_core.recognisers.pattern.rule import PatternRule

_ROMAN = r"(?:X(?:I{1,2})?|IX|VI{0,3}|I{1,3}|IV)"
_BEFORE_DAY = rf"(?<=(?<!\p{{L}})(?i:am|vom|bis|seit|zum|ab|den|dem|und|geb\.|\*){B}?)"

MONTH_LETTERS_RULES = (
    PatternRule(
        "date.roman",  # "am 12. X.", "3.XI.1962", "2.V."; not "am 3. V.a. Infarkt"
        PhiType.DATE,
        pattern=rf"{DAY}\.{B}?{_ROMAN}\.?{B}?(?:{YEAR4}|\d\d(?!\d|[.,:/]\d))"
        rf"|(?:{_BEFORE_DAY}{DAY}\.{B}?{_ROMAN}|{DAY}\.{_ROMAN}|{DAY}\.{B}?(?:X|XI|XII|IX|VII|VIII))"
        rf"\.(?!\p{{L}}|{B}?\p{{Lu}}\.)",
        score=0.8,
        token_pair=(r"\d{1,2}", DATE_LETTERS),
        certain=True,
    ),
    PatternRule(
        "date.device",  # "14-MRZ-97", "12-FEB-1972", "3/Mai/2004"
        PhiType.DATE,
        token_regex=rf"\d{{1,2}}-{MONTH_ABBREVIATED}-\d{{2,4}}",
        pattern=rf"{DAY}[-/]{MONTH_ABBREVIATED}\.?[-/](?:{YEAR4}|\d\d(?!\d))",
        token_pair=(r"\d{1,2}", "[-/]"),
        next_token="[-/]",
        second_next=DATE_LETTERS,
        certain=True,
    ),
)
