"""The figures of the audit page for programs: one JSON file, or a folder of CSV files."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from typing import Any

from deid_core.audit_page.figures import Figures


def to_json(figures: Figures) -> str:
    """Return an object with `made`, `summary`, `findings` and `tables`; times are ISO 8601, UTC."""
    content = {
        "made": figures.made,
        "summary": figures.summary,
        "findings": [
            {"severity": finding.severity, "name": finding.name, **finding.values} for finding in figures.findings
        ],
        "tables": figures.tables,
    }
    return json.dumps(content, ensure_ascii=False, indent=1, default=_text) + "\n"


def to_csv(figures: Figures) -> dict[str, str]:
    """Return the content of `summary.csv`, `findings.csv` and a file for each table, by name; "" if it has no rows."""
    findings = [
        {"severity": finding.severity, "name": finding.name, "n": finding.values["n"]} for finding in figures.findings
    ]
    summary = [{"name": name, "value": value} for name, value in figures.summary.items()]
    tables = {"summary": summary, "findings": findings, **figures.tables}
    return {f"{name}.csv": _csv(rows) for name, rows in tables.items()}


def _csv(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _text(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _text(value: Any) -> Any:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value
