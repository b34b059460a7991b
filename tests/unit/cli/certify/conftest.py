"""A lake with a sampling plan, and a key to sign with. What needs an extra is imported where it is used: a conftest
cannot skip.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.lake.layout import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Notes of which the first shows its patient's name, and a plan of all of them."""
    from review_lake import review_lake
    from signed_dossier import NOTES

    lake = review_lake(tmp_path, NOTES, leaking=[0])
    assert main(["certify", "plan", "--lake", str(lake.root), "--seed", "s"]) == 0
    return lake


@pytest.fixture
def read(lake: Lake) -> Lake:
    """The same, read by one reader who missed nothing."""
    from review_lake import read_note
    from signed_dossier import NOTES

    for number in range(NOTES):
        read_note(lake, number, "patient")
    return lake


@pytest.fixture
def key(tmp_path: Path) -> Path:
    from signed_dossier import key_file

    return key_file(tmp_path / "signing.pem")
