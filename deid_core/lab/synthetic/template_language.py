"""The template language: text with slots, compiled once, filled for each note.

`{patient.dat}`   what the slot of this name gives for the case (slots.py)
`{110-160/5}`     a whole number in steps of 5; `{0,6-1,9}` one with a decimal; never identifying
`{salute:Frau}`   this very text, marked as what identifies somebody: a type of deid_core/core/labels.py and the text
`{age:42-65}`     the same for a number
`[a|b|]`          one of these, by chance; may hold slots
`<der|die>`       by the patient's sex, man first; may stand within the others
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.case import Case
from deid_core.lab.synthetic.letter import Phi, Piece, Pieces
from deid_core.lab.synthetic.slots import SLOTS
from deid_core.text.tokens import TOKEN

Operation = str | Callable[[Case], Pieces]

_BY_SEX = re.compile(r"<([^<>|]*)\|([^<>|]*)>")
_PARTS = re.compile(r"\{([^{}]*)\}|\[([^\[\]]*)\]")
_NAMES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(\d+)(?:,(\d+))?-(\d+)(?:,(\d+))?(?:/(\d+))?")
_MARKED = re.compile(r"([a-z_]+):(.+)")
_SLOT_FOR_COUNT = "x x"
"""What a slot counts for when a template's length is estimated: names, dates and titles are two tokens or so."""


class TemplateError(ValueError):
    """A template that cannot be compiled; the message says what in it."""


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A compiled template: operations for a man's and a woman's letter, and about how many tokens it gives.

    identifying: whether it has a slot or a marked text, so that what it gives may identify somebody.
    """

    operations: tuple[tuple[Operation, ...], tuple[Operation, ...]]
    tokens: int
    identifying: bool

    def fill(self, case: Case) -> Pieces:
        """The pieces for this case."""
        return _fill(self.operations[case.female], case)


def compile_template(text: str) -> SentenceTemplate:
    """Compiles a template. Raises TemplateError for a slot that does not exist, or brackets without partner."""
    male, female = _BY_SEX.sub(r"\1", text), _BY_SEX.sub(r"\2", text)
    counted = _PARTS.sub(
        lambda m: m[2].split("|")[0] if m[2] is not None else "1" if _RANGE.fullmatch(m[1]) else _SLOT_FOR_COUNT,
        male,
    )
    identifying = any(not _RANGE.fullmatch(name) for name in _NAMES.findall(text))
    return SentenceTemplate((_compile(male), _compile(female)), len(TOKEN.findall(counted)), identifying)


def _compile(text: str) -> tuple[Operation, ...]:
    operations: list[Operation] = []
    at = 0
    for match in _PARTS.finditer(text):
        _add_literal(operations, text[at : match.start()])
        at = match.end()
        name, alternatives = match.groups()
        if alternatives is not None:
            operations.append(_choice([_compile(part) for part in alternatives.split("|")]))
        elif found := _RANGE.fullmatch(name):
            number = _number(found)
            operations.append(partial(_plain, number))
        elif found := _MARKED.fullmatch(name):
            operations.append(_marked(found))
        elif name in SLOTS:
            operations.append(SLOTS[name])
        else:
            raise TemplateError(f"slot {name!r} does not exist")
    _add_literal(operations, text[at:])
    return tuple(operations)


def _add_literal(operations: list[Operation], text: str) -> None:
    if "{" in text or "}" in text or "[" in text or "]" in text:
        raise TemplateError("a bracket has no partner")
    if text:
        operations.append(text)


def _fill(operations: tuple[Operation, ...], case: Case) -> Pieces:
    pieces: list[Piece] = []
    for operation in operations:
        if not isinstance(operation, str):
            pieces += operation(case)
        elif operation[0] == "." and pieces and _ends_with_stop(pieces[-1]):
            # "am 12.3." at a sentence's end has one full stop.
            pieces.append(operation[1:])
        else:
            pieces.append(operation)
    return tuple(pieces)


def _ends_with_stop(piece: Piece) -> bool:
    return (piece if isinstance(piece, str) else piece.text).endswith(".")


def _plain(number: Callable[[Case], str], case: Case) -> Pieces:
    return (number(case),)


def _choice(alternatives: list[tuple[Operation, ...]]) -> Operation:
    return lambda case: _fill(alternatives[int(case.draw.random() * len(alternatives))], case)


def _marked(match: re.Match[str]) -> Operation:
    if match[1] not in {t.value for t in PhiType}:
        raise TemplateError(f"{match[1]!r} is not a type of deid_core/core/labels.py")
    kind = PhiType(match[1])
    if found := _RANGE.fullmatch(match[2]):
        number = _number(found)
        return lambda case: (Phi(number(case), kind),)
    pieces = (Phi(match[2], kind),)
    return lambda case: pieces


def _number(match: re.Match[str]) -> Callable[[Case], str]:
    low, low_decimals, high, high_decimals, step = match.groups()
    places = len(low_decimals or "")
    if places != len(high_decimals or ""):
        raise TemplateError(f"{match[0]!r}: both ends need the same number of decimals")
    first, size = int(low + (low_decimals or "")), int(step or 1)
    count = (int(high + (high_decimals or "")) - first) // size + 1
    if count < 1:
        raise TemplateError(f"{match[0]!r}: the first end is above the second")
    return lambda case: decimal(first + size * int(case.draw.random() * count), places)


def decimal(value: int, places: int) -> str:
    """A number of tenths, hundredths, … with a comma: 35 with one place is "3,5"."""
    if not places:
        return str(value)
    text = str(value).zfill(places + 1)
    return f"{text[:-places]},{text[-places:]}"
