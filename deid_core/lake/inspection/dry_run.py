"""Predict what a run would do: `deid run --dry-run`. Opens no document, starts no Spark, writes nothing.

The counts hold at this moment and are upper bounds: a changed file may turn out to be the same, a new one to be
unreadable. No lock is taken, so another run may be working meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from deid_core.lake.inputs.plan import Plan, ReadReason, check_deletions, make_plan
from deid_core.lake.inputs.source import NoteSource
from deid_core.lake.layout import Lake
from deid_core.lake.notes import ledger
from deid_core.lake.notes.ids import NoteIds, note_ids, pipeline_of
from deid_core.lake.notes.ledger import LedgerRow, ReaderFingerprint
from deid_core.lake.notes.pending import made_by, pending
from deid_core.lake.outputs.policy_texts import plan_output
from deid_core.lake.patients.note_identities import NoteIdentities
from deid_core.lake.runs.context import RunInputs
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader

_REASONS = ("another pipeline's", "with another identity", "without a text", "failed before")
_NO_KEY = NoteIds(b"a lake that does not exist has no ids")


@dataclass(frozen=True, slots=True)
class DryRun:
    """How many notes each stage would process, by reason; {} for a stage that was not asked for."""

    files: dict[str, int]
    """Notes of the source: plan.Plan.counts, and files that are not read."""
    engine: dict[str, int]
    """Notes to de-identify: to be read, of another pipeline, known otherwise, without a text, failed before."""
    outputs: dict[str, int]
    """For each policy of an output the texts to be made, without those of notes that the engine processes."""
    in_quarantine: int
    """Notes that stay in quarantine; --retry would try them again."""

    @property
    def nothing_to_do(self) -> bool:
        """Whether a run would change nothing."""
        made = (*self.engine.values(), *self.outputs.values())
        return not any(made) and not any(self.files.get(name, 0) for name in (*ReadReason, "deleted"))


def forecast(
    inputs: RunInputs,
    *,
    source: NoteSource | None,
    stages: Collection[str],
    retry: bool,
    allow_deletions: bool,
) -> DryRun:
    """Compare source, ledger and clean tables as a run with these options does.

    source: None without the stage convert.
    Raises ConfigurationError if more notes disappeared than the settings allow, SecretMissingError without a key.
    """
    lake, settings, fingerprint = inputs.lake, inputs.settings, inputs.spec.fingerprint
    ids = note_ids(lake) if delta_reader.exists(lake.ledger) else _NO_KEY
    now = datetime.now(UTC)
    known = ledger.without_lost_texts(ledger.read_ledger(lake), lake)
    plan = Plan(0, (), (), known)
    files: dict[str, int] = {}
    if source is not None:
        listed = source.list_notes(ids)
        reader = ReaderFingerprint.from_settings(settings)
        plan = make_plan(listed.notes, known, reader, retry=retry, now=now, contents=source.contents)
        if not allow_deletions:
            check_deletions(plan, settings.run.allowed_deleted_share)
        files = plan.counts | listed.not_read
    taken = {item.stat.note_id for item in plan.to_read} | {row.note_id for row in plan.gone}
    left = [row for row in known.values() if row.note_id not in taken]
    engine: dict[str, int] = {}
    waiting: list[LedgerRow] = []
    if "deidentify" in stages:
        made_with = NoteIdentities(lake, ids, inputs).made_with
        waiting = pending(left, made_by(lake, made_with), made_with, retry=retry, now=now)
        engine = {"read": len(plan.to_read)} | _by_reason(lake, waiting, fingerprint)
    quarantined = sum(row.state == State.QUARANTINED for row in left) - engine.get("failed before", 0)
    taken |= {row.note_id for row in waiting}
    texts = {
        redactor.policy.name: sum(
            text.note_id not in taken for text in plan_output(lake, redactor, retry=retry).pending
        )
        for redactor in inputs.outputs
    }
    return DryRun(files, engine, texts, quarantined)


def _by_reason(lake: Lake, waiting: Collection[LedgerRow], fingerprint: str) -> dict[str, int]:
    """Count why these notes wait for the engine. Notes that convert will read are not among them."""
    made_with = dict(delta_reader.rows(lake.deidentified, ["note_id", "fingerprint"]))
    reasons = Counter(
        "failed before"
        if row.state == State.QUARANTINED
        else "without a text"
        if row.note_id not in made_with
        else "with another identity"
        if pipeline_of(made_with[row.note_id]) == fingerprint
        else "another pipeline's"
        for row in waiting
    )
    return {name: reasons[name] for name in _REASONS}
