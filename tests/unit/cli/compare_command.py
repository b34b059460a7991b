"""Runs `deid compare` on few notes and returns its figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deid_core.cli import main
from deid_core.core.errors import ExitCode

SMALL = ["--notes", "4", "--split", "train"]


def compared(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    file = tmp_path / "figures.json"
    assert main(["compare", *SMALL, "--json", str(file), *arguments]) == ExitCode.DONE
    figures = json.loads(file.read_text())
    assert isinstance(figures, dict)
    return figures
