"""Measure `deidentify` beside Presidio as functions over a column: `python tests/benchmarks/spark_column.py`.

One Spark job each over the same generated notes, in turn, in one session on this machine: `deidentify` of this project,
and Presidio in a pandas UDF as its documentation has it, with one analyser for each worker and German patterns alone
(deid_core/lab/bench/presidio.py). The results go nowhere (`noop`). The first job of each starts workers and loads
engines; it is printed apart. Needs the extra `bench`, and pandas. This is no comparison of quality.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import TYPE_CHECKING

import pandas as pd
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import StringType

from deid_core.lab.bench.presidio import presidio_with_patterns
from deid_core.lab.synthetic.generate import iter_notes
from deid_core.spark import deidentify
from deid_core.spark.session import start_session

if TYPE_CHECKING:
    from pyspark.sql import Column


@pandas_udf(StringType())
def with_presidio(texts: pd.Series) -> pd.Series:
    """Return the texts with a mark in place of what Presidio finds."""
    return texts.apply(_redacted)


def _redacted(text: str) -> str:
    for start, end in sorted(presidio_with_patterns()(text), reverse=True):
        text = f"{text[:start]}<PHI>{text[end:]}"
    return text


def main() -> None:
    """Print seconds and tokens a second of each round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    args = parser.parse_args()
    spark = start_session(settings={"spark.master": f"local[{args.cores}]"})
    texts = [made.note.text for made in iter_notes(args.notes, seed=7)]
    frame = spark.createDataFrame([(text,) for text in texts], "text string").repartition(4 * args.cores).cache()
    columns: dict[str, Column] = {"deidentify": deidentify("text"), "Presidio": with_presidio("text")}
    seconds: dict[str, list[float]] = {name: [] for name in columns}
    for _ in range(args.rounds + 1):
        for name, column in columns.items():
            began = time.perf_counter()
            frame.select(column.alias("text")).write.format("noop").mode("overwrite").save()
            seconds[name].append(time.perf_counter() - began)
    characters = sum(map(len, texts))
    for name, (first, *rest) in seconds.items():
        print(
            f"{name}: first {first:.1f} s, then {median(rest):.2f} s ({min(rest):.2f} to {max(rest):.2f}), "
            f"{characters / median(rest):,.0f} characters/s"
        )
    ratios = [theirs / ours for ours, theirs in zip(seconds["deidentify"], seconds["Presidio"], strict=True)][1:]
    print(f"Presidio takes {median(ratios):.2f} times as long ({min(ratios):.2f} to {max(ratios):.2f})")
    spark.stop()


if __name__ == "__main__":
    main()
