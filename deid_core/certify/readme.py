"""README.md of a release or an export: columns, what the policy leaves of each type, and what follows for studies.

It is for whoever gets the texts and nothing else of this project. It tells nothing of a single note, and no year:
beside shifted dates a year would tell the shift.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from deid_core.audit_page.page_language import Language
from deid_core.certify.policy_rows import Left, left_by
from deid_core.core.labels import TYPES, Label, PhiType, types_with
from deid_core.lake.layout import Lake
from deid_core.lake.tables import delta_reader
from deid_core.policies.description import OPERATOR_COLUMNS, operator_rows, setting_lines
from deid_core.policies.settings import (
    DEFAULT_POLICY,
    GeneraliseDateSettings,
    PolicySettings,
    PseudonymSettings,
    ShiftSettings,
    SurrogateSettings,
    load_policy,
    policy_names,
)

COUNTED = ("patient_key", "patient_key_id", "patient_source", "note_date")
"""Columns of the texts that a README counts, or names."""
MADE_BY = ("fingerprint", "key_id")
"""Columns of a policy's texts that tell with which settings they were made."""
_WORDS = Path(__file__).with_name("words")
_PLACEHOLDER = re.compile(r"<[^<>]+>")
_EXACT = ("kept", "year_alone")
_EFFECTS = {
    "exact": "Exact.",
    "coarse": "Coarse (less than was written).",
    "shifted": "Moved by the same days in all notes of a patient.",
    "invented": "Invented (it looks real, and nothing marks it).",
    "gone": "Gone (a placeholder or a token stands there).",
}


class Texts(NamedTuple):
    """What a README is about.

    title: its first line. file: where the texts are, below the README. columns: of the file, with comments. rows: of
    the notes in it, with COUNTED and, of another policy than the default, MADE_BY. statement: the
    dossier's bound, "" without one. others: releases of other policies that have some of the notes.
    """

    title: str
    file: str
    columns: pa.Schema
    rows: pa.Table
    policy: str
    statement: str = ""
    others: Sequence[str] = ()


def comments_of(columns: pa.Schema) -> dict[str, str]:
    """Return what each column holds."""
    return {column.name: (column.metadata or {}).get(b"comment", b"").decode() for column in columns}


def readme(lake: Lake, texts: Texts) -> bytes:
    """Return README.md."""
    return ("\n".join([*_head(lake, texts), *_body(texts)]) + "\n").encode()


def _head(lake: Lake, texts: Texts) -> Iterator[str]:
    rows = texts.rows
    alone = pc.sum(pc.equal(rows["patient_source"], "note")).as_py() or 0
    runs = delta_reader.read(lake.runs, ["finished", "pipeline", "versions"]).sort_by("finished").to_pylist()
    last: dict[str, Any] | None = runs[-1] if runs else None
    yield f"# {texts.title}\n"
    yield (
        f"Notes: {len(rows):,}. Patients: {pc.count_distinct(rows['patient_key']).as_py():,}. "
        f"Notes whose patient is not known: {alone:,}; each of them counts as a patient of its own. "
        f"Notes without a note_date: {rows['note_date'].null_count:,}."
    )
    run = f"deid {dict(last['versions'])['deid']}, pipeline {last['pipeline']}" if last else "none that ended"
    yield f"Last run: {run}. Policy: {texts.policy}."
    keys = ", ".join(sorted(pc.unique(rows["patient_key_id"]).to_pylist()))
    yield f"Key of patient_key: {keys}. Patients can be joined with those of exports and releases of the same key."
    if texts.others:
        yield f"\nNot for whoever has {', '.join(texts.others)}: of another policy, so both together can be undone."


def _body(texts: Texts) -> Iterator[str]:
    yield "\n## What may still be readable\n"
    yield "No automatic method finds everything: what identifies somebody may still be readable."
    yield texts.statement or "Nobody signed for these texts, so no bound is known."
    yield "How much is found in synthetic letters, by label: docs/evaluation/quality.md of deid."
    yield "What can be counted and what not, and what to write into a paper: docs/for-researchers.md of deid."
    yield f"\n## Columns of {texts.file}\n"
    yield from _table(("column", "type", "null", "what it holds"), _column_rows(texts.columns))
    yield "\nThe notes of a patient have the same patient_key (in OMOP's NOTE person_id). Names do not link notes."
    yield "Where the patient is not known (patient_source is `note`), patients are too many and follow-up is too short."
    yield "\n## What the policy leaves\n"
    if texts.policy not in policy_names():
        yield f"{texts.policy} is no policy that deid ships: ask whoever gave you these texts for it."
        return
    policy = load_policy(texts.policy)
    if differing := _of_other_settings(texts.rows, policy):
        yield f"{differing:,} notes were made with other settings of the policy than these.\n"
    yield from (
        f"- **{_EFFECTS[effect]}** {'; '.join(entries)}." for effect, entries in _left_by_effect(policy).items()
    )
    yield "\nAll else stays as it was written: drugs, diagnoses, values. Now and then such a word is taken for one of"
    yield "these types and replaced; where values are invented, nothing marks that."
    yield "A value that the policy cannot read, as the 31st of February, becomes a placeholder."
    yield "\n## What follows for studies\n"
    yield from (f"- {line}" for line in _advice(policy))
    yield "\n## Operators\n"
    yield from (f"- {line}" for line in setting_lines(policy))
    yield ""
    yield from _table(OPERATOR_COLUMNS, operator_rows(policy))
    for title, lines in (("Legal basis", policy.basis), ("Assumptions that nothing checks", policy.assumptions)):
        yield f"\n{title}:\n"
        yield from (f"- {line}" for line in lines)


