"""The sweep within the engine: what the header and others say is redacted, and what stays readable stops the note."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from letter_engine import GAZETTEER, LETTER, notes, spec

import deid_core
import deid_core.pipeline.engine
from deid_core.core.errors import NoteError, Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import DropReason, Span
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.known_terms import Term, TermKind, TermSource
from deid_core.pipeline.loading import spec_with_lists
from deid_core.policies.redaction import Redacted, Redactor
from deid_core.policies.settings import load_policy

UNKNOWN = "Herrn\nPeter Qworzek\nHauptstr. 5\n69120 Heidelberg\n\nSehr geehrte Kollegen,\n\nqworzek klagt am Abend. "
"""A name that no list has, which pipeline `baseline`, without recogniser `letterhead`, leaves."""


def sweeping(**overrides: object) -> EngineSpec:
    return spec_with_lists(load_pipeline("baseline", overrides), EngineSettings(), GAZETTEER)


def test_the_sweep_redacts_what_the_header_says() -> None:
    note = Note("n", UNKNOWN)
    without = Engine(sweeping(sweep=False)).deidentify(note)
    swept = Engine(sweeping()).deidentify(note)
    assert "qworzek" in without.text
    assert "qworzek" not in swept.text.lower()
    added = set(swept.spans) - set(without.spans)
    assert set(swept.spans) >= set(without.spans)
    assert {(span.label, span.type, span.recogniser, span.rule) for span in added} == {
        (Label.PER, PhiType.PERSON, "sweep", "header.name.gazetteer")
    }
    assert [swept.text[start:end] for start, end in swept.outputs] == [f"<{span.label}>" for span in swept.spans]


def test_the_sweep_leaves_and_counts_a_common_word() -> None:
    lists = compile_lists({ListKind.COMMON_WORD: ["qworzek"]})
    engine = Engine(spec_with_lists(load_pipeline("baseline"), EngineSettings(), lists))
    result = engine.deidentify(Note("n", UNKNOWN))
    assert "qworzek" in result.text
    rule = "header.name.gazetteer"
    assert {(d.recogniser, d.rule, d.reason) for d in result.dropped} == {("sweep", rule, DropReason.COMMON)}


def test_the_sweep_looks_for_what_is_known_besides_the_header() -> None:
    note = Note("n", "Sehr geehrte Kollegen,\n\nqworzek klagt am Abend.\n")
    known = [Term(TermKind.NAME, "Peter Qworzek", TermSource.HOSPITAL)]
    engine = Engine(sweeping())
    assert "qworzek" in engine.deidentify(note).text
    result = engine.deidentify(note, known=known)
    assert "qworzek" not in result.text
    assert [span.rule for span in result.spans if span.recogniser == "sweep"] == ["hospital.name.gazetteer"]


def test_what_the_pipeline_keeps_is_not_looked_for() -> None:
    note = Note("n", UNKNOWN)
    kept = Engine(sweeping(keep=["PER"])).deidentify(note)
    assert "qworzek" in kept.text
    assert "69120" not in kept.text
    assert "sweep" not in {span.recogniser for span in kept.spans}


def test_the_sweep_finds_what_its_own_redaction_cut_out_of_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mark joins the town and the postcode to one word, which is no known one."""
    note = Note("n", "Kirch9, 67313 S\nwir berichten Kircht\u032e67313", year=2010)
    result = Engine(spec("variants")).deidentify(note)
    assert result.text.endswith("wir berichten <LOC><PLZ>")
    starts = [0, *(span.end for span in result.spans)]
    assert all(end <= span.start for end, span in zip(starts, result.spans, strict=False))
    monkeypatch.setattr(deid_core.pipeline.engine, "_MOST_SWEEPS", 1)
    with pytest.raises(NoteError, match=r"leak: header\.address"):
        Engine(spec("variants")).deidentify(note)


def test_what_the_sweep_finds_again_and_again_is_quarantined_without_its_text() -> None:
    class Leaky(Redactor):
        def redact(self, text: str, spans: Sequence[Span], **options: str) -> Redacted:
            return super().redact(text, [span for span in spans if span.recogniser != "sweep"], **options)

    with pytest.raises(NoteError) as error:
        Engine(sweeping(), Leaky(load_policy())).deidentify(Note("n", UNKNOWN))
    assert error.value.reason is Reason.LEAK
    assert error.value.detail == "header.name.gazetteer"


@settings(max_examples=25)
@given(notes)
def test_the_sweep_only_adds_spans(texts: list[str]) -> None:
    note = Note("n", UNKNOWN + "\n".join(texts))
    without, swept = Engine(sweeping(sweep=False)).deidentify(note), Engine(sweeping()).deidentify(note)
    assert set(swept.spans) >= set(without.spans)
    assert all(a.end <= b.start for a, b in pairwise(swept.spans))


def test_a_failure_tells_the_known_terms_from_the_search_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError

    engine, details = Engine(spec()), []
    for owner, name in ((deid_core.pipeline.engine, "document_terms"), (deid_core.pipeline.engine, "in_note")):
        with monkeypatch.context() as patched, pytest.raises(NoteError) as error:
            patched.setattr(owner, name, fail)
            engine.deidentify(Note("n", LETTER))
        details.append(error.value.detail.partition(":")[0])
    assert details == ["known terms", "sweep"]
