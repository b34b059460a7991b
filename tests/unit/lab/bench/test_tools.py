"""Other tools run in processes of their own and find what they should; skipped by name where one is missing."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from deid_core.core.errors import DeidError
from deid_core.core.note import Note
from deid_core.lab.bench import other_stages as other
from deid_core.lab.bench.stage import Sample
from deid_core.lab.bench.tools import Tool
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind

TEXT = "Herr Dr. Beispielmann, geb. am 03.04.1950, wohnhaft 12345 Musterstadt, Tel. 06221 56-1234, kam mit Zirkonia."


def test_presidio_finds_patterns_and_listed_words() -> None:
    pytest.importorskip("presidio_analyzer", reason="needs the extra bench")
    with Tool("presidio", Path(sys.executable), [TEXT], {"PERSON": ["Zirkonia"]}) as tool:
        assert tool.once() > 0
        found = {TEXT[start:end] for start, end in tool.spans[0]}
    assert {"Dr. Beispielmann", "03.04.1950", "12345", "06221 56-1234", "Zirkonia"} <= found


def test_a_tool_that_ends_is_an_error() -> None:
    with Tool("nosuchtool", Path(sys.executable), [TEXT]) as tool, pytest.raises(DeidError, match="nosuchtool ended"):
        tool.once()


def test_what_is_missing_is_left_out_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(other, "DEDUCE_PYTHON", tmp_path / "python")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    lists = compile_lists({ListKind.TOWN: ["Musterstadt"]})
    with ExitStack() as stack:
        stages = other.other_stages(Sample.of([Note("a", TEXT)]), lists, stack)
    assert [stage.name for stage in stages.stages] == ["Richter-Pechanski 2018 in plain Python"]
    assert [line.split(":")[0] for line in stages.left_out] == ["Presidio", "DEDUCE"]
