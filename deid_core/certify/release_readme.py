"""README.md of a release: what is in it and what its policy leaves of each type, for whoever gets the texts.

It tells nothing of a single note, and no year: beside shifted dates a year would tell the shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deid_core.audit_page.page_language import Language
from deid_core.certify.page import WORDS
from deid_core.certify.policy_rows import Left, left_by
from deid_core.core.labels import TYPES
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.policies.description import OPERATOR_COLUMNS, operator_rows, setting_lines
from deid_core.policies.settings import DEFAULT_POLICY, PolicySettings, load_policy, policy_names

_EXACT = ("kept", "year_alone")
_KINDS = {
    "exact": "Exact.",
    "coarse": "Coarse (less than was written).",
    "shifted": "Moved by the same days in all notes of a patient.",
    "invented": "Invented (it looks real, and nothing marks it).",
    "gone": "Gone (a placeholder or a token stands there).",
}


def comments_of(columns: pa.Schema) -> dict[str, str]:
    """Return what each column holds."""
    return {column.name: (column.metadata or {}).get(b"comment", b"").decode() for column in columns}


def release_readme(lake: Lake, data: Path, policy: str, name: str, statement: str, others: Sequence[str]) -> bytes:
    """Return README.md.

    data: notes.parquet. policy, name: of the release. statement: the dossier's bound, "" without one. others: releases
    of other policies that have some of its notes.
    """
    return ("\n".join([*_head(lake, data, policy, name, others), *_body(data, policy, statement)]) + "\n").encode()


def _head(lake: Lake, data: Path, policy: str, name: str, others: Sequence[str]) -> Iterator[str]:
    patients = pq.read_table(data, columns=["patient_key", "patient_source"]).to_pylist()
    alone = sum(row["patient_source"] == "note" for row in patients)
    runs = delta_reader.read(lake.runs, ["finished", "pipeline", "versions"]).sort_by("finished").to_pylist()
    last: dict[str, Any] = runs[-1] if runs else {"pipeline": "not known", "versions": []}
    yield f"# De-identified German clinical letters, release {name}\n"
    yield (
        f"Notes: {len(patients):,}. Patients: {len({row['patient_key'] for row in patients}):,}. "
        f"Notes whose patient is not known: {alone:,}; each of them counts as a patient of its own."
    )
    yield f"Last run: deid {dict(last['versions']).get('deid', '')}, pipeline {last['pipeline']}. Policy: {policy}."
    if others:
        yield f"\nNot for whoever has {', '.join(others)}: of another policy, so both together can be undone."


def _body(data: Path, name: str, statement: str) -> Iterator[str]:
    yield "\n## What may still be readable\n"
    yield "No automatic method finds everything: what identifies somebody may still be readable."
    yield statement or "Nobody signed for these texts, so no bound is known."
    yield "How much is found in synthetic letters, by label: docs/evaluation/quality.md of deid."
    yield "What can be counted and what not, and what to write into a paper: docs/for-researchers.md of deid."
    yield "\n## Columns of data/notes.parquet\n"
    yield from _table(("column", "what it holds"), comments_of(pq.read_schema(data)).items())
    yield "\n## What the policy leaves\n"
    if name not in policy_names():
        yield f"{name} is no policy that deid ships: ask whoever gave you this release for it."
        return
    policy = load_policy(name)
    if differing := _of_other_settings(data, policy):
        yield f"{differing:,} notes were made with other settings of the policy than these.\n"
    yield from (f"- **{_KINDS[kind]}** {'; '.join(entries)}." for kind, entries in _effects(policy).items())
    yield "\nAll else stays as it was written: drugs, diagnoses, values. Now and then such a word is taken for one of"
    yield "these types and replaced; where values are invented, nothing marks that."
    yield "A value that the policy cannot read, as the 31st of February, becomes a placeholder.\n"
    yield from (f"- {line}" for line in setting_lines(policy))
    yield ""
    yield from _table(OPERATOR_COLUMNS, operator_rows(policy))
    for title, lines in (("Legal basis", policy.basis), ("Assumptions that nothing checks", policy.assumptions)):
        yield f"\n{title}:\n"
        yield from (f"- {line}" for line in lines)


def _of_other_settings(data: Path, policy: PolicySettings) -> int:
    """Return how many notes another version of the policy made. The default policy's operators never change."""
    if policy.name == DEFAULT_POLICY:
        return 0
    rows = pq.read_table(data, columns=["fingerprint", "key_id"]).to_pylist()
    return sum(row["fingerprint"] != policy.fingerprint(row["key_id"]) for row in rows)


def _effects(policy: PolicySettings) -> dict[str, list[str]]:
    """Return by kind of effect the types, and in words what is left of them, in the order of _KINDS."""
    of_part: dict[str, dict[str, list[str]]] = {kind: {} for kind in _KINDS}
    for phi in TYPES:
        for part in left_by(policy.operator(phi)) or [Left("gone")]:
            of_part[_kind(part)].setdefault(_words(part), []).append(str(phi))
    return {
        kind: [f"{', '.join(types)}{f' ({words})' if words else ''}" for words, types in parts.items()]
        for kind, parts in of_part.items()
        if parts
    }


def _kind(part: Left) -> str:
    return "exact" if part.what in _EXACT else part.what if part.what in _KINDS else "coarse"


def _words(part: Left) -> str:
    """Return what is left in words, "" where the kind says it all."""
    if part.what in {*_KINDS, "kept"}:
        return ""
    return Language("en", WORDS)(f"policy.left.{part.what}", n=part.n)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in (columns, ["---"] * len(columns), *rows):
        yield f"| {' | '.join(f'`{cell}`' if cell.startswith('<') else cell for cell in row)} |"
