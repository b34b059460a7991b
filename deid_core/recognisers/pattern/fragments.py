"""Fragments of expressions that several groups share: blanks, units, laboratory values, months and numeric dates.

Each is a verbose `regex` expression to be put into the pattern of a rule. None has a capturing group.
"""

from __future__ import annotations

from deid_core.core.word_lists import alternatives, word_set
from deid_core.recognisers.pattern.alternation import lookahead_alternation, lookbehind_alternation

B = "[ ]"
"""A blank within a line; plain text (plain_text.py) has no other blank."""

QUOTE = r"['`´’‘]"
DASH = "[-—]"

_UNITS = lookahead_alternation(word_set("pattern/units"))
NO_UNIT = rf"(?!{B}{{0,2}}+(?:{_UNITS})(?![\p{{L}}\d]|\.\p{{L}}|(?<=\b\p{{Lu}})\.))"
"""No unit follows: "1950 ml" is no year, "2009 E. Muster" is one.

No unit begins with a blank, and no laboratory value or version word below ends with one. So the blanks are possessive,
and the long alternations are tried once.
"""

_ANALYTES = lookbehind_alternation(word_set("pattern/laboratory-values"))
_ANALYTES_CUT = r"[GS]?[GO]OT|Leuko\p{L}{0,10}|(?:hs-?)?Trop\p{L}{0,8}|Harnst\."
NO_VALUE = rf"""
    (?<!(?<![\p{{L}}-])(?:{_ANALYTES}|{_ANALYTES_CUT})[ \t:=]{{0,4}}+
        (?:(?:von|auf|bei|bis|um|max\.?|maximal|ca\.?){B})?)
    (?<![=<≤≥±~≈]{B}?|(?<!-)>{B}?)
"""
"""Neither the name of a laboratory value nor a comparison sign precedes."""

_VERSIONS = lookbehind_alternation(word_set("pattern/version-words"))
NO_VERSION = rf"(?<!(?<!\p{{L}})(?:{_VERSIONS}|(?:Vers|V|Rel|Kap|Abs|Tab|Abb)\.):?+{B}?+)"
"""No word for a version, a chapter or a code precedes."""

NO_NUMBER = r"(?!\d|[.,:/]\d)"
"""The number ends here: no further digit and no decimals follow."""
NO_PERSON = rf"(?<!(?<!\p{{L}})(?i:Herrn?|Frau|Fr\.|Hr\.|Dr\.|Dr|Prof\.|Familie|Schwester|Sr\.|Pfleger){B})"
"""No salutation or title precedes, which would make a month or feast a surname: "Frau Mai", "Schwester Silvester"."""

DAY = r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
MONTH = r"(?:0?[1-9]|1[0-2])(?!\d)"
YEAR4 = r"(?:19\d\d|20[0-4]\d)(?!\d)"
YEAR = rf"(?:{B}?{YEAR4}|{B}?{QUOTE}{B}?\d\d(?!\d)|\d\d(?!\d))"
"""A year after a day and a month; two digits only without a blank before them ("12.3. 14 Uhr" has no year)."""

MONTH_BEGINS = r"(?=(?i:[jfmasond0]))"
"""Most words begin with other letters: this look-ahead saves the alternation."""
_MONTH_NAMES = alternatives("pattern/month-names")
_MONTH_ABBREVIATIONS = alternatives("pattern/month-abbreviations")
MONTH_NAME = rf"""
    (?:{MONTH_BEGINS}(?:(?i:{_MONTH_NAMES}
    |0ktober|Septernber|Novernber|Dezernber|Apri1|Ju1i|Mär2)(?!\p{{L}})(?:\.(?=\d))?
    |(?i:{_MONTH_ABBREVIATIONS})(?!\p{{L}})\.?))
"""
"""Only an abbreviation includes its full stop: after "4. Dezember" the sentence ends. OCR reads "m" as "rn"."""
NAMED_YEAR = rf"(?:{YEAR4}|{QUOTE}{B}?\d\d(?!\d)|\d\d(?!\d|[.,:/-]\d){NO_UNIT})"
"""A year after the name of a month, where two digits are a year, too."""

DAY_MONTH_YEAR = (
    rf"(?:{DAY}\.{B}?{MONTH}\.{YEAR}|{DAY}\.{B}{MONTH}\.{B}\d\d(?!\d|[.,:]\d|{B}?Uhr)"
    rf"|\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,]{B}?{YEAR4})"
)
"""01.12.1956, 1.12.`09, 1. 3. 2009, 1. 3. 98; with four digits of a year, misspelled days and commas count too."""

DAY_MONTH = rf"{DAY}\.{B}?{MONTH}\.(?!\d)"
NAMED_DATE = rf"(?:{DAY}\.?{B}{{0,2}}{MONTH_NAME}(?:{B}?,?{B}?{NAMED_YEAR})?)"
ISO_DATE = r"(?:(?:19\d\d|20[0-4]\d)[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])(?!\d))"
SLASHED_DATE = rf"(?:{DAY}[-/]{MONTH}[-/]{YEAR4}|{DAY}/{MONTH}/\d\d(?!\d|[-/]))"
FULL_DATE = rf"(?:{DAY_MONTH_YEAR}|{ISO_DATE}|{SLASHED_DATE}|{NAMED_DATE})"

_COUNTED_NOUNS = alternatives("pattern/counted-nouns")
ORDERED = rf"""
    (?:{_COUNTED_NOUNS}|\p{{L}}{{0,20}}[Tt]ag(?:e[sn]?)?|Finger\p{{L}}{{0,8}}|Zehe\p{{L}}{{0,8}}|Rippe\p{{L}}{{0,12}}
    |post\p{{L}}*+|Mittel\p{{L}}{{1,10}})
"""
"""Nouns that an ordinal counts: the number before them is no day ("am 3. Tag", "2. OP")."""
