"""Letters written again for training: with other names, institutions, carelessness or layouts.

Some hundred letters have few names, and each has its own way of being careless. From a letter with other names the
decision learns what stands around a name, and not the name (seed 001 measures the same with surrogates), and from one
with other letters' institutions, professions, streets and numbers the same of these; from one in small letters, in
capitals, without umlauts or misread by a scanner it learns what is left when the form of a word says nothing; from one
laid out otherwise, that a line need not end where something ends. Rules and lists of test material have no part in it:
names come from the letters that are trained on, or are put together from their syllables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import regex

from deid_core.core.labels import PhiType
from deid_core.lab.corpora.layout import LAYOUTS, laid_out
from deid_core.lab.corpora.letters import SUFFIX, AnnotatedLetter, body_start, join_marks, parse_letter, split_marks
from deid_core.lab.corpora.lines import read_lines
from deid_core.lab.synthetic.draw import Draw

_PEOPLE = frozenset({PhiType.PATIENT, PhiType.CLINICIAN, PhiType.RELATIVE, PhiType.PERSON})
_PLACES = frozenset({PhiType.TOWN, PhiType.PLACE, PhiType.REGION})
_NAMED = frozenset({PhiType.HOSPITAL, PhiType.ORGANISATION, PhiType.DEPARTMENT, PhiType.EMAIL, PhiType.URI})
"""What may contain the name of a person or a place of the letter, which changes there too."""
_WORD = regex.compile(r"\p{L}{3,}")
_ENDINGS = ("s", "er")
"""Of a name in the genitive, of a town that is an adjective: kept behind the other name."""
_PARTICLES = frozenset("von van der den vom zum zur und bei ten ter del dos geb verw gesch jun sen bad sankt".split())
_CONTEXT = 3
"""Letters by which the next letter of a made name is chosen."""
_LONGEST = 14

_EXCHANGED = frozenset(
    {
        PhiType.HOSPITAL,
        PhiType.DEPARTMENT,
        PhiType.ORGANISATION,
        PhiType.PLACE,
        PhiType.REGION,
        PhiType.COUNTRY,
        PhiType.STREET,
        PhiType.PROFESSION,
        PhiType.PATIENT_ID,
        PhiType.CASE_ID,
        PhiType.INSURANCE_ID,
        PhiType.DEVICE_ID,
        PhiType.ID,
    }
)
"""What is as good in another letter, as a whole: what stands around it says what it is."""

_LAID_OUT = 0.5
"""Of the letters with other names alone."""

Line = list[tuple[PhiType | None, str]]


class Surrogates:
    """Words that can stand for another: those of one kind in all letters, and words that sound like them."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted(set(words))
        self._following: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._words:
            padded = " " * _CONTEXT + word.lower() + " "
            for at in range(_CONTEXT, len(padded)):
                self._following[padded[at - _CONTEXT : at]].append(padded[at])

    def draw(self, draw: Draw) -> str:
        """A word, half of the time one that is made of pieces of others; "" if there are no words."""
        if not self._words:
            return ""
        if draw.chance(0.5):
            return draw.pick(self._words)
        made = " " * _CONTEXT
        while len(made) < _CONTEXT + _LONGEST and (letter := draw.pick(self._following[made[-_CONTEXT:]])) != " ":
            made += letter
        return made.strip().capitalize()


def _names(lines: Iterable[Line]) -> Iterator[tuple[str, str]]:
    """The words of marked names with their kind: "given" and "family" of people, "place"."""
    for line in lines:
        for phi, text in line:
            words = [word for word in _WORD.findall(text) if word.lower() not in _PARTICLES]
            if phi in _PLACES:
                yield from (("place", word) for word in words)
            elif phi in _PEOPLE:
                # "Muster, Eva" and "Eva Muster"; alone, relatives are mostly called by their given name.
                _, comma, behind = text.partition(",")
                given = _WORD.findall(behind) if comma else words if phi is PhiType.RELATIVE else words[:-1]
                yield from (("given" if word in given else "family", word) for word in words)


def with_other_names(lines: Sequence[Line], surrogates: Mapping[str, Surrogates], draw: Draw) -> list[Line]:
    """The lines with each name of a person and a place replaced by the same other one wherever it is marked.

    Capitals and small letters stay as they were, and so do particles, initials and words of up to two letters.
    surrogates: for each kind that `_names` tells apart.
    """
    kinds = {
        word.lower(): surrogates[kind] for kind, word in _names(lines) if not (word.isupper() and len(word) <= _CONTEXT)
    }
    chosen: dict[str, str] = {}

    def other(match: regex.Match[str]) -> str:
        word: str = match.group()
        small = word.lower()
        ending = next((e for e in _ENDINGS if small.endswith(e) and small.removesuffix(e) in kinds), "")
        base = small.removesuffix(ending)
        if base not in kinds:
            return word
        if base not in chosen:
            chosen[base] = kinds[base].draw(draw)
        surrogate = chosen[base] + ending
        return surrogate.upper() if word.isupper() else surrogate.lower() if word.islower() else surrogate

    changed = _PEOPLE | _PLACES | _NAMED
    return [[(phi, _WORD.sub(other, text) if phi in changed else text) for phi, text in line] for line in lines]