def _column_rows(columns: pa.Schema) -> Iterator[tuple[str, str, str, str]]:
    comments = comments_of(columns)
    for column in columns:
        yield column.name, _type_in_words(column.type), "yes" if column.nullable else "no", comments[column.name]


def _type_in_words(kind: pa.DataType) -> str:
    """Return a column's type in words."""
    words = ((pt.is_integer, "whole number"), (pt.is_date, "day, YYYY-MM-DD"), (pt.is_timestamp, "day and time"))
    return next((word for is_of, word in words if is_of(kind)), "text")


def _advice(policy: PolicySettings) -> Iterator[str]:
    """Yield what a study of these texts has to know, of docs/for-researchers.md what this policy needs."""
    yield from _advice_on_dates(policy)
    persons = [policy.operator(phi) for phi in types_with(Label.PER)]
    if any(isinstance(operator, PseudonymSettings) for operator in persons):
        yield (
            "Equal tokens (`<PER-7f3a…>`) are one person, and a person may have several: a given name alone often has "
            "one of its own. Digits count, the word before them may differ."
        )
    if any(isinstance(operator, SurrogateSettings) for operator in persons):
        yield (
            "Within a patient's notes a person mostly has one invented name; two people may share a surname. The same "
            "doctor has another name with each patient."
        )
    if policy.has(SurrogateSettings):
        yield (
            "What is invented is no variable. Nothing tells an invented word from an original one, also where a word "
            "of medicine was replaced by mistake."
        )


def _advice_on_dates(policy: PolicySettings) -> Iterator[str]:
    match policy.operator(PhiType.DATE):
        case ShiftSettings(years=years):
            yield (
                "Days between whole dates of a patient, and between notes (note_date), are exact. Seasons and events "
                "of the calendar cannot be studied"
                + ("; weekdays can." if policy.shift.keep_weekday else ", nor can weekdays.")
            )
            yield (
                'Years that stand alone ("seit 1998") stayed and dates moved: the difference is wrong by up to a year.'
                if years == "keep"
                else 'Years that stand alone ("seit 1998") moved by whole years: beside a date they are wrong by up to '
                "half a year."
            )
        case GeneraliseDateSettings(to=unit):
            yield (
                f"note_date is the first day of the {unit}, not the day of the note, and of a date in the text the "
                f"{unit} is left. So there are no intervals of days."
            )
        case _:
            if not policy.has(ShiftSettings, GeneraliseDateSettings):
                yield "Dates are gone, and note_date with them: there are no intervals."


def _of_other_settings(rows: pa.Table, policy: PolicySettings) -> int:
    """Return how many notes another version of the policy made. The default policy's operators never change."""
    if policy.name == DEFAULT_POLICY:
        return 0
    made = rows.select(MADE_BY).to_pylist()
    return sum(row["fingerprint"] != policy.fingerprint(row["key_id"]) for row in made)


def _left_by_effect(policy: PolicySettings) -> dict[str, list[str]]:
    """Return by effect the types, and in words what is left of them, in the order of _EFFECTS."""
    by_effect: dict[str, dict[str, list[str]]] = {effect: {} for effect in _EFFECTS}
    for phi in TYPES:
        for part in left_by(policy.operator(phi)) or [Left("gone")]:
            by_effect[_effect(part)].setdefault(_words(part), []).append(str(phi))
    return {
        effect: [f"{', '.join(types)}{f' ({words})' if words else ''}" for words, types in parts.items()]
        for effect, parts in by_effect.items()
        if parts
    }


def _effect(part: Left) -> str:
    """Return the effect, of _EFFECTS."""
    return "exact" if part.what in _EXACT else part.what if part.what in _EFFECTS else "coarse"


def _words(part: Left) -> str:
    """Return what is left in words, "" where the effect says it all."""
    if part.what in {*_EFFECTS, "kept"}:
        return ""
    return Language("en", _WORDS)(f"policy.left.{part.what}", n=part.n)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A placeholder would be a tag of HTML without the marks of code."""
    for row in (columns, ["---"] * len(columns), *rows):
        cells = (_PLACEHOLDER.sub(r"`\g<0>`", cell) for cell in row)
        yield f"| {' | '.join(cells)} |"
