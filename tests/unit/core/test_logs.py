"""Logs: JSON lines for machines, lines and a status line on a terminal, numbers and fixed words only."""

from __future__ import annotations

import io
import json
import logging
import re

import pytest

from deid_core.core.logs import LogFormat, LogStyle, RunLog, Verbosity


class Terminal(io.StringIO):
    """Imitates a terminal; `seen` is what stands in its last line."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def seen(self) -> str:
        return seen(self.getvalue().rpartition("\n")[2])


def seen(line: str) -> str:
    """Return what a terminal shows of a line: what follows a carriage return overwrites what stood there."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown.rstrip()


def lines(stream: io.StringIO) -> list[str]:
    """Return the lines that stay, without their time."""
    return [re.sub(r"^\d\d:\d\d:\d\d ", "", seen(line)) for line in stream.getvalue().split("\n")[:-1]]


def all_kinds(log: RunLog) -> None:
    log.event("convert", "compared", listed=2000, new=0, **{"not_read.pdf": 3})
    log.step("convert", "reading notes", notes=2000)
    log.progress("convert", 1500, 2000, 600, 50)
    log.warn("run", "look at this", files=1)


def test_json_lines_elsewhere() -> None:
    stream = io.StringIO()
    RunLog("r1", stream).event("convert", "reading files", files=2000, seconds=1.23456)
    row = json.loads(stream.getvalue())
    assert row.pop("time").endswith("Z")
    assert row == {
        "level": "info", "run_id": "r1", "stage": "convert", "message": "reading files", "files": 2000, "seconds": 1.235
    }  # fmt: skip


@pytest.mark.parametrize("verbosity", list(Verbosity))
def test_what_json_lines_hold(verbosity: Verbosity) -> None:
    stream = Terminal()
    with RunLog("r1", stream, LogStyle(LogFormat.JSON, verbosity)) as log:
        log.status("checking")
        all_kinds(log)
    rows = [json.loads(line) for line in stream.getvalue().splitlines()]
    warning = [("warning", "look at this")]
    info = [("info", "compared"), ("info", "reading notes"), ("info", "at work")]
    assert [(row["level"], row["message"]) for row in rows] == ([] if verbosity is Verbosity.QUIET else info) + warning
    if verbosity:
        counts = {"notes_done": 1500, "of": 2000, "notes_per_minute": 600, "seconds_left": 50}
        assert {name: rows[2][name] for name in counts} == counts


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (Verbosity.QUIET, []),
        (Verbosity.NORMAL, ["convert: compared: 2,000 listed, 3 not read pdf"]),
        (
            Verbosity.VERBOSE,
            ["convert: compared: 2,000 listed, 3 not read pdf", "convert: reading notes: 2,000 notes"],
        ),
    ],
)
def test_lines_on_a_terminal(verbosity: Verbosity, expected: list[str]) -> None:
    """What is at work is in a status line, which is gone at the end."""
    stream = Terminal()
    with RunLog("r1", stream, LogStyle(None, verbosity)) as log:
        all_kinds(log)
    assert lines(stream) == [*expected, "run: warning: look at this: 1 files"]
    assert stream.seen == ""


def test_the_status_line_of_a_terminal() -> None:
    stream = Terminal()
    with RunLog("r1", stream) as log:
        log.status("checking settings")
        assert stream.seen == "checking settings"
        log.step("convert", "reading notes", notes=2000)
        assert stream.seen == "convert: reading notes: 2,000 notes"
        log.step("spark", "starting the JVM")
        assert stream.seen == "spark: starting the JVM"
        log.progress("convert", 0, 2000, 0, None)
        assert re.fullmatch(r"convert: reading notes   0 % \| +\| 00:0\d, 0 of 2,000 notes", stream.seen)
        log.progress("convert", 1500, 2000, 600, 5400)
        assert re.fullmatch(
            r"convert: reading notes  75 % \|█+ +\| 00:0\d, 1 h 30 min left, 1,500 of 2,000 notes, 600 a minute",
            stream.seen,
        )
        log.event("convert", "compared")
        assert stream.seen.startswith("convert: reading notes  75 %")
    assert (stream.seen, log.interval_s(10.0)) == ("", 0.5)


def test_text_in_a_file() -> None:
    """Progress is lines, as often as the settings say; there is no status line."""
    stream = io.StringIO()
    with RunLog("r1", stream, LogStyle(LogFormat.TEXT)) as log:
        log.status("checking")
        all_kinds(log)
    assert lines(stream)[1:] == [
        "convert: at work: 50 s left, 1,500 of 2,000 notes, 600 a minute", "run: warning: look at this: 1 files"
    ]  # fmt: skip
    assert "\r" not in stream.getvalue()
    assert log.interval_s(10.0) == 10.0


@pytest.mark.parametrize(("verbosity", "told"), [(Verbosity.QUIET, 0), (Verbosity.NORMAL, 1)])
def test_what_the_package_logs_is_in_the_log(verbosity: Verbosity, told: int) -> None:
    stream = io.StringIO()
    logger = logging.getLogger("deid_core.core.jit")
    with RunLog("r", stream, LogStyle(LogFormat.JSON, verbosity)):
        logger.info("compiling")
        logger.debug("details")
    logger.info("after the run")
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == ["compiling"] * told
