"""Ward lists for data augmentation: lines of a bed, a surname and what there is to do, as at a handover.

Surnames that are words ("1/2 kurz, 82j: nüchtern") are known by their place alone, and letters have few of them. Some
beds have no name, so that the place alone does not make one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.draw import Draw

Line = list[tuple[PhiType | None, str]]

_BEDS = ("{n}", "{n}.", "Zi {n}", "Z{n}", "{n}/{m}", "{n}.{m}", "bett {n}", "B{n}", "{n}0{m}", "-", "P{n}:", "{n} ")
_MARKS = ("frei", "leer", "gesperrt", "isoliert", "reserviert", "putzen")
_CASES: Sequence[Callable[[str], str]] = (str.lower, str.lower, str.lower, str.upper, str.capitalize, str.capitalize)
_OF_LIST = (3, 8)
_WITHOUT_NAME = 0.2


def ward_list(names: Callable[[Draw], str], phrases: Sequence[str], draw: Draw) -> list[Line]:
    """Return the lines of a ward list, all in one form.

    names: draws a surname. phrases: what else a line says; it is put in small letters where the surname is.
    """
    bed, case, age = draw.pick(_BEDS), draw.pick(_CASES), draw.pick(("", "{}j", "{}", "m {}", "w, {}", "{} J."))
    separator = draw.pick((": ", ", ", " ", " - ", "  ", " – "))
    lines: list[Line] = []
    for number in range(1, draw.number(*_OF_LIST) + 1):
        place = bed.format(n=number + draw.number(0, 1), m=draw.number(1, 3))
        phrase = draw.pick(phrases)
        rest = phrase.lower() if case is str.lower else phrase
        if draw.chance(_WITHOUT_NAME):
            lines.append([(None, f"{place} {draw.pick((draw.pick(_MARKS), rest))}")])
            continue
        line: Line = [(None, f"{place} "), (PhiType.PATIENT, case(names(draw)))]
        if age and draw.chance(0.8):
            years = str(draw.number(18, 97))
            before, after = age.split("{}")
            aged = years + after if after == "j" else years
            line += [(None, f" {before}"), (PhiType.AGE, aged), (None, "" if after == "j" else after)]
        lines.append([piece for piece in (*line, (None, separator + rest)) if piece[1]])
    return lines
