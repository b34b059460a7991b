"""Known identities: what a hospital already knows of a note's people, as search terms of that note.

They are treated as if the letterhead said them: names and addresses are search terms of recogniser `letterhead`, with
the spelling variants of seed 000 (section 4.3: R < 0.333), and the sweep looks in what is left for all of them, as
terms of source `hospital` (sweep.py). They come from a table of the hospital (lake/inputs/identities.py), the command
line, or a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType
from deid_core.lexicon.name_regexes import PARTICLES, SALUTE, TITLE
from deid_core.pipeline.known_terms import MIN_DIGITS, Term, TermKind, TermSource, date_of, digits_of
from deid_core.pipeline.sweep_words import SearchWords

KINDS = tuple(TermKind)
"""What may be known: columns of a table of identities, keys of `identity`."""
NOT_FOUND = {
    TermKind.NAME: "a name needs a word of at least two letters, no title or degree",
    TermKind.ADDRESS: "an address needs a word of at least two letters",
    TermKind.POSTCODE: "a postcode has four or five digits",
    TermKind.BIRTH_DATE: "a birth date needs day, month and year, as 1.12.1956 or 1956-12-01",
    TermKind.NUMBER: "a number needs at least five digits; shorter ones equal others by chance",
    TermKind.ELECTRONIC: "an e-mail or web address needs a full stop",
}
"""Why a value of a kind cannot be looked for."""
_MAX_CHARS = 1_000
"""No name is longer. A cell of megabytes is a mistake, and would cost each note that it is of minutes."""
_TYPES = {TermKind.NAME: PhiType.PATIENT, TermKind.ADDRESS: PhiType.PLACE}
_BEFORE_NAME = re.compile(rf"{SALUTE}|{TITLE}")
_POSTCODE = re.compile(r"(?<![\w-])(?:[A-Z]{1,2}-)?(\d{4,5})(?=[ \u00a0]+[^\W\d_]|$)")
"""Before a town, as in "D-69120 Heidelberg", or at the end."""


def identity_terms(kind: TermKind, value: str) -> tuple[Term, ...]:
    """Return the search terms of a value; () if it cannot be looked for, or has more than 1,000 characters.

    A name is written "Eva Muster" or "Muster, Eva", with or without titles. An address may have street, postcode and
    town.
    """
    if len(value) > _MAX_CHARS:
        return ()
    texts = [(kind, value.strip())]
    if kind is TermKind.NAME:
        texts = [(kind, _name(value))]
    elif kind is TermKind.ADDRESS:
        postcodes = _POSTCODE.findall(value)
        street = _capitalised(_POSTCODE.sub("", value))
        texts = [(kind, street), *((TermKind.POSTCODE, code) for code in postcodes)]
    terms = (Term(kind, text, TermSource.HOSPITAL) for kind, text in texts)
    return tuple(term for term in terms if _can_be_found(term))


def terms_of_values(values: Mapping[str, str | Iterable[str]]) -> tuple[Term, ...]:
    """Return the search terms of values by kind, each once.

    Raises ConfigurationError for a kind that does not exist, and for a value that cannot be looked for. The message
    does not quote the value: it may be a name.
    """
    problems: list[str] = []
    found: list[Term] = []
    for name, of_kind in values.items():
        if name not in KINDS:
            problems.append(f"identity: there is no kind {name!r}; there are: {', '.join(KINDS)}")
            continue
        kind = TermKind(name)
        for value in (of_kind,) if isinstance(of_kind, str) else of_kind:
            terms = identity_terms(kind, value)
            problems += [] if terms else [f"identity: {kind}: {NOT_FOUND[kind]}"]
            found += terms
    if problems:
        raise ConfigurationError(problems)
    return tuple(dict.fromkeys(found))


def words_of_terms(terms: Sequence[Term]) -> Iterator[tuple[str, PhiType]]:
    """Yield the names and addresses that the hospital knows, with the type that they have if nothing tells a better
    one.
    """
    known = (term for term in terms if term.source is TermSource.HOSPITAL)
    return ((term.text, _TYPES[term.kind]) for term in known if term.kind in _TYPES)


def _can_be_found(term: Term) -> bool:
    """Return whether a term has what the sweep looks for: a word, a long enough number, or a whole date."""
    match term.kind:
        case TermKind.BIRTH_DATE:
            return date_of(term.text) is not None
        case TermKind.NUMBER:
            return len(digits_of(term.text)) >= MIN_DIGITS - 1
        case TermKind.POSTCODE:
            return re.fullmatch(r"\d{4,5}", term.text) is not None
        case TermKind.ELECTRONIC:
            return "." in term.text
        case TermKind.NAME | TermKind.ADDRESS:
            return bool(SearchWords([term], lambda word: False).pieces)


def _name(text: str) -> str:
    """Return a name as "Eva Muster": in this order, from which initials follow, without titles, with capitals."""
    surname, comma, given = text.partition(",")
    words = (word.strip(",") for word in (f"{given} {surname}" if comma else text).split())
    return _capitalised(" ".join(word for word in words if word and not _BEFORE_NAME.fullmatch(word)))


def _capitalised(text: str) -> str:
    """Return the words with capitals, as the sweep needs them, if all letters are small or all are capitals."""
    words = text.split()
    if text.islower() or text.isupper():
        words = [word.lower() if word.lower() in PARTICLES else word.title() for word in words]
    return " ".join(words)
