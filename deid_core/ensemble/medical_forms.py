"""Tells forms of medicine that look like dates, ages, numbers or places, and identify nobody.

The models take "R. Aug." (the right eye) for August, "EAU 2022" for a date and "EudraCT 2011-004792-37" for a number of
the patient. A span that is nothing but a part of such a form is left out, whatever found it. Each form is certain by
itself or by what stands directly beside it: "Aug. 2010", "re. Aug. 07" and "Kardioversion. Pat. 72 J." are none.
"""

from __future__ import annotations

import regex

from deid_core.core.labels import Label
from deid_core.core.spans import Span
from deid_core.core.word_lists import alternatives, word_set
from deid_core.recognisers.pattern.alternation import lookbehind_alternation

_B = r"[ \u00a0]"
_TIME = rf"(?<!(?<!\p{{L}})(?i:im|seit|ab|bis|ende|mitte|anfang){_B})"
_NO_YEAR = rf"(?!{_B}?(?:(?:19|20)\d\d|['’´`]?\d\d(?!\d|[.,:/]\d)))"
_SIDE = r"(?:[RL]|[Rr]e|[Ll]i|[Bb]ds?)\.?"
_EYES = rf"""
    (?:{_SIDE}{_B})?Aug(?!\p{{L}})\.?+{_NO_YEAR}(?!,{_B}{_SIDE}{_B}(?i:{alternatives("pattern/month-abbreviations")})(?!\p{{L}}))
    (?:(?<=(?:(?:\A|[\n\t:;(/])[-•*\ ]{{0,3}}|(?<!\p{{L}})(?:am|des|vom|auf|das){_B}){_SIDE}{_B}Aug\.?)
    |(?<=(?<!\p{{L}}){_SIDE}{_B}Aug\.?)(?=[^\n]{{0,40}}(?:{alternatives("ensemble/words-of-eyes")})))
"""
"""The right or left eye: where a line or cell begins, after "am", or before a finding; not two sides' months."""
_SEPTUM = rf"""
    {_TIME}Sept(?!\p{{L}})(?:\.?-?{_B}?(?i:dev)\.?|\.?)
    (?=[ -]?(?:(?:nach|stark|leicht|zur){_B}){{0,2}}(?:(?:rechts|links|re\.|li\.){_B})?
        (?i:dev|korrektur|mittelst|perfor|plasti[kc]|verbieg|verbog)|(?<=dev\.?))
"""
_AVIUM = rf"MAI(?!\p{{L}}){_NO_YEAR}(?<=(?:avium[\p{{L}}-]*|NTM)[^\p{{L}}\d\n]{{1,4}}MAI)"
_MYCOBACTERIA = rf"{_TIME}MAI(?=[ -](?:Infekt|Nachweis|positiv))|{_AVIUM}"
_NO_DAY = r"(?<![\d.,/])(?:3[2-9]|[4-9]\d|1[0-2]\d)"
_DECIBELS = rf"(?:{_NO_DAY}{_B})?Dez(?!\p{{L}})(?<={_NO_DAY}{_B}Dez)\.?+{_NO_YEAR}"
_FRACTION = r"\d{1,2}/\d{1,2}"
_SCORES = rf"""
    (?!0\d){_FRACTION}(?![\d/]|-\d)
    (?:(?<=(?<!\p{{L}})(?:{alternatives("ensemble/scores-before-fractions")})[ \t:=]{{0,3}}{_FRACTION})
    |(?=[ -](?:HLA|Match|Stanzen)))
"""
_EDITIONS = lookbehind_alternation(word_set("pattern/words-before-editions"))
_YEAR = r"(?:19|20)\d\d"
_EDITION = rf"""
    {_YEAR}(?!\d|[-./]\d)(?<=(?<![\p{{L}}-])(?:[\p{{Lu}}\d]{{2,8}}[/-]){{0,2}}{_EDITIONS}{_B}\d{{4}})
    |\d\d/{_YEAR}(?!\d)(?<=(?<!\p{{L}})GMALL{_B}\d\d/\d{{4}})
"""
_REGISTER = rf"(?:{alternatives('ensemble/registers-of-things')})(?:[ -](?:Code|Nr\.?|ID))?[ \t:\#-]{{0,3}}"
_CODES = rf"""
    (?:{_REGISTER})?(?!\d{{1,2}}[./](?:\d{{1,2}}[./]|{_YEAR}))\p{{Lu}}{{0,2}}-?\d[\p{{L}}\d./-]{{1,20}}+(?<=(?<![\p{{L}}\d]){_REGISTER}[\p{{L}}\d./-]{{2,24}})
    |\d{{6,9}}(?:\.\d{{1,2}})?(?<=(?<!\p{{L}})[NX][CGMPR]_[\d.]{{6,12}})
    |(?:NCT|DRKS|ISRCTN)\d{{8}}(?!\d)
    |20\d\d-\d{{6}}-\d\d(?![\d-])
    |rs\d{{3,10}}(?![\p{{L}}\d])
    |M-?[89]\d{{3}}/[0-3](?!\d)
    |(?:1[1-3]|2[1-4]|4[1-3]|[356]1)\d\d(?!\d|{_B}?[-/])(?<=(?<!\p{{L}}|\d{_B})BK(?:[ -]Nr\.?)?:?{_B}\d{{4}})
"""
"""Numbers of genes, trials, medicines and diagnoses: after the name of a register, or by a form that only they have."""
_SHOCK = rf"""
    (?:(?i:schock|schockabgabe|defibrillation|defibrilliert|kardioversion|kardiovertiert|laser|energie)
    |(?<!\p{{L}})(?:EKV|ESWL|DFT|RFA|ATP|VT\d?|VF)|\d[x×]|\d{_B}s{_B}bei)
    (?:,?{_B}(?:mit|von|dann|\d[x×]))?[ (<>=]{{0,3}}
"""
_JOULES = rf"""
    \d{{1,3}}(?={_B}?J(?!\p{{L}}|\.?{_B}alt))(?:{_B}?J\.?)?
    (?:(?<={_SHOCK}(?:\d{{1,3}}{_B}?J\.?,{_B}){{0,2}}\d{{1,3}}(?:{_B}?J\.?)?)
    |(?={_B}?J{_B}(?:bi|mono)phasisch|{_B}?J/cm))
"""
_AGE_OF_THING = rf"""
    \d{{2,3}}(?={_B}Monate)(?<=(?i:aggregat|batterie|elektrode|gerät|implantat|sonde)[^\n.;]{{0,12}}[Aa]lter:?{_B}\d{{2,3}})
"""
_TUMOUR = r"\p{Lu}[\p{L}-]{2,24}-(?i:ca|karzinom|carcinom|tumor)(?!\p{L})\.?"
_FORMS = {
    label: regex.compile("|".join(forms), regex.VERBOSE)
    for label, forms in {
        Label.DATE: (_EYES, _SEPTUM, _MYCOBACTERIA, _DECIBELS, _SCORES, _EDITION, _CODES),
        Label.ID: (_CODES,),
        Label.PHONE: (_CODES,),
        Label.AGE: (_JOULES, _AGE_OF_THING, _SCORES),
        Label.PER: (_AVIUM, _TUMOUR),
    }.items()
}
_VIRUS = regex.compile(r"(?<![\p{L}\d])[AB]/\p{Lu}[\p{L} -]{2,20}(?:/[\p{L}\d-]{1,16}){1,2}/(?:19|20)?\d\d(?!\d)")
"""A strain of influenza virus: its type, place, number and year."""
_REACH = 40


def is_medical(text: str, span: Span) -> bool:
    """Return whether a span is a part of a medical form."""
    forms = _FORMS.get(span.label)
    if forms is not None and (found := forms.match(text, span.start)) and found.end() >= span.end:
        return True
    if "/" not in (text[span.start - 1 : span.start], text[span.start + 1 : span.start + 2]):
        return False
    strains = _VIRUS.finditer(text, max(span.start - _REACH, 0), span.end + _REACH)
    return any(strain.start() <= span.start and span.end <= strain.end() for strain in strains)
