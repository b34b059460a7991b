"""Replaces the names of the people of one note: the same name by the same surrogate, in all its parts and forms.

A name is replaced word by word ("Müller, Peter", "Hr. Müllers", "MÜLLER-STEIN"): whether a word is a given name or a
surname is learned from the note's full names, else from the half's lists. Particles and nobility stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from deid_core.lab.synthetic.letter import Phi
from deid_core.lab.synthetic.lists import NameLists
from deid_core.lab.synthetic.surrogates.forms import WrittenForm, folded, in_form, variants_of
from deid_core.lab.synthetic.surrogates.mixes import CATEGORIES, Category
from deid_core.lab.synthetic.surrogates.words import SurrogateWords

_CHUNK = re.compile(r"[^\s,]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*['’]?")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
_NOBILITY = frozenset({"freiherr", "graf"})


class NameRole(StrEnum):
    """What a word of a name is."""

    GIVEN = "given"
    SURNAME = "surname"


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A word of a name, with its hyphenated parts: [start, end) of the name's text; role None if nothing says it."""

    start: int
    end: int
    text: str
    role: NameRole | None

    @property
    def initials(self) -> bool:
        return _INITIALS.fullmatch(self.text) is not None


@dataclass(frozen=True, slots=True)
class _FullName:
    """A full name of the note, folded."""

    given: str
    surname: str


