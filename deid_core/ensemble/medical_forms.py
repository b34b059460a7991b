"""Tells forms of medicine that look like dates, ages, numbers or places, and identify nobody.

The models take "R. Aug." (the right eye) for August, "EAU 2022" for a date and "EudraCT 2011-004792-37" for a number of
the patient. A span that is nothing but a part of such a form is left out, whatever found it, so a form must be certain
by what stands directly beside it: "Aug. 2010", "re. Aug. 07" and "Fallnummer 2011-004792-37" are none. Fractions are
left to the model: "MoCA 11/12" is a month more often than a score.
"""

from __future__ import annotations

import regex

from deid_core.core.labels import Label
from deid_core.core.spans import Span
from deid_core.core.word_lists import alternatives, word_set
from deid_core.recognisers.pattern.alternation import lookbehind_alternation

_B = r"[ \u00a0]"
_NOT_IN_TIME = rf"(?<!(?<!\p{{L}})(?i:im|seit|ab|bis|ende|mitte|anfang){_B})"
"""After "im" or "seit" it is the month."""
_NO_YEAR = rf"(?!{_B}?(?:(?:19|20)\d\d|['’´`]?\d\d(?!\d|[.,:/]\d)))"
"""Before a year it is the month."""


def _after(before: str, form: str) -> str:
    """Return an expression for a form after `before`. The look-behind is last, since few texts have the form."""
    return rf"{form}(?<={before}{form})"


