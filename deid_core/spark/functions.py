"""`deidentify` for DataFrames and SQL: engine and policy as a user-defined function over a column of texts.

from deid_core.spark import deidentify, register

df.withColumn("text", deidentify("text", policy="thesis"))
register(spark)
spark.sql("SELECT deidentify(text) AS text FROM notes")
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import pyarrow as pa

from deid_core.core.errors import ConfigurationError
from deid_core.lake.tables import task_schemas
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.loading import check_spec, load_spec
from deid_core.pipeline.settings_file import load_settings
from deid_core.policies.redaction import load_redactor
from deid_core.policies.settings import DEFAULT_POLICY
from deid_core.spark.column_task import DeidentifyColumn

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import Column, SparkSession

_BROADCASTS: dict[tuple[str, str], Broadcast[Any]] = {}
"""By application and digest: lists and models are sent to the workers once, however many columns use them."""


class ColumnOptions(TypedDict, total=False):
    """Keywords of `deidentify` and `register`.

    policy: default "thesis". pipeline, settings, key: as of `Deidentifier.load`; files are read on the driver. spans:
    return structs of `text`, `spans` and `error` instead of texts.
    """

    policy: str | os.PathLike[str]
    pipeline: str
    settings: str | os.PathLike[str]
    key: str | os.PathLike[str]
    spans: bool


def deidentify(column: str | Column, **options: Unpack[ColumnOptions]) -> Column:
    """Return the column with each text de-identified as `deid run` does it. options: see `ColumnOptions`.

    column: of texts; or of structs with the field `text` and, as wanted, `note_id`, `patient` (with surrogates and
    shifted dates the texts of a patient get the same ones) and `blocks` (as in restricted/notes).

    Null gives null. A note that fails gives null too, never its raw text, and a reason in `error`. Offsets `start` and
    `end` count code points of the given text, `output_start` and `output_end` those of the returned text, which has LF
    as line ends and no control characters (`note_from_text`).

    Raises ConfigurationError and SecretMissingError as `Deidentifier.load`; ConfigurationError if this process has no
    Spark driver, as under Spark Connect. The query fails if the column has no texts.
    """
    return _function(options)(column)


def register(spark: SparkSession, name: str = "deidentify", **options: Unpack[ColumnOptions]) -> None:
    """Make `deidentify` a function of the session's SQL. options and errors: as of `deidentify`."""
    spark.udf.register(name, _function(options))


def _function(options: ColumnOptions) -> Any:
    """Return Spark's function for these options. Raises TypeError for an option that does not exist."""
    if unknown := sorted(options.keys() - ColumnOptions.__annotations__.keys()):
        known = ", ".join(ColumnOptions.__annotations__)
        raise TypeError(f"deidentify has no option {', '.join(unknown)}; there are: {known}")
    from pyspark.sql.functions import arrow_udf
    from pyspark.sql.pandas.types import from_arrow_schema

    returned = from_arrow_schema(task_schemas.COLUMN)
    with_spans = options.get("spans", False)
    return arrow_udf(_typed(_task(options, with_spans)), returned if with_spans else returned["text"].dataType)


def _typed(task: DeidentifyColumn) -> Callable[[Iterator[pa.Array]], Iterator[pa.Array]]:
    # Spark reads from the types that the function takes batches.
    def deidentify(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        return task(batches)

    return deidentify


def _task(options: ColumnOptions, with_spans: bool) -> DeidentifyColumn:
    path = options.get("settings")
    settings = load_settings(None if path is None else Path(path))
    redactor = load_redactor(options.get("policy", DEFAULT_POLICY), options.get("key"))
    spec = load_spec(load_pipeline(options.get("pipeline") or settings.pipeline), settings)
    data = spec.to_bytes()
    digest = hashlib.sha256(data).hexdigest()
    policy = (redactor.policy.model_dump_json(), redactor.key)
    return DeidentifyColumn(
        _broadcast(digest, data, check=lambda: check_spec(spec)),
        digest,
        spec.fingerprint,
        _broadcast(redactor.fingerprint, policy),
        with_spans,
    )


def _broadcast(digest: str, value: Any, check: Callable[[], object] = lambda: None) -> Broadcast[Any]:
    """Return the value's broadcast in the running application. check: what to do before it is sent."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if context is None:
        raise ConfigurationError(
            "deidentify sends lists and models to the workers as a broadcast variable, which a Spark driver in this "
            "process must do: start a SparkSession first; Spark Connect has no broadcast variables"
        )
    place = (context.applicationId, digest)
    if place not in _BROADCASTS:
        check()
        _BROADCASTS[place] = context.broadcast(value)
    return _BROADCASTS[place]
