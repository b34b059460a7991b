"""Rules of the group `age` for numbers, in digits or words, that a verb, a birthday or their position makes an age.

"damals war er 62,", "seit er 14 war", "(heute 64, Pensionist)", "Mit 15 nach Mersin", "mit elf verwaist", "66 a,".
After "mit" a number is an age only if somebody goes, marries or falls ill at it.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.age_context import AGE
from deid_core.recognisers.pattern.fragments import NO_UNIT, B
from deid_core.recognisers.pattern.next_token import AGE_NUMBER, AGE_UNIT, SHORT_DIGITS, SHORT_NUMBER
from deid_core.recognisers.pattern.numerals import TEEN, TENS, UNIT
from deid_core.recognisers.pattern.rule import PatternRule

_WORD = rf"""
    (?i:(?:(?:{UNIT}|fuenf)und)?{TENS}|{TEEN}|zehn|elf|zwölf|zwoelf|drei|vier|fünf|fuenf|sechs|sieben|acht
    |neun)(?!\p{{L}})
"""
_AGE = rf"(?:{AGE}|{_WORD})"
_WHO = (
    r"(?:(?i:er|sie|ich|pat\.?|patient|patientin|kind)|(?:der|die|das)[ ](?:Pat\.?|Patient|Patientin|Vater|Mutter|Bub))"
)
_ADVERBS_BEFORE_AGES = alternatives("pattern/adverbs-before-ages")
_WHEN = rf"(?i:{_ADVERBS_BEFORE_AGES})"
_AGE_BEGINS = rf"{AGE_NUMBER}|{_WORD}|{_WHEN}"
"""An age, or a word between the cue and the age."""
_IS = r"(?i:ist|war|wär|wäre|wird|werde|wurde|sei|bin|is)"
_STOP = (
    rf"(?={B}?[,;)\n]|\.(?!\d)|\Z|{B}(?i:und|geworden|gewesen|jahre?{B}(?:alt|a1t|jung)|war|a1t|alt|als)(?!\p{{L}}))"
)
_LIFE_CHANGES = alternatives("pattern/life-changes")
_GOES = rf"""
    (?=,?{B}(?:(?i:{_LIFE_CHANGES})(?!\p{{L}})
    |(?:nach|aus|von){B}(?!vorne|links|rechts|oben|unten)(?:der{B}|dem{B}|den{B}|die{B})?\p{{Lu}}
    |vom{B}(?!Hundert)\p{{Lu}}|(?:als|am|an){B}\p{{L}}|zur{B}\p{{Lu}}|zum{B}\p{{Lu}}|ging
    |in{B}(?:die|den|der){B}\p{{L}}|ins{B}\p{{Lu}}|(?:dem|der|seinem|ihrem){B}\p{{Lu}}|kam{B}|gelegt
    |(?i:pl(?:ö|oe)tzl\.|\p{{L}}{{0,30}}(?:krebs|karzinom|infarkt|herztod|apoplex|schlaganfall|-ca|ismus
    |riss))(?!\p{{L}})))
"""
"""Somebody goes, marries or falls ill."""

_ONSET_WORDS = alternatives("pattern/onset-words")
_BEGAN_OR_WHO = rf"""
    (?i:{_ONSET_WORDS}|\p{{L}}{{0,20}}(?:krebs|karzinom|infarkt|apoplex|-ca|ca\.?|depression))
