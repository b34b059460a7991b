"""Put surrogates into a synthetic note; everything outside its names and places stays the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.generate import SyntheticNote, generate_note
from deid_core.lab.synthetic.letter import Letter, LetterTable, Paragraph, Phi, Piece
from deid_core.lab.synthetic.lists import lists_of
from deid_core.lab.synthetic.rendering import render
from deid_core.lab.synthetic.surrogates.forms import folded
from deid_core.lab.synthetic.surrogates.mixes import CATEGORIES, CORPORA, Category
from deid_core.lab.synthetic.surrogates.people import NameMap
from deid_core.lab.synthetic.surrogates.places import PlaceMap, street_name
from deid_core.lab.synthetic.surrogates.words import SurrogateWords
from deid_core.lab.synthetic.typos import misspelt

_NAMED_AFTER = "Station "
"""A department's name is somebody's if it begins so."""
_TEXT_WORD = re.compile(r"[^\W\d_]+")


def iter_challenge(
    corpus: str, count: int, *, seed: int, split: str = "train", year: int | None = None, start: int = 0
) -> Iterator[SyntheticNote]:
    """Notes `start` to `start + count - 1` of a challenge corpus, in order.

    Raises ConfigurationError for a corpus or split that does not exist.
    """
    for index in range(start, start + count):
        yield challenge_note(corpus, seed, split, index, year)


def challenge_note(corpus: str, seed: int, split: str, index: int, year: int | None = None) -> SyntheticNote:
    """`generate_note`'s note with surrogates; its id begins with the corpus. Depends on the arguments and nothing else.

    Raises ConfigurationError for a corpus or split that does not exist.
    """
    return inject(generate_note(seed, split, index, year), corpus, split)


def inject(item: SyntheticNote, corpus: str, split: str) -> SyntheticNote:
    """A made note of this half with its names and places replaced by those of a corpus (seed 001, section 5).

    The letter is rendered anew, so gold spans lie exactly on the surrogates; there are as many, of the same types.
    Raises ConfigurationError for a corpus or split that does not exist.
    """
    if corpus not in CORPORA:
        raise ConfigurationError(f"corpus {corpus!r} does not exist; there are {', '.join(CORPORA)}")
    note_id = f"{corpus}-{item.note.note_id}"
    surrogates = _Surrogates(item.letter, corpus, split, Draw(note_id))
    letter = _mapped(item.letter, surrogates.replaced)
    note, gold = render(letter, note_id, item.note.year or letter.date.year)
    return SyntheticNote(note, gold, letter)


class _Surrogates:
    """What becomes of each piece of one letter."""

    def __init__(self, letter: Letter, corpus: str, split: str, draw: Draw) -> None:
        self._draw = draw
        self._mix = CORPORA[corpus]
        self._rules = lists_of(split).typos
        pieces = list(_pieces(letter))
        text = "\n".join(piece for piece in pieces if isinstance(piece, str))
        marked = [name for piece in pieces if isinstance(piece, Phi) and (name := _name_in(piece))]
        # So that nobody is replaced by themselves, or by somebody else of the same letter.
        taken = {
            folded(word)
            for name in marked
            for word in (
                *_TEXT_WORD.findall(name.text), street_name(name.text), street_name(name.text, hyphen=True)
            )
        }  # fmt: skip
        words = SurrogateWords(draw, split, self._mix, frozenset(_TEXT_WORD.findall(text)), taken)
        self._people = NameMap([n for n in marked if _is_person(n.type)], lists_of(split), words)
        self._places = PlaceMap([n for n in marked if not _is_person(n.type)], split, words)
        self._seen: set[str] = set()

    def replaced(self, piece: Phi) -> Phi:
        """The piece with its name replaced; as it is if it holds none."""
        name = _name_in(piece)
        if name is None:
            return piece
        surrogate = (self._people if _is_person(name.type) else self._places).replaced(name)
        if surrogate in self._seen and self._draw.random() < self._mix.misspelt:
            surrogate = misspelt(surrogate, self._draw, self._rules)
        self._seen.add(surrogate)
        return Phi(piece.text.removesuffix(name.text) + surrogate, piece.type)


def _name_in(piece: Phi) -> Phi | None:
    """The name that a marked piece is, or ends with; None if it holds none that is replaced."""
    if piece.type is PhiType.DEPARTMENT:
        after = piece.text.removeprefix(_NAMED_AFTER)
        return Phi(after, piece.type) if after != piece.text else None
    return piece if piece.type in CATEGORIES else None


def _is_person(phi_type: PhiType) -> bool:
    return CATEGORIES[phi_type] in (Category.PATIENT, Category.DOCTOR)


def _paragraphs(letter: Letter) -> Iterator[Paragraph]:
    """Every paragraph in the order of the note's text."""
    for item in letter.body:
        if isinstance(item, LetterTable):
            yield from (paragraph for row in item.rows for cell in row for paragraph in cell)
        else:
            yield item
    yield from (*letter.page_header, *letter.page_footer, letter.title, letter.author)


def _pieces(letter: Letter) -> Iterator[Piece]:
    for paragraph in _paragraphs(letter):
        yield from paragraph


def _mapped(letter: Letter, replace: Callable[[Phi], Phi]) -> Letter:
    """The letter with every marked piece replaced, in the order of the note's text."""

    def paragraph(pieces: Paragraph) -> Paragraph:
        return tuple(replace(piece) if isinstance(piece, Phi) else piece for piece in pieces)

    def item(part: Paragraph | LetterTable) -> Paragraph | LetterTable:
        if isinstance(part, LetterTable):
            return LetterTable(tuple(tuple(tuple(map(paragraph, cell)) for cell in row) for row in part.rows))
        return paragraph(part)

    return Letter(
        date=letter.date,
        body=tuple(map(item, letter.body)),
        page_header=tuple(map(paragraph, letter.page_header)),
        page_footer=tuple(map(paragraph, letter.page_footer)),
        title=paragraph(letter.title),
        author=paragraph(letter.author),
    )
