"""Group `date`: all kinds of date representations (seed 000, Table 8), from 01.12.1956 to "Sommer 2009" and "(2009)".

Rules in order of precedence: dates of birth by their trigger, then the surest form first; words ("Ostern") stand in
date_words.py, what scans misread in date_noise.py. What speaks against a date (units, scores, vertebrae, doses,
versions) stands beside the rule that needs it. Times of day are no dates. Weekdays belong to the date behind them;
alone they are kept.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.date_day import DAY_RULES
from deid_core.recognise.patterns.date_feasts import FEAST_RULES
from deid_core.recognise.patterns.date_foreign import FOREIGN_RULES
from deid_core.recognise.patterns.date_habits import HABIT_RULES
from deid_core.recognise.patterns.date_noise import NOISE_RULES
from deid_core.recognise.patterns.date_weekday import WEEKDAY_RULES
from deid_core.recognise.patterns.date_words import WORD_RULES
from deid_core.recognise.patterns.date_years import YEAR_RULES
from deid_core.recognise.patterns.following import DATE_WORD, LINK
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
        before=(rf"{DAY}(?:\.{MONTH}(?:[-./]\d+)*)?", LINK),
    ),
    PatternRule(
        "date.first_day",  # the "3." of "vom 3. bis 5. März"
        PhiType.DATE,
        NOWHERE,
        rf"{DAY}\.(?=(?:,{B}?{DAY}\.){{0,4}}{B}?(?:(?i:bis|und|u\.|sowie|oder|auf)|[/,+])[ \n]"
        rf"(?:(?:\p{{Ll}}{{4,12}}{B})?(?:zum|den|dem|auf{B}den|am){B}|(?:erneut|nochmals|wieder|dann){B}"
        rf"(?:am{B})?)?"
        rf"(?:{DAY}\.(?:,{B}?{DAY}\.{B}und{B}{DAY}\.)?{B}?(?:{MONTH_NAME}|{MONTH}\.)))",
        before=(r"\d{1,2}", LINK),
    ),
)

_FULL_RULES = (
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
        before=(r"\d{1,2}(?:[-/]\d{1,2})?", DATE_WORD),
    ),
)

_SCORES = rf"""
    (?<!(?<!\p{{L}})(?:[HBL]W[KSD]|Th|TH|BW|LW|HW|L|C|S|VAS|NRS|VRS|GCS|MMST|MMSE|Apgar|APGAR|Score|Skala
        |Kraftgrad|Janda|Grad|Stadium|Blatt|Seite|Zimmer|Bett|Station|RR|Visus|Titer|Verdünnung|Barthel|Index|Stufe
        |Schmerz\p{{L}}{{0,10}}|Intensität|Lautheit|Klasse|NYHA|CCS|Killip|Faktor|Apgar|Pat\.|pN\d\p{{Ll}}{{0,2}}(?:\(sn\))?{B}?\(|pN\d?\p{{Ll}}?|LK|0,\d{{1,3}}\s{{1,20}}\(|Lymphknoten|Gelenke|S\.|Uhr|NRS|nrs|vas|regio|Summe|MRC|Kapandji)
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
    PatternRule(
        "date.month_span",  # "Interferon 05/17-02/18"
        PhiType.DATE,
        rf"{MONTH}/\d\d-{MONTH}/\d\d",
        rf"{MONTH}/\d\d-{MONTH}/\d\d(?![\d/-]|[.,:]\d){NO_UNIT}",
        score=0.8,
    ),
)

RULES = (
    *_BIRTH_RULES,
    *NOISE_RULES,
    *FOREIGN_RULES,
    *_RANGE_RULES,
    *WEEKDAY_RULES,
    *_FULL_RULES,
    *FEAST_RULES,
    *WORD_RULES,
    *_MONTH_RULES,
    *DAY_RULES,
    *HABIT_RULES,
    *YEAR_RULES,
)
