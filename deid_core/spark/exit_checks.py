"""When a finished run ends with exit code 65, though its notes are done: quarantine, years of files, drift."""

from __future__ import annotations

from collections import Counter

import pyarrow.compute as pc

from deid_core.core.errors import NeedsAttentionError, quoted
from deid_core.lake.states import State, YearSource
from deid_core.lake.tables import delta_reader
from deid_core.spark.spark_run import SparkRun

_MANY = 20
"""Notes with the year of their file's date."""


def check_run(run: SparkRun, *, fail_on_drift: bool = False) -> None:
    """Raise NeedsAttentionError with every reason why somebody should look at the notes first.

    fail_on_drift: a difference to the notes of earlier runs is a reason, too.
    """
    found = (_quarantine(run), _years(run), _drift(run) if fail_on_drift else None)
    if problems := [problem for problem in found if problem is not None]:
        raise NeedsAttentionError(problems)


def _quarantine(run: SparkRun) -> str | None:
    """Return what is wrong if more of the lake's notes are in quarantine after this run than allowed.

    The share is of all notes. So one bad file in a quiet night is no failure, and a run without work still reports what
    is wrong.
    """
    known = delta_reader.read(run.lake.ledger, ["state", "reason"])
    states = Counter(known["state"].to_pylist())
    quarantined = states[State.QUARANTINED]
    notes = quarantined + states[State.CONVERTED]
    allowed = run.settings.quarantine.allowed_share
    if quarantined <= allowed * notes:
        return None
    why = Counter(known.filter(pc.equal(known["state"], State.QUARANTINED.value))["reason"].to_pylist())
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(why.items()))
    return (
        f"{quarantined} of the lake's {notes} notes are in quarantine ({reasons}), more than the allowed share of "
        f"{allowed:g} (quarantine.allowed_share); the others are done; which, and why: "
        f"deid list --lake {quoted(run.lake.root)} --state quarantined --paths"
    )


def _years(run: SparkRun) -> str | None:
    """Return what is wrong if more of the lake's notes have the year of their file's date than allowed.

    Of a few such notes the share says nothing.
    """
    present = pc.field("state") == State.CONVERTED
    sources = Counter(delta_reader.read(run.lake.ledger, ["year_source"], where=present)["year_source"].to_pylist())
    by_file, notes = sources[YearSource.FILE], sources.total()
    allowed = run.settings.run.allowed_file_year_share
    if by_file < _MANY or by_file <= allowed * notes:
        return None
    return (
        f"{by_file} of the lake's {notes} notes have the year of their file's date, more than the allowed share of "
        f"{allowed:g}; copied files often have the date of the copy. Put the files into folders of years and run "
        "again, or say that the dates are right: `run: {allowed_file_year_share: 1.0}` in the settings"
    )


def _drift(run: SparkRun) -> str | None:
    """Return what is wrong if the notes of this run differ from those of earlier runs."""
    if not run.drift:
        return None
    return (
        f"the notes of this run differ from those of earlier runs in {len(run.drift)} measures; all are done. "
        "The log says in which; docs/drift.md says what to do"
    )
