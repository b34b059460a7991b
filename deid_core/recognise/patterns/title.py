"""Group `title`: academic titles (seed 000, Table 8); a whole chain such as "Prof. Dr. med. Dr. h.c." is one detection.

"med." alone, "PD" without a further title (peritoneal dialysis) and "Professor für …" are none. Professions and ranks
(Oberarzt, Chefarzt) are not titles.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.fragments import B
from deid_core.recognise.patterns.rule import PatternRule

_GAP = rf"(?:{B}{{0,2}}|{B}?[-/,]{B}?)"
_DOCTOR = r"(?:MU?D|MDD|D|Hab)?(?:Dr|DR)(?!\p{L})\.?(?:-Ing\.?)?|Dres\.?|Drs\.?|(?:MU|MD|D)Dr\.?"
_PROFESSOR = (
    rf"(?:(?:[Uu]niv|apl|em|Hon|a\.?{B}?o|Jun|Tit)\.?{B}?-?{B}?){{0,2}}Prof\.|(?:Univ\.?-)?Prof(?![\p{{L}}.])"
    rf"(?={B}(?:Dr|\p{{Lu}}))"
)
_LECTURER = rf"Priv\.?{B}?-?{B}?Doz(?:\.|ent(?:in)?)|Privatdozent(?:in)?|P\.?D\.?(?={B}?(?:Dr|Priv|Prof|med))|Doz\."
_DIPLOMA = (
    rf"Dipl\.?{B}?-?{B}?\p{{Lu}}\p{{L}}{{1,15}}\.?(?:{B}?\(FH\))?|Diplom-\p{{L}}{{4,20}}|Mag\.(?={B}(?:rer\."
    rf"|phil\.|pharm\.|Dr|\p{{Lu}}\p{{Ll}}))"
)
_MAIN = rf"(?:{_PROFESSOR}|{_DOCTOR}|{_LECTURER}|{_DIPLOMA})"
_FIELD = rf"""
    (?:(?:[Mm]ed|MED|dent|vet|nat|phil|rer|habil|univ|mult|theol|jur|sc|pol|oec|biol|hum|physiol|psych|päd|soc|pharm|techn
    |mont|agr|troph|cult|publ|disc|scient|human)(?!\p{{L}})\.?|h\.?{B}?c\.|Ing\.|e\.{B}?h\.
    |\({B}?(?i:univ\.?)?{B}?(?:\p{{Lu}}\p{{Ll}}{{2,14}}|[A-Z]{{1,3}}){B}?\))
"""
_CHAIN = rf"{_MAIN}(?:{_GAP}(?:{_MAIN}|{_FIELD})){{0,9}}+"
_BEHIND = rf"(?:MH?BA|MPH|MHA|[MB]Sc|[MB]\.{B}?Sc\.|Ph\.?{B}?D\.?|LL\.{B}?M\.|FESC|FACC|FRCP|FAHA|FHRS|FEBS|M\.D\.)"

RULES = (
    PatternRule(
        "title.chain",
        PhiType.TITLE,
        r"(?:MU?|MD|D|Hab)?(?:Dr|DR)s?\.?(?:-Ing\.?)?|Dres\.?|[Uu]niv\.?(?:-Prof\.?)?|apl\.?|em\.?|Hon\.?"
        r"(?:-Prof\.?)?|a\.?o?\.?|Jun\.?|Tit\.?|Prof\.?|Priv\.?|Priv-Doz\.?"
        r"|Privatdozent(?:in)?|P\.?D\.?|Doz\.?|Dipl\.?|Dipl-\p{L}+|Diplom-\p{L}+|Mag\.?|MUDr|MDDr|DDr",
        rf"(?<![\p{{L}}\p{{N}}]){_CHAIN}(?!{B}(?:für|of|an{B}der|am){B})",
    ),
    PatternRule(
        "title.word",
        PhiType.TITLE,
        r"Professor(?:in)?|Doktor(?:in)?",
        rf"(?:Professor|Doktor)(?:in)?(?={B}\p{{Lu}}(?:\p{{Ll}}|\.))(?:{_GAP}{_CHAIN})?",
        score=0.8,
    ),
    PatternRule(
        "title.behind_name",
        PhiType.TITLE,
        r"M\p{L}{1,3}|M\.D\.|M\.?|B\.?|BSc|Ph\.?|PhD|LL|F[A-Z]{3}",
        rf"(?<=\p{{L}}[.,]?{B})(?:{_BEHIND}|MD(?<=,{B}MD))(?![\p{{L}}\p{{N}}-])",
        score=0.9,
    ),
)
