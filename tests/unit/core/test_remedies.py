"""An operator reads what to do about every quarantine reason."""

from __future__ import annotations

import re
from pathlib import Path

from deid_core.core.errors import Reason
from deid_core.core.remedies import REMEDIES, REMEDIES_OF_ONE_FILE

OF_RUNS = {Reason.AMBIGUOUS, Reason.KILLED}


def test_every_reason_has_a_remedy_of_one_line() -> None:
    assert set(REMEDIES) == set(Reason)
    assert all(20 < len(remedy) < 110 and remedy.isprintable() for remedy in REMEDIES.values())


def test_the_manual_says_the_same(repository: Path) -> None:
    manual = (repository / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", manual, re.MULTILINE)
    assert {reason: remedy for reason, remedy in rows if reason in set(Reason)} == dict(REMEDIES)


def test_deid_text_says_nothing_of_runs_and_ledger() -> None:
    # These two are of a run alone: rows of a table, and a process that a run watches.
    of_one = {reason: remedy for reason, remedy in REMEDIES_OF_ONE_FILE.items() if reason not in OF_RUNS}
    assert set(of_one) == set(Reason) - OF_RUNS
    assert not [remedy for remedy in of_one.values() if re.search(r"ledger|next run|--retry|automatically", remedy)]
    assert all(20 < len(remedy) < 110 and remedy.isprintable() for remedy in of_one.values())
