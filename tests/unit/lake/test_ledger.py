"""The fingerprint of reading: which settings make a run read a note again."""

from __future__ import annotations

from deid_core.lake.notes.ledger import ReaderFingerprint
from deid_core.pipeline.settings_file import Settings


def test_limits_of_reading_affect_refused_files_only() -> None:
    sizes = [Settings.model_validate({"reading": {"max_file_bytes": size}}) for size in (10, 20)]
    some, other = map(ReaderFingerprint.from_settings, sizes)
    assert some.notes == other.notes
    assert some.refused != other.refused
