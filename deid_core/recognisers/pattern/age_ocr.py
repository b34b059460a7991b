"""Rules of the group `age` for OCR errors: "l9-jährige", "mit 8l Jahren"."""

from __future__ import annotations

import regex

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.next_token import AGE_UNIT
from deid_core.recognisers.pattern.ocr import READ_AS_DIGIT, SCAN_LETTERS
from deid_core.recognisers.pattern.rule import PatternRule, phi_text

_NUMBER = rf"{READ_AS_DIGIT}{{2}}(?![\p{{L}}\d])"
_YEARED = r"(?i:j(?:ä|ae|a)hri[gq](?:e[rnsm]?)?|j(?:ä|ae)hr\.)(?!\p{L})"


def _reads_as_age(match: regex.Match[str]) -> bool:
    """Return whether one of the two characters is a digit and the other a letter read for one."""
    text = phi_text(match)[:2]
    return any(letter in SCAN_LETTERS for letter in text) and any(letter.isdecimal() for letter in text)


AGE_OCR_RULES = (
    PatternRule(
        "age.scanned_adjective",  # "l9-jährige", "6l jähriger"
        PhiType.AGE,
        token_regex=rf"{READ_AS_DIGIT}{{2}}-?{_YEARED}",
        pattern=rf"{READ_AS_DIGIT}{{2}}-?{B}?{_YEARED}",
        check=_reads_as_age,
        score=0.8,
        token_pair=(rf"{READ_AS_DIGIT}{{2}}", AGE_UNIT),
    ),
    PatternRule(
        "age.scanned_years",  # "mit 8l Jahren", "im Alter von l4 Monaten", "im l7. Lebensjahr", "mit 5l J. an"
        PhiType.AGE,
        pattern=rf"(?P<phi>{_NUMBER}\.?){B}{{1,2}}(?:(?i:jahren?|lebensjahr)(?!\p{{L}})|J\.|(?i:monaten)(?!\p{{L}}))"
        rf"(?<=(?<!\p{{L}})(?i:mit|von|seit|im|(?:seit|in){B}(?:dern|dem)){B}[^\n]{{2,4}}{B}{{1,2}}[\p{{L}}.]{{2,12}})",
        check=_reads_as_age,
        score=0.7,
        token_pair=(rf"{READ_AS_DIGIT}{{2}}\.?", AGE_UNIT),
    ),
)
