"""Group `age`: how old somebody is. "67-jährige" is taken as a whole word, of "67 Jahre alt" only the number.

Durations are kept: "seit 5 Jahren", "nach 10-jähriger Therapie". This module has the rules for numbers with a unit.
age_context.py has numbers that a relative or a life event makes an age ("Sohn Emil (14)", "Vater mit 52").
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.age_context import AGE, CONTEXT_RULES
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.numerals import TEEN, TENS, UNIT
from deid_core.recognisers.pattern.other_languages import AGE_RULES as FOREIGN_RULES
from deid_core.recognisers.pattern.rule import PatternRule

_PART = rf"(?:[½¼¾]|{B}?\d{{1,2}}/\d{{1,2}}(?!\d)|;\d{{1,2}}(?!\d))?"
"""Parts of a year: 5½, 5 9/12, and 4;4 for years and months."""
_AGE_UNIT = r"""
    (?:[Jj]g?|(?i:jahren?|j(?:ä|a)e?h?r.*|lebens\p{L}+|lj|monaten?|mts?|wochen?|tagen?)|Mon?|a)
    \.?(?:-.*)?|war|-|;|\d{1,2}/\d{1,2}
"""
"""The unit of an age, or a token between the number and the unit."""
_NUMBER = r"\d{1,3}[½¼¾]?"
_NO_JOULE = rf"""
    (?<!(?i:kardioversion|cardioversion|kardiovertiert|cardiovertiert|schock|defibrill|biphasisch|monophasisch
        |energie|joule)[^\n]{{0,60}}|\d[x×]{B}?)
    (?!{B}?[^\n]{{0,12}}(?:phasisch|[Ss]chock))
