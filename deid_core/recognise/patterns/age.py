"""Group `age`: how old somebody is. "67-jährige" is taken as a whole word; of "67 Jahre alt" and the like the number.

Durations are kept: "seit 5 Jahren", "nach 10-jähriger Therapie".
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import NO_UNIT, B
from deid_core.recognise.patterns.rule import PatternRule

_N = r"(?:1(?:0\d|1[0-5])|[1-9]?\d)(?!\d)"
_HALF = r"[½¼¾]?"
_NO_JOULE = rf"""
    (?<!(?i:kardioversion|cardioversion|kardiovertiert|cardiovertiert|schock|defibrill|biphasisch|monophasisch
        |energie|joule)[^\n]{{0,60}})
    (?!{B}?[^\n]{{0,12}}(?:phasisch|[Ss]chock))
"""
"""A "J" behind a cardioversion is a joule."""
_TIME = r"(?:Jahren?|J\.|J(?!\p{L})|Lebensjahren?|Monaten?|Mon\.|Wochen?|Tagen?)"
_YEARED = r"jähr(?:ig(?:e[rnms]?|en)?(?!\p{L})|\.)"
_NO_DURATION_BEFORE = (
    rf"(?<!(?<!\p{{L}})(?i:seit|nach|vor|für|über|alle|trotz|während|innerhalb|binnen|in|ca\.|etwa|rund|von|bis"
    rf"|langer|die|mehr{B}als|letzten){B}(?:ca\.{B}|etwa{B}|über{B}|den{B}|einer{B}|ein{B})?)"
)
_NO_DURATION = rf"""
    (?!{B}(?:\p{{Ll}}{{1,20}}{B})?\p{{L}}{{0,20}}(?:Anamnese|anamnese|[Vv]erlauf|[Nn]ikotin|[Aa]busus|[Rr]auch
        |[Tt]herapie|Laufzeit|[Bb]eschwerde|[Ee]rkrankung|[Kk]rankheit
        |Vorgeschichte|[Üü]berleben|Follow|[Ii]ntervall|[Pp]ause|[Bb]ehandlung|[Ee]innahme|[Dd]auer|[Bb]estehen
            |[Kk]onsum|[Zz]eitraum|Hypertoni|Diabetes
        |[Kk]arenz|[Mm]ortalität|Garantie|Risiko|[Kk]ontroll|Nachbeobachtung|Abstinenz|Haft|Tätigkeit|Ehe|Abständ))
