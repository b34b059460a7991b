"""The sweep: look for what a note's own header says in the text that is left after redaction.

It does not use the engine's decisions: it takes terms from the note's header (names, birth date, address, numbers) and
searches the output text outside the replacements. It shares with the engine only the reader of header fields, whose
result it takes over from recogniser `letterhead`, and the matcher of spelling variants (letterhead/fuzzy_match.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from deid_core.core.labels import PhiType, label_of
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Dropped, DropReason, Span
from deid_core.letterhead.field_kinds import FieldKind
from deid_core.letterhead.fields import header_fields
from deid_core.letterhead.fuzzy_match import closest
from deid_core.letterhead.parts import Part, Role, locate
from deid_core.lexicon.flags import COMMON, STOP, word_flags
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.name_grammar import PARTICLES
from deid_core.policies.dates.parse import parse_date
from deid_core.recognisers.letterhead import FIELD_RULES, LetterheadRecogniser
from deid_core.text.document import Document
from deid_core.text.folding import folded, parts
from deid_core.text.tokens import COMBINING, TOKEN, WORD_JOINERS, plain
from deid_core.text.vocabulary import Vocabulary

KIND = "sweep"
"""The sweep's name in spans and among dropped detections."""
MAX_RATIO = 0.333
"""Seed 000, section 4.3: a misspelling has R below this."""
_MIN_VARIANT = 5
"""Shorter words must equal the term: one letter makes another word of them (Groß, Gruß)."""
_MIN_TERM = 2
_WORD = re.compile(rf"[^\W\d_](?:[^\W_]|[{WORD_JOINERS}{COMBINING}](?=\w)|[{COMBINING}])*")
"""A word with its inner hyphens, as TOKEN has it, without an abbreviation's full stop."""
_MIN_DIGITS = 6
"""A shorter number equals other numbers by chance; a postcode is compared as a whole token."""
_LONG_NUMBER = re.compile(r"\d(?:[\s()./–-]{0,3}\d){5,}")
"""At least _MIN_DIGITS digits with separators."""
_SHORT_NUMBER = re.compile(r"(?<![\w.,/])\d{4,5}(?![\w/]|[.,]\d)")
_DATE = re.compile(
    r"(?<!\d)(?:\d{4}-\d{1,2}-\d{1,2}"
    r"|\d{1,2}\.?[ ./-]{0,2}(?:\d{1,2}|[^\W\d_]{3,9}\.?)[ ./-]{1,2}(?:\d{4}|\d{2}))(?!\d)"
)
_CAPITAL = r"[A-ZÄÖÜ]"
_INITIALS = re.compile(rf"(?<!\w)({_CAPITAL})\.[ \u00a0-]?({_CAPITAL})\.(?!\w)")
_INITIAL_AFTER_SALUTE = re.compile(rf"\b(?:Herrn?|Hrn?\.|Frau|Fr\.)[ \u00a0]+(?P<initial>{_CAPITAL}\.)(?!\w)")


class TermKind(StrEnum):
    """What a known term is; the column `kind` of what the sweep counts."""

    NAME = "name"
    ADDRESS = "address"
    POSTCODE = "postcode"
    BIRTH_DATE = "birth_date"
    NUMBER = "number"
    ELECTRONIC = "electronic"
    """An e-mail or web address."""


class Term(NamedTuple):
    """Something known to identify somebody of the note: its kind and its text, as written in its source.

    Terms of other sources than the header, such as identities that a hospital gives, are given in the same form.
    """

    kind: TermKind
    text: str


class Leak(NamedTuple):
    """A range [start, end) of the output text in which a term stands.

    common: the word is a particle or a common word as well, so that it is counted and not redacted.
    """

    start: int
    end: int
    kind: TermKind
    common: bool


_KINDS = {
    FieldKind.NAME: TermKind.NAME,
    FieldKind.STREET: TermKind.ADDRESS,
    FieldKind.TOWN: TermKind.ADDRESS,
    FieldKind.POSTCODE: TermKind.POSTCODE,
    FieldKind.BIRTH_DATE: TermKind.BIRTH_DATE,
    FieldKind.PHONE: TermKind.NUMBER,
    FieldKind.FAX: TermKind.NUMBER,
    FieldKind.EMAIL: TermKind.ELECTRONIC,
    FieldKind.WEB: TermKind.ELECTRONIC,
}
"""Fields whose content is looked for. Titles, dates of the letter and names of institutions identify nobody alone."""


_TYPES = {
    TermKind.NAME: PhiType.PERSON,
    TermKind.ADDRESS: PhiType.PLACE,
    TermKind.POSTCODE: PhiType.POSTCODE,
    TermKind.BIRTH_DATE: PhiType.BIRTH_DATE,
    TermKind.NUMBER: PhiType.ID,
    TermKind.ELECTRONIC: PhiType.URI,
}
_KIND_OF_RULE = {rule: _KINDS[kind] for kind, rule in FIELD_RULES.items() if kind in _KINDS}


