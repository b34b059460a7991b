"""Rules of the group `age` for bare numbers after given names in a family, and for lists of children's ages.

"(Torben 34, Wiebke 31)", "zwei Kinder, Mara 11 und Luca 4", "Töchter (14, 11 und 2)", "Sohn Maxim 7 1/2". A name is not
enough: a word for a relative must precede it, in the same sentence or the one before.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.age_context import AFTER_BRACKETED_AGE, AGE, AGE_BRACKETED, MANY, NO_NAME_WORDS
from deid_core.recognisers.pattern.fragments import NO_UNIT, ORDERED, B
from deid_core.recognisers.pattern.next_token import AGE_UNIT, LINK, SHORT_DIGITS, SHORT_NUMBER
from deid_core.recognisers.pattern.rule import PatternRule

_MANY_ENDED = r"(?<=(?i:[elr]n|e[rl]|[gn]e|ki\.?))"
"""The endings of all words of MANY: a look-behind at forty positions tests this first and mostly fails."""
_FAMILY_MEMBERS = alternatives("pattern/family-members")
_ONE = rf"""
    (?i:(?:ur|stief|halb|schwieger|gro(?:ß|ss)|pflege|zwillings|adoptiv){{0,2}}-?(?:{_FAMILY_MEMBERS}))
