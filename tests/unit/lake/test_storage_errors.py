"""Storage errors are translated into plain words, and the original message is never repeated."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pyarrow as pa
import pytest

from deid_core.core.errors import ConfigurationError, DeidError, ExitCode, TryAgainError
from deid_core.lake.layout import Lake
from deid_core.lake.storage_errors import carried, storage_error_text, storage_errors_translated

LAKE = Path("/data/lake")


def told(error: BaseException) -> TryAgainError:
    with pytest.raises(TryAgainError) as caught, storage_errors_translated(LAKE):
        raise error
    assert caught.value.exit_code == ExitCode.RETRY
    assert "Müller" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("number", "words"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, "read only"), (errno.EACCES, "may not write")],
)
def test_errors_of_this_process(number: int, words: str) -> None:
    error = told(OSError(number, "some words", "Müller, Anna.parquet"))
    assert words in str(error)
    assert str(LAKE) in str(error)


def test_errors_that_quote_the_system() -> None:
    """As errors of delta-rs and Java exceptions of Spark do."""
    assert "the disk is full" in str(told(RuntimeError("writing Müller: No space left on device (os error 28)")))
    try:
        try:
            raise OSError(errno.ENOSPC, "No space left on device")
        except OSError as cause:
            raise ValueError("Müller") from cause
    except ValueError as error:
        assert "the disk is full" in str(told(error))


@pytest.mark.parametrize("error", [ValueError("x"), ConfigurationError("No space left on device"), DeidError("x")])
def test_other_errors_pass(error: Exception) -> None:
    with pytest.raises(type(error)) as caught, storage_errors_translated(LAKE):
        raise error
    assert caught.value is error


def test_another_program_that_writes_to_the_table(tmp_path: Path) -> None:
    """Two appends are both kept; what was replaced without the other's rows is not."""
    pytest.importorskip("deltalake", reason="needs the extra spark")
    from deid_core.lake.tables.lake_table import Tables

    tables = Tables(Lake.at(tmp_path))
    tables.create()
    row = dict.fromkeys(tables.deidentified.columns.names, "Müller") | {"year": 2010, "note_date": None, "tokens": 1}
    tables.deidentified.add(row)

    def append() -> None:
        other = threading.Thread(target=tables.deidentified.add, args=[row | {"note_id": "other"}])
        other.start()
        other.join()

    def values(batch: pa.RecordBatch) -> dict[str, pa.Array]:
        append()
        return {}

    with pytest.raises(TryAgainError, match="another program wrote") as caught, storage_errors_translated(LAKE):
        tables.deidentified.map_columns(2010, values)
    assert "Müller" not in str(caught.value)
    assert tables.deidentified.count_rows({"Müller", "other"}) == 2


def test_what_an_executor_lacks_is_a_configuration_error() -> None:
    """Java adds its own words before and after a task's error."""
    problems = ['reading.libreoffice: "x": there is no such program', "ü [1]"]
    line = carried(ConfigurationError(problems))
    assert "\n" not in line
    with pytest.raises(ConfigurationError) as caught, storage_errors_translated(LAKE):
        raise RuntimeError(
            f"Job aborted: Traceback:\n  in f\ndeid_core.spark.task_base.TaskError: {line}\n\n\tat org[1]\nDriver: []"
        )
    assert caught.value.problems == problems
    assert caught.value.__cause__ is None


def test_what_an_executor_wants_tried_again() -> None:
    said = "--input s3://b/p: the store does not answer"
    line = carried(TryAgainError(said))
    with pytest.raises(TryAgainError) as caught, storage_errors_translated(LAKE):
        raise RuntimeError(f"Job aborted:\ndeid_core.spark.task_base.TaskError: {line}\n\n\tat org[1]")
    assert str(caught.value) == said


@pytest.mark.parametrize("before", ["'Müller, ", "'deid_core.spark.task_base.TaskError: ", "'Müller\nTaskError: "])
def test_the_same_words_within_a_message_are_not_repeated(before: str) -> None:
    quoted = f"cannot cast {before}{carried(ConfigurationError(['Müller']))}"
    with pytest.raises(ValueError, match="cannot cast"), storage_errors_translated(LAKE):
        raise ValueError(quoted)


def test_the_systems_words_only() -> None:
    assert storage_error_text(OSError(errno.ENOSPC, "Müller")) == "No space left on device"
    assert storage_error_text(ValueError("Müller")) is None