"""
_TENS = (
    r"(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)?(?:und)?(?:zwanzig|dreißig|dreissig|vierzig|fünfzig"
    r"|sechzig|siebzig|achtzig|neunzig|hundert)"
)

RULES = (
    PatternRule(
        "age.years_old",  # 67-jährige, 67jähriger, 67 jähr.
        PhiType.AGE,
        r"\d{1,3}[½¼¾]?",
        rf"(?=\d{{1,3}}{_HALF}{B}?-?{B}?j)(?:(?<!(?<!\p{{L}})(?i:nach|seit|trotz|mit|bei){B}(?:\p{{Ll}}{{3,5}}{B})?)"
        rf"(?<![\d.,/]{{1,2}}-?){_N}{_HALF}{B}?-?{B}?{_YEARED}{_NO_DURATION}"
        rf"|{_N}{_HALF}{B}?-?{B}?{_YEARED}(?={B}(?:\p{{Ll}}{{2,15}}{B})?(?:Pat|Mann|Frau|Herr|Dame|Jung|Mädchen|Kind"
        rf"|Tochter|Sohn|Säugling|Mensch|Rentner|Mutter|Vater)))",
    ),
    PatternRule(
        "age.years_letter",  # 67j., 67J
        PhiType.AGE,
        r"\d{1,3}[jJ]\.?",
        rf"{_NO_JOULE}{_NO_DURATION_BEFORE}(?<![\d.,-])(?:{_N}j\.?|(?<!(?<!\p{{L}})mit{B}){_N}J\.?)"
        rf"(?!{B}?(?:lang|her)(?!\p{{L}})|\p{{L}})",
        score=0.7,
    ),
    PatternRule(
        "age.bracketed",  # Pat. (67); Herr Müller (67)
        PhiType.AGE,
        r"\(",
        rf"\((?P<phi>{_N})\)(?<=(?<!\p{{L}})(?:Pat\.|Patient(?:in)?|Mann|Frau|Vater|Mutter|Sohn|Tochter|Bruder|Schwester"
        rf"|Ehemann|Ehefrau|(?:Herrn?|Frau){B}\p{{Lu}}[\p{{L}}-]{{1,30}}){B}?\(\d{{1,3}}\))",
        score=0.7,
    ),
    PatternRule(
        "age.died",  # mit 80 verstorben; mit 80 an einem Herzinfarkt gestorben
        PhiType.AGE,
        r"mit",
        rf"mit{B}(?:ca\.{B}|etwa{B}|über{B})?(?P<phi>{_N})(?={B}(?:\p{{L}}[\p{{L}}.-]{{0,30}}{B}){{0,4}}"
        rf"(?:ver|ge)?st(?:orben|arb|\.))",
        score=0.8,
    ),
    PatternRule("age.glued", PhiType.AGE, rf"\d{{1,3}}-?{_YEARED}", rf"{_N}-?{_YEARED}{_NO_DURATION}"),
    PatternRule("age.words", PhiType.AGE, rf"(?i:{_TENS}){_YEARED}", rf"\p{{L}}{{10,40}}+\.?{_NO_DURATION}", score=0.9),
    PatternRule(
        "age.time_old", PhiType.AGE, r"\d{1,3}", rf"(?P<phi>{_N}){B}?{_TIME}{B}?-?(?:junge?|alte?)[rnms]?(?!\p{{L}})"
    ),
    PatternRule(
        "age.at_age",
        PhiType.AGE,
        r"Alters?|Pat\.-Alter|Patientenalter",
        rf"[\p{{L}}.-]{{0,12}}Alters?(?:{B}(?:von|in{B}Jahren))?[ \t:=]{{0,4}}(?:(?:ca\.?|etwa|rund|knapp"
        rf"|über){B})?(?P<phi>{_N})(?:[.,]\d(?!\d))?{NO_UNIT}(?!{B}?[/%])",
    ),
    PatternRule(
        "age.with_years",
        PhiType.AGE,
        r"\d{1,3}",
        rf"(?=\d{{1,3}}{B}?[JL])(?<=(?<!\p{{L}})(?i:mit|mit{B}ca\.|verst\.|verstorben|†|gest\.){B}?)"
        rf"{_NO_JOULE}(?P<phi>{_N}){B}?(?:Jahren|J\.|Lj\.|LJ)",
        score=0.8,
    ),
    PatternRule(
        "age.year_of_life",
        PhiType.AGE,
        r"\d{1,3}",
        rf"(?P<phi>{_N})\.{B}?(?:Lebensjahr|Lebensmonat|Lebenswoche|Lebenstag|LJ|Lj)",
    ),
    PatternRule(
        "age.short",  # "67 J.", "(67 Jahre)", "Vater, 67 J."
        PhiType.AGE,
        r"\d{1,3}a?",
        rf"""(?=\d{{1,3}}{B}?[JaM]){_NO_JOULE}(?:
            (?<=[(,;]{B}?)(?P<phi>{_N}){B}?(?:Jahre|[aJ]\.?|Mo(?:n(?:ate)?)?\.?)(?={B}?[),;])
          | {_NO_DURATION_BEFORE}(?<![\d.,-]{B}?)(?P<phi>{_N}){B}?J
            (?:\.|(?<!(?<!\p{{L}})mit{B}[^\n]{{2,5}})(?=[,;)\n]))(?!{B}?(?:lang|her))
        )""",
        score=0.7,
    ),
    PatternRule(
        "age.decade",
        PhiType.AGE,
        r"[2-9]0",
        rf"(?<=(?<!\p{{L}})(?:[Aa]nfang|[Mm]itte|[Ee]nde){B})(?P<phi>[2-9]0)(?:er)?(?![\d\p{{L}}]|[.,:/-]\d){NO_UNIT}",
        score=0.6,
    ),
)
