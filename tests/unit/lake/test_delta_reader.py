"""Tables that do not exist. Reading is tested together with writing, in test_tables.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.lake.tables import delta_reader


def test_no_table(tmp_path: Path) -> None:
    (tmp_path / "empty" / "_delta_log").mkdir(parents=True)
    for name in ("empty", "nothing"):
        assert not delta_reader.exists(tmp_path / name)
        assert delta_reader.read(tmp_path / name, ["note_id"]).num_rows == 0
        assert delta_reader.first(tmp_path / name, ["note_id"], where=None) is None


def test_a_file_where_the_lake_should_be(tmp_path: Path) -> None:
    (tmp_path / "lake").touch()
    with pytest.raises(ConfigurationError, match="a part of its path is a file"):
        delta_reader.exists(tmp_path / "lake" / "restricted" / "ledger")