"""

STATED_RULES = (
    PatternRule(
        "age.was",  # "damals war er 62,", "der Patient war da 13.", "wär er 14.", "der Pat. ist 43 u. nicht"
        PhiType.AGE,
        pattern=rf"(?:{_WHO}|{_WHEN}|{_IS}){B}(?:{_WHEN}{B}){{0,2}}(?:ca\.{B}|etwa{B})?(?P<phi>{_AGE})"
        rf"(?![.,:/-]\d){NO_UNIT}{_STOP}"
        rf"(?<=(?<!\p{{L}})(?:{_IS}{B}(?:{_WHEN}{B})?{_WHO}|{_WHO}(?:{B}\p{{Ll}}{{3,12}})?{B}{_IS}"
        rf"|(?:bis|als|seit){B}{_WHO}|{_WHO}{B}selber)"
        rf"(?:{B}{_WHEN}){{0,2}}{B}[\p{{L}}. ]{{0,8}}[\p{{L}}\d]{{1,24}})",
        score=0.6,
        token_pair=(rf"(?:{_WHO}|{_WHEN}|{_IS})", _AGE_BEGINS),
    ),
    PatternRule(
        "age.now",  # "(heute 64, Pensionist)", "Mutter Zahra (jetzt ca. 55)", "Frau Muster, jetzt 74, in Meran"
        PhiType.AGE,
        pattern=rf"(?i:heute|jetzt|inzwischen|mittlerweile|damals){B}(?:(?:ca\.|etwa|auch|schon){B})?(?P<phi>{AGE})(?={B}?[,)])"
        rf"(?![.,:/-]\d){NO_UNIT}(?<=[(,]{B}?\p{{L}}{{5,14}}{B}[\p{{L}}. ]{{0,7}}\d{{1,3}})"
        rf"(?<!(?i:kg|mg|gewicht|hb|krea|crp|wert|puls|rr|%)[^\n]{{0,25}})",
        score=0.6,
        token_pair=(r"(?i:heute|jetzt|inzwischen|mittlerweile|damals)", SHORT_NUMBER),
    ),
    PatternRule(
        "age.began_with",  # "Mit 15 nach Mersin", "mit 17 verheiratet", "mit elf dem Vater nach"
        PhiType.AGE,
        pattern=rf"(?i:mit){B}(?:ca\.{B}|etwa{B}|knapp{B}|fast{B})?"
        rf"(?:(?P<phi>{AGE})(?![.,:/-]\d|{B}?[%x]){NO_UNIT}|(?P<phi>{_WORD})){_GOES}",
        score=0.6,
        token_pair=(r"(?i:mit)", _AGE_BEGINS),
    ),
    PatternRule(
        "age.ill_with",  # "Cousin Bypass mit 58 (Verona)", "Vater Infarkt m. 49.", "Beginn mit 14."
        PhiType.AGE,
        pattern=rf"(?i:mit|m\.|ab|bis|seit){B}(?:ca\.{B}|etwa{B})?(?P<phi>{AGE})(?![.,:/-]\d|{B}?[%x]){NO_UNIT}"
        rf"(?={B}?[,;)\n(]|\.(?!\d)|\Z|{B}(?:->|[\"„(])|{B}(?:bei|auf|nach|von|im){B})"
        rf"(?<=(?<!\p{{L}}){_BEGAN_OR_WHO}{B}(?:\p{{Ll}}{{2,4}}{B})?\p{{L}}{{1,4}}\.?{B}[\p{{L}}. ]{{0,6}}\d{{1,3}})",
        score=0.5,
        token_pair=(r"(?i:mit|m\.|ab|bis|seit|m)", AGE_NUMBER),
    ),
    PatternRule(
        "age.unit_letter",  # "66 a, Obstbauer", "Patientin 75a, ECOG 0", "(68 A)", "72 j, Diabetes"
        PhiType.AGE,
        token_regex=r"\d{2,3}[aAjJ]",
        pattern=rf"(?:(?<=(?:\A|\n|[.;:(,])[\t ]{{0,2}})"
        rf"|(?<=(?<!\p{{L}})(?i:pat\.|patient|patientin|herr|frau){B}|[12]\d{{3}}[\t ]{{1,2}}))"
        rf"(?:(?P<phi>{AGE}){B}[aAj]\.?(?={B}?[,;)])|{AGE}[aAj](?={B}?[,;)])"
        rf"|(?P<phi>{AGE}){B}J{B}{{1,3}}[mw](?!\p{{L}}))"
        rf"(?<!-{B}?\d{{1,3}}{B}?\p{{L}})(?<!\d,{B}?\d{{1,3}}{B}?\p{{L}})",
        score=0.7,
        token_pair=(r"\d{2,3}", AGE_UNIT),
    ),
    PatternRule(
        "age.sex",  # "D. S., w, 17, anonym"
        PhiType.AGE,
        pattern=rf",{B}?(?P<phi>{AGE})(?={B}?[,;)\n])(?<=(?<!\p{{L}})(?:[mwd]|männl\.|weibl\.),{B}?\d{{1,3}})",
        score=0.7,
        token_pair=(",", SHORT_DIGITS),
        previous_token=r"(?:.*\P{L})?(?:[mwd]|männl\.|weibl\.)|\.",
    ),
    PatternRule(
        "age.birthday_after",  # "hat Geburtstag, 35.", "Geburtstag (76) war gestern"
        PhiType.AGE,
        token_regex=r"(?i:\p{L}{0,12}burtstag)",
        pattern=rf"(?i:\p{{L}}{{0,12}}burtstag){B}?(?:,{B}|\({B}?|:{B}?|{B})(?P<phi>{AGE})(?={B}?[,;)\n]|\.(?!\d|{B}?\d)|\Z)",
        score=0.7,
    ),
    PatternRule(
        "age.birthday_word",  # "erst nach dem dritten Geburtstag"
        PhiType.AGE,
        pattern=rf"(?P<phi>(?i:ersten|zweiten|dritten|vierten|fünften|sechsten|siebten|achten|neunten|zehnten|zwölften"
        rf"|achtzehnten|(?:\p{{L}}{{3,10}}und)?\p{{L}}{{4,7}}zigsten)){B}(?i:geburtstag)",
        token_pair=(r"(?i:\p{L}{3,20}ten)", AGE_UNIT),
    ),
)