"""
_FAMILY = rf"(?<!\p{{L}})(?:{MANY}|{_ONE})(?!\p{{L}})"
_FAMILY_WORD = rf"(?:.*\P{{L}})?(?:{MANY}|{_ONE}|(?i:schw))(?:\P{{L}}.*)?"
_MANY_BEGIN = rf"(?:.*\P{{L}})?{MANY}.*"
"""Tokens that contain a match of _FAMILY, and tokens that contain one of MANY, which may begin a word."""
_SENTENCE = r"[^;]{0,140}"
_NAME = r"\p{L}\p{Ll}{1,15}(?:-\p{Lu}\p{Ll}{1,15})?"
_MORE_WORDS_BEFORE_NUMBERS = alternatives("pattern/words-before-numbers-in-families")
_NO_NAME = rf"""
    (?<!(?<!\p{{L}})(?i:{NO_NAME_WORDS}|{_MORE_WORDS_BEFORE_NUMBERS})\.?[ (]{{1,2}})
"""
_NO_ORDINAL = rf"(?!\d|{B}?(?:{ORDERED}|Ehe|SSW|Lebens\p{{L}}*+|Wochenende)(?!\p{{L}}))"
_ENDS = rf"(?={B}?[,;)\n]|\.{_NO_ORDINAL}|\Z|{B}(?i:und|u\.|sowie|sind|ist|noch|gesund|bei|aus|in)(?!\p{{L}}))"
_CHILD_BEHIND = r"\d.*|[,;).]|\n|(?i:und|u|sowie|sind|ist|noch|gesund|bei|aus|in)(?:\P{L}.*)?"
"""The token after a child's age: _ENDS as whole tokens."""
_LISTED = rf"(?:\d{{1,2}}(?:{B}(?i:jahre|j\.?|mon\.?))?,?{B}?(?:(?i:und|u\.|sowie){B})?){{0,5}}"

FAMILY_RULES = (
    PatternRule(
        "age.child",  # "Kinder (Torben 34, Wiebke 31)", "Sohn Maxim 7 1/2", "Zwillinge Jan u. Ole 8."
        PhiType.AGE,
        pattern=rf"(?<=[ (\p{{L}}-])(?>{_NAME}){B}(?=\d{{1,3}}+(?:{B}\d/\d{{1,2}})?{_ENDS}){_NO_NAME}"
        rf"(?P<phi>{AGE}(?:{B}\d/\d{{1,2}})?)(?![.,:/-]\d|{B}?[%x]){NO_UNIT}{_ENDS}"
        rf"(?<=[ (]{_NAME}{B}\d{{1,3}}(?:{B}\d/\d)?)"
        rf"(?:(?<={_FAMILY}[^\n;.:]{{0,45}})|(?<={_FAMILY}[^\n;.]{{0,60}}\([^\n()]{{0,40}}))"
        rf"(?<!{_FAMILY}[^\n]{{0,60}}(?i:straße|str\.|weg|gasse|platz|allee|ring|station|zimmer){B}\d{{1,3}})",
        score=0.6,
        token_pair=(_NAME, SHORT_DIGITS),
        second_next=_CHILD_BEHIND,
        earlier_token=_FAMILY_WORD,
    ),
    PatternRule(
        "age.child_bracketed",  # "Tochter Luisa und ihr Mann; Katja (21, studiert)", "Mat-⏎thias (16)"
        PhiType.AGE,
        pattern=rf"\({B}?(?:(?i:heute|jetzt|inzwischen|mittlerweile|damals){B})?(?:ca\.{B})?(?P<phi>{AGE}(?:{B}\d/\d)?)"
        rf"(?={B}?\)|{B}?,{B}|{B}(?i:und|u\.){B}\d{{1,2}}{B}?(?:\)|,|[Jj]))"
        rf"(?<=(?<![\d.,]{B}?)\p{{L}}{B}?\({B}?[\p{{L}}. ]{{0,16}}\d{{1,3}}(?:{B}\d/\d)?)(?<={_FAMILY}{_SENTENCE})"
        rf"(?:(?<!(?<!\p{{L}}){MANY}{B}?\(\d{{1,2}})|(?={B}(?i:und|u\.)|,))",
        score=0.6,
        token_pair=(r"\(", AGE_BRACKETED),
        second_next=AFTER_BRACKETED_AGE,
        earlier_token=_FAMILY_WORD,
    ),
    PatternRule(
        "age.children_listed",  # "3 Kinder (14, 11, 2)", "Töchter Ute und Ida (14 UND 11)", "zwei Kinder 17 und 12"
        PhiType.AGE,
        pattern=rf"(?P<phi>{AGE})(?={B}?(?:[,)]|{B}(?i:und|u\.|sowie){B}\d|(?i:jahre?|j\.|mon\.)))(?![.,:/-]\d)"
        rf"(?:(?=,{B}?\d|{B}(?i:und|u\.|sowie){B}\d)|(?<=\d(?:,{B}?|{B}(?i:und|u\.|sowie){B})\d{{1,2}})){NO_UNIT}"
        rf"(?<=(?<!\p{{L}}){MANY}{_MANY_ENDED}(?:[\p{{L}}, -]{{0,40}})(?:\({B}?|{B}){_LISTED}(?<!\d)\d{{1,3}})",
        score=0.6,
        token_pair=(r"\d{1,2}", rf"(?=(?i:[,)usjm]))(?:{LINK}|{AGE_UNIT})"),
        earlier_token=_MANY_BEGIN,
    ),
    PatternRule(
        "age.child_comma",  # "Linh, 9, hatte", "Jasmin, 15, die", "Tochter Hanna, 18 Monate", "die Jüngste 3 Jahre"
        PhiType.AGE,
        pattern=rf",{B}?(?:(?i:heute|jetzt|inzwischen|damals|ca\.|etwa|beide){B})?(?P<phi>{AGE})"
        rf"(?={B}?[,;)\n]|(?<=\d)\.(?!\d|{B}\p{{Ll}})"
        rf"|{B}(?i:monate?|mt\.|mon\.|jahre?|j\.)(?!\p{{L}})(?!{B}(?:lang|her)))"
        rf"(?<=[{{\p{{L}}]{{3}},{B}?[\p{{L}}. ]{{0,16}}\d{{1,3}})(?<={_FAMILY}{_SENTENCE})(?<!\d,{B}?\d{{1,3}})",
        score=0.6,
        token_pair=(",", SHORT_NUMBER),
        earlier_token=_FAMILY_WORD,
    ),
)
