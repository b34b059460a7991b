"""Second stage: give each raw note that has no redacted text of this pipeline one, and write down what was removed.

The engine runs over a batch, and its results are staged. Then the notes' older texts are removed, and evidence of
patients is written. Now it is known whose notes they are. The staged texts, and earlier ones of the same patients, are
searched for what the patient's other notes say. Audit, detections, dropped detections, redacted texts and ledger are
written last, in this order. So wherever a run crashes, a note has the audit of its text, or no text. The next run, with
whichever pipeline, redacts a note again that has no text of its pipeline.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from deid_core.core.errors import Reason
from deid_core.ensemble.own_lists import refused_message
from deid_core.lake.checks import integrity
from deid_core.lake.checks.night_profile import NIGHT_COLUMNS
from deid_core.lake.notes.ledger import LedgerRow
from deid_core.lake.notes.pending import made_by, pending, wrongly_quarantined
from deid_core.lake.notes.raw_notes import list_raw_notes
from deid_core.lake.outputs.policy_texts import PendingText
from deid_core.lake.patients import matching
from deid_core.lake.patients.matching import PatientKeys
from deid_core.lake.patients.note_identities import NoteIdentities
from deid_core.lake.patients.other_notes import published_texts, readable, staged_texts, terms_of_others
from deid_core.lake.patients.withdrawn import plan_withdrawal
from deid_core.lake.runs import note_removal
from deid_core.lake.runs.staged_rows import item_rows, note_rows, replace_staged, staged_notes
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.lake.tables.lake_table import Tables
from deid_core.pipeline.known_terms import KnownTerms, Term, Terms
from deid_core.pipeline.sweep import Sweep
from deid_core.spark import engine_task
from deid_core.spark.crash_isolation import run_alone
from deid_core.spark.spark_run import SparkRun
from deid_core.spark.task_base import Held

_NOTES_PER_TASK = 256
"""At most; fewer if cores would be idle. At the end of a batch they wait for the last task, so tasks are short."""
_TASKS_PER_CORE = 4


def deidentify_notes(run: SparkRun, *, retry: bool = False) -> None:
    """Bring the tables up to the ledger, for the run's pipeline.

    retry: try notes again on which this pipeline failed.
    """
    identities = NoteIdentities.from_run(run)
    made = made_by(run.lake, identities.made_with)
    of_notes = Tables(run.lake).of_notes()
    published = delta_reader.distinct_array([table.path for table in of_notes], "note_id")
    known = _repaired(run, made, published)
    waiting = pending(known.values(), made, identities.made_with, retry=retry, now=run.started)
    run.counts["to_deidentify"] += len(waiting)
    run.log.event("deidentify", "compared the ledger with the redacted texts", waiting=len(waiting))
    if not waiting:
        return
    run.check_engine()
    engine = _Engine(run, identities)
    batch_notes = run.settings.run.batch_notes
    number = done = 0
    while waiting:
        batch, waiting = waiting[:batch_notes], waiting[batch_notes:]
        in_batch = pc.is_in(published, value_set=_strings(row.note_id for row in batch))
        older = published.filter(in_batch).to_pylist()
        engine.later = {row.note_id for row in waiting}
        progress = run.progress("deidentify", len(batch), before=done, total=done + len(batch) + len(waiting))
        staging = run.staging / f"redacted-{number:04d}"
        staging.mkdir(exist_ok=True)
        again = _deidentify_batch(run, batch, older, staging / "rows", engine, progress)
        shutil.rmtree(staging, ignore_errors=True)
        # Earlier notes that show what these notes say have lost their texts, and get new ones.
        waiting += [known[note_id] for note_id in sorted(again)]
        published = published.filter(pc.invert(pc.is_in(published, value_set=_strings(again))))
        number, done = number + 1, done + len(batch)


def bring_patients_up(run: SparkRun) -> None:
    """Bring the patients' columns of clean/deidentified up to what the notes say, and the texts up to the patients.

    Notes may become those of one patient without a new note, as with a new table of the hospital. Their texts are
    searched before the columns say so.
    """
    found = matching.outdated(run)
    if run.spec.pipeline.sweep and found.notes:
        terms = terms_of_others(run.lake, found.keys.resolved, found.note_ids)
        if _remove_readable(run, terms.keys(), terms, _sweep(run)):
            deidentify_notes(run)
            found = matching.outdated(run)
    matching.update(run, found)


class _Engine:
    """The task that runs the engine over notes, and the sweep over their patients' other notes."""

    def __init__(self, run: SparkRun, identities: NoteIdentities) -> None:
        self._run = run
        self._identities = identities
        self.terms: dict[str, Sequence[Term]] = {}
        """What the patient's other notes say and a note shows, by note_id."""
        self.later: set[str] = set()
        """Notes that wait for a later batch, so that their older texts need no search."""
        self.sweep = _sweep(run) if run.spec.pipeline.sweep else None

    def run(self, listed: pa.Table, staged: Path) -> None:
        """Write the rows of task_schemas.REDACTED of notes to a new folder. listed: of task_schemas.RAW_NOTE."""
        listing, written = staged.with_name(f"{staged.name}.parquet"), staged.with_name(f"{staged.name}-written")
        for folder in (staged, written):
            folder.mkdir()
        if not len(listed):
            return
        known = self._identities.known_terms(listed["note_id"].to_pylist(), self.terms)
        for file in self._files(listed, listing, written, known):
            # What other attempts of a task have written, or write later, stays where it is.
            (written / file).rename(staged / file)

    def _files(self, listed: pa.Table, listing: Path, written: Path, known: KnownTerms) -> list[str]:
        """Write the rows to files below `written` and return their names."""
        alone = self._run.is_alone(len(listed))
        cores = 1 if alone else self._run.spark.sparkContext.defaultParallelism
        task_notes = min(_NOTES_PER_TASK, -(-len(listed) // (_TASKS_PER_CORE * cores)))
        pq.write_table(listed, listing, row_group_size=task_notes)
        tasks = -(-len(listed) // task_notes)
        if alone:
            engine = self._run.hold_engine()
            task = engine_task.Deidentify(str(listing), str(written), engine, Held(known))
            return [name for batch in run_alone(task, tasks, engine_task.FILES) for name in batch["file"].to_pylist()]
        spark = self._run.spark
        sent = spark.sparkContext.broadcast(known)
        task = engine_task.Deidentify(str(listing), str(written), self._run.engine_file, sent)
        made = [row.file for row in spark.range(0, tasks, 1, tasks).mapInArrow(task, "file string").collect()]
        sent.destroy()
        return made


def _sweep(run: SparkRun) -> Sweep:
    pipeline = run.spec.pipeline
    return Sweep(run.spec.gazetteer, None, pipeline.kinds, pipeline.keep, pipeline.lists.never)


def report_identities(run: SparkRun) -> None:
    """Log and count the rows of the table of identities that are of no note, and those with unusable values."""
    if (table := run.inputs.identities) is None:
        return
    unmatched = NoteIdentities.from_run(run).unmatched()
    found = {"rows": len(table.rows), "unmatched": len(unmatched), "unusable": len(table.unusable)}
    run.counts.update({f"identities.{name}": count for name, count in found.items()})
    ignored = f"; columns that are not read: {', '.join(table.ignored)}" if table.ignored else ""
    run.log.event("identities", f"rows of the table of identities{ignored}", **found)


def _repaired(run: SparkRun, made: set[tuple[str, str]], published: pa.StringArray) -> dict[str, LedgerRow]:
    """Return the ledger after making it agree with the tables, where a run crashed between writing the two.

    published: the notes that have rows in a table that the engine fills.
    """
    known = run.known_notes()
    recovered = [row.recovered(run_id=run.run_id) for row in wrongly_quarantined(known.values(), made)]
    if recovered:
        run.describe("deidentify", "taking notes that have a text out of quarantine", notes=len(recovered))
        run.write_ledger(recovered)
        known = known | {row.note_id: row for row in recovered}
    converted = _strings(row.note_id for row in known.values() if row.state == State.CONVERTED)
    note_removal.remove_from_tables(
        run, "deidentify", published.filter(pc.invert(pc.is_in(published, value_set=converted))).to_pylist()
    )
    return known


def _deidentify_batch(
    run: SparkRun,
    batch: Sequence[LedgerRow],
    older: Collection[str],
    staged: Path,
    engine: _Engine,
    progress: AbstractContextManager[None],
) -> set[str]:
    """De-identify a batch of notes. Return earlier notes that lost their texts, since these show what a new one says.

    older: those of the batch that have rows in the tables.
    """
    folders = folders_of(run, batch)
    integrity.check_raw_notes(run.lake, folders)
    run.describe("deidentify", "running the engine", notes=len(batch))
    with run.timed("engine"), progress:
        listed = list_raw_notes(folders, batch)
        engine.run(listed, staged)
    made = _outcomes(staged)
    note_removal.remove_from_tables(run, "deidentify", older)
    run.describe("deidentify", "writing what notes say about their patients")
    write_patient_evidence(run, staged)
    keys = PatientKeys.from_run(run)
    again: set[str] = set()
    if engine.sweep is not None:
        with run.timed("sweep"):
            terms = terms_of_others(run.lake, keys.resolved, made.keys())
            again = _remove_readable(run, terms.keys() - made.keys() - engine.later, terms, engine.sweep)
            engine.terms |= {note_id: terms[note_id] for note_id in again}
            found = readable(engine.sweep, staged_texts(staged, terms.keys() & made.keys()), terms)
            if found:
                engine.terms |= {note_id: terms[note_id] for note_id in found}
                made |= _redacted_again(run, listed, found, staged, engine)
    for notes in staged_notes(staged, task_schemas.REDACTED, NIGHT_COLUMNS):
        run.night.add(notes)
    run.describe("deidentify", "writing the audit of removed spans")
    write_audit(run, staged)
    run.describe("deidentify", "writing detections and dropped ones")
    write_detections(run, staged)
    write_dropped(run, staged)
    # They never get a text. When all batches are done, the run removes what it has of them.
    withdrawn = plan_withdrawal(run.lake, run.ids, keys).note_ids
    made = {note_id: found for note_id, found in made.items() if note_id not in withdrawn}
    run.describe("deidentify", "writing the redacted texts")
    identities = NoteIdentities.from_run(run, keys)
    write_texts(run, staged, keys, {note_id: identities.made_with(note_id) for note_id in made})
    run.describe("deidentify", "writing failures to the ledger")
    write_failures(run, [row for row in batch if row.note_id not in withdrawn], made, identities)
    return again


def _redacted_again(
    run: SparkRun, listed: pa.Table, note_ids: Collection[str], staged: Path, engine: _Engine
) -> dict[str, dict[str, Any]]:
    """Run the engine again over notes of a batch that show what the patient's other notes say.

    listed: the raw notes of the batch. The new rows replace the staged ones. Return what became of these notes.
    """
    run.describe("sweep", "redacting notes again that show what others of the patient say", notes=len(note_ids))
    run.counts["redacted_again"] += len(note_ids)
    folder = staged.with_name(f"{staged.name}-again")
    engine.run(listed.filter(pc.field("note_id").isin(sorted(note_ids))), folder)
    made = _outcomes(folder)
    replace_staged(staged, folder, note_ids)
    # A note that still shows something gets no text, and what it says of its patient is written already.
    note_removal.remove_from_tables(
        run, "sweep", {note_id for note_id, found in made.items() if found["reason"] is not None}
    )
    return made


def _remove_readable(run: SparkRun, note_ids: Collection[str], terms: Terms, sweep: Sweep) -> set[str]:
    """Remove the texts of these notes that show one of their terms, with their audit. Return these notes."""
    found = readable(sweep, published_texts(run.lake, note_ids), terms)
    if found:
        run.describe("sweep", "earlier notes show what others of the patient say; they wait again", notes=len(found))
        note_removal.remove_from_tables(run, "sweep", found)
    return found


def folders_of(run: SparkRun, batch: Sequence[LedgerRow | PendingText]) -> list[Path]:
    """Return the folders of the raw notes of these rows."""
    wanted = {(f"year={row.year}", f"batch={row.batch}") for row in batch}
    return [folder for folder in run.lake.note_folders() if (folder.parent.name, folder.name) in wanted]


def write_audit(run: SparkRun, staged: Path) -> None:
    """Append the removed spans of these notes, whose older audit is gone."""
    run.tables.phi_audit.append(item_rows(staged, task_schemas.REDACTED, "spans"))


def write_detections(run: SparkRun, staged: Path) -> None:
    """Append the removed spans of these notes with their places in the raw text."""
    run.tables.detections.append(item_rows(staged, task_schemas.REDACTED, "spans"))


def write_dropped(run: SparkRun, staged: Path) -> None:
    """Append the detections of these notes that the engine dropped or trimmed."""
    run.tables.dropped.append(item_rows(staged, task_schemas.REDACTED, "dropped"), run_id=run.run_id)


def write_patient_evidence(run: SparkRun, staged: Path) -> None:
    """Append what these notes say about their patients."""
    run.tables.patient_evidence.append(item_rows(staged, task_schemas.REDACTED, "patient_evidence"))


def write_texts(run: SparkRun, staged: Path, keys: PatientKeys, made_with: Mapping[str, str]) -> None:
    """Append the redacted texts of these notes with their patients. A note on which the engine failed gets none.

    made_with: the fingerprint of each note's text.
    """
    columns = ["note_id", "year", "batch", "text", "tokens", "languages"]
    of_notes = keys.columns(made_with).append_column("fingerprint", pa.array(list(made_with.values()), pa.string()))
    rows = note_rows(staged, task_schemas.REDACTED, columns, of_notes)
    # Placeholders leave no date.
    run.tables.deidentified.append(rows, run_id=run.run_id, note_date=None)


def write_failures(
    run: SparkRun, batch: Sequence[LedgerRow], made: Mapping[str, Mapping[str, Any]], identities: NoteIdentities
) -> None:
    """Quarantine the notes on which the engine failed, release those on which it now succeeded, and count.

    made: what became of each note, by note_id.
    """
    changed = []
    for row in batch:
        after = _row_after(run, row, made.get(row.note_id), identities.made_with(row.note_id))
        if after is not row:
            changed.append(after)
            if after.state == State.QUARANTINED != row.state:
                run.night.refused[after.reason or ""] += 1
        if after.state == State.QUARANTINED:
            run.counts["quarantined"] += 1
            run.reasons[after.reason or ""] += 1
    succeeded = [found for found in made.values() if found["reason"] is None]
    run.counts["deidentified"] += len(succeeded)
    for name in ("tokens", "spans", "dropped"):
        run.counts[name] += sum(found[name] for found in succeeded)
    if refused := sum(found["refused"] for found in succeeded):
        run.counts["never_refused"] += refused
        run.log.warn("deidentify", refused_message(refused), words=refused)
    run.write_ledger(changed)


def _row_after(run: SparkRun, row: LedgerRow, found: Mapping[str, Any] | None, made_with: str) -> LedgerRow:
    """Return the ledger row of a note after the engine; the same object if nothing changed.

    made_with: the fingerprint of the note's text.
    """
    if found is None:
        # The ledger names a raw text that does not exist. The next run reads the file again.
        failed = row.quarantined(Reason.VANISHED, "no raw text", run_id=run.run_id, pipeline=made_with)
        return replace(failed, batch=None)
    if found["reason"] is None:
        return row.recovered(run_id=run.run_id) if row.state == State.QUARANTINED else row
    if (found["reason"], made_with) == (row.reason, row.pipeline):
        # The same failure keeps its row, and thereby its date.
        return row
    return row.quarantined(found["reason"], found["detail"], run_id=run.run_id, pipeline=made_with)


def _strings(values: Iterable[str]) -> pa.StringArray:
    return pa.array(list(values), pa.string())


def _outcomes(staged: Path) -> dict[str, dict[str, Any]]:
    """Return what became of each note, by note_id: tokens, numbers of spans and drops, or a reason; no text."""
    columns = {name: pc.field(name) for name in ("note_id", "tokens", "refused", "reason", "detail")}
    columns |= {name: pc.list_value_length(pc.field(name)) for name in ("spans", "dropped", "patient_evidence")}
    found = ds.dataset(staged, format="parquet", schema=task_schemas.REDACTED).to_table(columns=columns)
    return {row["note_id"]: row for row in found.to_pylist()}
