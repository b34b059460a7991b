"""Third stage: how much was removed per year, label and recogniser, for the auditor.

    spark-submit jobs/audit.py --lake DIR

The counts' commit says from which versions of the clean tables they were made; they are made again when these differ.
"""

from __future__ import annotations

import sys

from jobs import reader
from jobs.context import Run


def audit(run: Run) -> None:
    """Brings clean/phi_counts up to the clean tables; commits nothing if it is."""
    made_from = {"deidentified": reader.version(run.lake.deidentified), "phi_audit": reader.version(run.lake.phi_audit)}
    if made_from["deidentified"] < 0 or reader.commit_note(run.lake.phi_counts).get("made_from") == made_from:
        return
    from pyspark.sql import functions as F

    run.describe("audit", "counting removed spans per year, label and recogniser")
    texts = run.tables.deidentified.frame(run.spark).groupBy("year").agg(F.sum("tokens").alias("tokens"))
    spans = run.tables.phi_audit.frame(run.spark).groupBy("year", "label", "recogniser")
    counts = spans.agg(F.countDistinct("note_id").alias("notes"), F.count(F.lit(1)).alias("spans"))
    shares = counts.join(texts, "year").withColumn(
        "per_1000_tokens", F.round(1000 * F.col("spans") / F.col("tokens"), 3)
    )
    # A few hundred rows: one file, in a fixed order.
    ordered = shares.coalesce(1).sortWithinPartitions("year", "label", "recogniser")
    run.tables.phi_counts.overwrite(ordered, {"made_from": made_from})


if __name__ == "__main__":
    from deid_core.cli import main

    raise SystemExit(main(["run", "--stage", "audit", *sys.argv[1:]]))
