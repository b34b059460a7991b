"""What a run did, as text for whoever started it. Reads the lake's tables, but no text of a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pyarrow.compute as pc

from deid_core.core.errors import Reason, quoted
from deid_core.core.remedies import REMEDIES
from deid_core.core.text_tables import table
from deid_core.ensemble.own_lists import refused_message
from deid_core.lake.inputs.identities import Identities
from deid_core.lake.inputs.plan import NOT_READ
from deid_core.lake.inspection.dry_run import DryRun
from deid_core.lake.layout import Lake
from deid_core.lake.patients.note_identities import NoteIdentities
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.readers import OTHER
from deid_core.spark.spark_run import SparkRun

_LINES = 20
"""Lines of a table of identities that are listed, at most."""
_IN_WORDS = {
    "new": "new",
    "moved": "moved from another path",
    "changed": "changed, by size or date",
    "reader": "read with other code or settings",
    "retry": "in quarantine, to be tried again",
    "unchanged": "unchanged",
    "deleted": "deleted at the source",
    "left_out": "left out, of withdrawn patients",
}
"""Names in plan.Plan.counts, in words."""


def summary(run: SparkRun) -> str:
    """Return notes in and out, what to do about quarantined ones, spans removed, where the tables are."""
    known = delta_reader.read(run.lake.ledger, ["state", "reason", "sha256"])
    states = Counter(known["state"].to_pylist())
    parts = []
    if run.did_something:
        parts.append(f"Run {run.run_id} with pipeline {run.spec.pipeline.name}\n" + table(_work(run)))
    else:
        parts.append(f"Nothing to do: {states[State.CONVERTED]:,} notes are up to date.")
    if others := not_read(run.counts):
        parts.append(others)
    contents = known.filter(pc.equal(known["state"], State.CONVERTED.value))["sha256"]
    if copies := len(contents) - pc.count_distinct(contents).as_py():
        which = "note is a copy of another" if copies == 1 else "notes are copies of others"
        parts.append(f"{copies:,} {which}, byte for byte")
    if run.inputs.identities is not None:
        parts.append(_identities(run, run.inputs.identities))
    if refused := run.counts["never_refused"]:
        parts.append(refused_message(refused).capitalize())
    if run.drift:
        differences = "".join(f"\n  {shift}" for shift in run.drift)
        parts.append(f"The notes differ from those of earlier runs; docs/drift.md says what to do{differences}")
    in_quarantine = known.filter(pc.equal(known["state"], State.QUARANTINED.value))
    reasons = Counter(map(Reason, in_quarantine["reason"].to_pylist()))
    parts.append(
        f"The lake now: {states[State.CONVERTED]:,} notes, {states[State.QUARANTINED]:,} in quarantine"
        + (f", {states[State.DELETED]:,} deleted at the source" if states[State.DELETED] else "")
        + (f", {states[State.WITHDRAWN]:,} withdrawn" if states[State.WITHDRAWN] else "")
        + "".join(f"\n  {reason} {count:,}: {REMEDIES[reason]}" for reason, count in sorted(reasons.items()))
        + (f"\n  Which files: deid list --lake {quoted(run.lake.root)} --state quarantined --paths" if reasons else "")
        + (f"\n  More on each: column detail of {run.lake.ledger}" if reasons else "")
    )
    counts = removed_by_year(run.lake)
    if counts:
        parts.append("Spans removed, per label and year\n" + counts)
    parts.append("\n".join(f"{name:<18}{quoted(path)}" for name, path in _places(run.lake)))
    example = example_note(run.lake)
    if example:
        parts.append(f"A note before and after:  deid show {example} --lake {quoted(run.lake.root)}")
    return "\n\n".join(parts)


def foreseen(forecast: DryRun) -> str:
    """Return what a run would do, a line for each reason."""
    rows: list[tuple[object, ...]] = [("", "notes")]
    if forecast.files:
        rows += [("in the input folder", forecast.files["listed"])]
        rows += [(f"  {_IN_WORDS[name]}", count) for name, count in forecast.files.items() if name in _IN_WORDS]
    if forecast.engine:
        rows += [("to de-identify, at most", sum(forecast.engine.values()))]
        rows += [(f"  {name}", count) for name, count in forecast.engine.items()]
    rows += [(f"texts of policy {name}, besides these notes'", count) for name, count in forecast.outputs.items()]
    rows += [("left in quarantine, --retry would try them", forecast.in_quarantine)]
    outcome = "Nothing would be done" if forecast.nothing_to_do else "A run would process these notes"
    others = not_read(forecast.files)
    return f"{outcome}; nothing was changed.\n" + table(rows) + (f"\n\n{others}" if others else "")


def withdrawn(counts: Mapping[str, int], *, dry_run: bool) -> str:
    """Return what was, or would be, removed for a withdrawn patient: notes, and rows by table.

    counts: as withdrawn.Withdrawal gives them.
    """
    if not counts.get("withdrawn"):
        done = "The lake has no note of this patient."
    else:
        done = "These would be removed; nothing was changed." if dry_run else "Removed."
        rows: list[tuple[object, ...]] = [("", "rows"), ("notes", counts["withdrawn"])]
        rows += [("  of others, that say the patient's id or name and birth date", counts.get("withdrawn.others", 0))]
        rows += [(name.removeprefix("withdrawn."), count) for name, count in sorted(counts.items()) if "/" in name]
        done = f"{done}\n{table(rows)}"
    listed = "would be" if dry_run else "is"
    return f"{done}\nThe patient {listed} listed: later runs leave out these files and new notes of the patient."


def _identities(run: SparkRun, table: Identities) -> str:
    """Return how many rows of the table of identities there are, and which of them are of no use, by their lines."""
    said = [f"Known identities: {len(table.rows):,} rows"]
    for lines, what in (
        (NoteIdentities.from_run(run).unmatched(), "are of no note"),
        (table.unusable, "have a value that is too short or no date, which is not searched for"),
    ):
        if lines:
            more = f" and {len(lines) - _LINES:,} more" if len(lines) > _LINES else ""
            said.append(f"  {len(lines):,} {what}: lines {', '.join(map(str, lines[:_LINES]))}{more}")
    return "\n".join(said)


def not_read(counts: Mapping[str, int]) -> str:
    """Return how many files of the input folder are not read, by ending, most frequent first; "" if there are none."""
    found = {name.removeprefix(NOT_READ): count for name, count in counts.items() if name.startswith(NOT_READ)}
    endings = sorted(found, key=lambda ending: (ending == OTHER, -found[ending], ending))
    listed = ", ".join(f"{found[e]:,} {'with other endings' if e == OTHER else '.' + e}" for e in endings)
    return f"Files in the input folder that are not read: {listed}" if listed else ""


def removed_by_year(lake: Lake) -> str:
    """Return a table of spans, labels down and years across; "" if nothing was removed."""
    rows = delta_reader.read(lake.phi_counts, ["year", "label", "spans"]).to_pylist()
    cells: Counter[tuple[str, int]] = Counter()
    for row in rows:
        cells[row["label"], row["year"]] += row["spans"]
    if not cells:
        return ""
    years = sorted({year for _, year in cells})
    labels = sorted({label for label, _ in cells})
    lines: list[list[object]] = [["label", *map(str, years), "all"]]
    for label in labels:
        spans = [cells[label, year] for year in years]
        lines.append([label, *spans, sum(spans)])
    sums = [sum(cells[label, year] for label in labels) for year in years]
    return table([*lines, ["all", *sums, sum(sums)]])


def example_note(lake: Lake) -> str | None:
    """Return the id of a note from which something was removed; None if there is none."""
    year = delta_reader.read(lake.phi_counts, ["year"])
    if not year.num_rows:
        return None
    found = delta_reader.read(lake.phi_audit, ["note_id"], where=pc.field("year") == year["year"][0].as_py())
    return min(found["note_id"].to_pylist(), default=None)


def _work(run: SparkRun) -> list[tuple[object, ...]]:
    count = run.counts
    rows: list[tuple[object, ...]] = [("", "notes", "seconds")]
    if "listed" in count:
        rows += [("in the input folder", count["listed"], "")]
        for name in ("new", "moved", "changed", "unchanged", "deleted"):
            is_moved = name == "moved" and count[name]
            rows.append((f"  {name}{': new ids, made again' if is_moved else ''}", count[name], ""))
        rows += [("converted", count["converted"], run.seconds.get("convert", 0.0))]
    rows += [("de-identified", count["deidentified"], run.seconds.get("deidentify", 0.0))]
    outputs = [name for name in count if name.startswith("output.")]
    rows += [(f"policy {name.removeprefix('output.')}", count[name], "") for name in sorted(outputs)]
    rows += [("quarantined", count["quarantined"], "")]
    rows += [("withdrawn", count["withdrawn"], "")] if count["withdrawn"] else []
    rows += [(f"  {reason}", number, "") for reason, number in sorted(run.reasons.items())]
    return rows


def _places(lake: Lake) -> list[tuple[str, Path]]:
    return [
        ("redacted texts", lake.deidentified),
        *(("texts of a policy", lake.output(policy)) for policy in lake.outputs()),
        ("what was removed", lake.phi_audit),
        ("counts", lake.phi_counts),
        ("runs", lake.runs),
        ("raw notes (PHI)", lake.notes),
        ("ledger (PHI)", lake.ledger),
        ("detections (PHI)", lake.detections),
        ("dropped (PHI)", lake.dropped),
    ]
