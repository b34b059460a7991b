"""What may stand behind a word so that rules of dates, ages and numbers are tried there: few expressions, shared.

A recogniser has room for 62 of them (pattern.py), and a rule that is tried once too often fails at its first character;
so each of these serves many rules.
"""

from __future__ import annotations

from deid_core.recognise.patterns.fragments import MONTH_NAME

NUMBER_WORD = (
    r"(?:[0-3]?\d\.)?\d{1,3}|,"
    r"|(?i:zum|vom|auf|am|den|dem|mit|ca\.?|etwa|über|heute|jetzt|inzwischen|damals|wird|fast|knapp)"
)
"""A short number, or what stands between a word and its number: "ab dem 12.", "Vater mit ca. 60", "Mi, 15."."""
LINK = r"(?i:bis|und|u\.|sowie|oder|auf)|[-/+,)]"
"""What joins two numbers of a list or a span, or ends it."""
SCAN_LETTERS = "lIOoiS|"
SCAN_DIGIT = rf"[\d{SCAN_LETTERS}]"
SCANNED_NUMBER = rf"{SCAN_DIGIT}{{1,4}}(?:[.-]{SCAN_DIGIT}{{1,4}}){{0,2}}\.?|[-/]"
"""A number in which a scan may have read letters."""
SCANNED_MONTH = r"""
    (?:0ktober|Okt0ber|Octob[ce]r|Septe(?:rn|nn|m)[bh]er|Nove(?:rn|nn|m)[bh]er|Deze(?:rn|nn|m)[bh]er|Apri[1lI]
    |Ju[n1lI][i1l]|Augnst|Angust|Fe[bh]rnar|Febr[un]ar|Ja[nu][nu]ar|M[äa]r[z2]|Miirz)(?!\p{L})
"""
"""Months as scans read them; ordinary words are among them ("Marz"), so they need a scanned day or year beside them."""
MONTH_ABBREVIATED = r"(?i:jan|jän|feb|mar|mrz|mär|apr|mai|may|jun|jul|aug|sep|sept|okt|oct|nov|dez|dec)"
HALVES = tuple(
    (first, second)
    for first, _, second in (
        word.partition("-")
        for word in (
            "Ja-nuar Janu-ar Fe-bruar Febru-ar Ap-ril Au-gust Sep-tember Septem-ber Ok-tober Okto-ber No-vember "
            "Novem-ber De-zember Dezem-ber Weih-nachten Weihnach-ten Pfing-sten Pfings-ten Os-tern Früh-jahr Früh-ling"
        ).split()
    )
)
"""Words of dates as a line's end or a scan's gap divides them."""
DATE_WORD = rf"""
    {MONTH_NAME}.*|{SCANNED_MONTH}|{MONTH_ABBREVIATED}(?:-.*)?|[-/]|[IVX]{{1,4}}\.?|[kc]tober
    |KW|Kalenderwoche|(?i:quartal|advents?.*|weihnachts.+|oster.+|pfingst.+|fasten.+)|(?:ig)?er(?:-.*)?
    |d\.|ds\.?|dieses|lfd\.?|l\.|d\.[MJ]\.|l\.M\.|d|{"|".join(sorted({half for word in HALVES for half in word}))}
"""
"""What makes a number before it a date or a part of one: months, feasts, calendar weeks, "d. M."."""
DATE_LETTERS = rf"(?=[\p{{L}}0])(?:{DATE_WORD})"
"""Those of letters, for rules that take no mark: "67/min" and "5 -" are common."""
AGE_UNIT = r"""
    (?:[Jj]|(?i:jahren?|j(?:ä|a)e?h?r.*|lebens\p{L}+|lj|monaten?|mts?|wochen?|tagen?|geb|geburtstags?|geburtstag\p{L}{0,2})|Mon?|a)
    \.?(?:-.*)?|war|-|;|\d{1,2}/\d{1,2}
"""
"""The unit of an age, or what stands between the number and it."""