def can_be_found(term: Term) -> bool:
    """Return whether a term has what the sweep looks for: long enough words or numbers, or a whole date."""
    match term.kind:
        case TermKind.BIRTH_DATE:
            return _date_of(term.text) is not None
        case TermKind.NUMBER:
            return len(_digits(term.text)) >= _MIN_DIGITS - 1
        case TermKind.POSTCODE:
            return re.fullmatch(r"\d{4,5}", term.text) is not None
        case TermKind.ELECTRONIC:
            return "." in term.text
        case TermKind.NAME | TermKind.ADDRESS:
            return any(len(word) >= _MIN_TERM for word in _WORD.findall(term.text))


def header_terms(note: Note) -> list[Term]:
    """Return what a note's header says of persons, and the long numbers of its subject lines, each once."""
    header = locate(note)
    fields = [(_KINDS[f.kind], f.start, f.end) for f in header_fields(note, header) if f.kind in _KINDS]
    return _terms(note.text, header, fields)


def document_terms(document: Document, detections: Iterable[Detection]) -> list[Term]:
    """Return the same of a document, with the fields that recogniser `letterhead` has detected in it."""
    fields = [
        (kind, d.start, d.end)
        for d in detections
        if d.recogniser == LetterheadRecogniser.kind and (kind := _KIND_OF_RULE.get(d.rule)) is not None
    ]
    if not fields:
        # The pipeline may not have the recogniser, or not have it typed.
        return header_terms(document.note)
    return _terms(document.text, locate(document.note, document.header_end), fields)


def _terms(of_note: str, header: Iterable[Part], fields: Iterable[tuple[TermKind, int, int]]) -> list[Term]:
    found = [Term(kind, of_note[start:end]) for kind, start, end in fields]
    for part in header:
        if part.role is Role.SUBJECT:
            text = of_note[part.start : part.end]
            found += [
                Term(TermKind.NUMBER, token)
                for token in TOKEN.findall(text)
                if token[0].isdigit() and len(_digits(token)) >= _MIN_DIGITS and not _date_of(token)
            ]
    return list(dict.fromkeys(found))


class Sweep:
    """Looks for terms in output texts; it holds word lists and no state of a note."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._flags = word_flags(gazetteer, Vocabulary())
        self._pieces_of = lru_cache(50_000)(self._read)

    def find(self, text: str, replaced: Iterable[tuple[int, int]], terms: Sequence[Term]) -> list[Leak]:
        """Return where terms stand in an output text, ascending, each range once.

        replaced: (start, end) in `text` of what stands for the removed spans; it is not searched, since a surrogate may
        equal a name of the header by chance.
        """
        left = _without(text, replaced)
        found = {(leak.start, leak.end): leak for leak in self._all(left, terms)}
        return sorted(found.values())

    def again(
        self, text: str, spans: Sequence[Span], terms: Sequence[Term]
    ) -> tuple[tuple[Span, ...], tuple[Dropped, ...]]:
        """Return the note's spans with one for each term that they leave, and what stays since it is common.

        text: of the note, not of the output. spans: ascending and disjoint, and so are the spans that are returned.
        """
        known: list[Span] = []
        common: list[Dropped] = []
        for start, end, kind, is_common in self.find(text, [(span.start, span.end) for span in spans], terms):
            phi = _TYPES[kind]
            span = Span(start, end, label_of(phi), phi, KIND, kind.value)
            if is_common:
                common.append(Dropped.from_detection(span, DropReason.COMMON))
            elif known and start < known[-1].end:
                known[-1] = known[-1]._replace(end=max(end, known[-1].end))
            else:
                known.append(span)
        return tuple(sorted([*spans, *known])), tuple(common)

    def _all(self, text: str, terms: Sequence[Term]) -> Iterator[Leak]:
        yield from self._words(text, terms)
        yield from _numbers(text, terms)
        yield from _initials(text, terms)
        lower = text.lower()
        for term in terms:
            if term.kind is TermKind.ELECTRONIC and len(lower) == len(text):
                for match in re.finditer(re.escape(term.text.lower()), lower):
                    yield Leak(*match.span(), term.kind, common=False)
        dates = {_date_of(term.text) for term in terms if term.kind is TermKind.BIRTH_DATE}
        births = {date for date in dates if date and f"{date[0]:02}" in text}
        for match in _DATE.finditer(text) if births else ():
            if _date_of(match.group()) in births:
                yield Leak(*match.span(), TermKind.BIRTH_DATE, common=False)

    def _words(self, text: str, terms: Sequence[Term]) -> Iterator[Leak]:
        """Yield words that are a term's word in any case, inflected or misspelt."""
        kinds: dict[str, TermKind] = {}
        for term in terms:
            if term.kind in (TermKind.NAME, TermKind.ADDRESS):
                for word in self._name_words(term):
                    kinds.setdefault(word, term.kind)
                    # The genitive of a short or common word is no misspelling, which must be long and uncommon.
                    kinds.setdefault(f"{word}s", term.kind)
        if not kinds:
            return
        exact: list[tuple[str, TermKind, bool]] = []
        others: list[tuple[str, str]] = []
        for word in set(_WORD.findall(text)):
            for piece, common in self._pieces_of(word):
                if (kind := kinds.get(piece)) is not None:
                    exact.append((word, kind, common))
                elif not common and len(piece) >= _MIN_VARIANT:
                    # A common word that is alike is another word: most words of a letter need no comparison.
                    others.append((word, piece))
        searched = list(kinds)
        closest_term, _ = closest(searched, [piece for _, piece in others], MAX_RATIO)
        found = [
            (word, kinds[searched[at]], False)
            for (word, _), at in zip(others, closest_term.tolist(), strict=True)
            if at >= 0
        ]
        for word, kind, common in exact + found:
            for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                yield Leak(*match.span(), kind, common=common)

    def _read(self, word: str) -> tuple[tuple[str, bool], ...]:
        """Return the pieces of a word of the text, and whether each is a particle or the word is common."""
        common = bool(self._flags.of(word) & (COMMON | STOP))
        return tuple((piece, common or piece in PARTICLES) for piece in _pieces(word))

    def _name_words(self, term: Term) -> Iterator[str]:
        """Yield the forms of the words of a name, a street or a town, but of no initial, nor of "Am" of a street."""
        is_name = term.kind is TermKind.NAME
        for word in _WORD.findall(term.text):
            if (word[0].isupper() and (is_name or not self._flags.of(word) & STOP)) or (is_name and word in PARTICLES):
                yield from _pieces(word)


