"""What the tasks of executors share: their errors carry no message, and their code is the driver's.

A task is a callable for `mapInArrow`. It returns a row for each file or note, whatever goes wrong with it. An exception
that leaves a task ends up in executor logs, so it carries a class and a place but no message.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from deid_core.core.errors import ConfigurationError, DeidError, TryAgainError, place_of
from deid_core.core.files import protect_process
from deid_core.lake.storage_errors import carried, storage_error_text

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]
BATCH_CHARS = 16_000_000
"""Characters of text after which a chunk's rows are returned. Few notes have megabytes, but a chunk of such notes would
fill memory."""
DETAIL_CHARS = 200


class TaskError(Exception):
    """A task failed. The message is a class and a place, the system's words for a storage error, or what it lacks."""


def without_message(task: Callable[..., Iterator[pa.RecordBatch]]) -> Callable[..., Iterator[pa.RecordBatch]]:
    """Replace exceptions whose messages might quote a note, and make the process write private files only."""

    @functools.wraps(task)
    def quiet(*args: Any) -> Iterator[pa.RecordBatch]:
        protect_process()
        try:
            yield from task(*args)
        except (ConfigurationError, TryAgainError) as error:
            raise TaskError(carried(error)) from None
        except DeidError:
            raise
        except Exception as error:
            # The system's words quote nothing, and show the driver that this program is not at fault.
            words = storage_error_text(error)
            raise TaskError(place_of(error) + (f": {words}" if words else "")) from None

    return quiet


def check_code(executor: str, driver: str) -> None:
    """Raise ConfigurationError if this executor's code differs from the driver's, whose fingerprint the rows carry."""
    if executor != driver:
        raise ConfigurationError(
            "this executor's deid_core is not the driver's; run `python -m deid_core.spark.pack_environment` again"
        )


def parts(rows: Iterable[Row], chars: int) -> Iterator[list[Row]]:
    """Yield the rows in their order, a part as soon as its texts have so many characters."""
    part: list[Row] = []
    size = 0
    for row in rows:
        part.append(row)
        size += len(row.get("text") or "")
        if size >= chars:
            yield part
            part, size = [], 0
    if part:
        yield part
