"""Rules of the group `id` for files of courts and prosecutors: "5 XVII 208/25", "12 Js 77/98".

A German file has the number of the division, the letters of the register, a number and the year. An Austrian one has a
letter after it ("19 Hv 144/10k").
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.id_number import COURT_FILE, DIVISION, FILE_END, FILE_YEAR, REGISTER
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
        "id.prosecutor",  # without a division: "Js 4471/03", "UJs 12/99"
        PhiType.ID,
        token_regex=r"U?Js|OWi|Ls|KLs|Ds|Cs|StVK|HR[AB]",
        pattern=rf"(?:U?Js|OWi|Ls|KLs|Ds|Cs|StVK){B}{DIGIT}{{2,6}}/{FILE_YEAR}{FILE_END}"
        rf"|HR[AB]{B}(?P<phi>\d{{2,6}}(?:{B}[A-Z]{{1,2}}(?![\p{{L}}.]))?)",
        score=0.8,
    ),
)