def with_other_marks(lines: Sequence[Line], marked: Mapping[PhiType, Sequence[str]], draw: Draw) -> list[Line]:
    """The lines with what is marked as an institution, a profession, … replaced as a whole by one of its type.

    The same text becomes the same other one (Dai and Adel 2020: mention replacement). marked: of each type what may be
    drawn.
    """
    chosen: dict[tuple[PhiType, str], str] = {}

    def other(phi: PhiType | None, text: str) -> str:
        if phi is None or not marked.get(phi):
            return text
        if (phi, text) not in chosen:
            chosen[phi, text] = draw.pick(marked[phi])
        return chosen[phi, text]

    return [[(phi, other(phi, text)) for phi, text in line] for line in lines]


_MISREAD = {
    "0": "O",
    "1": "l",
    "5": "S",
    "8": "B",
    "O": "0",
    "I": "l",
    "S": "5",
    "B": "8",
    "a": "o",
    "c": "e",
    "e": "c",
    "h": "b",
    "i": "1",
    "l": "1",
    "m": "rn",
    "n": "u",
    "o": "0",
    "t": "f",
    "u": "n",
    "ä": "a",
    "ö": "o",
    "ü": "ii",
    "ß": "B",
}
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"},
)


def _scanned(draw: Draw) -> Callable[[str], str]:
    """A scanner that mistakes a few letters often, all others now and then, and sometimes parts a word."""
    rates = dict.fromkeys(_MISREAD, draw.pick([0.0, 0.003, 0.01]))
    for _ in range(draw.number(1, 4)):
        rates[draw.pick(list(_MISREAD))] = draw.pick([0.1, 0.4, 0.9])
    parting = draw.pick([0.0, 0.0, 0.005])

    def scan(text: str) -> str:
        read = [_MISREAD[c] if c in rates and draw.chance(rates[c]) else c for c in text]
        for at in range(2, len(text) - 2):
            if parting and text[at - 1 : at + 1].isalpha() and draw.chance(parting):
                read[at] = " " + read[at]
        return "".join(read)

    return scan


def with_noise(lines: Sequence[Line], draw: Draw) -> list[Line]:
    """The lines in small letters, in capitals, with umlauts written out, or as a bad scanner reads them."""
    change = draw.pick([str.lower, str.lower, str.lower, str.upper, _written_out, _scanned(draw), _scanned(draw)])
    return [[(phi, change(text)) for phi, text in line] for line in lines]


def _written_out(text: str) -> str:
    return text.translate(_UMLAUTS)


def augmented_letters(folder: Path, seed: int) -> Iterator[AnnotatedLetter]:
    """Each letter of a folder three times: with other names; with yet other names and other marks; with noise.

    Half of the first, by chance, are laid out otherwise, too (corpora/layout.py).

    The same seed gives the same letters.

    Raises ConfigurationError as corpora/letters.py does.
    """
    files = {file: read_lines(file) for file in sorted(folder.glob(f"*{SUFFIX}"))}
    bodies = {file: [split_marks(line) for line in lines[body_start(lines) :]] for file, lines in files.items()}
    words: defaultdict[str, list[str]] = defaultdict(list)
    for kind, word in _names(line for body in bodies.values() for line in body):
        if word[0].isupper() and word[1:].islower():
            words[kind].append(word)
    surrogates = {kind: Surrogates(words[kind]) for kind in ("given", "family", "place")}
    marked: defaultdict[PhiType, list[str]] = defaultdict(list)
    for phi, text in (piece for body in bodies.values() for line in body for piece in line):
        if phi in _EXCHANGED:
            marked[phi].append(text)
    for file, body in bodies.items():
        head = files[file][: body_start(files[file])]
        draw = Draw(f"{seed}/{file.stem}")
        renamed, noisy = with_other_names(body, surrogates, draw), with_noise(body, draw)
        exchanged = with_other_marks(with_other_names(body, surrogates, draw), marked, draw)
        letters = [parse_letter(file, [*head, *map(join_marks, changed)]) for changed in (renamed, exchanged, noisy)]
        if draw.chance(_LAID_OUT):
            letters[0] = laid_out(letters[0], draw.pick(list(LAYOUTS)), f"{seed}/{file.stem}")
        yield from letters
