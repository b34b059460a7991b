"""Rules of the group `id` for files of courts, prosecutors and public offices: "5 XVII 208/25", "12 Js 77/98".

A German file has the number of the division, the letters of the register, a number and the year. An Austrian one has a
letter after it ("19 Hv 144/10k"), one of a social or administrative court a letter before it ("S 11 J 204/82").
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.id_number import COURT_FILE, DIVISION, FILE_END, FILE_YEAR, REGISTER
from deid_core.recognisers.pattern.next_token import DIGITS_FIRST, LETTERED_NUMBER
from deid_core.recognisers.pattern.ocr import DIGIT
from deid_core.recognisers.pattern.rule import PatternRule

COURT_RULES = (
    PatternRule(
        "id.court",  # "11 XVII D 204/16", "1 KLs 15 Js 7742/98", "4 P 88/07k"; not "88 RR 140/80"
        PhiType.ID,
        pattern=rf"(?<![\d.,/:-])(?:{COURT_FILE}"
        rf"|(?:\d{{1,4}}|[IVX]{{1,4}}){B}(?:XVII|XVI|XIV|VII|VI){B}\d{{1,5}}/{FILE_YEAR}{FILE_END})",
        score=0.9,
        token_pair=(DIVISION, REGISTER),
        second_next=r"[A-Za-z]|[\dlIO].*",
    ),
    PatternRule(
        "id.social_court",  # "S 13 RJ 118/96", "L 3 U 40/02", "XVII 418/24 H"
        PhiType.ID,
        pattern=rf"(?:[SLBW]{B}\d{{1,3}}{B}(?:\p{{Lu}}\p{{L}}{{0,2}}){B}{DIGIT}{{1,5}}/{FILE_YEAR}"
        rf"|XVII{B}\d{{1,5}}/{FILE_YEAR}){FILE_END}(?:{B}[A-Z]{{1,3}}(?![\p{{L}}.]))?",
        score=0.9,
        token_pair=(r"[SLBW]|XVII", LETTERED_NUMBER),
    ),
    PatternRule(
        "id.prosecutor",  # without a division: "Js 4471/03", "UJs 12/99"
        PhiType.ID,
        token_regex=r"U?Js|OWi|Ls|KLs|Ds|Cs|StVK|HR[AB]",
        pattern=rf"(?:U?Js|OWi|Ls|KLs|Ds|Cs|StVK){B}{DIGIT}{{2,6}}/{FILE_YEAR}{FILE_END}"
        rf"|HR[AB]{B}(?P<phi>\d{{2,6}}(?:{B}[A-Z]{{1,2}}(?![\p{{L}}.]))?)",
        score=0.8,
    ),
    PatternRule(
        "id.office",  # "B5/1882/2016", "II/3-4471/02": parts separated by slashes, the last is a year
        PhiType.ID,
        pattern=r"(?<![\p{L}\d.,/:-])\p{Lu}{1,3}(?:-?\d{1,3})?/\d{3,7}/(?:19|20)\d\d(?![\d\p{L}]|[-/]\d)",
        score=0.8,
        token_pair=(r"\p{Lu}{1,3}(?:-?\d{1,3})?", "/"),
        second_next=DIGITS_FIRST,
    ),
    PatternRule(
        "id.letter_of",  # the reference of a letter from outside: "Ihr Schreiben v. 3.4.82, III 4 / Hd."
        PhiType.ID,
        token_regex=r"(?i:schreiben|bescheid|verfügung|anfrage|zuschrift|auftrag|ersuchen|beschluss|beschluß|urteil|anforderung)",
        pattern=rf"(?:\p{{L}}{{5,12}}{B}(?:vom|v\.|von){B}?[\dolO.,/-]{{4,10}}(?:{B}?\p{{L}}{{3,9}}{B}?\d{{2,4}})?{B}?"
        rf"[,;:(]{B}?"
        rf"|(?i:bescheid|verfügung|beschluss|beschluß|urteil){B})"
        rf"(?P<phi>\p{{Lu}}{{1,4}}{B}(?:\d{{1,4}}{B}?/{B}?(?:\p{{Lu}}\p{{L}}{{0,2}}\.?|\d{{2,7}})|\d{{3,7}}-\d{{2,4}})"
        rf"|\p{{Lu}}{{1,4}}-\d{{2,6}}[/-]\d{{2,5}}(?:-\d{{1,4}})?)(?![\p{{L}}\d])",
        score=0.7,
    ),
)