"""
"""After a cardioversion "J" is the unit joule."""
_TIME = (
    r"(?:(?i:jahren?|lebensjahren?|monaten?|wochen?|tagen?)(?!\p{L})|J\.|j\.(?=[ ]alt)|J(?!\p{L})|a(?=[ ]alt)|Mon\.)"
)
_YEARED = r"(?:(?i:j(?:(?:ä|ae)h(?:ri?g|irg|ri)|ahrig)(?:e[rnsm]?)?)(?!\p{L})|(?i:j(?:ä|ae)hr)\.|jg(?!\p{L})\.?)"
"""jährige, jaehriger, JÄHRIGE, jähr., jg., and common misspellings."""
_WORDS_BEFORE_DURATIONS = alternatives("pattern/words-before-durations")
_NO_DURATION_BEFORE = (
    rf"(?<!(?<!\p{{L}})(?i:{_WORDS_BEFORE_DURATIONS}){B}(?:ca\.{B}|etwa{B}|über{B}|den{B}|einer{B}|ein{B})?)"
)
_NO_DURATION = rf"(?!{B}(?:\p{{Ll}}{{1,20}}{B})?\p{{L}}{{0,20}}(?:{alternatives('pattern/duration-noun-stems')}))"
_PERSON = rf"(?:{alternatives('pattern/person-noun-stems')})"
_TENS = rf"{UNIT}?(?:und)?(?:{TENS}|hundert)"
_LOW = rf"(?:(?:{UNIT}|zehn|elf|zwölf)(?:einhalb)?|{TEEN})"
_IN_WORDS = rf"(?i:{_TENS}|{_LOW})"

RULES = (
    PatternRule(
        "age.years_old",  # 67-jährige, 67jähriger, 67 jähr., 3 1/4-jährige
        PhiType.AGE,
        pattern=rf"(?=[\d½¼¾;/ -]{{1,14}}+[Jj])"
        rf"(?:(?<!(?<!\p{{L}})(?i:nach|seit|trotz|mit|bei){B}(?:\p{{Ll}}{{3,5}}{B})?)(?<![\d.,/]{{1,2}}-?)"
        rf"(?:(?P<phi>{AGE}{_PART}){B}-?|{AGE}{_PART}-?{B}?){_YEARED}{_NO_DURATION}"
        rf"|(?:(?P<phi>{AGE}{_PART}){B}-?|{AGE}{_PART}-?{B}?){_YEARED}(?={B}(?:\p{{Ll}}{{2,15}}{B})?(?i:{_PERSON})))",
        token_pair=(_NUMBER, rf"(?=[Jj½¼¾;\d-])(?:{_AGE_UNIT})"),
    ),
    PatternRule(
        "age.years_letter",  # 67j., 67J
        PhiType.AGE,
        token_regex=r"\d{1,3}[jJ]\.?",
        pattern=rf"{_NO_JOULE}{_NO_DURATION_BEFORE}(?<!\d[.,]|-)(?:{AGE}j\.?|(?<!(?<!\p{{L}})mit{B}){AGE}J\.?)"
        rf"(?!{B}?(?:lang|her)(?!\p{{L}})|\p{{L}})",
        score=0.7,
    ),
    PatternRule(
        "age.words",  # siebenundsechzigjährige; "dreijährige" only before a person
        PhiType.AGE,
        token_regex=rf"(?i:{_TENS}|{_LOW}){_YEARED}",
        pattern=rf"(?:(?i:{_TENS}){_YEARED}{_NO_DURATION}"
        rf"|(?i:{_LOW}){_YEARED}(?={B}(?:\p{{Ll}}{{2,15}}{B})?(?i:{_PERSON})))",
        score=0.9,
    ),
    PatternRule(
        "age.word_years",  # "mit elf Jahren", "die fünf Monate alte Tochter"
        PhiType.AGE,
        pattern=rf"(?P<phi>{_IN_WORDS})(?:"
        rf"(?<=(?<!\p{{L}})(?i:mit|alter{B}von){B}\p{{L}}{{3,20}}){B}(?i:jahren)(?!\p{{L}})"
        rf"|(?<=[,(]{B}?\p{{L}}{{3,20}}){B}(?i:jahre)(?={B}?[,;.)\n]|{B}und{B})"
        rf"|(?={B}war(?!\p{{L}}))(?<=(?:[Ee]r|[Ss]ie|Pat\.|Patient(?:in)?){B}\p{{L}}{{3,20}})"
        rf"|{B}{_TIME}{B}(?i:alt|jung)(?i:e[rnms]?)?(?!\p{{L}}))",
        token_pair=(_IN_WORDS, _AGE_UNIT),
    ),
    PatternRule(
        "age.time_old",  # "67 Jahre alt", "3 Monate alter Säugling", "67 J. alt"
        PhiType.AGE,
        pattern=rf"(?P<phi>{AGE}{_PART}){B}?{_TIME}{B}?-?(?i:junge?|alte?)[rnmsRNMS]?(?!\p{{L}})",
        token_pair=(_NUMBER, _AGE_UNIT),
    ),
    PatternRule(
        "age.at_age",  # "Alter: 67", "im Alter von ca. 67 Jahren"
        PhiType.AGE,
        token_regex=r"(?i:(?:lebens)?alters?)|Pat\.-Alter|Patientenalter",
        pattern=rf"[\p{{L}}.-]{{0,12}}(?i:alters?)(?:{B}(?:von|in{B}Jahren))?[ \t:=]{{0,4}}(?:(?:ca\.?|etwa|rund|knapp"
        rf"|über){B}|gibt{B}(?:er|sie){B}(?:mit{B})?)?(?P<phi>{AGE})(?:[.,]\d(?!\d))?{NO_UNIT}(?!{B}?[/%])",
    ),
    PatternRule(
        "age.with_years",  # "Vater mit 67 Jahren verstorben", "mit 83 a."
        PhiType.AGE,
        pattern=rf"(?<=(?<!\p{{L}})(?i:mit(?:{B}\d{{1,2}}{B}(?:oder|und|bis))?|mit{B}ca\.|verst\.|verstorben|†|gest\."
        rf"|Alter{B}von(?:{B}\d{{1,2}},?){{1,3}}{B}und){B}?)"
        rf"{_NO_JOULE}(?P<phi>{AGE}){B}?"
        rf"(?:(?i:jahren|lj)(?!\p{{L}})|J\.|a(?={B}?[,;.)\n])|Monaten(?!{B}\p{{Lu}}|\p{{L}}))",
        score=0.8,
        token_pair=(r"\d{1,3}", rf"(?=[JjLlaM])(?:{_AGE_UNIT})"),
    ),
    PatternRule(
        "age.year_of_life",  # im 67. Lebensjahr; vom 18. bis zum 45. Lebensjahr
        PhiType.AGE,
        pattern=rf"(?<!(?i:vollendete[nm]?|kindern?{B}(?:bis{B}zum|ab{B}dem)|risiko[^\n.]{{0,12}}){B}){AGE}\."
        rf"(?={B}?(?:(?:bis|und){B}(?:zum{B}|dem{B})?{AGE}\.{B}?)?(?i:lebens(?:jahr(?!zehnt)|monat|woche|tag)|lj))",
        token_pair=(r"\d{1,3}", r"(?i:lebens\p{L}+|lj|bis|und)"),
    ),
    PatternRule(
        "age.short",  # "67 J.", "(67 Jahre)", "Vater, 67 J.", "59 a, Bäuerin"
        PhiType.AGE,
        token_regex=r"\d{1,3}a",
        pattern=rf"""(?=\d{{1,3}}{B}?[JjaM]){_NO_JOULE}(?:
            (?<=(?<!(?<![\d.])\d{{1,3}})[(,;:]{B}?)(?P<phi>{AGE}){B}?(?:[Jj]ahre|[aJ]\.?
            |Mo(?:n(?:ate)?)?\.?)(?={B}?[),;])
          | {_NO_DURATION_BEFORE}(?<!\d[.,]|-{B}?)(?P<phi>{AGE}){B}?(?:J
            (?:\.|(?<!(?<!\p{{L}})mit{B}[^\n]{{2,5}})(?=[,;)\n]|{B}†))|j\.)(?!{B}?(?:lang|her|arbeitslos|später|zuvor
            |vorher))
        )""",
        score=0.7,
        token_pair=(r"\d{1,3}", rf"(?=[JjaM])(?:{_AGE_UNIT})"),
    ),
    *CONTEXT_RULES,
    *FOREIGN_RULES,
)
