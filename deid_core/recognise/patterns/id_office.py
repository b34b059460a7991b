"""Rules of the group `id` for numbers of fixed shape that banks, insurers and offices give: accounts, taxes, insurance.

Switzerland: ZSR "K 2290.01" of who bills, UID "CHE-123.456.789" of a firm, AHV "756.1234.5678.97"; Austria: the social
insurance's number with the date of birth "1234 010150", UID "ATU 123 45 678".
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import B
from deid_core.recognise.patterns.id_number import DIGIT, NEXT_DIGITS, has_four_digits
from deid_core.recognise.patterns.rule import NOWHERE, PatternRule

_DAY = r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d"
_BANK = r"""
    (?i:\p{L}{0,20}sparkasse|sparkassen|volksb(?:ank|k\.|\.)|raiffeisenbank|raiffeisen|raiba|\p{L}{0,20}bank
    |postgiro|postscheck\p{L}{0,5}
    |bankverb(?:indung|\.)?|pschk?|ktonr|nospa|landesgirokasse)
"""

OFFICE_RULES = (
    PatternRule(
        "id.zsr",
        PhiType.ID,
        NOWHERE,
        rf"[A-Z]{B}?\d{{4}}\.\d\d(?![\d.,])",
        score=0.8,
        before=(r"[A-Z]", NEXT_DIGITS),
    ),
    PatternRule(
        "id.company",  # "CHE-123.456.789 MWST", "ATU 123 45 678", "DE 123 456 789" behind a word
        PhiType.ID,
        r"CHE(?:-\d{3})?|ATU\d*|DE\d{9}|(?i:ust|umsatzsteuer|mwst|uid)(?:-\p{L}{1,8}){0,2}\.?",
        rf"CHE-?{B}?\d{{3}}\.?{B}?\d{{3}}\.?{B}?\d{{3}}(?!\d)|ATU{B}?\d{{2,3}}{B}?\d{{2,3}}{B}?\d{{2,4}}(?!\d)"
        rf"|(?i:ust|umsatzsteuer|mwst|uid)[\p{{L}}.-]{{0,16}}:?{B}{{1,3}}(?P<phi>[A-Z]{{2,3}}-?{B}?\d{{2,9}}(?:"
        rf"[. ]\d{{2,3}}){{0,3}})(?!\d)",
        score=0.9,
    ),
    PatternRule(
        "id.swiss_insurance_dotted",  # so grouped it is one even where its last digit is mistyped
        PhiType.INSURANCE_ID,
        r"756(?:\.\d+)*",
        rf"756\.{DIGIT}{{4}}\.{DIGIT}{{4}}\.{DIGIT}{{2}}(?![\p{{L}}\d])",
        score=0.9,
    ),
    PatternRule(
        "id.austrian_insurance",  # three digits, a check digit and the date of birth
        PhiType.INSURANCE_ID,
        NOWHERE,
        rf"(?<![\d.,/:-]{B}?)[1-9]\d{{3}}[ /-]{_DAY}(?![\p{{L}}\d]|[.,:/-]\d|{B}\d)",
        score=0.6,
        before=(r"[1-9]\d{3}", NEXT_DIGITS),
    ),
    PatternRule(
        "id.account",  # the bank's name and the account: "Sparkasse Musterstadt 120 447 8"
        PhiType.ID,
        _BANK,
        rf"{_BANK}(?!\p{{L}})(?:[ .,:/-]{{1,3}}(?!(?i:tel|fax|iban|blz|kto"
        rf"|konto))\p{{L}}[\p{{L}}.-]{{1,20}}){{0,4}}[ \t,:(]{{1,4}}(?P<phi>[1-9]{DIGIT}{{1,9}}"
        rf"(?:{B}{DIGIT}{{1,4}}){{0,4}})"
        rf"(?![\p{{L}}\d]|[-.,/]\d|[ ]?(?:Uhr|EUR|€|%)|(?<=[ ]\d{{4,5}}){B}\p{{Lu}})",
        check=has_four_digits,
        score=0.6,
    ),
)
