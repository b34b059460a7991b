"""Hiding in plain sight, with a reader: which name does a person take for the missed one?

    python -m deid_core.lab.evaluate.hidden_name_reading write FOLDER
    python -m deid_core.lab.evaluate.hidden_name_reading score FOLDER ANSWERS.tsv...

`write` makes notes.txt, synthetic notes in which one mention of a name was left as it was, and truth.json. A reader
without truth.json writes a line for each note: its number, a tab, the name. `score` says how often it is the one that
was missed, by kind of replacement. hidden_names.py asks a program the same.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from deid_core.core.labels import Label
from deid_core.core.spans import Span
from deid_core.core.text_tables import markdown_table
from deid_core.lab.evaluate.hidden_names import name_words, redactor_of
from deid_core.lab.evaluate.significance import wilson
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.generate import iter_notes

KINDS: dict[str, tuple[float | None, int]] = {"placeholders": (None, 10), "consistent": (1.0, 40), "random": (0.0, 40)}
"""For each kind of replacement the policy's `repeat_surrogate`, and the number of notes."""
_SEED = 4711


def write(folder: Path) -> None:
    """Write the notes, in an order that tells no kind, and what was missed in them."""
    kinds = [kind for kind, (_, count) in KINDS.items() for _ in range(count)]
    random.Random(5).shuffle(kinds)  # noqa: S311 - no secret
    notes = iter_notes(2 * len(kinds), seed=_SEED, split="test")
    texts, truth = [], []
    for number, kind in enumerate(kinds, 1):
        redactor = redactor_of(KINDS[kind][0])
        for item in notes:
            text = item.note.text
            spans = [Span(g.start, g.end, g.label, g.type, "gold", "gold") for g in item.gold]
            names = [s for s in spans if s.label is Label.PER and name_words(text[s.start : s.end])]
            if names:
                break
        missed = Draw(f"hips:{item.note.note_id}").pick(names)
        done = redactor.redact(text, [span for span in spans if span is not missed], note_id=item.note.note_id)
        choices = 1 if kind == "placeholders" else sum(span.label is Label.PER for span in spans)
        texts.append(f"===== NOTE {number} =====\n{done.text.strip()}\n")
        truth.append({"kind": kind, "missed": text[missed.start : missed.end], "choices": choices})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.txt").write_text("\n".join(texts), encoding="utf-8")
    (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=0), encoding="utf-8")


def score(folder: Path, answers: Path) -> list[tuple[object, ...]]:
    """Return for each kind: how often the reader was right, of how many, share and its 95 % interval, share by chance.

    A name with a word of the missed one is right. A note without an answer counts as wrong.
    """
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    lines = (line.split("\t") for line in answers.read_text(encoding="utf-8").splitlines())
    named = {int(line[0].lstrip("n")): line[1] for line in lines if len(line) > 1}
    rows: list[tuple[object, ...]] = []
    for kind in KINDS:
        own = [(number, note) for number, note in enumerate(truth, 1) if note["kind"] == kind]
        right = sum(bool(name_words(named.get(n, "")) & name_words(note["missed"])) for n, note in own)
        low, high = wilson(right, len(own))
        chance = sum(1 / note["choices"] for _, note in own) / len(own)
        rows.append((kind, right, len(own), f"{right / len(own):.2f} ({low:.2f} to {high:.2f})", f"{chance:.2f}"))
    return rows


def main(command: str, folder: str, *answers: str) -> None:
    """Write the notes, or print a table for each reader."""
    if command == "write":
        write(Path(folder))
        return
    heading = ("replaced by", "right", "of", "share (95 % interval)", "by chance")
    for path in answers:
        sys.stdout.write(f"{path}\n{markdown_table([heading, *score(Path(folder), Path(path))])}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
