"""The tasks of executors without Spark: how errors leave a task, sizes of batches, the engine of a worker."""

from __future__ import annotations

import errno
import gc
import os
import signal
import weakref
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

from deid_core.core.errors import ConfigurationError, Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Block, BlockKind, Note
from deid_core.core.spans import Dropped, DropReason, Span
from deid_core.lake import schemas
from deid_core.lake.arrow_codec import record_batch
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.build import spec_with_lists
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Deidentified
from deid_core.pipeline.known_terms import NOTHING_KNOWN, KnownTerms, Term, TermKind, TermSource
from deid_core.policies.settings import load_policy
from deid_core.spark import tasks
from deid_core.spark.tasks import TaskError


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "Müller", "Müller.parquet"), r"OSError at .*: No space left on device$"),
        (ValueError("Müller"), r"ValueError at test_tasks\.py:\d+$"),
        (ConfigurationError("soffice is not on PATH"), r'an executor cannot work: \["soffice is not on PATH"\]$'),
    ],
)
def test_how_an_error_leaves_a_task(error: Exception, told: str) -> None:
    @tasks._without_message
    def task() -> Iterator[pa.RecordBatch]:
        raise error
        yield

    with pytest.raises(TaskError, match=told) as caught:
        list(task())
    assert caught.value.__cause__ is None
    assert "Müller" not in str(caught.value)


def test_rows_are_returned_by_size_of_their_text() -> None:
    """A chunk may hold files of megabytes as well as of one line, so memory is limited by characters."""
    found = [{"note_id": n, "text": n * length} for n, length in zip("abcde", (3, 3, 9, 1, 0), strict=True)]
    found.append({"note_id": "f"})
    parts = [[row["note_id"] for row in part] for part in tasks._parts(iter(found), 6)]
    assert parts == [["a", "b"], ["c"], ["d", "e", "f"]]
    assert list(tasks._parts(iter([]), 6)) == []


class _Engine:
    """Imitates the engine: records what it reads at once, and returns a note's text in capitals."""

    def __init__(self, *, fails: bool = False) -> None:
        self.together: list[list[str]] = []
        self.alone: list[str] = []
        self._fails = fails
        self.known: Sequence[Term] = ()
        self.spans: tuple[Span, ...] = ()
        self.languages: tuple[str, ...] = ()

    def deidentify_all(
        self, notes: Sequence[tuple[Note, str, Sequence[Term]]], redactor: object = None
    ) -> list[Deidentified] | None:
        self.together.append([note.text for note, _, _ in notes])
        return None if self._fails else [self._done(note, known) for note, _, known in notes]

    def deidentify(self, note: Note, known: Sequence[Term] = ()) -> Deidentified:
        self.alone.append(note.text)
        return self._done(note, known)

    def _done(self, note: Note, known: Sequence[Term]) -> Deidentified:
        self.known = known
        outputs = ((0, 0),) * len(self.spans)
        return Deidentified(
            note.note_id, note.year, note.text.upper(), self.spans, outputs, 1, (), languages=self.languages
        )


def _rows(*texts: str) -> list[dict[str, Any]]:
    return [{"note_id": text[:9], "year": 2010, "batch": "b", "text": text, "blocks": ()} for text in texts]


def done(engine: _Engine, rows: list[dict[str, Any]], known: KnownTerms = NOTHING_KNOWN) -> list[dict[str, Any]]:
    """Return what the task makes of the rows when Spark tries it for the first time."""
    made = tasks._in_parts(engine, rows, partial(tasks._given, known))  # type: ignore[arg-type]
    return [tasks._deidentified(engine, row, known, ahead) for row, ahead in made]  # type: ignore[arg-type]


@pytest.mark.parametrize("fails", [False, True])
def test_several_notes_are_read_at_once_and_a_long_one_alone(fails: bool) -> None:
    """If reading them at once fails, each is read alone: that tells which note is at fault."""
    engine, long = _Engine(fails=fails), "x" * tasks._TOGETHER_CHARS
    made = done(engine, _rows("eins", "zwei", long))
    assert engine.together == [["eins", "zwei"]]
    assert engine.alone == (["eins", "zwei", long] if fails else [long])
    assert [row["text"] for row in made] == ["EINS", "ZWEI", long.upper()]


def test_a_note_that_fails_alone_is_read_once() -> None:
    engine = _Engine(fails=True)
    assert [row["text"] for row in done(engine, _rows("eins"))] == ["EINS"]
    assert (engine.together, engine.alone) == ([], ["eins"])


def test_a_row_that_is_no_note_costs_no_other_row() -> None:
    rows = _rows("eins", "zwei", "drei")
    rows[1]["blocks"] = (Block(BlockKind.PARAGRAPH, 0, 5),)
    made = done(_Engine(), rows)
    assert [row.get("text") for row in made] == ["EINS", None, "DREI"]
    assert made[1]["reason"] == Reason.INTERNAL


