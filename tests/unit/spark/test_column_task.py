"""The task that runs the engine over a column of texts, without Spark."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.policies.settings import load_policy
from deid_core.spark import column_task, deidentify, worker_engine
from deid_core.spark.column_task import DeidentifyColumn
from deid_core.spark.task_base import TaskError


def test_an_option_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError, match="no option polcy, span; there are: policy, "):
        deidentify("text", polcy="thesis", span=True)  # type: ignore[call-arg]


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("with_spans", [False, True])
def test_a_text_of_a_column_that_kills_the_process(
    monkeypatch: pytest.MonkeyPatch, *, with_spans: bool, repeated: bool
) -> None:
    """Its place has null, and the others have theirs; a first attempt that nothing kills gives the same."""
    deadly = [1, 2, 5] if repeated else []

    def redacted(
        engine: object, redactor: object, row: dict[str, Any], done: object = None, **_: Any
    ) -> dict[str, Any]:
        if int(row["text"]) in deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"text": f"<{row['text']}>", "spans": [(0, 1, 0, 3, "PER", "person", "crf", "r", 0.5)]}

    engine = SimpleNamespace(deidentify_all=lambda notes, redactor: [None] * len(notes))
    monkeypatch.setattr(worker_engine, "_ENGINES", {"d": engine})
    monkeypatch.setattr(column_task, "_redacted", redacted)
    monkeypatch.setattr(column_task, "is_repeated", lambda: repeated)
    policy = SimpleNamespace(value=(load_policy().model_dump_json(), None))
    task = DeidentifyColumn(None, "d", "f", policy, with_spans)  # type: ignore[arg-type]
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


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pa.array([1, 2]), "the texts of this column have the type int64"),
        (pa.array([b"Herr Muster"]), "have the type binary"),
        (pa.array([{"text": 5}]), "have the type int64"),
        (pa.array([{"note": "Herr Muster"}]), "a field `text`; these have note"),
    ],
)
def test_a_column_without_texts_is_refused_with_its_type(
    monkeypatch: pytest.MonkeyPatch, column: pa.Array, told: str
) -> None:
    """Not null for each value, as if each note had failed."""
    monkeypatch.setattr(worker_engine, "_ENGINES", {"d": SimpleNamespace()})
    policy = SimpleNamespace(value=(load_policy().model_dump_json(), None))
    task = DeidentifyColumn(None, "d", "f", policy, with_spans=False)  # type: ignore[arg-type]
    with pytest.raises(TaskError, match=told):
        list(task(iter([column])))


def test_spans_refer_to_the_text_as_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a row with blocks the text is that of a note, as it is."""
    text = "a\r\nb Herr\r\n"
    span = Span(4, 8, Label.SALUTE, PhiType.SALUTE, "pattern", "r")
    done = SimpleNamespace(text="a\nb <SALUTE>\n", spans=(span,), outputs=((4, 12),))
    [found] = column_task._redacted(None, None, {"text": text}, done, with_spans=True)["spans"]  # type: ignore[arg-type]
    assert (text[found[0] : found[1]], found[2:4]) == ("Herr", (4, 12))
    blocks = [("paragraph", 0, 3, None, None, None)]
    row = {"text": text, "blocks": blocks}
    assert column_task._redacted(None, None, row, done, with_spans=True)["spans"][0][:2] == (4, 8)  # type: ignore[arg-type]
