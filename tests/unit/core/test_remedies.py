"""An operator reads what to do about every quarantine reason."""

from __future__ import annotations

from deid_core.core.errors import Reason
from deid_core.core.remedies import REMEDIES


def test_every_reason_has_a_remedy_of_one_line() -> None:
    assert set(REMEDIES) == set(Reason)
    assert all(20 < len(remedy) < 110 and remedy.isprintable() for remedy in REMEDIES.values())
