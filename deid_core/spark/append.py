"""Add the rows of a Spark frame to a Delta table of the lake."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from deid_core.lake.tables import Table


def append(table: Table, rows: DataFrame) -> None:
    """Add rows in one commit, with the columns and types of the table."""
    columns = from_arrow_schema(table.columns)
    shaped = rows.select([F.col(column.name).cast(column.dataType).alias(column.name) for column in columns])
    shaped.write.format("delta").mode("append").save(str(table.path))
