"""Names of organisations without a head word: insurers, offices, relief organisations, clubs, firms, employers.

| text                                                       | the name is             | rule       | score |
|---|---|---|---|
| an insurer: "AOK", "Bahn-BKK"                              | with its branch         | insurer    | 0.90  |
| an ambiguous insurer (TK, BG, KV) near a word of insurance or with a branch | | insurer | 0.90  |
| a well-known organisation: "DRK", "Rotes Kreuz"            | with its branch         | known      | 0.85  |
| the abbreviation of a club or office, and a place          | "TV Musterstadt"        | club       | 0.85  |
| words before a legal form: "Druckmaschinen Muster AG"     |                         | legal_form | 0.90  |
| capitals after "beschäftigt … bei", after a profession and "bei", and before "angestellt" | | employer | 0.80 |

Each function takes the line of tokens and the token that begins or announces the name.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.core.word_lists import word_set
from deid_core.recognisers.institution import flags
from deid_core.recognisers.institution.compute_flags import (
    ORGANISATION_NAMES,
    TWO_WORD_NAMES,
    is_organisation_qualifier,
)
from deid_core.text.token_line import TokenLine

REACH = 6
"""A name has at most so many tokens to either side of its head."""
_LINKS = frozenset({"&", "+", "Co.", "Co", "Söhne", "Sohn", "Partner", "Gebr."})
"""What may be between the names of a firm and its legal form."""
_BRANCH_REACH = 3
_WITH_BRANCHES = word_set("institution/organisations-with-branches")
_BRANCH_ENDINGS = ("verein", "verband", "stelle", "dienst", "gruppe", "haus", "station", "wache", "heim")
"""After a hyphen these are part of the organisation's name: "DRK-Ortsverein"."""
_NEEDS_PLACE = frozenset({"MD", "KV", "UK", "GUV"})
"""Abbreviations that need a branch, because a word of insurance does not make them insurers: "KV: AOK"."""
_INSURANCE = ("versicher", "kasse", "kostentr", "krankenk", "berufsgenoss")
_INSURANCE_ABBREVIATIONS = frozenset({"kv", "kk", "kk.", "vers.", "vers"})
_NOT_IN_NAME = flags.ORDINARY | flags.MEDICAL_WORD | flags.ADJECTIVE | flags.ACADEMIC_TITLE
_SHARE_FORMS = ("ag", "kg", "eg")
"""Legal forms with another meaning; the words before them must meet more conditions."""


def insurer(line: TokenLine, at: int) -> Detection | None:
    """Return the insurer or office at `at`."""
    word = line.word(at)
    branched = word.lower().rpartition("-")[2] in _WITH_BRANCHES
    end_token = branch_end(line, at, branched=branched)
    if line.bits[at] & flags.AMBIGUOUS_INSURER:
        placed = end_token > at + 1 and any(
            line.bits[i] & (flags.INSURER_BRANCH | flags.LISTED_PLACE) for i in range(at + 1, end_token)
        )
        if not placed and (word in _NEEDS_PLACE or not _insures(line, at)):
            return None
        if word in _NEEDS_PLACE and line.next_bits(end_token) & flags.INSURER:
            return None
    start_token = at
    if word.endswith("KK") and line.adjacent(at):
        before = line.bits[at - 1]
        named = (
            before & flags.INITIAL_CAPITAL
            and not before & (_NOT_IN_NAME | flags.ORDINARY_COMPOUND)
            and not line.opens(at - 1)
        )
        regional = is_organisation_qualifier(line.word(at - 1))
        if (named and not before & flags.LISTED_PLACE) or regional:
            start_token -= 1
    return line.detection(start_token, end_token, PhiType.ORGANISATION, "insurer", 0.9)


def employer_by_name(line: TokenLine, at: int) -> Detection | None:
    """Return the large employer at `at`, if "bei" or "bei der" precedes."""
    before = line.word(at - 1) if line.adjacent(at) else ""
    if before in ("der", "den", "dem") and line.adjacent(at - 1):
        before = line.word(at - 2)
    if before not in ("bei", "beim"):
        return None
    return line.detection(at, branch_end(line, at, branched=False), PhiType.ORGANISATION, "employer", 0.8)


