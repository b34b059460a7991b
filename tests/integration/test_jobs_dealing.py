"""How Spark distributes notes to workers: so that none of them does most of the work."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

pytestmark = pytest.mark.spark


def test_large_and_small_files_are_distributed_by_size(spark: SparkSession, tmp_path: Path) -> None:
    """Like the years of an archive. Spark's default settings give one of two workers nine tenths of these."""
    for number, kilobytes in enumerate([1200] * 5 + [60] * 10):
        texts = [os.urandom(512).hex() for _ in range(kilobytes)]
        pq.write_table(pa.table({"text": texts}), tmp_path / f"part-{number:05}.parquet", use_dictionary=False)
    read = spark.read.parquet(str(tmp_path))
    parts = read.groupBy(F.spark_partition_id().alias("part")).agg(F.sum(F.length("text")).alias("characters"))
    sizes = [row["characters"] for row in parts.collect()]
    assert sum(sizes) == 1024 * (5 * 1200 + 10 * 60)
    assert max(sizes) < 0.5 * sum(sizes)