def test_a_text_says_its_other_languages() -> None:
    engine = _Engine()
    assert [row["languages"] for row in done(engine, _rows("eins"))] == [None]
    engine.languages = ("en", "fr")
    assert [row["languages"] for row in done(engine, _rows("one, un"))] == ["en fr"]


def test_a_note_is_searched_for_what_is_known_of_it() -> None:
    engine, term = _Engine(), Term(TermKind.NAME, "Anna Müller")
    for text, known in (("eins", (term,)), ("zwei", ())):
        done(engine, _rows(text), KnownTerms({"eins": [term]}, {}))
        assert engine.known == known


@pytest.mark.parametrize("column", ["17245", None])
def test_a_note_is_searched_for_what_is_known_of_its_patient(column: str | None) -> None:
    """Whose id its source's column gives, or else its text."""
    term = Term(TermKind.NAME, "Anna Müller", TermSource.HOSPITAL)
    engine, known = _Engine(), KnownTerms({}, {"17245": [term]})
    engine.spans = () if column else (Span(0, 5, Label.ID, PhiType.PATIENT_ID, "pattern", "r"),)
    [row] = _rows("17245")
    done(engine, [row | {"patient": column}], known)
    assert engine.known == (term,)


def test_discarded_detections_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the schema's fields, with places and reason and without text."""
    found = Dropped(0, 4, Label.PER, PhiType.OTHER, "crf", "r", 0.5, DropReason.DROP_ABOVE)
    assert [field.name for field in schemas.DROPPED] == list(Dropped._fields)
    result = Deidentified("n", 2010, "text", (), (), 1, (found,))
    monkeypatch.setattr(_Engine, "deidentify", lambda self, note, known: result)
    [row] = done(_Engine(), _rows("eins"))
    [made] = record_batch([row], schemas.REDACTED).column("dropped")[0].as_py()
    assert made == found.to_json()


class _Broadcast:
    def __init__(self, value: object) -> None:
        self.value = value


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("with_spans", [False, True])
def test_a_text_of_a_column_that_kills_the_process(
    monkeypatch: pytest.MonkeyPatch, *, with_spans: bool, repeated: bool
) -> None:
    """Its place has null, and the others have theirs; a first attempt that nothing kills gives the same."""
    deadly = [1, 2, 5] if repeated else []

    def redacted(engine: object, redactor: object, row: dict[str, Any], done: object = None) -> dict[str, Any]:
        if int(row["text"]) in deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"text": f"<{row['text']}>", "spans": [(0, 1, 0, 3, "PER", "person", "crf", "r", 0.5)]}

    monkeypatch.setattr(tasks, "_ENGINES", {"d": _Engine()})
    monkeypatch.setattr(tasks, "_redacted", redacted)
    monkeypatch.setattr(tasks, "is_repeated", lambda: repeated)
    policy = _Broadcast((load_policy().model_dump_json(), None))
    task = tasks.DeidentifyColumn(_Broadcast(b""), "d", "f", policy, with_spans)  # type: ignore[arg-type]
    texts = ["0", "1", None, "2", "3", None, "4", "5"]
    made, nothing = task(iter([pa.array(texts), pa.array([None, None], pa.string())]))
    assert nothing.to_pylist() == [None, None]
    values = made.to_pylist()
    wanted = [None if text is None or int(text) in deadly else f"<{text}>" for text in texts]
    if not with_spans:
        assert values == wanted
        return
    assert [value and value["text"] for value in values] == wanted
    for text, value in zip(texts, values, strict=True):
        if text is None:
            assert value is None
        elif int(text) in deadly:
            assert (value["error"], value["spans"]) == ("killed", None)
        else:
            assert (value["error"], [span["label"] for span in value["spans"]]) == (None, ["PER"])


def test_a_worker_keeps_one_engine_out_of_reach_of_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_ENGINES", {})
    note = pa.RecordBatch.from_pylist(
        [{"note_id": "n", "text": "Herr Muster kam am 3.4.2010.", "blocks": [], "year": 2010, "batch": "b"}],
        schemas.NOTE,
    )
    engines = []
    for pipeline in ("baseline", "variants"):
        spec = spec_with_lists(load_pipeline(pipeline), EngineSettings(), compile_lists({ListKind.TOWN: ["Ulm"]}))
        task = tasks.Deidentify(_Broadcast(spec.to_bytes()), pipeline, spec.fingerprint)  # type: ignore[arg-type]
        for _ in range(2):
            [made] = task(iter([note]))
            assert made["text"].to_pylist() == ["<SALUTE> Muster kam am <DATE>."]
        [engine] = tasks._ENGINES.values()
        engines.append(weakref.ref(engine))
        assert gc.get_freeze_count() > 0
        del engine
    gc.collect()
    assert [made() is None for made in engines] == [True, False]
    tasks._ENGINES.clear()
    gc.unfreeze()
