"""Names of organisations that need no head word: insurers, offices, relief organisations, clubs, firms, employers.

| what stands there                                          | is a name               | rule       | score |
|---|---|---|---|
| an insurer's name or letters: "AOK", "Bahn-BKK"            | and its branch          | insurer    | 0.90  |
| letters with another meaning (TK, BG, KV), near a word of insurance or with a branch | | insurer | 0.90  |
| what one word names: "DRK", "Caritas", "Rotes Kreuz"       | and its branch          | known      | 0.85  |
| letters of a club, office or fire brigade and a place      | "TV Musterstadt"        | club       | 0.85  |
| words before a legal form: "Druckmaschinen Muster AG"     |                         | legal_form | 0.90  |
| capitals behind "beschäftigt … bei", before "angestellt", behind a profession and "bei" | | employer | 0.80 |

The functions take the line of tokens and the place of the word that begins or announces the name.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.core.spans import Detection
from deid_core.recognisers.institution import flags, lists, words
from deid_core.text.token_line import TokenLine

REACH = 6
"""So many tokens to either side of its head belong to a name at most."""
_LINKS = frozenset({"&", "+", "Co.", "Co", "Söhne", "Sohn", "Partner", "Gebr."})
"""What stands between the names of a firm and its legal form, in small letters or not."""
_BRANCH_REACH = 3
_BRANCH_ENDINGS = ("verein", "verband", "stelle", "dienst", "gruppe", "haus", "station", "wache", "heim")
"""Behind a hyphen they belong to the organisation's name: "DRK-Ortsverein"."""
_NEEDS_PLACE = frozenset({"MD", "KV", "UK", "GUV"})
"""Letters that a word of insurance does not make an insurer: "KV: AOK"."""
_INSURANCE = ("versicher", "kasse", "kostentr", "krankenk", "berufsgenoss")
_INSURANCE_LETTERS = frozenset({"kv", "kk", "kk.", "vers.", "vers"})
_ORDINARY = flags.TERM | flags.MEDICAL | flags.ADJECTIVE | flags.TITLE
_SHARE_FORMS = ("ag", "kg", "eg")
"""Legal forms whose letters mean something else as well: more is asked of the words before them."""


def insurer(line: TokenLine, at: int) -> Detection | None:
    """The insurer or office whose letters stand at `at`."""
    word = line.word(at)
    branched = word.lower().rpartition("-")[2] in lists.BRANCHED
    last = branch_end(line, at, branched=branched)
    if line.bits[at] & flags.AMBIGUOUS:
        placed = last > at + 1 and any(line.bits[i] & (flags.TAIL | flags.PLACE) for i in range(at + 1, last))
        if not placed and (word in _NEEDS_PLACE or not _insures(line, at)):
            return None
        if word in _NEEDS_PLACE and line.next_bits(last) & flags.INSURER:
            return None
    first = at
    if word.endswith("KK") and line.adjacent(at):
        before = line.bits[at - 1]
        named = before & flags.CAPITAL and not before & (_ORDINARY | flags.COMPOUND) and not line.opens(at - 1)
        regional = words.is_regional(line.word(at - 1))
        if (named and not before & flags.PLACE) or regional:
            first -= 1
    return line.detection(first, last, PhiType.ORGANISATION, "insurer", 0.9)


def employer_by_name(line: TokenLine, at: int) -> Detection | None:
    """A large employer behind "bei", "bei der"."""
    before = line.word(at - 1) if line.adjacent(at) else ""
    if before in ("der", "den", "dem") and line.adjacent(at - 1):
        before = line.word(at - 2)
    if before not in ("bei", "beim"):
        return None
    return line.detection(at, branch_end(line, at, branched=False), PhiType.ORGANISATION, "employer", 0.8)


def branch_end(line: TokenLine, at: int, *, branched: bool) -> int:
    """The end of the name that begins at `at` with its branches: "AOK Rheinland-Pfalz", "BG Holz und Metall"."""
    last = at + 1
    while last <= at + _BRANCH_REACH:
        bits = line.next_bits(last)
        name = bits & flags.CAPITAL and not bits & (_ORDINARY & ~flags.ADJECTIVE) and not bits & flags.INSURER
        if bits & flags.TAIL or (name and bits & flags.PLACE):
            last += 1
        elif line.next_word(last) == "und" and line.next_bits(last + 1) & flags.TAIL and last > at + 1:
            last += 2
        elif branched and name and last == at + 1 and not bits & (flags.PERSON | flags.LEGAL) and _long(line, last):
            if bits & flags.COMPOUND and line.adjacent(last + 1) and line.word(last + 1)[0].isalnum():
                break
            last += 1
        else:
            break
    return last


def known(line: TokenLine, at: int) -> Detection | None:
    """An organisation that its word names; nothing if a head word follows ("DRK Klinik").

    Of a compound with something else the name alone: "SUVA" in "SUVA-Nummer".
    """
    name, hyphen, rest = line.word(at).partition("-")
    if hyphen and name in lists.KNOWN and not rest.lower().endswith(_BRANCH_ENDINGS):
        start = line.start(at)
        return line.detection_of(start, start + len(name), PhiType.ORGANISATION, "known", 0.85)
    last = branch_end(line, at, branched=line.word(at) in ("DRV", "LVA", "MDK", "BfA"))
    if line.next_bits(last) & flags.ANY_HEAD:
        return None
    return line.detection(at, last, PhiType.ORGANISATION, "known", 0.85)


