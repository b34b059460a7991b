"""Group `plz`: German postcodes before a town or after a country code, Austrian and Swiss ones with such a code.

Five digits are a postcode only before a capitalised word that is neither a unit nor a laboratory value ("10000
Einheiten", "25000 U Heparin", "Thrombozyten 15000"). No German postcode begins with 00, 05, 43 or 62. Four digits
without a country, small letters and scanned digits are left to the stacking model.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import word_set
from deid_core.recognisers.pattern.alternation import lookahead_alternation
from deid_core.recognisers.pattern.fragments import NO_UNIT, NO_VALUE, B
from deid_core.recognisers.pattern.rule import PatternRule

_FIVE = r"(?!00|05|43|62)\d{5}(?!\d)"
_COUNTRY = "(?:D|DE|CH|A|AT|FL|F|FR|I|L|B|NL)"
_GAP = r"(?:[ \t]{0,2})"
_UNIT_PREFIXES = lookahead_alternation(word_set("pattern/prefixes-of-no-town"))
_UNIT = lookahead_alternation(word_set("pattern/words-of-no-town"))
_NO_TOWN = rf"(?!{_UNIT_PREFIXES}|{_UNIT}(?!\p{{L}}))"
"""Units and laboratory values; whole words only where towns begin alike: Ulm, Malsch, Ohmden, Einhausen."""
_TOWN = rf"{_NO_TOWN}(?=\p{{Lu}}(?:[\p{{Ll}}'’]|\p{{Lu}}[\p{{L}}.]|t\.)|\p{{Lu}}\p{{Lu}}(?!\p{{L}}))"

RULES = (
    PatternRule(
        "plz.country",
        PhiType.POSTCODE,
        token_regex=rf"{_COUNTRY}-\d{{4,5}}",
        pattern=rf"(?:(?:D|DE){B}?-{B}?{_FIVE}|CH{B}?-{B}?\d{{4}}(?!\d))"
        rf"|(?:D|DE){B}{_FIVE}(?={_GAP}{_TOWN})|(?:CH|A|AT|FL|L|B|NL){B}?-?{B}?[1-9]\d{{3}}(?!\d)(?={_GAP}{_TOWN})"
        rf"|(?:F|FR|I){B}?-{B}?\d{{5}}(?!\d)(?={_GAP}{_TOWN})",
        token_pair=(_COUNTRY, r"-|\d{4,5}"),
    ),
    PatternRule(
        "plz.cue",
        PhiType.POSTCODE,
        token_regex=r"PLZ|Postleitzahl",
        pattern=r"(?:PLZ|Postleitzahl)(?:/(?:Wohno|O)rt)?[\s:.=]{0,4}(?P<phi>\d{4,5}(?!\d))",
    ),
    PatternRule(
        "plz.town",
        PhiType.POSTCODE,
        token_regex=r"\d{5}",
        pattern=rf"(?={_FIVE}{_GAP}{_TOWN})(?<![\d.,/:-]{B}?[-/.])(?<!\t[\d.,]{{1,8}}\t){NO_VALUE}\d{{5}}{NO_UNIT}",
        score=0.9,
    ),
)