def branch_end(line: TokenLine, at: int, *, branched: bool) -> int:
    """Return the end of the name at `at` with its branches: "AOK Rheinland-Pfalz", "BG Holz und Metall".

    branched: any name after it is a branch.
    """
    end_token = at + 1
    while end_token <= at + _BRANCH_REACH:
        bits = line.next_bits(end_token)
        name = (
            bits & flags.INITIAL_CAPITAL and not bits & (_NOT_IN_NAME & ~flags.ADJECTIVE) and not bits & flags.INSURER
        )
        if bits & flags.INSURER_BRANCH or (name and bits & flags.LISTED_PLACE):
            end_token += 1
        elif (
            line.next_word(end_token) == "und"
            and line.next_bits(end_token + 1) & flags.INSURER_BRANCH
            and end_token > at + 1
        ):
            end_token += 2
        elif (
            branched
            and name
            and end_token == at + 1
            and not bits & (flags.PERSON_NAME | flags.LEGAL_FORM)
            and _long(line, end_token)
        ):
            if (
                bits & flags.ORDINARY_COMPOUND
                and line.adjacent(end_token + 1)
                and line.word(end_token + 1)[0].isalnum()
            ):
                break
            end_token += 1
        else:
            break
    return end_token


def named(line: TokenLine, at: int) -> Detection | None:
    """Return the organisation that the word names, None if a head word follows ("DRK Klinik").

    In a compound with another word the name alone counts: "SUVA" in "SUVA-Nummer".
    """
    name, hyphen, rest = line.word(at).partition("-")
    if hyphen and name in ORGANISATION_NAMES and not rest.lower().endswith(_BRANCH_ENDINGS):
        start = line.start(at)
        return line.detection_of(start, start + len(name), PhiType.ORGANISATION, "known", 0.85)
    end_token = branch_end(line, at, branched=line.word(at) in ("DRV", "LVA", "MDK", "BfA"))
    if line.next_bits(end_token) & flags.ANY_HEAD:
        return None
    return line.detection(at, end_token, PhiType.ORGANISATION, "known", 0.85)


def pair(line: TokenLine, at: int) -> Detection | None:
    """Return the organisation that two words name: "Rotes Kreuz"; `at` is the second."""
    if not line.adjacent(at) or (line.word(at - 1).lower(), line.word(at).lower()) not in TWO_WORD_NAMES:
        return None
    start_token = at - 1
    if line.adjacent(start_token) and line.word(start_token - 1) in ("Deutsche", "Deutschen", "Deutsches"):
        start_token -= 1
    return line.detection(start_token, branch_end(line, at, branched=False), PhiType.ORGANISATION, "known", 0.85)


def club(line: TokenLine, at: int) -> Detection | None:
    """Return the club, fire brigade or office of an abbreviation and a place."""
    bits = line.next_bits(at + 1)
    if not (bits & flags.LISTED_PLACE and bits & flags.NAME_FORM) or not _long(line, at + 1):
        return None
    return line.detection(at, branch_end(line, at, branched=False), PhiType.ORGANISATION, "club", 0.85)


def legal(line: TokenLine, at: int) -> Detection | None:
    """Return the firm before the legal form at `at`: capitalised words and "&"; a single word must be no common one."""
    start_token = at
    while start_token > max(0, at - REACH) and line.adjacent(start_token) and _may_be_firm(line, start_token - 1):
        start_token -= 1
    while start_token < at and (not line.bits[start_token] & flags.INITIAL_CAPITAL or _announces(line, start_token)):
        start_token += 1
    names = [line.bits[i] for i in range(start_token, at) if line.bits[i] & flags.INITIAL_CAPITAL]
    known_firm = any(bits & flags.ORGANISATION_HEAD for bits in names)
    distinct = any(not bits & (flags.ORDINARY | flags.ADJECTIVE | flags.ORDINARY_COMPOUND) for bits in names)
    if line.word(at).lower() in _SHARE_FORMS and line.next_word(at + 1)[:1].isdigit():
        return None  # "KG 4/5" is a grade of strength.
    sure_form = line.word(at).lower() not in _SHARE_FORMS or "&" in line.text_of(start_token, at)
    if not names or not (known_firm or distinct or (sure_form and len(names) > 1)):
        return None
    end_token = at + 1
    while end_token < at + REACH and line.adjacent(end_token) and _continues_firm(line, end_token):
        end_token += 1
    while not line.bits[end_token - 1] & flags.LEGAL_FORM and line.word(end_token - 1) not in ("Co", "Co."):
        end_token -= 1
    phi = PhiType.HOSPITAL if any(bits & flags.HOSPITAL_HEAD for bits in names) else PhiType.ORGANISATION
    return line.detection(start_token, end_token, phi, "legal_form", 0.9)