class NameMap:
    """The surrogates of one note's people; `names` are all their names in the order of the letter."""

    def __init__(self, names: Sequence[Phi], lists: NameLists, words: SurrogateWords) -> None:
        self._words = words
        self._rules = lists.typos
        self._women = {folded(part) for name in lists.given_female for part in _WORD.findall(name)}
        men = {folded(part) for name in lists.given_male for part in _WORD.findall(name)}
        self._listed = {NameRole.GIVEN: self._women | men, NameRole.SURNAME: {folded(name) for name in lists.surnames}}
        self._roles: dict[str, set[NameRole]] = {}
        self._full: list[_FullName] = []
        self._surrogates: dict[tuple[NameRole, str], str] = {}
        self._initials: dict[tuple[NameRole, str], str] = {}
        counted: Counter[str] = Counter()
        for name in names:
            self._learn(name.text, counted)
        self._bases = self._known_forms(counted)

    def replaced(self, name: Phi) -> str:
        """The surrogate of a name that was among `names`, in the form of the original."""
        category = CATEGORIES[name.type]
        chunks = list(_chunks(name.text))
        parts: list[str] = []
        at = 0
        for number, chunk in enumerate(chunks):
            parts.append(name.text[at : chunk.start])
            if chunk.initials:
                parts.append(self._initialled(chunks, number))
            else:
                role = chunk.role or self._role(chunk.text)
                parts.append(self._worded(chunk.text, role, category))
            at = chunk.end
        return "".join(parts) + name.text[at:]

    def _learn(self, text: str, counted: Counter[str]) -> None:
        chunks = [chunk for chunk in _chunks(text) if not chunk.initials]
        for chunk in chunks:
            for word in _WORD.findall(chunk.text):
                counted[folded(word)] += 1
                if chunk.role is not None:
                    self._roles.setdefault(folded(word), set()).add(chunk.role)
        given = [chunk.text for chunk in chunks if chunk.role is NameRole.GIVEN]
        surnames = [chunk.text for chunk in chunks if chunk.role is NameRole.SURNAME]
        if given and surnames:
            first, last = (_WORD.findall(part)[0] for part in (given[0], surnames[-1]))
            self._full.append(_FullName(folded(first), folded(last)))

    def _known_forms(self, counted: Counter[str]) -> dict[str, tuple[str, WrittenForm]]:
        """Folded word → the folded name it is a form of, and the form; listed and frequent words are bases first."""
        listed = self._listed[NameRole.GIVEN] | self._listed[NameRole.SURNAME]
        first = {word: number for number, word in enumerate(counted)}
        bases: dict[str, tuple[str, WrittenForm]] = {}
        for word in sorted(counted, key=lambda w: (w not in listed, -counted[w], first[w])):
            if word in bases:
                continue
            bases[word] = (word, WrittenForm.PLAIN)
            for variant, form in variants_of(word, self._rules):
                if variant in counted and variant not in listed:
                    bases.setdefault(variant, (word, form))
        return bases

    def _role(self, text: str) -> NameRole:
        """The role of a name's only word: that of the note's full names, else what the lists say."""
        words = [self._bases[folded(word)][0] for word in _WORD.findall(text)]
        for role in (NameRole.SURNAME, NameRole.GIVEN):
            if all(role in self._roles.get(word, ()) for word in words):
                return role
        given = all(word in self._listed[NameRole.GIVEN] for word in words)
        return NameRole.GIVEN if given and words[0] not in self._listed[NameRole.SURNAME] else NameRole.SURNAME

    def _worded(self, text: str, role: NameRole, category: Category) -> str:
        return _WORD.sub(lambda match: self._word(match.group(), role, category), text)

    def _word(self, original: str, role: NameRole, category: Category) -> str:
        base, form = self._bases[folded(original)]
        return in_form(self._surrogate(base, role, category), form, original, self._rules)

    def _surrogate(self, base: str, role: NameRole, category: Category) -> str:
        known = self._surrogates.get((role, base))
        if known is None:
            if role is NameRole.SURNAME:
                known = self._words.surname(category)
            else:
                female = base in self._women or (base not in self._listed[NameRole.GIVEN] and base[-1] in "ae")
                known = self._words.given_name(female, category)
            self._surrogates[(role, base)] = known
        return known

    def _initialled(self, chunks: Sequence[_Chunk], number: int) -> str:
        """Initials as those of the surrogate: "P. Müller", "P.M.", "P. M."."""
        surname = next((folded(_WORD.findall(c.text)[0]) for c in chunks[number:] if not c.initials), "")
        letters = [letter for c in chunks if c.initials for letter in c.text if letter != "."]
        before = sum(len(c.text) // 2 for c in chunks[:number] if c.initials)
        own = len(chunks[number].text) // 2
        replaced = []
        for position in range(before, before + own):
            is_surname = not surname and len(letters) > 1 and position == len(letters) - 1
            role = NameRole.SURNAME if is_surname else NameRole.GIVEN
            replaced.append(self._initial(letters, position, role, self._bases[surname][0] if surname else ""))
        return "".join(f"{letter}." for letter in replaced)

    def _initial(self, letters: Sequence[str], position: int, role: NameRole, surname: str) -> str:
        letter = folded(letters[position])
        for full in self._full:
            given, last = (self._bases[word][0] for word in (full.given, full.surname))
            if surname:
                fits = last == surname and given.startswith(letter)
            else:
                fits = given.startswith(folded(letters[0])) and last.startswith(folded(letters[-1]))
            known = self._surrogates.get((role, last if role is NameRole.SURNAME else given))
            if fits and known:
                return known[0].upper()
        return self._initials.setdefault((role, letter), self._words.initial())


def _chunks(text: str) -> Iterator[_Chunk]:
    """The words of a name that are replaced, with the role that their place gives them."""
    found = [(m.start(), m.end(), m.group()) for m in _CHUNK.finditer(text)]
    comma = text.find(",")
    # "Graf Müller" and "von Müller", but "Graf, Peter" and "Peter Graf".
    named = [
        (start, end, chunk)
        for n, (start, end, chunk) in enumerate(found)
        if _WORD.search(chunk)
        and not chunk.islower()
        and not _is_particle(chunk, last=n == len(found) - 1 or text[end] == ",")
    ]
    for start, end, chunk in named:
        if len(named) == 1:
            role = None
        elif comma >= 0:
            role = NameRole.SURNAME if start < comma else NameRole.GIVEN
        else:
            role = NameRole.SURNAME if start == named[-1][0] else NameRole.GIVEN
        yield _Chunk(start, end, chunk, role)


def _is_particle(chunk: str, *, last: bool) -> bool:
    lower = chunk.lower()
    return not last and (lower in _NOBILITY or (chunk.isupper() and lower in _PARTICLES))


_PARTICLES = frozenset({"von", "van", "der", "de", "und", "zu"})
"""In capitals; in small letters their case tells them apart."""
