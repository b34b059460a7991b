"""Play nights with and without a new letterhead, and print how often `deid run` would report them.

    deid generate --notes 1500 --seed 11 --format jsonl --output out/drift
    deid annotate --input out/drift/notes.jsonl --output out/drift/spans.jsonl
    python tests/benchmarks/drift.py --spans out/drift/spans.jsonl --nights 300

A night draws its notes from the annotated ones, with replacement. How often each kind of letter (its first words) comes
varies from night to night. In a night with a new letterhead, each name of 2 % of the notes is lost with probability
one half. Both nights are compared with the same earlier ones by `lake/checks/drift.py`, as in a run. "In the week": the
letterhead is in the last seven nights. Archives: `regular`, the notes as they are; `lengths`, each is cut off at a
random place in its last 70 %; `poor`, each first loses a random share of its names, from none to 80 %, so that notes
with few names are usual. Intervals are 95 %, Wilson's.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.lab.evaluate.significance import wilson
from deid_core.lake.checks.drift import NIGHTS, WEEK, alarms, look_for_drift
from deid_core.lake.checks.night_profile import BOUNDS, NIGHT_COLUMNS, Key, Profile, bins_of, note_values
from deid_core.lake.tables.task_schemas import REDACTED
from deid_core.policies.patient_evidence import evidence_of

LOST, LEAST_KEPT, LEAST_LENGTH = 0.5, 0.2, 0.3
REGULAR, LENGTHS, POOR = "regular", "lengths", "poor"
VARIANTS = 3
FREQUENT = 0.015
"""Share of the notes that a kind of letter must have to be one of its own."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spans", type=Path, required=True, help="what `deid annotate` wrote, with the texts")
    parser.add_argument("--archive", choices=(REGULAR, LENGTHS, POOR), default=REGULAR)
    parser.add_argument("--nights", type=int, default=300)
    parser.add_argument("--sizes", type=int, nargs="+", default=[180, 500, 1000, 2000, 5000])
    parser.add_argument("--share", type=float, default=0.02, help="of the notes that have the new letterhead")
    parser.add_argument("--mix", type=float, default=50.0, help="how alike nights are: parameter of a Dirichlet draw")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    notes = [json.loads(line) for line in args.spans.read_text(encoding="utf-8").splitlines()]
    print("| archive | notes a night | reported | reported in the week | false alarms |\n|---|---|---|---|---|")
    archive = Archive(notes, rng, args.archive)
    for size in args.sizes:
        night, week, false = played(archive, args.nights, size, args.share, args.mix, rng)
        print(f"| {args.archive} | {size:,} | {rate(night)} | {rate(week)} | {rate(false)} |", flush=True)


class Archive:
    """The bin of each note in each measure, in three forms that lost names and one that did not."""

    def __init__(self, notes: Sequence[dict[str, Any]], rng: np.random.Generator, kind: str) -> None:
        whole = list(notes)
        if kind == LENGTHS:
            whole = [cut(note, rng.uniform(LEAST_LENGTH, 1)) for note in notes]
        elif kind == POOR:
            whole = [thinned(note, rng.uniform(LEAST_KEPT, 1), rng) for note in notes]
        self.forms = [whole, *([thinned(note, LOST, rng) for note in whole] for _ in range(VARIANTS))]
        values = [note_values(batch(form)) for form in self.forms]
        keys = sorted({key for of_form in values for key in of_form})
        none = np.zeros(len(notes))
        self.bins: dict[Key, Any] = {
            key: bins_of(key[0], np.concatenate([of_form.get(key, none) for of_form in values])) for key in keys
        }
        first_words = [" ".join(note["text"].split()[:2]).lower() for note in notes]
        often = {words for words, count in Counter(first_words).items() if count >= FREQUENT * len(notes)}
        kinds = [words if words in often else "" for words in first_words]
        self.notes = len(notes)
        _, self.kind_of = np.unique(kinds, return_inverse=True)
        self.shares = np.bincount(self.kind_of) / len(notes)

    def draw(self, size: int, mix: float, rng: np.random.Generator) -> Any:
        """Return the places of a night's notes."""
        weights = rng.dirichlet(self.shares * mix) / self.shares
        of_note = weights[self.kind_of]
        return rng.choice(self.notes, size, p=of_note / of_note.sum())

    def with_letterhead(self, places: Any, share: float, rng: np.random.Generator) -> Any:
        """Return the places with this share of the notes in a form that lost names."""
        count = round(share * len(places))
        changed = places.copy()
        changed[:count] += self.notes * rng.integers(1, VARIANTS + 1, count)
        return changed

    def profile(self, places: Any) -> Profile:
        """Return the night's notes by bin."""
        return {key: np.bincount(bins[places], minlength=len(BOUNDS[key[0]])) for key, bins in self.bins.items()}


def cut(note: dict[str, Any], share: float) -> dict[str, Any]:
    """Return the beginning of the note."""
    end = int(share * len(note["text"]))
    return note | {"text": note["text"][:end], "spans": [span for span in note["spans"] if span["end"] <= end]}


def thinned(note: dict[str, Any], kept: float, rng: np.random.Generator) -> dict[str, Any]:
    """Return the note with each name kept with this probability."""
    spans = [span for span in note["spans"] if span["label"] != Label.PER or rng.random() < kept]
    return note | {"spans": spans}


def batch(notes: Sequence[dict[str, Any]]) -> pa.RecordBatch:
    """Return the notes as executors stage them, without their texts."""
    rows = []
    for note in notes:
        spans = [
            Span(s["start"], s["end"], Label(s["label"]), PhiType(s["type"]), s["recogniser"], s["rule"], s["score"])
            for s in note["spans"]
        ]
        evidence = [(str(kind), value) for kind, value in evidence_of(note["text"], spans)]
        rows.append(
            {
                "note_id": note["id"],
                "tokens": len(note["text"].split()),
                "spans": note["spans"],
                "dropped": [],
                "patient_evidence": [{"kind": kind, "value": value} for kind, value in evidence],
            }
        )
    schema = pa.schema([REDACTED.field(name) for name in NIGHT_COLUMNS])
    [found] = pa.Table.from_pylist(rows, schema=schema).to_batches()
    return found


def played(
    archive: Archive, nights: int, size: int, share: float, mix: float, rng: np.random.Generator
) -> Iterator[list[bool]]:
    """Return for each night whether it is reported: with the letterhead, with it for a week, without it."""
    drawn = [archive.draw(size, mix, rng) for _ in range(NIGHTS + WEEK + nights)]
    usual = [archive.profile(places) for places in drawn]
    changed = [archive.profile(archive.with_letterhead(places, share, rng)) for places in drawn]
    found: tuple[list[bool], list[bool], list[bool]] = ([], [], [])
    for night in range(NIGHTS + WEEK, len(drawn)):
        first = night + 1 - NIGHTS - WEEK
        for reported, last in zip(
            found, (changed[night : night + 1], changed[night + 1 - WEEK : night + 1], []), strict=True
        ):
            profiles = [*usual[first : night + 1 - len(last)], *last]
            reported.append(bool(alarms(look_for_drift(profiles))))
    return iter(found)


def rate(reported: Sequence[bool]) -> str:
    """Return the share of nights and its interval."""
    low, high = wilson(sum(reported), len(reported))
    return f"{sum(reported) / len(reported):.1%} ({low:.1%} to {high:.1%})"


if __name__ == "__main__":
    main()
