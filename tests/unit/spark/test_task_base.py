"""What all tasks of executors share: how errors leave a task, and sizes of batches."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pyarrow as pa
import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.spark.task_base import TaskError, parts, without_message


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(errno.ENOSPC, "Müller", "Müller.parquet"), r"OSError at .*: No space left on device$"),
        (ValueError("Müller"), r"ValueError at test_task_base\.py:\d+$"),
        (ConfigurationError("soffice is not on PATH"), r'an executor cannot work: \["soffice is not on PATH"\]$'),
    ],
)
def test_how_an_error_leaves_a_task(error: Exception, told: str) -> None:
    @without_message
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
    made = [[row["note_id"] for row in part] for part in parts(iter(found), 6)]
    assert made == [["a", "b"], ["c"], ["d", "e", "f"]]
    assert list(parts(iter([]), 6)) == []
