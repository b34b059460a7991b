"""Group `salute`: "part of the salutation before a name, usually refers to a gender" (seed 000, Table 8).

Herr, Frau and their forms count before a capitalised word, a title or an initial, or as the only word of a line in an
address. They do not count in "eine 67-jährige Frau", "Sehr geehrter Herr Kollege", "Herr Vorsitzender" and "Damen und
Herren". "Sehr geehrter" is not PHI. Small letters, families and short forms ("frau muster", "Familie Muster", "Fr.
Muster") are left to the stacking model.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.rule import PatternRule

_WORDS_AFTER_SALUTATIONS = alternatives("pattern/words-after-salutations")
_NOBODY = rf"""
    (?!(?i:ko[l1]{{2}}eg|medizinalrat)|(?:Vorsitzende|Gutachter|Verteidiger|Staatsanw|Vorstand|Oberin|Prior)
    |(?:{_WORDS_AFTER_SALUTATIONS})(?:innen|in|en
        |e|s|n)?(?!\p{{L}}))
"""
_NAME_PARTICLES = alternatives("pattern/name-particles")
_NAME = rf"""
    {_NOBODY}(?:\p{{Lu}}|(?:{_NAME_PARTICLES})(?![\p{{L}}])|v\.{B}?(?:\p{{Lu}}|d\.)
    |l[bcdfghjkmnpqrstvwxz]\p{{Ll}}|[xX]{{2,4}}|[*_.…]{{2,4}})
"""
"""OCR reads "l" for a first "I": "lnge"."""
_GAP = rf"(?:{B}{{1,3}}|\t|\.?/|(?<=\.))"
_ALONE = r"(?<=(?:\A|[\n\t])[ ]{0,3}(?:An[ ])?\p{Lu}\p{L}{2,5})(?=[ ]{0,3}(?:[\n\t]|\Z))"
_NEXT_LINE = rf"""
    (?<=(?:[^\n\t\p{{L}}\ ]{B}?|[^\n\t]{B})\p{{Lu}}\p{{L}}{{2,4}})(?={B}?\n{_NAME})
    (?<!(?<!\p{{L}})(?i:bei{B}der|eine[rn]?|jede[rn]?|keine[rn]?){B}\p{{Lu}}\p{{L}}{{2,4}})
"""
"""The line ends between salutation and name, and this is no woman of many: "bei der Frau"."""
_OTHER = rf"(?:/|{B}(?:und|u\.|&|oder){B})(?:Herrn?|Frau|Fr\.)"

RULES = (
    PatternRule(
        "salute.mister",
        PhiType.SALUTE,
        token_regex=r"(?:Herr|Herrn|Herren|HERR|HERRN|Hr|Hrn|Hn)\.?",
        pattern=rf"(?:(?:Herrn?|HERRN?|Hrn?|Hn)\.?|(?<!Damen{B}?(?:und|u\.|/|,|&){B}?)Herren)(?:"
        rf"(?={_OTHER}{_GAP}{_NAME})|(?={_GAP}{_NAME})|{_ALONE}|{_NEXT_LINE})",
    ),
    PatternRule(
        "salute.lady",
        PhiType.SALUTE,
        token_regex=r"(?:Frau|FRAU|Frl|FRL|Fräulein|FRÄULEIN)\.?",
        pattern=rf"(?<!\p{{Ll}}jährige[nr]?{B}|(?:[SsMmDd]eine[rn]?|eigene[rn]?|junge|alte){B})(?:Frau|FRAU|Frl\.?|FRL\.?"
        rf"|Fräulein|FRÄULEIN)(?:(?={_OTHER}{_GAP}{_NAME})|"
        rf"(?={_GAP}{_NAME})|{_ALONE}|{_NEXT_LINE})"
        rf"|(?<=\p{{Ll}}jährige[nr]?{B})Frau(?={B}{_NAME})",
    ),
    PatternRule(
        "salute.foreign",
        PhiType.SALUTE,
        token_regex=r"(?:Mr|Mrs|Ms|Mme|Mevr|Dhr)\.?|Signora?|Madame|Monsieur|Mevrouw|Mijnheer|Pani|Señora?",
        pattern=rf"(?:(?:Mrs?|Ms|Mme|Mevr|Dhr)\.?|Signora?|Madame|Monsieur|Mevrouw|Mijnheer|Pani|Señora?)(?={B}{_NAME})",
        score=0.8,
    ),
)
