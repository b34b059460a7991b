"""Group `date`: all kinds of date representations (seed 000, Table 8), from 01.12.1956 to "Sommer 2009" and "(2009)".

Rules in order of precedence: dates of birth by their trigger, then the surest form first; words ("Ostern") stand in
date_words.py, what scans misread in date_noise.py. What speaks against a date (units, scores, vertebrae, doses,
versions) stands beside the rule that needs it. Times of day are no dates. Weekdays belong to the date behind them;
alone they are kept.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.date_noise import NOISE_RULES
from deid_core.recognise.patterns.date_words import WORD_RULES
from deid_core.recognise.patterns.fragments import (
    DASH,
    DAY,
    DAY_MONTH,
    DAY_MONTH_YEAR,
    FULL_DATE,
    ISO_DATE,
    MONTH,
    MONTH_NAME,
    NAMED_DATE,
    NAMED_YEAR,
    NO_UNIT,
    NO_VALUE,
    NO_VERSION,
    QUOTE,
    SLASHED_DATE,
    YEAR4,
    B,
)
from deid_core.recognise.patterns.rule import NOWHERE, PatternRule

_NO_NUMBER = r"(?![\d]|[.,:/]\d)"
_NO_DOSE = rf"(?!{B}?\(?[\d½¼](?:[.,/]\d)?{B}?{DASH}{B}?[\d½¼])"
"""No dosage scheme (1-0-1) follows: "Inegy 10/20 0-0-1" is no month."""

# Dates of birth: a trigger, then a date, a year or a month and year.
_BORN = r"(?i:geb|geboren\p{L}{0,2}|geburtsdatum|geburtstag|geb-?datum|gebdat|jahrgang|jg|birth)"
_SPACED = rf"{DAY}{B}{MONTH}{B}(?:{YEAR4}|\d\d(?!\d))"
_BIRTH = (
    rf"(?P<phi>{FULL_DATE}|{DAY_MONTH}|{MONTH}[./]{YEAR4}|{MONTH_NAME}{B}?{NAMED_YEAR}|{YEAR4}{_NO_NUMBER}"
    rf"|{MONTH}/\d\d{_NO_NUMBER}|[0-3]\d[01]\d(?:19|20)\d\d(?!\d)|{_SPACED})"
)
_BIRTH_RULES = (
    PatternRule(
        "date.birth",
        PhiType.BIRTH_DATE,
        rf"{_BORN}\.?",
        rf"{_BORN}(?:[.-]{{1,2}}{B}?(?i:dat(?:um)?|tag)\b)?\.?(?:{B}in{B}[\p{{L}}][\p{{L}} ./-]{{1,30}}?)?"
        rf"[\s.:,]{{0,5}}(?:(?i:am|im{B}Jahre?|den|date){B}?[:.]?\s{{0,2}})?\(?{_BIRTH}",
    ),
    PatternRule(
        "date.birth_sign",
        PhiType.BIRTH_DATE,
        r"[*∗✶]",
        rf"[*∗✶]{B}{{0,2}}(?P<phi>{FULL_DATE}|{_SPACED}|{YEAR4}{_NO_NUMBER}{NO_UNIT})",
        score=0.9,
    ),
)

# Ranges and lists without words between are one detection; with words ("bis", "und") each date is its own.
_RANGE_RULES = (
    PatternRule(
        "date.range",
        PhiType.DATE,
        rf"{DAY}[-/]{DAY}(?:[-./]\d+)+|(?=[^-/]+[-/]){DAY}\.{MONTH}(?:[-./]\d+)*",
        rf"(?=[\d.]{{1,11}}+{B}?[-/+,]{B}?\d)(?:"
        rf"(?:{DAY}\.{B}?[-/,]{B}?){{1,6}}(?:{DAY_MONTH_YEAR}|{DAY_MONTH}|{NAMED_DATE})"
        rf"|{DAY}[-/]{DAY_MONTH_YEAR}"
        rf"|(?:{DAY}\.{MONTH}(?:\.{YEAR4}|\.\d\d(?!\d)|\.)?(?:{B}?-{B}?|/)){{1,6}}{DAY_MONTH_YEAR}"
        rf"|(?:{DAY}\.{MONTH}\.{B}?[-/]{B}?){{1,6}}{DAY_MONTH}"
        rf"|{MONTH}{B}?[-/+]{B}?{MONTH}[/.]{YEAR4})",
        before=(rf"{DAY}(?:\.{MONTH}(?:[-./]\d+)*)?", r"[-/+,]"),
    ),
    PatternRule(
        "date.first_day",  # the "3." of "vom 3. bis 5. März"
        PhiType.DATE,
        NOWHERE,
        rf"{DAY}\.(?=(?:,{B}?{DAY}\.){{0,4}}{B}?(?:bis|und|u\.|sowie|oder|auf|[/,+]){B}(?:(?:\p{{Ll}}{{4,12}}{B})?(?:zum|den|dem|auf{B}den|am){B}|(?:erneut|nochmals|wieder|dann){B}"
        rf"(?:am{B})?)?"
        rf"(?:{DAY}\.(?:,{B}?{DAY}\.{B}und{B}{DAY}\.)?{B}?(?:{MONTH_NAME}|{MONTH}\.)))",
        before=(r"\d{1,2}", r"bis|und|u\.|sowie|oder|auf|[/,+]"),
    ),
)

_WEEKDAY = (
    r"(?:(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)(?!\p{L})"
    r"|(?:M[Oo]|D[Ii]|M[Ii]|D[Oo]|F[Rr]|S[Aa]|S[Oo])(?!\p{L}))"
)
_FULL_RULES = (
    PatternRule(
        "date.weekday",
        PhiType.DATE,
        _WEEKDAY + r"\.?",
        rf"{_WEEKDAY}\.?,?{B}?(?:(?i:den|dem|der){B})?(?:{FULL_DATE}|{DAY_MONTH})",
    ),
    PatternRule(
        "date.numeric",
        PhiType.DATE,
        r"\d{1,2}[.,]\d{1,2}[.,]\d+",
        rf"(?=\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,])"
        rf"(?:(?=\d{{1,2}}{B}?[.,]{B}?\d{{1,2}}{B}?[.,]{B}?(?:{YEAR4}|{QUOTE}))"
        rf"|{NO_VERSION}(?!(?:\d{{1,2}}\.){{3}}\d))"
        rf"{DAY_MONTH_YEAR}",
        before=(r"\d{1,2}(?:[.,]\d{1,2})?", r"\d.*|[,'`´’‘]"),
    ),
    PatternRule(
        "date.iso",
        PhiType.DATE,
        r"(?:19|20)\d\d[-/.]\d.*",
        rf"{ISO_DATE}|(?:19\d\d|20[0-4]\d)-(?:0[1-9]|1[0-2])(?![\d-])",
    ),
    PatternRule(
        "date.slashed", PhiType.DATE, rf"{SLASHED_DATE}.*", rf"(?<!(?i:apgar)[^\n\d]{{0,12}}){SLASHED_DATE}{NO_UNIT}"
    ),
    PatternRule(
        "date.compact",
        PhiType.DATE,
        r"(?:19|20)\d{6}",
        rf"(?<!PZN:?{B}?)(?:19\d\d|20[0-4]\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\d])",
        score=0.6,
    ),
    PatternRule(
        "date.named",
        PhiType.DATE,
        NOWHERE,
        rf"(?:{DAY}\.?{B}?[-/]{B}?)?{NAMED_DATE}",
        before=(r"\d{1,2}(?:[-/]\d{1,2})?", rf"{MONTH_NAME}.*|[-/]"),
    ),
)

_SCORES = rf"""
    (?<!(?<!\p{{L}})(?:[HBL]W[KSD]|Th|TH|BW|LW|HW|L|C|S|VAS|NRS|VRS|GCS|MMST|MMSE|Apgar|APGAR|Score|Skala
        |Kraftgrad|Janda|Grad|Stadium|Blatt|Seite|Zimmer|Bett|Station|RR|Visus|Titer|Verdünnung|Barthel|Index|Stufe
        |Schmerz\p{{L}}{{0,10}}|Intensität|Lautheit|Klasse|NYHA|CCS|Killip|Faktor|Apgar|Pat\.|pN\d\p{{Ll}}{{0,2}}(?:\(sn\))?{B}?\(|pN\d?\p{{Ll}}?|LK|0,\d{{1,3}}\s{{1,20}}\(|Lymphknoten|Gelenke|S\.|Uhr)
        (?:[ \t:=]|von|mit|bei|bis|{DASH}){{0,4}})
"""
_NO_SCORE = rf"""
    (?!{B}?(?:[Ss]ystol|[Dd]iastol|Punkt|Skala|Ableitung|Segment|Lautst|Herzger|der{B}|aller{B}|Gelenk|Lymphkn
        |LK(?!\p{{L}})|Stanz|Zylinder|Herde))
"""
# A month with two digits of a year looks like a fraction ("LP 12/12", "Inegy 10/20", "IVS 12/13"): it needs evidence.
_DATED = r"""
    (?i:Z\.[ ]?n\.|Zustand[ ]nach|seit|zuletzt|letztmals|erstmals|bereits|vom|von|im|am|ab|bis|Anfang|Mitte|Ende|Stand
    |für|geplant|Vorwert|abgerechnet
    |ED|EM|ES|OP|SM|ICD|CRT|HSM|AKE|MKE|TEP|HTX|NTX|PTA|PTCA|PT[CR]A|PCI|DES|BMS|CABG|ACB|ACVB|ACBP|TAVI|MVR|AVR|TIA
    |PRIND|LAE|TVT|TBVT|MI|HWI|VWI|STEMI|NSTEMI|ACS|RFA|PVI|EPU|HK|LHK|RHK|HKU|Echo|TTE|TEE|CT|CCT|MRT|NMR|PET|ERCP|ÖGD
    |EGD|Colo|Kolo|Koro|Angio|Reha|AHB|Stents?|Bypass|Wechsel|Anlage|Infarkt|Insult|Apoplex|Unfall|Sturz|Eingriff
    |Aufenthalt|Kontrolle|Befund|Diagnose|Erstdiagnose|Rezidiv|Therapie|Chemo|Radiatio|Metastasen|Lyse
    |\p{L}{2,30}(?:ung|ion|heit|keit|ose|itis|om|ie|eingriff|infarkt|insult|fraktur|bypass|stent|wechsel|anlage|aufenthalt
    |kontrolle|flimmern|flattern|syndrom|plastik|ersatz|katheter|befund|embolie|echo|befall|riss|ruptur|krise|schub))
"""
"""What has a date: words of time, procedures and diagnoses; the names of drugs do not end so."""
_YEAR_HINT = rf"""
    (?<=(?<!\p{{L}}){_DATED}(?:{B}[^\n\d;:=]{{0,24}})?[ ,(]|\d/{B}?\d\d(?:,|{B}und|{B}u\.|{B}bis|{B}?-){B}?)
"""
_SHORT = rf"{MONTH}/{B}?{QUOTE}?\d\d(?:{B}?-{B}?{MONTH}/{QUOTE}?\d\d)?(?![\d/]|[.,:-]\d)"
_SURE_SHORT = rf"""
    (?:0[1-9]/(?:[0-3]\d|[6-9]\d)|{MONTH}/(?:0\d|[6-9]\d|{QUOTE}\d\d)
    |(?<=\({B}?){MONTH}/[0-3]\d(?={B}?(?:[,;)]|bis))
    |(?<=(?:\A|[\n\t])[-•*\t ]{{0,3}}){MONTH}/[0-3]\d(?=:|{B}?-?{B}\p{{L}}))
    (?![\d/]|[.,:-]\d)
"""
"""No fraction: a zero before the month or the year, a year of the last century, alone in brackets, before an entry."""
_MONTH_RULES = (
    PatternRule(
        "date.month_year",
        PhiType.DATE,
        r"\d{1,2}[./-](?:19|20)\d\d(?:[-/]\d{1,2}[./]\d{4})?",
        rf"(?<!(?:Titer|Verdünnung){B}(?:von{B})?){NO_VALUE}{MONTH}[./-]{YEAR4}"
        rf"(?:{B}?[-/]{B}?{MONTH}[./]{YEAR4})?{_NO_NUMBER}{NO_UNIT}",
    ),
    PatternRule(
        "date.month_year_short",  # 12/09, PTCA 3/10; not 3/6, LP 12/12, BWK 11/12, 120/80, NRS 3/10, "10/40 mg"
        PhiType.DATE,
        rf"{MONTH}/\d\d(?:-{MONTH}/\d\d)?",
        rf"(?=\d{{1,2}}/)(?:{_SCORES}{NO_VALUE}(?:{_SURE_SHORT}|{_YEAR_HINT}{_SHORT})){NO_UNIT}{_NO_SCORE}{_NO_DOSE}",
        score=0.7,
        before=(MONTH, "/"),
    ),
)

_AFTER_SHORT = rf"(?={B}?(?:[-/,:;)]|bis|und|u\.)|{B}\p{{Ll}}|{B}?\(|\t\d{{1,2}}\.)"
_DAY_HINT = rf"""
    (?<=(?<!\p{{L}})(?i:am|vom|bis|seit|zum|ab|den|dem|zwischen|montag|dienstag|mittwoch|donnerstag|freitag|samstag
        |sonntag|termin|datum|kontrolle|entlassung|aufnahme|entl\.|aufn\.|op|v\.|besprochen|unterschrieben|verlegt|entlassen|operiert|geplant
        |erfolgt|anreise(?:{B}ca\.)?)[,:]?{B}|\d\.{B}(?:und|u\.|oder){B}|\d\.,{B}|\d\.\t)
"""
_AT_LINE = rf"""
    (?<=(?:\A|\n)[-•*]?{B}{{0,2}})(?:
    (?={DAY}\.{MONTH}\.(?:{B}?\n|{B}?\Z|[\t ]{{1,3}}(?:\p{{Ll}}|\d{{1,2}}[:.]\d\d|[(])|{B}{B}))
    |(?=(?:[4-9]\.\d|\d\.[5-9])\.\t)
    |(?<=(?:\A|\n)(?:[0-3]\d\.\d{{1,2}}|\d\.(?:0[1-9]|1[0-2]))\.[^\n]{{0,300}}\n))
"""
"""An entry of a list by days: "5.8.⏎Anruf", "1.9.⇥CT", below one with a sure date; "1.1.⇥Diagnose" is a section."""
_ORDERED = r"""
    (?:\p{L}{0,20}[Tt]ag(?:e[sn]?)?|Woche|Monat|Jahr|Finger\p{L}{0,8}|Zehe\p{L}{0,8}|Strahl|Mal|Stock|Advent|Quartal|Rippe\p{L}{0,12}|Zyklus|Kurs
    |Termin|LT|Pod|POD|post\p{L}*+|ICR|IKR|MFK|MHK|[HBL]W[SK]|Wirbel|Gang|Versuch|Mittel\p{L}{1,10}|OP|Schritt|Segment|Zahn|p\.?o\.?)
"""
_DAY_ALONE = rf"""
    {DAY}\.(?!{B}?(?:\d|{_ORDERED}(?!\p{{L}})|\p{{Ll}}{{3,20}}(?:en|n|ten){B}(?:\p{{Ll}}{{3,20}}en{B})?{_ORDERED}(?!\p{{L}}))|{B}?{MONTH_NAME})
    (?={B}?(?:[,;)\n]|\Z)|{B}(?:\p{{Ll}}|\p{{Lu}}(?<=[6-9]\.{B}\p{{Lu}}|\d\d\.{B}\p{{Lu}})))
"""
_DAY_RULES = (
    PatternRule(
        "date.day",  # "am 16. gezogen", "am 10. und 11."; not "am 3. Tag", "am 2. postoperativen Tag"
        PhiType.DATE,
        NOWHERE,
        rf"(?:(?:[Aa]m|AM|Nacht{B}(?:zum|vom|auf{B}den)){B}(?P<phi>{_DAY_ALONE})"
        rf"|(?:und|u\.|,){B}(?:am{B})?(?P<phi>{_DAY_ALONE})(?<=(?<!\p{{L}})[Aa]m{B}\d{{1,2}}\.(?:,{B}\d{{1,2}}\.)?"
        rf"(?:,|{B}und|{B}u\.){B}(?:am{B})?\d{{1,2}}\.))",
        score=0.6,
        before=(r"[Aa]m|AM|Nacht|und|u\.|,", r"\d{1,2}|zum|vom|auf|am"),
    ),
    PatternRule(
        "date.day_month",  # "12.3."; single digits need more than a sentence's end behind them: "INR 2.3."
        PhiType.DATE,
        rf"{DAY}\.{MONTH}",
        rf"(?=\d{{1,2}}\.{B}?\d{{1,2}}\.(?!\d))(?:{_DAY_HINT}|{_AT_LINE}|(?<=[Vv]on{B})(?=[\d. ]{{4,6}}bis{B}\d)"
        rf"|(?<!\+){NO_VERSION}{NO_VALUE}(?<![(\[]?(?:auf|um|von"
        rf"|auf{B}ca\.){B})(?=0\d\.|[1-3]\d\.|\d\.{B}?(?:0|1[0-2])|\d\.\d\.(?:{_AFTER_SHORT}|{B}\d{{1,2}}[:.]\d\d)))"
        rf"{DAY_MONTH}{NO_UNIT}",
        score=0.8,
        before=(DAY, r"\d{1,2}"),
    ),
    PatternRule(
        "date.day_month_open",  # "am 12.3 Aufnahme": the second full stop is missing
        PhiType.DATE,
        rf"{DAY}\.{MONTH}",
        rf"{DAY}\.{MONTH}(?<=(?<!\p{{L}})(?i:am|vom|zum|dem|den){B}[\d.]{{3,5}}){_NO_NUMBER}{NO_UNIT}",
        score=0.7,
    ),
    PatternRule(
        "date.glued",  # the blank before the date is missing: "am12.3.2009", "seit2009"
        PhiType.DATE,
        r"(?i:am|vom|bis|seit|den|dem|ab|zum|im|und|geb)\d{1,4}",
        rf"\p{{L}}{{2,4}}(?P<phi>{FULL_DATE}|{DAY_MONTH}|{MONTH}[./]{YEAR4}|{MONTH}/\d\d{_NO_NUMBER}"
        rf"|{YEAR4}{_NO_NUMBER}{NO_UNIT})",
        score=0.9,
    ),
)

_YEAR_RULES = (
    PatternRule(
        "date.year",
        PhiType.DATE,
        r"(?:19\d\d|20[0-4]\d)(?:[-/]\d{2,4})*",
        rf"""
        {NO_VALUE}{NO_VERSION}
        (?<!\d(?:[.,:]|{B}?[-/]{B}?))(?:(?<!\d\t)|(?<=(?:19|20)\d\d\t))
        (?<!(?<!\p{{L}})(?:Nr\.?|Nummer|Zimmer|Raum|Serie|insgesamt|je|à|Tel\.?|WHO|Leitlinien?|ESC|AHA)[:]?{B})
        {YEAR4}(?:(?:[-/]\d\d(?!\d)|{B}?[-/]{B}?{YEAR4})){{0,3}}
        (?!\d|[.,:]\d|/\p{{L}}|{B}?[x×*]{B}?\d|er(?!\p{{L}})[-\ ](?!Jahr)){NO_UNIT}
        """,
        score=0.7,
    ),
    PatternRule(
        "date.year_quoted", PhiType.DATE, QUOTE, rf"(?<=[\s(/]){QUOTE}\d\d(?!\d|[.,:/]\d|\p{{L}}){NO_UNIT}", score=0.7
    ),
    PatternRule(
        "date.year_short",  # "seit 97", "seit 08"
        PhiType.DATE,
        NOWHERE,
        rf"(?i:seit){B}(?P<phi>[4-9]\d|0\d)(?![\d\p{{L}}]|[.,:/-]\d|{B}?[%x])(?={B}?[),;\n]|\.(?!\d)|{B}\p{{Ll}})"
        rf"{NO_UNIT}(?!{B}(?i:jahr|j\.|tage|woche|monat|min|std|stund))",
        score=0.6,
        before=(r"(?i:seit)", r"\d\d"),
    ),
)

RULES = (
    *_BIRTH_RULES,
    *_RANGE_RULES,
    *_FULL_RULES,
    *WORD_RULES,
    *_MONTH_RULES,
    *_DAY_RULES,
    *_YEAR_RULES,
    *NOISE_RULES,
)
