"""Group `date`: all kinds of dates (seed 000, Table 8), from 01.12.1956 to "Sommer 2009" and "(2009)".

The rules are in the modules that begin with date_, and in other_languages.py. Times of day are not dates. A weekday
belongs to the date after it; a weekday without a date is kept.
"""

from __future__ import annotations

from deid_core.recognisers.pattern.date_by_style import STYLE_RULES
from deid_core.recognisers.pattern.date_day import DAY_RULES
from deid_core.recognisers.pattern.date_dictated import DICTATED_RULES
from deid_core.recognisers.pattern.date_feasts import FEAST_RULES
from deid_core.recognisers.pattern.date_in_words import WORD_RULES
from deid_core.recognisers.pattern.date_month import MONTH_RULES
from deid_core.recognisers.pattern.date_month_letters import MONTH_LETTERS_RULES
from deid_core.recognisers.pattern.date_ocr import DATE_OCR_RULES
from deid_core.recognisers.pattern.date_weekday import WEEKDAY_RULES
from deid_core.recognisers.pattern.date_whole import BIRTH_RULES, FULL_RULES, RANGE_RULES
from deid_core.recognisers.pattern.date_years import YEAR_RULES
from deid_core.recognisers.pattern.other_languages import DATE_RULES as FOREIGN_RULES

RULES = (
    *BIRTH_RULES,
    *DATE_OCR_RULES,
    *MONTH_LETTERS_RULES,
    *DICTATED_RULES,
    *RANGE_RULES,
    *WEEKDAY_RULES,
    *FULL_RULES,
    *FOREIGN_RULES,
    *FEAST_RULES,
    *WORD_RULES,
    *MONTH_RULES,
    *DAY_RULES,
    *STYLE_RULES,
    *YEAR_RULES,
)
"""In order of precedence: dates of birth with their trigger, then the most certain forms first."""