def pair(line: TokenLine, at: int) -> Detection | None:
    """An organisation that two words name: "Rotes Kreuz"; `at` is the second."""
    if not line.adjacent(at) or (line.word(at - 1).lower(), line.word(at).lower()) not in lists.KNOWN_PAIRS:
        return None
    first = at - 1
    if line.adjacent(first) and line.word(first - 1) in ("Deutsche", "Deutschen", "Deutsches"):
        first -= 1
    return line.detection(first, branch_end(line, at, branched=False), PhiType.ORGANISATION, "known", 0.85)


def club(line: TokenLine, at: int) -> Detection | None:
    """A club, fire brigade or office by letters and place."""
    bits = line.next_bits(at + 1)
    if not (bits & flags.PLACE and bits & flags.NAMELIKE) or not _long(line, at + 1):
        return None
    return line.detection(at, branch_end(line, at, branched=False), PhiType.ORGANISATION, "club", 0.85)


def legal(line: TokenLine, at: int) -> Detection | None:
    """Words before a legal form: capitals, "&" and hyphens, one of them no common word unless there are two."""
    first = at
    while first > max(0, at - REACH) and line.adjacent(first) and _may_be_firm(line, first - 1):
        first -= 1
    while first < at and (not line.bits[first] & flags.CAPITAL or _announces(line, first)):
        first += 1
    names = [line.bits[i] for i in range(first, at) if line.bits[i] & flags.CAPITAL]
    known_firm = any(bits & flags.ORGANISATION for bits in names)
    distinct = any(not bits & (flags.TERM | flags.ADJECTIVE | flags.COMPOUND) for bits in names)
    if line.word(at).lower() in _SHARE_FORMS and line.next_word(at + 1)[:1].isdigit():
        return None  # "KG 4/5" is a grade of strength.
    sure_form = line.word(at).lower() not in _SHARE_FORMS or "&" in line.text_of(first, at)
    if not names or not (known_firm or distinct or (sure_form and len(names) > 1)):
        return None
    end = at + 1
    while end < at + REACH and line.adjacent(end) and _continues_firm(line, end):
        end += 1
    while not line.bits[end - 1] & flags.LEGAL and line.word(end - 1) not in ("Co", "Co."):
        end -= 1
    phi = PhiType.HOSPITAL if any(bits & flags.HOSPITAL for bits in names) else PhiType.ORGANISATION
    return line.detection(first, end, phi, "legal_form", 0.9)


def employer(line: TokenLine, at: int) -> Detection | None:
    """Capitals behind the "bei" that follows or precedes a word of employment on the same line."""
    profession = bool(line.bits[at] & flags.CAPITAL)
    nearby = (at + 1,) if profession else (*range(at + 1, at + 2 * REACH), *range(at - 2, at - REACH - 2, -1))
    for place in nearby:
        if 0 <= place < len(line) and line.word(place) in ("bei", "beim"):
            low, high = sorted((place, at))
            if line.same_sentence(low, high):
                return _firm(line, place + 1, sure=not profession)
    return None


def _firm(line: TokenLine, at: int, *, sure: bool) -> Detection | None:
    """The firm whose name begins at `at`; sure: a verb of employment says so, and two common words will do."""
    while line.next_bits(at) & flags.ARTICLE:
        at += 1
    if at < len(line) and _announces(line, at):
        at += 1
    end = at
    while end < at + REACH and line.adjacent(end) and _in_firm(line, at, end):
        end += 1
    if end == at or line.bits[at] & (flags.TITLE | flags.PREPOSITION):
        return None
    plain = flags.TERM | flags.ADJECTIVE | flags.COMPOUND
    head = flags.ORGANISATION | flags.LEGAL
    if all(line.bits[i] & plain or not line.bits[i] & flags.CAPITAL for i in range(at, end)) and not (
        end > at + 1 and (sure or any(line.bits[i] & head for i in range(at, end)))
    ):
        return None
    return line.detection(at, end, PhiType.ORGANISATION, "employer", 0.8)


def _in_firm(line: TokenLine, first: int, at: int) -> bool:
    bits, word = line.bits[at], line.word(at)
    if bits & flags.CAPITAL and not bits & flags.MEDICAL:
        return True
    inside = at > first and (word in _LINKS or bits & flags.LEGAL)
    return bool(inside) or (word == "." and line.word(at - 1) == "Co")


def _announces(line: TokenLine, at: int) -> bool:
    """Whether the word is "Firma" or "Fa.": before a firm's name and no part of it."""
    return line.word(at).lower() in ("firma", "fa.", "fa")


def _continues_firm(line: TokenLine, at: int) -> bool:
    """Whether the token is a part of "& Co. KG"; the full stop may be a token of its own."""
    word = line.word(at)
    return bool(line.bits[at] & flags.LEGAL) or word in _LINKS or (word == "." and line.glued(at))


def _may_be_firm(line: TokenLine, at: int) -> bool:
    bits = line.bits[at]
    if bits & flags.CAPITAL:
        return not bits & (flags.MEDICAL | flags.LEGAL) and not bits & flags.TITLE
    return line.word(at) in _LINKS


def _insures(line: TokenLine, at: int) -> bool:
    """Whether the words before or behind ambiguous letters speak of insurance, be it in the cell before."""
    around = [line.word(i).lower() for i in range(max(0, at - 3), min(at + 2, len(line))) if i != at]
    return any(word in _INSURANCE_LETTERS or any(part in word for part in _INSURANCE) for word in around)


def _long(line: TokenLine, at: int) -> bool:
    """Whether the word has more letters than an abbreviation, and no digit."""
    word = line.word(at)
    return len(word) > 3 and not any(letter.isdigit() for letter in word)
