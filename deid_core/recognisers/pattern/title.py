"""Group `title`: academic titles (seed 000, Table 8). A chain such as "Prof. Dr. med. Dr. h.c." is one detection.

"med." without a title, "PD" without a further title (peritoneal dialysis), the "DR" of a pacemaker and "Professor für
…" are not titles, nor are professions and ranks (Oberarzt, Chefarzt, Prim.). Austria's MR, OMR and Ing. are, before
another title or a name. Titles also count in capitals and in small letters.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.word_lists import alternatives
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.rule import PatternRule

_GAP = rf"(?:{B}{{0,2}}+|{B}?+[-/,]{B}?+)"
"""Possessive, since no title begins with a blank: so the alternations of titles are tried once."""
_DOCTOR = (
    rf"(?:(?:MU|MD|D|Hab|PharmD)?Dr(?:\.{B}?in(?!\p{{L}}))?(?!\p{{L}})\.?(?:-Ing\.?)?"
    rf"|Dres\.?|Drs\.?|DRES\.?|dres\.|D?DR\.|dr\.?(?!\p{{L}})(?=[ \n]{{0,2}}\p{{L}})"
    rf"|DR(?={B}(?:MED|PHIL|\p{{Lu}}{{3,20}}(?![\p{{L}}\d])))(?<!(?:ICD|XT|MRI|Pro|CRT)[^\n]{{0,12}}))"
)
_PROFESSOR = (
    rf"(?:(?:[Uu]niv|apl|em|Hon|a\.?{B}?o|Jun|Tit|UNIV|Ass|ASS|Assoz|Gast)\.?{B}?-?{B}?){{0,2}}"
    rf"(?:Prof\.(?:{B}?in(?!\p{{L}}))?|PROF\.|prof\.)"
    rf"|(?:Univ\.?-)?(?:Prof|PROF|prof)(?![\p{{L}}.])(?={B}(?:Dr|DR|dr|\p{{Lu}}|\p{{Ll}}{{4}}))"
)
_LECTURER = (
    rf"(?:(?i:univ)\.?{B}?-?{B}?)?(?:(?i:priv)\.?{B}?-?{B}?(?i:doz)(?:\.|ent(?:in)?)|(?:Doz|DOZ)\.)|Privatdozent(?:in)?"
    rf"|P\.?D\.?(?={B}?(?i:d?dr|priv|prof|med))|pd(?={B}(?:dr|prof))|KD(?={B}(?:Dr|PD|Prof))"
)
_DIPLOMA = (
    rf"Dip[l1]\.?{B}?-?{B}?\p{{Lu}}\p{{L}}{{1,15}}\.?(?:{B}?\(FH\))?"
    rf"|Diplom-\p{{L}}{{4,20}}|Mag\.(?:{B}?a(?!\p{{L}})|(?={B}(?:rer\."
    rf"|phil\.|pharm\.|Dr|\p{{Lu}}\p{{Ll}})))|DIPL\.-[A-Z]{{3,12}}\.?"
    rf"|dipl\.-\p{{Ll}}{{3,15}}\.?|[Ll]ic\.{B}?(?=phil|oec|iur|theol|rer)"
)
_COUNCIL = (
    r"(?:O?MR|O?SR|HR|MedR|MEDR|OMedR|(?:Med|San|Ober-?[Mm]ed)\.?-?Rat|Medizinalrat|Obermedizinalrat|Sanitätsrat)"
    r"(?=[ ](?:Dr|DR|Prof|PROF|Univ|Doz|DOZ))"
)
_ABROAD = (
    rf"Dott\.(?:{B}?(?:ssa|ing\.))?|dottor(?:e|essa)?(?={B}\p{{Lu}})|drs\.(?={B}\p{{Lu}})|MAG\.(?={B}\p{{Lu}}{{2}})"
    rf"|(?i:med)\.{B}?(?i:pract|prakt)\."
    rf"|(?<=(?:\A|[\n\t(,;/]|[ ]{{2}}){B}{{0,2}})med\.{B}?(?:dent|vet)\.(?={B}\p{{Lu}})"
    rf"|(?i:cand|stud)\.{B}?(?i:med|phil|psych|jur)\."
)
"""Titles of Italy, the Netherlands and Switzerland, and of students."""
_MAIN = rf"(?:{_PROFESSOR}|{_DOCTOR}|{_LECTURER}|{_DIPLOMA}|{_COUNCIL}|{_ABROAD})"
_TITLE_FIELDS = alternatives("pattern/title-fields")
_FIELD = rf"""
    (?:(?:(?i:med|dent|habil)|{_TITLE_FIELDS})(?!\p{{L}})\.?|h\.?{B}?c\.|Ing\.
    |e\.{B}?h\.|\({B}?(?i:univ\.?)?{B}?(?:\p{{Lu}}\p{{Ll}}{{2,14}}|[A-Z]{{1,3}}){B}?\))
