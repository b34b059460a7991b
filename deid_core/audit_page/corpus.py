"""Notes, non-blank lines and tokens of each year: the table that describes a corpus (seed 000, Table 1)."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader

_NON_BLANK_LINE = r"[^\n]*[^\s\p{Z}][^\n]*"


def corpus_rows(lake: Lake) -> list[dict[str, int]]:
    """Return year, notes, lines and tokens of each year, ascending.

    lines: non-blank lines of the de-identified text, which is read for it. tokens: before redaction.
    Raises DamageFoundError if a file of clean/deidentified is damaged.
    """
    sums: Counter[tuple[int, str]] = Counter()
    if not delta_reader.exists(lake.deidentified):
        return []
    with delta_reader.damage_named(lake.deidentified):
        for batch in delta_reader.stream(lake.deidentified, ["year", "text", "tokens"]):
            lines = pc.count_substring_regex(batch["text"], _NON_BLANK_LINE)
            notes = pa.table([batch["year"], batch["tokens"], lines], ["year", "tokens", "lines"])
            summed = [([], "count_all"), ("lines", "sum"), ("tokens", "sum")]
            for row in notes.group_by("year").aggregate(summed).to_pylist():
                sums[row["year"], "notes"] += row["count_all"]
                sums[row["year"], "lines"] += row["lines_sum"]
                sums[row["year"], "tokens"] += row["tokens_sum"]
    years = sorted({year for year, _ in sums})
    return [{"year": year} | {name: sums[year, name] for name in ("notes", "lines", "tokens")} for year in years]
