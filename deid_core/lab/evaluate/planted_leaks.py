"""Planted leaks: synthetic notes with a known header term written into the text that is left, for the sweep to find.

    python -m deid_core.lab.evaluate.planted_leaks 1000

Each note is redacted with its gold spans, so the planted term is what is left of its header. Prints the share that the
sweep found, by form, and the number of other words that it reported.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from deid_core.core.note import Note
from deid_core.core.spans import Span
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.generate import iter_notes
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.pipeline.known_terms import Term, TermKind, header_terms
from deid_core.pipeline.settings_file import load_settings
from deid_core.pipeline.sweep import Leak, Sweep
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import load_policy

_LEAD = "\nRücksprache mit "
_MIN_TYPO = 6
"""From this length on one changed letter stays below R = 0.333 and is no other word by the sweep's rules."""


class Planted(NamedTuple):
    """A redacted note with a planted leak at [start, end), its form, the header's terms, and the replaced ranges."""

    text: str
    replaced: tuple[tuple[int, int], ...]
    terms: tuple[Term, ...]
    start: int
    end: int
    form: str


def planted_leaks(count: int, seed: int = 0) -> Iterator[Planted]:
    """Yield this many notes with one leak each, the same for a seed. Notes without a header term are passed over."""
    draw, redactor, made, start = Draw(f"planted:{seed}"), Redactor(load_policy()), 0, 0
    while made < count:
        for synthetic in iter_notes(100, seed=seed, start=start):
            terms = tuple(header_terms(synthetic.note))
            if not terms or made == count:
                continue
            form, leak = _form(draw, draw.pick(terms))
            note = Note("planted", f"{synthetic.note.text}{_LEAD}{leak}\n")
            spans = [Span(g.start, g.end, g.label, g.type, "gold", "gold") for g in synthetic.gold]
            redacted = redactor.redact(note.text, spans)
            end = len(redacted.text) - 1
            yield Planted(redacted.text, redacted.outputs, terms, end - len(leak), end, form)
            made += 1
        start += 100


def is_found(planted: Planted, leaks: list[Leak]) -> bool:
    """Return whether a leak that is to be redacted, or one of a common word, overlaps the planted one."""
    return any(leak.start < planted.end and planted.start < leak.end for leak in leaks)


def _form(draw: Draw, term: Term) -> tuple[str, str]:
    """Return the name of a form and a term in it: as written, in other case, inflected, misspelt, initials."""
    text = " ".join(term.text.split())
    forms = {"as written": text}
    if term.kind in (TermKind.NAME, TermKind.ADDRESS):
        forms |= {"capitals": text.upper(), "small letters": text.lower()}
    words = [word for word in text.split() if word.isalpha()]
    if term.kind is TermKind.NAME and words:
        forms["inflected"] = f"{words[-1]}s"
        if len(words) >= 2 and all(word[0].isupper() for word in words):
            forms["initial and surname"] = f"{words[0][0]}. {words[-1]}"
            forms["initials"] = f"{words[0][0]}. {words[-1][0]}."
        if len(words[-1]) >= _MIN_TYPO:
            at = draw.pick(range(1, len(words[-1]) - 1))
            forms["misspelt"] = f"{words[-1][:at]}{words[-1][at + 1 :]}"
    if term.kind is TermKind.NUMBER:
        forms["other separators"] = text.replace("/", " ").replace("-", " ")
    form = draw.pick(sorted(forms))
    return form, forms[form]


def main(count: int) -> None:
    """Print found and planted by form, then what else was reported, of redacted gold."""
    common = 0
    sweep = Sweep(load_gazetteer(load_settings().gazetteers))
    planted_by, found_by, other = Counter[str](), Counter[str](), Counter[str]()
    for planted in planted_leaks(count):
        leaks = sweep.find(planted.text, planted.replaced, planted.terms)
        planted_by[planted.form] += 1
        found_by[planted.form] += is_found(planted, leaks)
        common += is_found(planted, leaks) and not is_found(planted, [leak for leak in leaks if not leak.common])
        other.update("common" if leak.common else "to redact" for leak in leaks if leak.end <= planted.start)
    for form, number in sorted(planted_by.items()):
        sys.stdout.write(f"{form:20} {found_by[form]:5} of {number:5}\n")
    sys.stdout.write(f"{'all':20} {found_by.total():5} of {count:5}, {common} of them as a common word\n")
    sys.stdout.write(f"elsewhere in these notes: {dict(other)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
