"""The command that installs an extra names a folder or a file, since PyPI's `deid` is another project."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core import extras
from deid_core.core.extras import how_to_install
from deid_core.core.version import __version__


def test_in_a_checkout_its_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    assert how_to_install("review") == f"pip install -e '{tmp_path}[review]'"


def test_elsewhere_the_wheel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    assert how_to_install("sign") == f"pip install './deid-{__version__}-py3-none-any.whl[sign]'"
    assert how_to_install("spark", "sign") == f"pip install './deid-{__version__}-py3-none-any.whl[spark,sign]'"