"""
_CHAIN = rf"{_MAIN}(?:{_GAP}(?:{_MAIN}|{_FIELD})){{0,9}}+"
_BEGINS = (
    r"(?:MU?|MD|D|Hab)?(?:Dr|DR|dr)s?\.?(?:-Ing\.?)?|(?i:dres)\.?"
    r"|(?i:univ)\.?(?:-(?:Prof|Doz)\.?)?|apl\.?|em\.?|Hon\.?(?:-Prof\.?)?|a\.?o?\.?|Jun\.?|Tit\.?"
    r"|(?:Ass|ASS|Assoz|Gast)\.?(?:-Prof\.?)?|(?:Prof|PROF|prof)\.?"
    r"|(?i:priv)\.?|(?i:priv-doz)\.?|Privatdozent(?:in)?|P\.?D\.?|(?:Doz|DOZ)\.?|KD|pd"
    r"|(?i:dip[l1])\.?|(?i:dip[l1]-)\p{L}+\.?|Diplom-\p{L}+|Mag\.?|MAG\.?|[Ll]ic\.?"
    r"|O?MR|O?SR|HR|(?:Med|San)\.?|(?:Med|San)-Rat|Medizinalrat|Obermedizinalrat|Sanitätsrat|MedR|MEDR|OMedR"
    r"|Dott\.?|dottor(?:e|essa)?|drs\.?|(?i:med|cand|stud)\.?"
)
"""The first word of a chain, in the order of the titles above."""
_BEHIND = (
    rf"(?:MH?BA|MPH|MHA|[MB]Sc|[MB]\.{B}?Sc\.|Ph\.?{B}?D\.?|LL\.{B}?M\.|FESC|FACC"
    r"|FRCP|FAHA|FHRS|FEBS|M\.D\.|BScN|MScN|M\.A\.|B\.A\.)"
)

_WORDS_AFTER_DOCTOR = alternatives("pattern/words-after-doctor")
RULES = (
    PatternRule(
        "title.chain",
        PhiType.TITLE,
        token_regex=_BEGINS,
        pattern=rf"(?<![\p{{L}}\p{{N}}]){_CHAIN}(?!{B}(?:für|of|an{B}der|am){B})",
    ),
    PatternRule(
        "title.engineer",  # Austria: "Herrn Ing. Muster", "Frau DSA Muster" (a social worker; else an angiography)
        PhiType.TITLE,
        token_regex=r"Ing\.?|DSA|DI",
        pattern=rf"(?:Ing\.|(?<=(?:Frau|Herrn?|Fr\.|Hrn?\.|Sozialarbeiter(?:in)?{B}?\(){B}?)"
        rf"(?:DSA|DI))(?={B}(?!Büro)\p{{Lu}}\p{{L}})",
        score=0.8,
    ),
    PatternRule(
        "title.bachelor",  # "M.Sc. Erika Muster" opens a signature's line
        PhiType.TITLE,
        token_regex=r"[MB]\.?|[MB]Sc\.?|M\.A\.|B\.A\.",
        pattern=rf"(?<=(?:\A|[\n\t,(:]|[ ]{{4}}){B}{{0,2}})(?:[MB]\.{B}?Sc\.(?:-?Psych\.)?|[MB]Sc"
        rf"|[MB]\.A\.)(?={B}\p{{Lu}}[\p{{Ll}}.])",
        score=0.8,
    ),
    PatternRule(
        "title.doctor_of_old",  # the GDR's DM (Diplom-Mediziner), MR, SR: "Hausarzt MR Muster"; not "DM Typ 2"
        PhiType.TITLE,
        token_regex=r"DM|O?MR|O?SR|(?:Ober)?(?:[Mm]edizinal|[Ss]anitäts|[Hh]of)rat",
        pattern=rf"(?<=(?:Frau|Herrn?|Fr\.?|Hrn?\.?|HÄ|HA|Hausarzt|Hausärztin|Praxis){B}(?:Fr{B})?)(?:DM|O?MR|O?SR"
        rf"|(?:Ober)?(?:[Mm]edizinal|[Ss]anitäts|[Hh]of)rat)"
        rf"(?=[!,]|{B}(?!Typ)\p{{Lu}}\p{{Ll}})",
        score=0.7,
    ),
    PatternRule(
        "title.lecturer_bracketed",  # "(PD Muster)"; not "(PD seit 2010)"
        PhiType.TITLE,
        token_regex=r"PD",
        pattern=rf"(?<=[(\t])PD(?={B}\p{{Lu}}\p{{L}}{{3,20}}{B}?[),;\t\n])",
        score=0.6,
    ),
    PatternRule(
        "title.word",
        PhiType.TITLE,
        token_regex=r"(?i:professor(?:in|s)?|doktor(?:in)?)",
        pattern=rf"(?i:professor|doktor)(?:in|s)?(?:(?={B}\p{{Lu}}(?:\p{{L}}|\.))(?:{_GAP}{_CHAIN})?"
        rf"|(?<!\p{{Lu}}\p{{Ll}}{{5,10}})"
        rf"(?:{B}doktor)?(?={B}(?!(?:{_WORDS_AFTER_DOCTOR}|sagt\p{{L}}{{0,2}}|meint\p{{L}}{{0,2}})"
        rf"(?!\p{{L}}))\p{{Ll}}{{3,20}}(?!\p{{L}})))",
        score=0.8,
    ),
    PatternRule(
        "title.after_name",
        PhiType.TITLE,
        token_regex=r"MBA|MHBA|MPH|MHA|[MB]ScN?|MD|M\.D\.|[MB]\.?A?\.?|Ph\.?|PhD|LL|F[A-Z]{3}",
        pattern=rf"(?<=\p{{L}}[.,]?{B})(?:{_BEHIND}|MD(?<=,{B}MD))(?![\p{{L}}\p{{N}}-])",
        score=0.9,
    ),
)