_SIDE = r"(?:[RL]|[Rr]e|[Ll]i|[Bb]ds?)\.?"
_EYES = rf"""
    (?:{_SIDE}{_B})?Aug(?!\p{{L}})\.?+{_NO_YEAR}(?!,{_B}{_SIDE}{_B}(?i:{alternatives("pattern/month-abbreviations")})(?!\p{{L}}))
    (?<=(?<!\p{{L}}){_SIDE}{_B}Aug\.?)(?=[^\n]{{0,40}}(?:{alternatives("ensemble/words-of-eyes")}))
"""
"""The right or left eye, before a finding ("R. Aug. Katarakt"); not two sides' months."""
_SEPTUM = rf"""
    {_NOT_IN_TIME}Sept(?!\p{{L}})(?:\.?-?{_B}?(?i:dev)\.?|\.?)
    (?=[ -]?(?:(?:nach|stark|leicht|zur){_B}){{0,2}}(?:(?:rechts|links|re\.|li\.){_B})?
        (?i:dev|korrektur|mittelst|plasti[kc]|verbieg|verbog)|(?<=dev\.?))
"""
"""The septum of the nose: "Sept. nach rechts verbogen"."""
_AVIUM = _after(r"(?:avium[\p{L}-]*|NTM)[^\p{L}\d\n]{1,4}", "MAI") + rf"(?!\p{{L}}){_NO_YEAR}"
_MYCOBACTERIA = rf"{_NOT_IN_TIME}MAI(?=[ -](?:Infekt|Nachweis|positiv))|{_AVIUM}"
"""Mycobacterium avium-intracellulare: "MAI-Infekt", "M. avium (MAI)"."""
_NO_DAY = r"(?<![\d.,/])(?:3[2-9]|[4-9]\d|1[0-2]\d)"
_DECIBELS = rf"(?:{_NO_DAY}{_B})?" + _after(_NO_DAY + _B, "Dez") + rf"(?!\p{{L}})\.?+{_NO_YEAR}"
"""After a number that is no day: "60 Dez."."""
_EDITIONS = lookbehind_alternation(word_set("pattern/words-before-editions"))
_BEFORE_EDITION = rf"(?<![\p{{L}}-])(?:[\p{{Lu}}\d]{{2,8}}[/-]){{0,2}}{_EDITIONS}{_B}"
_EDITION = _after(_BEFORE_EDITION, r"(?:19|20)\d\d") + r"(?!\d|[-./]\d)"
"""The year of a guideline: "EAU 2022"."""
_JOINT = r"(?:[ -](?:CT|Code|Nr\.?|ID))?[ \t:\#-]{1,3}"
_REGISTERS = (
    (r"ATC", r"\p{Lu}\d\d(?:\p{Lu}{1,2}(?:\d\d)?)?"),
    (r"EudraCT", r"20\d\d-\d{6}-\d\d"),
    (r"ICD-O(?:-3)?", r"M?-?8\d{3}(?:/[0-3])?"),
    (r"LOINC", r"\d{4,5}-\d"),
    (r"O?MIM", r"\d{6}"),
    (r"PZN", r"0?\d{7}"),
    (r"SNOMED|SCTID", r"\d{9,18}"),
)
_REGISTERED = "|".join(
    rf"(?:(?:{name}){_JOINT})?" + _after(rf"(?<![\p{{L}}\d])(?:{name}){_JOINT}", code) + r"(?![\p{L}\d]|[-./]\d)"
    for name, code in _REGISTERS
)
_BEFORE_DISEASE = rf"(?<!\p{{L}}|\d{_B})BK(?:[ -]Nr\.?)?:?{_B}"
_DISEASE = _after(_BEFORE_DISEASE, r"(?:1[1-3]|2[1-4]|4[1-3]|[356]1)\d\d") + rf"(?!\d|{_B}?[-/])"
"""Of an occupation: "BK 2108"."""
_CODES = rf"""
    {_REGISTERED}
    |\d{{6,9}}(?:\.\d{{1,2}})?(?<=(?<!\p{{L}})[NX][CGMPR]_[\d.]{{6,12}})
    |(?:NCT|DRKS|ISRCTN)\d{{8}}(?!\d)
    |{_DISEASE}
"""
"""Numbers of genes, trials, medicines and diagnoses: in the form of the register before them, or by their own form."""
_JOULES = rf"\d{{1,3}}(?={_B}?J{_B}(?:bi|mono)phasisch|{_B}?J/cm)(?:{_B}?J)?"
"""Energy, not years: "200 J biphasisch"."""
_THING = rf"(?i:aggregat|batterie|elektrode|gerät|implantat|sonde)[^\n.;]{{0,12}}[Aa]lter:?{_B}"
_AGE_OF_THING = _after(_THING, r"\d{2,3}") + rf"(?={_B}Monate)"
"""Of a device: "Aggregatalter: 84 Monate"."""
_TUMOUR = rf"(?i:{alternatives('ensemble/organs-before-tumours')})-(?i:ca|karzinom|carcinom|tumor)(?!\p{{L}})\.?"
_KIND_OF_EPONYM = r"(?i:krankheit|syndrom|zeichen|phänomen|klassifikation|score|kriterien|reflex|knötchen|kontraktur)"
_EPONYM = regex.compile(
    rf"(\p{{Lu}}\p{{Ll}}+(?:-\p{{Lu}}\p{{Ll}}+){{0,2}})-{_KIND_OF_EPONYM}(?:e[ns]|s|en)?(?!\p{{L}})"
)
"""A person of the history of medicine and what bears the name. Staff too have scores and classifications of their own,
so the name must be listed.
"""
_EPONYMS = word_set("eponyms")
_FORMS = {
    label: regex.compile("|".join(forms), regex.VERBOSE)
    for label, forms in {
        Label.DATE: (_EYES, _SEPTUM, _MYCOBACTERIA, _DECIBELS, _EDITION, _CODES),
        Label.ID: (_CODES,),
        Label.PHONE: (_CODES,),
        Label.AGE: (_JOULES, _AGE_OF_THING),
        Label.PER: (_AVIUM, _TUMOUR),
    }.items()
}
_VIRUS = regex.compile(
    r"(?<![\p{L}\d])[AB]/\p{Lu}[\p{L} -]{2,20}(?:/[\p{L}\d-]{1,16})?"
    r"/(?=[\p{L}-]*\d)[\p{L}\d-]{1,16}/(?:19|20)\d\d(?!\d)"
)
"""A strain of influenza virus: its type, place, number and year of four digits."""
_REACH = 40


def is_medical(text: str, span: Span) -> bool:
    """Return whether a span is a part of a medical form."""
    written = text[span.start : span.end]
    # Most spans can be no form: quick to see, where the expression takes microseconds.
    if span.label is Label.PER:
        may_be = "-" in written or text.startswith("-", span.end) or written.startswith("MAI")
    else:
        may_be = "." not in written or not written.replace(".", "").isdecimal() or span.label is not Label.DATE
    forms = _FORMS.get(span.label) if may_be else None
    if forms is not None and (found := forms.match(text, span.start)) and found.end() >= span.end:
        return True
    if may_be and span.label is Label.PER and (found := _EPONYM.match(text, span.start)) and found.end() >= span.end:
        return _EPONYMS.issuperset(found[1].split("-"))
    if "/" not in (text[span.start - 1 : span.start], text[span.start + 1 : span.start + 2]):
        return False
    strains = _VIRUS.finditer(text, max(span.start - _REACH, 0), span.end + _REACH)
    return any(strain.start() <= span.start and span.end <= strain.end() for strain in strains)
