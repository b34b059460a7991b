"""Word keys: the form in which words of lists and notes are compared.

A key is the word itself, except that all spellings of a street's ending become one, as in the seed's expression
`Haupt[sS]tr[.]?(a(ß|ss)e)?` (seed 000, section 6.1). Variants are further keys to try for a word that is no
key itself: the stem of a genitive, mixed case, restored umlauts. Keys depend on the word alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.text.vocabulary import Vocabulary

HYPHENS = "-‐‑–"
_STREET_ENDINGS = ("straße", "strasse", "str.", "str", "Straße", "Strasse", "Str.", "Str")
_STREET = "straße"
_MIN_STEM = 4
"""Least letters of a genitive's stem, so that "Hals" is not the name "Hal"."""


def word_key(word: str) -> str:
    """Return the key of a token: Hauptstr., HauptStrasse and Haupt-Str have the key of Hauptstraße."""
    if not word.endswith(_STREET_ENDINGS):
        return word
    ending = next(e for e in _STREET_ENDINGS if word.endswith(e))
    return word[: -len(ending)].rstrip(HYPHENS) + _STREET


def entry_keys(entry: str, vocabulary: Vocabulary | None = None) -> tuple[str, ...]:
    """Return the keys of an entry's tokens, tokenised like a note; passing the same vocabulary again saves time."""
    vocabulary = Vocabulary() if vocabulary is None else vocabulary
    return tuple(word_key(vocabulary.words[number]) for number in vocabulary.tokenise(entry).types.tolist())


def street_spellings(keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield other spellings of a street: Berlinerstr. for Berliner Str., Karl Marx Str. for Karl-Marx-Str."""
    if len(keys) >= 2 and keys[-1] == _STREET:
        yield (*keys[:-2], keys[-2] + _STREET)
    last = keys[-1]
    if "-" in last and last.endswith(_STREET) and last != _STREET:
        yield (*keys[:-1], *last[: -len(_STREET)].split("-"), _STREET)


def variant_keys(word: str) -> Iterator[str]:
    """Yield keys to try for a word that is no key itself, the nearest first; never the word's own key."""
    forms = [word]
    if len(word) >= _MIN_STEM and word.isupper():
        forms.append("-".join(part.capitalize() for part in word.split("-")))
    forms += [stem for form in tuple(forms) if (stem := _genitive_stem(form))]
    for form in forms:
        if form != word:
            yield word_key(form)
        for spelling in _umlaut_spellings(form):
            yield word_key(spelling)


def _genitive_stem(word: str) -> str | None:
    for ending in ("'s", "’s", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word[: -len(ending)]
    return None


def _umlaut_spellings(word: str) -> Iterator[str]:
    umlauts = word
    for written, letter in (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("Ae", "Ä"), ("Oe", "Ö"), ("Ue", "Ü")):
        umlauts = umlauts.replace(written, letter)
    if umlauts != word:
        yield umlauts
    if "ss" in umlauts:
        yield umlauts.replace("ss", "ß")
    if "ß" in umlauts:
        yield umlauts.replace("ß", "ss")
