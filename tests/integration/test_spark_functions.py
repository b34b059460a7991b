"""`deidentify` for DataFrames and SQL: the texts of `deid run`, null for null, one engine for each Python worker."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from lakes import PIPELINE, Archive

from deid_core import Deidentifier
from deid_core.core.errors import ConfigurationError, SecretMissingError
from deid_core.lake.tables import delta_reader
from deid_core.spark import column_task, deidentify, functions, register, worker_engine

pytestmark = pytest.mark.spark

TEXT = "Sehr geehrter Herr Zqxkanari,\nwir sahen ihn am 3.4.2010.\n"
CHARACTERS = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("key") / "policy.key"
    file.write_text(CHARACTERS)
    file.chmod(0o400)
    return file


@pytest.fixture(scope="module")
def with_output(first_run: Archive, key: Path, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return a lake with texts of a policy with surrogates. Read only."""
    archive = first_run.copy(tmp_path_factory.mktemp("functions"))
    archive.run(outputs=("readable",), key=key)
    return archive


def test_the_texts_are_those_of_a_run(spark: Any, with_output: Archive, key: Path) -> None:
    lake = with_output.lake
    run = {row["note_id"]: row for row in _rows(lake.deidentified, "text", "patient_key")}
    readable = {row["note_id"]: row["text"] for row in _rows(lake.output("readable"), "text")}
    keys = spark.createDataFrame([(name, row["patient_key"]) for name, row in run.items()], "note_id string, p string")
    notes = spark.read.parquet(str(lake.notes)).join(keys, "note_id")
    register(spark, pipeline=PIPELINE)
    register(spark, "readable", pipeline=PIPELINE, policy="readable", key=key)
    notes.createOrReplaceTempView("notes")
    made = spark.sql(
        "SELECT note_id, deidentify(struct(text, blocks)) AS plain, "
        "readable(struct(note_id, p AS patient, text, blocks)) AS readable FROM notes"
    ).collect()
    assert len(made) == len(run) == 13
    assert {row.note_id: row.plain for row in made} == {name: row["text"] for name, row in run.items()}
    assert {row.note_id: row.readable for row in made} == readable
    of_text = notes.where("source LIKE '%.txt'").select("note_id", deidentify("text", pipeline=PIPELINE).alias("text"))
    texts = {row.note_id: row.text for row in of_text.collect()}
    assert len(texts) == 12
    assert texts == {name: run[name]["text"] for name in texts}


def test_spans_on_request(spark: Any) -> None:
    frame = spark.createDataFrame([(1, TEXT), (2, None), (3, ""), (4, "  \n")], "number int, text string")
    done = frame.select("number", deidentify("text", pipeline=PIPELINE, spans=True).alias("done")).orderBy("number")
    first, *others = [row.done for row in done.collect()]
    result = Deidentifier.load(PIPELINE).redact(TEXT)
    assert (first.text, first.error) == (result.text, None)
    assert [(s.start, s.end, s.label, s.recogniser) for s in first.spans] == [
        (s.start, s.end, s.label, s.recogniser) for s in result.spans
    ]
    assert tuple((s.output_start, s.output_end) for s in first.spans) == result.placeholders
    assert others[0] is None
    assert [(row.text, row.spans, row.error) for row in others[1:]] == [("", [], None), ("  \n", [], None)]


def test_null_and_empty_texts(spark: Any) -> None:
    frame = spark.createDataFrame([(1, None), (2, ""), (3, "RR 120/80.\r\n")], "number int, text string")
    done = frame.withColumn("text", deidentify("text", pipeline=PIPELINE)).orderBy("number")
    assert [row.text for row in done.collect()] == [None, "", "RR 120/80.\n"]
    assert frame.limit(0).select(deidentify("text", pipeline=PIPELINE)).collect() == []


def test_a_worker_makes_one_engine(spark: Any, key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many partitions, queries and policies. The function returns its worker and engine instead of texts."""

    def told(task: column_task.DeidentifyColumn) -> Any:
        def worker_and_engine(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
            for made in task(batches):
                [engine] = worker_engine._ENGINES.values()
                name = engine.__dict__.setdefault("seen_as", uuid.uuid4().hex)
                yield pa.array([f"{os.getpid()} {name}"] * len(made))

        return worker_and_engine

    monkeypatch.setattr(functions, "_typed", told)
    frame = spark.createDataFrame([(TEXT,)] * 16, "text string").repartition(4)
    seen = []
    for options in ({}, {"policy": "readable", "key": key}, {}):
        column = deidentify("text", pipeline=PIPELINE, **options)
        seen += [tuple(row.told.split()) for row in frame.select(column.alias("told")).collect()]
    assert len(seen) == 48
    engines = set(seen)
    assert len(engines) == len({worker for worker, _ in engines}) <= 4


def test_what_fails_names_nobody(spark: Any, event_log: Path) -> None:
    """Blocks that leave the text stand for any failure: null and a reason, and no text in Spark's event log."""
    blocks = [("paragraph", 0, 10_000, None, None, None)]
    schema = "text string, blocks array<struct<kind:string,start:int,end:int,table:int,row:int,column:int>>"
    frame = spark.createDataFrame([(TEXT, blocks), (TEXT, [])], schema)
    frame.createOrReplaceTempView("broken")
    register(spark, "with_spans", pipeline=PIPELINE, spans=True)
    failed, done = spark.sql("SELECT with_spans(struct(text, blocks)) AS made FROM broken").collect()
    assert (failed.made.text, failed.made.spans, failed.made.error) == (None, None, "internal")
    assert done.made.error is None
    logs = [path for path in event_log.rglob("*") if path.is_file()]
    assert logs
    assert not [path for path in logs if b"Zqxkanari" in path.read_bytes()]


def test_a_column_of_numbers_ends_the_query_with_its_type(spark: Any) -> None:
    """And places in a text with CRLF are those of the column's text."""
    frame = spark.createDataFrame([(5, "kam\r\nam 3.4.2010.\r\n")], "number int, text string")
    with pytest.raises(Exception, match=r"the texts of this column have the type int32: .*cast\('string'\)"):
        frame.select(deidentify("number", pipeline=PIPELINE)).collect()
    [row] = frame.select("text", deidentify("text", pipeline=PIPELINE, spans=True).alias("done")).collect()
    assert [row.text[span.start : span.end] for span in row.done.spans] == ["3.4.2010"]


def test_a_wrong_configuration_is_told_at_once(spark: Any) -> None:
    with pytest.raises(ConfigurationError, match="nosuch"):
        deidentify("text", pipeline="nosuch")
    with pytest.raises(SecretMissingError):
        deidentify("text", pipeline=PIPELINE, policy="readable")


def test_without_a_driver_in_this_process_it_says_so(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As under Spark Connect."""
    from pyspark import SparkContext

    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    with pytest.raises(ConfigurationError, match="Spark Connect has no broadcast variables"):
        deidentify("text", pipeline=PIPELINE)


def _rows(table: Path, *columns: str) -> list[dict[str, Any]]:
    return delta_reader.read(table, ["note_id", *columns]).to_pylist()