def _pieces(word: str) -> tuple[str, ...]:
    """Return the word and its parts at hyphens, folded and in lower case.

    Both, since a folded "ä" is two letters: one that is left out in "Häberle" would count as two.
    """
    usable = [part for part in parts(plain(word)) if len(part) >= _MIN_TERM]
    return tuple(dict.fromkeys([form for part in usable for form in (folded(part), part.lower())]))


def _initials(text: str, terms: Sequence[Term]) -> Iterator[Leak]:
    """Yield "P. M." for Peter Müller, and "M." after a salutation."""
    letters = {
        tuple(word[0].upper() for word in term.text.split() if word[0].isupper())
        for term in terms
        if term.kind is TermKind.NAME
    }
    pairs = {(of_name[0], of_name[-1]) for of_name in letters if len(of_name) >= 2}
    surnames = {of_name[-1] for of_name in letters if of_name}
    # Most texts have none of these letters with a full stop, which is quick to see.
    pairs = {pair for pair in pairs if all(f"{letter}." in text for letter in pair)}
    surnames = {letter for letter in surnames if f"{letter}." in text}
    for match in _INITIALS.finditer(text) if pairs else ():
        if match.groups() in pairs:
            yield Leak(*match.span(), TermKind.NAME, common=False)
    for match in _INITIAL_AFTER_SALUTE.finditer(text) if surnames else ():
        if match["initial"][0] in surnames:
            yield Leak(*match.span("initial"), TermKind.NAME, common=False)


def _numbers(text: str, terms: Sequence[Term]) -> Iterator[Leak]:
    """Yield numbers with a term's digits, however they are separated, and postcodes and numbers of five digits."""
    numbers = {_digits(term.text) for term in terms if term.kind is TermKind.NUMBER}
    numbers = {number for number in numbers if len(number) >= _MIN_DIGITS}
    for match in _LONG_NUMBER.finditer(text) if numbers else ():
        digits = _digits(match.group())
        if any(number in digits for number in numbers):
            yield Leak(*match.span(), TermKind.NUMBER, common=False)
    short: dict[str, TermKind] = {}
    for term in terms:
        digits = re.sub(r"\D", "", term.text)
        if term.kind is TermKind.POSTCODE or (term.kind is TermKind.NUMBER and len(digits) == _MIN_DIGITS - 1):
            short.setdefault(digits, term.kind)
    for match in _SHORT_NUMBER.finditer(text) if short else ():
        if (kind := short.get(match.group())) is not None:
            yield Leak(*match.span(), kind, common=False)


def _digits(text: str) -> str:
    """Return a number's digits without trunk and country prefix."""
    return re.sub(r"\D", "", re.sub(r"^\s*(?:\+49|0049)", "", text).replace("(0)", "")).lstrip("0")


def _date_of(text: str) -> tuple[int, int, int] | None:
    """Return (year of the century, month, day) of one whole date."""
    parsed = parse_date(text.strip())
    if parsed is None or len(parsed.moments) != 1:
        return None
    moment = parsed.moments[0]
    if moment.year is None or moment.month is None or moment.day is None:
        return None
    return moment.year % 100, moment.month, moment.day


def _without(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return the text with a NUL for each character of the ascending ranges, so that offsets stay.

    No NUL is a part of a word, a number or a date, so that what is found lies outside the ranges.
    """
    kept: list[str] = []
    at = 0
    for start, end in ranges:
        kept += (text[at:start], "\0" * (end - start))
        at = end
    return "".join([*kept, text[at:]])