def employer(line: TokenLine, at: int) -> Detection | None:
    """Return the firm after the "bei" that follows or precedes a word of employment on the same line."""
    profession = bool(line.bits[at] & flags.INITIAL_CAPITAL)
    nearby = (at + 1,) if profession else (*range(at + 1, at + 2 * REACH), *range(at - 2, at - REACH - 2, -1))
    for place in nearby:
        if 0 <= place < len(line) and line.word(place) in ("bei", "beim"):
            low, high = sorted((place, at))
            if line.same_sentence(low, high):
                return _firm(line, place + 1, sure=not profession)
    return None


def _firm(line: TokenLine, at: int, *, sure: bool) -> Detection | None:
    """Return the firm whose name begins at `at`; sure: after a verb of employment, two common words are enough."""
    while line.next_bits(at) & flags.NAME_ARTICLE:
        at += 1
    if at < len(line) and _announces(line, at):
        at += 1
    end_token = at
    while end_token < at + REACH and line.adjacent(end_token) and _in_firm(line, at, end_token):
        end_token += 1
    if end_token == at or line.bits[at] & (flags.ACADEMIC_TITLE | flags.NAME_PREPOSITION):
        return None
    plain = flags.ORDINARY | flags.ADJECTIVE | flags.ORDINARY_COMPOUND
    head = flags.ORGANISATION_HEAD | flags.LEGAL_FORM
    if all(line.bits[i] & plain or not line.bits[i] & flags.INITIAL_CAPITAL for i in range(at, end_token)) and not (
        end_token > at + 1 and (sure or any(line.bits[i] & head for i in range(at, end_token)))
    ):
        return None
    return line.detection(at, end_token, PhiType.ORGANISATION, "employer", 0.8)


def _in_firm(line: TokenLine, start_token: int, at: int) -> bool:
    bits, word = line.bits[at], line.word(at)
    if bits & flags.INITIAL_CAPITAL and not bits & flags.MEDICAL_WORD:
        return True
    inside = at > start_token and (word in _LINKS or bits & flags.LEGAL_FORM)
    return bool(inside) or (word == "." and line.word(at - 1) == "Co")


def _announces(line: TokenLine, at: int) -> bool:
    """Return whether the word is "Firma" or "Fa.", which precedes a firm's name and is no part of it."""
    return line.word(at).lower() in ("firma", "fa.", "fa")


def _continues_firm(line: TokenLine, at: int) -> bool:
    """Return whether the token is part of "& Co. KG"; the full stop may be a token of its own."""
    word = line.word(at)
    return bool(line.bits[at] & flags.LEGAL_FORM) or word in _LINKS or (word == "." and line.glued(at))


def _may_be_firm(line: TokenLine, at: int) -> bool:
    bits = line.bits[at]
    if bits & flags.INITIAL_CAPITAL:
        return not bits & (flags.MEDICAL_WORD | flags.LEGAL_FORM) and not bits & flags.ACADEMIC_TITLE
    return line.word(at) in _LINKS


def _insures(line: TokenLine, at: int) -> bool:
    """Return whether a word of insurance is near an ambiguous abbreviation, perhaps in the cell before."""
    around = [line.word(i).lower() for i in range(max(0, at - 3), min(at + 2, len(line))) if i != at]
    return any(word in _INSURANCE_ABBREVIATIONS or any(part in word for part in _INSURANCE) for word in around)


def _long(line: TokenLine, at: int) -> bool:
    """Return whether the word has more letters than an abbreviation, and no digit."""
    word = line.word(at)
    return len(word) > 3 and not any(letter.isdigit() for letter in word)
