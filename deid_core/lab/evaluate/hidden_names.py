"""Hiding in plain sight: how often a program picks out a missed name among surrogates.

    python -m deid_core.lab.evaluate.hidden_names 1000

Takes synthetic notes with their gold spans and leaves one name unreplaced: one mention, or all mentions with the same
surname. A program knows where names stand in the output and points to the mention that it takes for the original. It
knows the method and the lists of surrogates, not the key. Of mentions that it suspects equally it takes any, so a note
counts with the probability of a right answer (Carrell et al. 2013; Osborne et al. 2022).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from deid_core.core.labels import Label
from deid_core.core.spans import Span
from deid_core.core.text_tables import markdown_table
from deid_core.core.word_lists import word_set
from deid_core.lab.evaluate.bootstrap import interval
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.generate import iter_notes
from deid_core.policies.key import PolicyKey
from deid_core.policies.names.name_parts import is_listed_name
from deid_core.policies.normal_form import name_key
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import load_policy

_KEY = PolicyKey(b"a key of a measurement alone, of no use elsewhere")
_WORD = re.compile(r"[^\W\d_]{3,}")


class Mention(NamedTuple):
    """A name in the output: the keys of its words of three letters or more, and whether it is the original."""

    words: frozenset[str]
    is_leak: bool


Output = list[Mention]
Suspicion = Callable[[Mention, Output, Counter[str]], float]
"""How much a mention is suspected: given the mention, all mentions of its note, and the notes that have each word."""


def outputs(count: int, repeat: float | None, *, everywhere: bool, seed: int = 0) -> list[Output]:
    """Return the names of this many outputs, each with a leak; notes without a name are passed over.

    repeat: `repeat_surrogate` of policy readable, 1 is consistent, 0 random; None for placeholders. everywhere: all
    mentions with a word of the chosen one leak, else it alone.
    """
    redactor, found = redactor_of(repeat), []
    for item in iter_notes(count, seed=seed, split="test"):
        text = item.note.text
        spans = [Span(g.start, g.end, g.label, g.type, "gold", "gold") for g in item.gold]
        names = [span for span in spans if span.label is Label.PER and name_words(text[span.start : span.end])]
        if not names:
            continue
        missed = Draw(f"hidden:{seed}:{item.note.note_id}").pick(names)
        own = name_words(text[missed.start : missed.end])
        leaks = [s for s in names if s is missed or (everywhere and own & name_words(text[s.start : s.end]))]
        kept = [span for span in spans if span not in leaks]
        done = redactor.redact(text, kept, note_id=item.note.note_id)
        output = [Mention(name_words(text[span.start : span.end]), True) for span in leaks]
        if repeat is not None:
            places = (at for span, at in zip(kept, done.outputs, strict=True) if span.label is Label.PER)
            shown = (name_words(done.text[start:end]) for start, end in places)
            output += [Mention(words, False) for words in shown if words]
        found.append(output)
    return found


def redactor_of(repeat: float | None) -> Redactor:
    """Return the redactor of policy readable with this `repeat_surrogate`; None for placeholders."""
    if repeat is None:
        return Redactor(load_policy())
    return Redactor(load_policy("readable").model_copy(update={"repeat_surrogate": repeat}), _KEY)


def stands_alone(mention: Mention, output: Output, notes_with: Counter[str]) -> float:
    """Suspect the mention whose words fewest other mentions of the note have."""
    return -sum(bool(mention.words & other.words) for other in output)


def is_rare(mention: Mention, output: Output, notes_with: Counter[str]) -> float:
    """Suspect the mention with the word that fewest outputs have."""
    return -min(notes_with[word] for word in mention.words)


def is_unlisted(mention: Mention, output: Output, notes_with: Counter[str]) -> float:
    """Suspect a mention with a word that is in no list of surrogates."""
    return not all(map(is_listed_name, mention.words))


def is_unlisted_or_alone(mention: Mention, output: Output, notes_with: Counter[str]) -> float:
    """Suspect unlisted words first, then what stands alone."""
    return len(output) * 2 * is_unlisted(mention, output, notes_with) + stands_alone(mention, output, notes_with)


def by_chance(mention: Mention, output: Output, notes_with: Counter[str]) -> float:
    """Suspect all equally."""
    return 0


ATTACKS: dict[str, Suspicion] = {
    "by chance": by_chance,
    "stands alone in the note": stands_alone,
    "rare in all outputs": is_rare,
    "in no list of surrogates": is_unlisted,
    "unlisted, then alone": is_unlisted_or_alone,
}


def picked_out(found: Sequence[Output], suspicion: Suspicion) -> list[float]:
    """Return for each output the probability that the program points to a leak."""
    notes_with = Counter(word for output in found for word in frozenset().union(*(m.words for m in output)))
    shares = []
    for output in found:
        scores = [suspicion(mention, output, notes_with) for mention in output]
        highest = [m.is_leak for m, score in zip(output, scores, strict=True) if score == max(scores)]
        shares.append(sum(highest) / len(highest))
    return shares


def name_words(name: str) -> frozenset[str]:
    """Return the keys of a name's words without particles, initials and the genitive of a listed name."""
    keys = (name_key(word) for word in _WORD.findall(name) if word.lower() not in word_set("names/particles"))
    return frozenset(key[:-1] if key[-1] == "s" and is_listed_name(key[:-1]) else key for key in keys)


def main(count: int) -> None:
    """Print a row for each attack: the share of leaks that it picks out, with the 95 % interval over notes."""
    kinds = {"placeholders": None, "consistent": 1.0, "half of mentions repeat": 0.5, "random": 0.0}
    rows: list[tuple[object, ...]] = [("leak", "suspected", *kinds)]
    for leak, everywhere in (("one mention", False), ("all mentions with a word of it", True)):
        made = [outputs(count, repeat, everywhere=everywhere) for repeat in kinds.values()]
        for name, suspicion in ATTACKS.items():
            shares = (np.array(picked_out(found, suspicion))[:, np.newaxis] for found in made)
            cells = [
                interval(np.hstack([s, np.ones_like(s)]), lambda sums: sums[..., 0] / sums[..., 1]) for s in shares
            ]
            rows.append((leak, name, *(f"{cell.value:.3f} ({cell.low:.3f} to {cell.high:.3f})" for cell in cells)))
    sys.stdout.write(markdown_table(rows) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
