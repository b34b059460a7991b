"""Data augmentation of letters: other names, other annotated texts, medical phrases, noise, other layouts.

A few hundred letters hold few names, and each is careless in its own way. Other names teach the model the context of a
name instead of the name (seed 001 measures the same with surrogates). Institutions, professions, streets and numbers of
other letters do the same for these types. Lower case, capitals, missing umlauts and OCR errors teach what is left if
the form of a word is uninformative. Phrases of official medical texts, which identify nobody, teach that a word that
no letter has is seldom a name. Other line breaks teach that entities do not end with lines. No rule or list of test
material is used: names come from the training letters or are composed of their character n-grams.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path

import regex

from deid_core.core.labels import Label, PhiType, types_with
from deid_core.core.word_lists import word_list, word_set
from deid_core.lab.corpora.layout_changes import LAYOUTS, laid_out
from deid_core.lab.corpora.letters import (
    SUFFIX,
    AnnotatedLetter,
    body_start,
    join_annotations,
    parse_letter,
    split_annotations,
)
from deid_core.lab.corpora.lines import read_lines
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.ward_lists import Line, ward_list

_PEOPLE = frozenset(types_with(Label.PER))
_PLACES = frozenset({PhiType.TOWN, PhiType.PLACE, PhiType.REGION})
_NAMES = _PEOPLE | _PLACES
_NAMED = frozenset({PhiType.HOSPITAL, PhiType.ORGANISATION, PhiType.DEPARTMENT, PhiType.EMAIL, PhiType.URI})
"""Types whose texts may contain a name of a person or place of the letter; the name is replaced there too."""
_WORD = regex.compile(r"\p{L}{3,}")
_ENDINGS = ("s", "er")
"""Endings of genitives and of adjectives of towns; kept after the replaced name."""
_PARTICLES = word_set("training/name-particles")
_CONTEXT = 3
"""Preceding letters from which the next letter of a composed name is drawn."""
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
        PhiType.POSTCODE,
        PhiType.PROFESSION,
        PhiType.PATIENT_ID,
        PhiType.CASE_ID,
        PhiType.INSURANCE_ID,
        PhiType.DEVICE_ID,
        PhiType.ID,
    }
)
"""Types whose texts are replaced as a whole: their context shows their type."""

_AMBIGUOUS_SURNAMES = sorted({word.capitalize() for word in word_list("ambiguous-names") if len(word) > _CONTEXT})
_AMBIGUOUS = {"given": word_set("training/given-names-that-are-words"), "family": frozenset(_AMBIGUOUS_SURNAMES)}
_AMBIGUOUS_SHARE = 0.07
"""Share of the names that are replaced by one that is also a word."""
_LAYOUT_SHARE = 0.5
"""Share of the letters with other names only that get another layout."""
_PHRASES_SHARE = 0.7
"""Share of the letters with other names only, and of those with noise, that get medical phrases."""
_WARD_LIST_SHARE = 0.08
"""Share of the letters with other names only that end with a ward list."""
_AMBIGUOUS_IN_WARD_LISTS = 0.4
"""Share of the surnames in them that are words."""
_NOUN_SHARE = 0.06
"""Share of the names that get a noun of a phrase, in letters that get phrases."""
_ADJECTIVE_ENDINGS = ("sche", "schen", "'sche", "'schen", "’sche", "’schen")
_LONG_NOUN = regex.compile(r"\b\p{Lu}\p{Ll}{7,}\b")
_HEADINGS = ("Diagnosen", "Nebendiagnosen", "Befund", "Therapie", "Procedere", "Beurteilung")


class Surrogates:
    """Replacements for a kind of word: the words of that kind in all letters, and composed words that resemble them.

    ambiguous: names that are also words, such as Stein and April, for a share of the replacements. composed: share of
    the other replacements that are composed.
    """

    def __init__(self, words: Iterable[str], ambiguous: Iterable[str] = (), composed: float = 0.5) -> None:
        self._words, self._composed = sorted(set(words)), composed
        self._ambiguous = sorted(set(ambiguous))
        self._following: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._words:
            padded = " " * _CONTEXT + word.lower() + " "
            for at in range(_CONTEXT, len(padded)):
                self._following[padded[at - _CONTEXT : at]].append(padded[at])

    def draw(self, draw: Draw) -> str:
        """Return a word, a share of the time one composed by a character n-gram model; "" if there are no words."""
        if not self._words:
            return ""
        if self._ambiguous and draw.chance(_AMBIGUOUS_SHARE):
            return draw.pick(self._ambiguous)
        if draw.chance(1 - self._composed):
            return draw.pick(self._words)
        composed = " " * _CONTEXT
        while len(composed) < _CONTEXT + _LONGEST:
            letter = draw.pick(self._following[composed[-_CONTEXT:]])
            if letter == " ":
                break
            composed += letter
        return composed.strip().capitalize()


def names_in(lines: Iterable[Line], of: Container[PhiType | None] = _NAMES) -> Iterator[tuple[str, str]]:
    """Yield the words of annotated names of these types with their kind: "given" and "family" of people, "place"."""
    for line in lines:
        for phi, text in line:
            if phi not in of:
                continue
            words = [word for word in _WORD.findall(text) if word.lower() not in _PARTICLES]
            if phi in _PLACES:
                yield from (("place", word) for word in words)
            elif phi in _PEOPLE:
                # "Muster, Eva" and "Eva Muster". A single name of a relative is mostly a given name.
                _, comma, after = text.partition(",")
                given = _WORD.findall(after) if comma else words if phi is PhiType.RELATIVE else words[:-1]
                yield from (("given" if word in given else "family", word) for word in words)


def with_other_names(
    lines: Sequence[Line], surrogates: Mapping[str, Surrogates], draw: Draw, of: Set[PhiType] = _NAMES
) -> list[Line]:
    """Return the lines with each name of a person or place replaced consistently wherever it is annotated.

    Case, particles, initials and words of up to two letters stay. surrogates: for each kind of `names_in`. of: the
    types whose names are replaced.
    """
    kinds = {
        word.lower(): surrogates[kind]
        for kind, word in names_in(lines, of)
        if not (word.isupper() and len(word) <= _CONTEXT)
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

    changed = of | _NAMED
    return [[(phi, _WORD.sub(other, text) if phi in changed else text) for phi, text in line] for line in lines]


def with_other_mentions(lines: Sequence[Line], mentions: Mapping[PhiType, Sequence[str]], draw: Draw) -> list[Line]:
    """Return the lines with institutions, professions, … replaced as a whole by others of their type.

    Equal texts get equal replacements (mention replacement, Dai and Adel 2020). mentions: texts to draw from, by type.
    """
    chosen: dict[tuple[PhiType, str], str] = {}

    def other(phi: PhiType | None, text: str) -> str:
        if phi is None or not mentions.get(phi):
            return text
        if (phi, text) not in chosen:
            chosen[phi, text] = draw.pick(mentions[phi])
        return chosen[phi, text]

    return [[(phi, other(phi, text)) for phi, text in line] for line in lines]


def with_phrases(lines: Sequence[Line], phrases: Sequence[str], draw: Draw) -> list[Line]:
    """Return the lines with one to three groups of phrases between them: as lines, as items, or after a heading.

    No group is in the first third, where the letterhead is, or next to a table row. After some names comes a long noun
    of a phrase (`_with_noun`).
    """
    changed = [[piece for at in range(len(line)) for piece in _with_noun(line, at, phrases, draw)] for line in lines]
    places = [
        at
        for at in range(len(lines) // 3, len(lines) + 1)
        if not any(line and line[0][1].startswith("|") for line in lines[max(at - 1, 0) : at + 1])
    ]
    for at in sorted((draw.pick(places) for _ in range(draw.number(1, 3) if places else 0)), reverse=True):
        group = [draw.pick(phrases) for _ in range(draw.number(1, 4))]
        changed[at:at] = [[(None, line)] for line in draw.pick(_GROUP_FORMS)(group, draw)]
    return changed


def _with_noun(line: Line, at: int, phrases: Sequence[str], draw: Draw) -> Line:
    """Return a piece, and for a share of the names with a blank after them a long noun of a phrase.

    "Mutter Eva Fibromyalgie" teaches where a name ends; "Muster-Fibromyalgie" and "die Muster'sche Fibromyalgie" teach
    that a name of the letter stays one in a compound and as an adjective.
    """
    phi, text = line[at]
    followed = at + 1 < len(line) and line[at + 1][1].startswith(" ")
    nouns = _LONG_NOUN.findall(draw.pick(phrases)) if followed and phi in _PEOPLE and draw.chance(_NOUN_SHARE) else ()
    if not nouns:
        return [(phi, text)]
    noun, form = draw.pick(nouns), draw.number(1, 4) if text.isalpha() else 1
    if form == 3:
        return [(phi, text), (None, f"-{noun}")]
    return [(phi, text + (draw.pick(_ADJECTIVE_ENDINGS) if form == 4 else "")), (None, f" {noun}")]


_GROUP_FORMS: Sequence[Callable[[list[str], Draw], list[str]]] = (
    lambda group, draw: group,
    lambda group, draw: [f"- {phrase}" for phrase in group],
    lambda group, draw: [f"{draw.pick(_HEADINGS)}: {', '.join(group)}"],
)


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
    """Return an OCR simulator: it misreads a few letters often, others rarely, and sometimes splits a word."""
    rates = dict.fromkeys(_MISREAD, draw.pick([0.0, 0.003, 0.01]))
    for _ in range(draw.number(1, 4)):
        rates[draw.pick(list(_MISREAD))] = draw.pick([0.1, 0.4, 0.9])
    split_rate = draw.pick([0.0, 0.0, 0.005])

    def scan(text: str) -> str:
        read = [_MISREAD[c] if c in rates and draw.chance(rates[c]) else c for c in text]
        for at in range(2, len(text) - 2):
            if split_rate and text[at - 1 : at + 1].isalpha() and draw.chance(split_rate):
                read[at] = " " + read[at]
        return "".join(read)

    return scan


def with_noise(lines: Sequence[Line], draw: Draw) -> list[Line]:
    """Return the lines in lower case, in capitals, with umlauts written out, or with OCR errors."""
    change = draw.pick([str.lower, str.lower, str.lower, str.upper, _without_umlauts, _scanned(draw), _scanned(draw)])
    return [[(phi, change(text)) for phi, text in line] for line in lines]


def _without_umlauts(text: str) -> str:
    return text.translate(_UMLAUTS)


def augmented_letters(folder: Path, seed: int, phrases: Sequence[str] = ()) -> Iterator[AnnotatedLetter]:
    """Yield each letter of a folder three times: with other names, with other names and mentions, with noise.

    With phrases, most of the first and last get some of them, and a few of the first a ward list (ward_lists.py). Half
    of the first, drawn at random, also get another layout (corpora/layout_changes.py). The same seed gives the same
    letters. Raises ConfigurationError as corpora/letters.py does.
    """
    files = {file: read_lines(file) for file in sorted(folder.glob(f"*{SUFFIX}"))}
    bodies = {file: [split_annotations(line) for line in lines[body_start(lines) :]] for file, lines in files.items()}
    words: defaultdict[str, list[str]] = defaultdict(list)
    for kind, word in names_in(line for body in bodies.values() for line in body):
        if word[0].isupper() and word[1:].islower():
            words[kind].append(word)
    surrogates = {kind: Surrogates(words[kind], _AMBIGUOUS.get(kind, ())) for kind in ("given", "family", "place")}
    mentions: defaultdict[PhiType, list[str]] = defaultdict(list)
    for phi, text in (piece for body in bodies.values() for line in body for piece in line):
        if phi in _EXCHANGED:
            mentions[phi].append(text)

    def surname(draw: Draw) -> str:
        ambiguous = draw.chance(_AMBIGUOUS_IN_WARD_LISTS)
        return draw.pick(_AMBIGUOUS_SURNAMES) if ambiguous else surrogates["family"].draw(draw)

    for file, body in bodies.items():
        head = files[file][: body_start(files[file])]
        draw = Draw(f"{seed}/{file.stem}")
        renamed, noisy = (
            with_phrases(lines, phrases, draw) if phrases and draw.chance(_PHRASES_SHARE) else lines
            for lines in (with_other_names(body, surrogates, draw), body)
        )
        noisy = with_noise(noisy, draw)
        if phrases and draw.chance(_WARD_LIST_SHARE):
            renamed += ward_list(surname, phrases, draw)
        exchanged = with_other_mentions(with_other_names(body, surrogates, draw), mentions, draw)
        letters = [
            parse_letter(file, [*head, *map(join_annotations, changed)]) for changed in (renamed, exchanged, noisy)
        ]
        if draw.chance(_LAYOUT_SHARE):
            letters[0] = laid_out(letters[0], draw.pick(list(LAYOUTS)), f"{seed}/{file.stem}")
        yield from letters
