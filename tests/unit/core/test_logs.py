"""Logs: JSON lines for machines, plain lines on a terminal, numbers and fixed words only."""

from __future__ import annotations

import io
import json

from deid_core.core.logs import RunLog


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_json_lines_elsewhere() -> None:
    stream = io.StringIO()
    RunLog("r1", stream).event("convert", "reading files", files=2000, seconds=1.23456)
    row = json.loads(stream.getvalue())
    assert row.pop("time").endswith("Z")
    assert row == {
        "level": "info", "run_id": "r1", "stage": "convert", "message": "reading files", "files": 2000, "seconds": 1.235
    }  # fmt: skip


def test_plain_lines_on_a_terminal() -> None:
    stream = Terminal()
    RunLog("r1", stream).event("convert", "reading files", batch_files=2000)
    assert stream.getvalue() == "convert: reading files (batch files 2,000)\n"
