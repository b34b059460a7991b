"""Rules of the group `id` for the user names of those who signed and the initials of those who wrote."""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import MONTH_NAME, B
from deid_core.recognisers.pattern.rule import PatternRule

_LETTER_DATE = rf"(?:(?:[.-]{B}?|{MONTH_NAME}{B})(?:19|20)\d\d|\d\.{B}?\d{{1,2}}\.\d\d){B}?[,/;]{B}?"

USER_RULES = (
    PatternRule(
        "id.user_sign",  # surname and initial with the time of signing: "MUSTER_A 07.03.2019 11:08", "von muster_a"
        PhiType.CLINICIAN,
        pattern=rf"\p{{L}}{{3,20}}+_\p{{L}}{{1,2}}(?![\p{{L}}\d_])"
        rf"(?:(?={B}(?:am{B})?(?:\d{{1,2}}\.\d{{1,2}}\.|(?:19|20)\d{{6}}(?!\d)|(?:19|20)\d\d-\d\d-))"
        rf"|(?<=(?i:von|durch|by):?{B}[^\s]{{5,23}}))",
        score=0.9,
        token_pair=(r"\p{L}{3,20}", "_"),
        certain=True,
    ),
    PatternRule(
        "id.initials",  # initials of dictation and typing after the letter's date: "30.06.2014, ob-la", "… / za/üb"
        PhiType.ID,
        token_regex=r"\p{Ll}{2,3}-\p{Ll}{2,3}",
        pattern=rf"(?=(?:\p{{Ll}}{{2,3}}-|/{B}?)\p{{Ll}}{{2,3}}{B}?(?:[\n\t]|\Z))"
        rf"(?:/(?<={_LETTER_DATE}(?P<head>\p{{Ll}}{{2,3}}{B}?)/){B}?"
        rf"|(?<={_LETTER_DATE})\p{{Ll}}{{2,3}}-)\p{{Ll}}{{2,3}}",
        score=0.8,
        token_pair=("/", r"\p{Ll}{2,3}"),
        second_next=r"\n",
    ),
)
