"""A release: a numbered copy of a clean table that never changes, with checksums, data card, dossier and differences.

    NAME/data/notes.parquet   the rows, by year and note_id; with a dossier only those that it covers. With shifted
                              dates they have no year and are in the order of note_id, since the year tells the shift
    NAME/README.md            what is in it and what the policy leaves, for people
    NAME/croissant.json       the data card
    NAME/changes.csv          what differs from the release before, and the notes of withdrawn patients of any before
    NAME/dossier/             the signed dossier
    NAME/SHA256SUMS           of all these files, with the signature beside it

It lies outside of the lake, since `deid withdraw` promises that no byte of a patient stays in the lake.
restricted/releases lists the notes of each release, so that later ones can say what became of them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deid_core.certify import manifest, signed_folder
from deid_core.certify.croissant import CardText, DataFile, data_card
from deid_core.certify.earlier_releases import notes_of, releases, releases_of_others
from deid_core.certify.readme import COUNTED, MADE_BY, Texts, comments_of, readme
from deid_core.certify.verification import DATA, DOSSIER, verify_folder
from deid_core.core.errors import ConfigurationError, DeidError
from deid_core.core.files import PRIVATE, content_sha256, new_folder, part_of, write_whole
from deid_core.lake.layout import RESTRICTED_MODE, Lake
from deid_core.lake.notes.reviews import text_sha256
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.lake.tables.columns import text_columns
from deid_core.policies.settings import DEFAULT_POLICY, shifts_dates

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,40}")
_NOT_RELEASED = ("batch", "run_id", "tokens")
"""Columns that say something of the lake alone, or of the text before redaction."""
_FIRST_DIGITS = "0123456789abcdef"
"""Of note_id."""
_FOLDER_MODE, _FILE_MODE = 0o500, 0o400
"""Nobody writes. Whoever is responsible opens it to its receivers."""


class ReleaseChoices(NamedTuple):
    """What a caller wants. dossier: folder of the signed dossier; None for a release without one. key: signs."""

    name: str
    output: Path
    policy: str = DEFAULT_POLICY
    dossier: Path | None = None
    key: Ed25519PrivateKey | None = None
    licence: str = ""
    creator: str = ""
    url: str = ""
    other_recipients: bool = False
    """Whether the recipients have no release of another policy, as the caller says."""


class RefusedError(DeidError):
    """A release cannot be made for several reasons; the exit code is that of the first."""

    def __init__(self, errors: Sequence[DeidError]) -> None:
        self.exit_code = errors[0].exit_code
        super().__init__("\n".join(map(str, errors)))


class ReleaseChanges(NamedTuple):
    """How a release differs from the one before. previous: its name, None if there is none. withdrawn: notes of any
    release before whose patient was withdrawn. removed: those that are not in it any more for other reasons.
    others: releases of other policies that have some of its notes.
    """

    previous: str | None
    added: frozenset[str]
    changed: frozenset[str]
    removed: frozenset[str]
    withdrawn: frozenset[str]
    others: tuple[str, ...]

    def to_csv(self) -> bytes:
        """Return changes.csv: a row for each note that differs."""
        kinds = ("added", "changed", "removed", "withdrawn")
        rows = [(note_id, kind) for kind in kinds for note_id in sorted(getattr(self, kind))]
        return _csv([("note_id", "change"), *rows])


def make_release(
    lake: Lake, choices: ReleaseChoices, errors: Sequence[DeidError] = ()
) -> tuple[Path, int, ReleaseChanges]:
    """Write the release. Return its folder, its number of notes and its differences. The caller holds the lake's lock.

    errors: what the caller found, which is raised with the others.

    Raises ConfigurationError if it cannot be made, VerificationError if the dossier is not what was signed,
    RefusedError for several reasons.
    """
    folder = choices.output / choices.name
    table = lake.deidentified if choices.policy == DEFAULT_POLICY else lake.output(choices.policy)
    if _NAME.fullmatch(choices.name):
        _forget_unfinished(lake, folder)
    covered, statement = _checked(lake, table, choices, folder, errors)
    with new_folder(folder) as part:
        (part / DATA).mkdir()
        data = part / DATA / "notes.parquet"
        notes = _write_data(data, table, covered, has_years=not shifts_dates(choices.policy))
        changes = _changes(lake, table.name, notes)
        if problems := _problems_of_notes(choices, table.name, notes, changes):
            raise ConfigurationError(problems)
        write_whole(part / "changes.csv", changes.to_csv())
        if choices.dossier is not None:
            shutil.copytree(choices.dossier, part / DOSSIER)
        (part / "croissant.json").write_bytes(_card(choices, data, statement, len(notes), changes.others))
        texts = _texts(choices, data, statement, changes.others)
        write_whole(part / "README.md", readme(lake, texts))
        if choices.key is not None:
            write_whole(part / signed_folder.PUBLIC_KEY, signed_folder.public_pem(choices.key))
        signed_folder.sign(part, choices.key)
        os.sync()
        _record(lake, choices.name, table.name, notes)
    for path in [*folder.rglob("*"), folder]:
        path.chmod(_FOLDER_MODE if path.is_dir() else _FILE_MODE)
    return folder, len(notes), changes


def _checked(
    lake: Lake, table: Path, choices: ReleaseChoices, folder: Path, found: Sequence[DeidError]
) -> tuple[Counter[str] | None, str]:
    """Return what `_covered` returns. Raise all that keeps the release from being made, with what was found before."""
    errors = list(found)
    of_table = _problems_of_table(table, choices)
    if problems := of_table + _problems_of_place(lake, choices, folder):
        errors.append(ConfigurationError(problems))
    try:
        covered, statement = _covered(choices.dossier, table.name)
    except DeidError as error:
        errors.append(error)
    else:
        if not errors:
            return covered, statement
        if not of_table:
            errors += _errors_of_notes(lake, table, choices, covered)
    raise errors[0] if len(errors) == 1 else RefusedError(errors)


def _errors_of_notes(
    lake: Lake, table: Path, choices: ReleaseChoices, covered: Counter[str] | None
) -> list[ConfigurationError]:
    """Return what is usually told when the texts are written. They are read for this alone."""
    notes: dict[str, str] = {}
    for _, digests in _rows(table, _columns(table, has_years=True), covered):
        notes |= digests
    problems = _problems_of_notes(choices, table.name, notes, _changes(lake, table.name, notes))
    return [ConfigurationError(problems)] if problems else []


def _problems_of_table(table: Path, choices: ReleaseChoices) -> list[str]:
    if not delta_reader.exists(table):
        return [f"--policy {choices.policy}: the lake has no clean/{table.name}; `deid run` makes it"]
    return list(delta_reader.lacking(table, _columns(table, has_years=True).names))


def _problems_of_notes(
    choices: ReleaseChoices, table: str, notes: Mapping[str, str], changes: ReleaseChanges
) -> list[str]:
    if not notes:
        return [f"clean/{table} has no note that could be released"]
    if changes.others and not choices.other_recipients:
        return [
            f"--policy {choices.policy}: notes of {', '.join(changes.others)}, which has another policy; whoever "
            "has both can undo both (docs/policies.md). --other-recipients says that nobody gets both"
        ]
    return []


def _problems_of_place(lake: Lake, choices: ReleaseChoices, folder: Path) -> list[str]:
    problems = []
    if not _NAME.fullmatch(choices.name):
        problems.append(
            f"--name {choices.name}: has letters, digits, dots, - and _, and begins with one of the first two"
        )
    elif any(release["name"] == choices.name for release in releases(lake)):
        problems.append(f"--name {choices.name}: there was such a release; a name is used once")
    if not choices.output.is_dir():
        problems.append(f"--output {choices.output}: there is no such folder")
    elif choices.output.resolve().is_relative_to(lake.root):
        problems.append(f"--output {choices.output}: lies in the lake; releases lie outside")
    elif folder.exists():
        problems.append(f"{folder}: exists")
    return problems


def _covered(dossier: Path | None, table: str) -> tuple[Counter[str] | None, str]:
    """Return the texts that a dossier covers and its sentence; None and "" without a dossier."""
    if dossier is None:
        return None, ""
    verify_folder(dossier)
    content = json.loads((dossier / "dossier.json").read_bytes())
    if content["corpus"]["table"] != table:
        raise ConfigurationError(f"--dossier {dossier}: is of clean/{content['corpus']['table']}, not of clean/{table}")
    confidence, bound = content["statement"]["confidence"], content["statement"]["of_10000"]
    sentence = f"With {confidence:.0%} confidence at most {bound:,} of 10,000 notes show a patient's name (dossier/)."
    return manifest.from_csv((dossier / "corpus.csv").read_bytes()), sentence


def _write_data(file: Path, table: Path, covered: Counter[str] | None, *, has_years: bool) -> dict[str, str]:
    """Write the rows. Return the SHA-256 of the text of each note."""
    notes: dict[str, str] = {}
    columns = _columns(table, has_years=has_years)
    with pq.ParquetWriter(file, columns, compression="zstd") as writer:
        for rows, digests in _rows(table, columns, covered):
            writer.write_table(rows)
            notes |= digests
    return notes


def _columns(table: Path, *, has_years: bool) -> pa.Schema:
    """Return the columns that are released, with their comments."""
    left_out = (*_NOT_RELEASED, *([] if has_years else ["year"]))
    return pa.schema([column for column in text_columns(table.name) if column.name not in left_out])


def _rows(table: Path, columns: pa.Schema, covered: Counter[str] | None) -> Iterator[tuple[pa.Table, dict[str, str]]]:
    """Yield the rows in parts, sorted by note_id in each, and the SHA-256 of the text of each note. A part is a year;
    without the column `year` a first digit of note_id.
    """
    left = None if covered is None else covered.copy()
    if "year" in columns.names:
        years = sorted(pc.unique(delta_reader.read(table, ["year"])["year"]).to_pylist())
        parts = [pc.field("year") == year for year in years]
    else:
        parts = [pc.starts_with(pc.field("note_id"), digit) for digit in _FIRST_DIGITS]
    for part in parts:
        rows = delta_reader.read(table, columns.names, where=part).sort_by("note_id").cast(columns)
        digests = [text_sha256(text) for text in rows["text"].to_pylist()]
        if left is not None:
            kept = [_take(left, digest) for digest in digests]
            rows = rows.filter(pa.array(kept, pa.bool_()))
            digests = [digest for digest, keep in zip(digests, kept, strict=True) if keep]
        if len(rows):
            yield rows, dict(zip(rows["note_id"].to_pylist(), digests, strict=True))


def _take(left: Counter[str], digest: str) -> bool:
    """Return whether a text is left, and take it."""
    found = left[digest] > 0
    left[digest] -= found
    return found


def _changes(lake: Lake, table: str, notes: Mapping[str, str]) -> ReleaseChanges:
    """Compare with the last release of the same table, and with the notes of all releases of any table."""
    before = releases(lake)
    ledger = delta_reader.read(lake.ledger, ["note_id"], where=pc.field("state") == State.WITHDRAWN)
    gone = set(ledger["note_id"].to_pylist())
    released = {note_id for release in before for note_id in notes_of(lake, release["name"])}
    last = next((release["name"] for release in reversed(before) if release["table"] == table), None)
    old = {} if last is None else notes_of(lake, last)
    return ReleaseChanges(
        others=releases_of_others(lake, table, notes.keys()),
        previous=last,
        added=frozenset(notes.keys() - old.keys()) if last else frozenset(),
        changed=frozenset(note_id for note_id in notes.keys() & old.keys() if notes[note_id] != old[note_id]),
        removed=frozenset(old.keys() - notes.keys() - gone),
        withdrawn=frozenset(released & gone),
    )


def _card(choices: ReleaseChoices, data: Path, statement: str, notes: int, others: Sequence[str]) -> bytes:
    told = [f"{notes:,} de-identified German clinical letters.", statement, f"Policy {choices.policy}."]
    if others:
        told.append(f"Not for whoever has {', '.join(others)}: of another policy, so both together can be undone.")
    told.append("README.md says what the policy leaves.")
    text = CardText(
        name=choices.name,
        description=" ".join(filter(None, told)),
        licence=choices.licence or "not stated; ask whoever gave you this corpus",
        creator=choices.creator or "not stated",
        url=choices.url or f"urn:deid:release:{choices.name}",
        day=datetime.now(UTC).date().isoformat(),
    )
    columns = pq.read_schema(data)
    file = DataFile(f"{DATA}/{data.name}", data.stat().st_size, content_sha256(data))
    return data_card(text, file, columns, comments_of(columns))


def _texts(choices: ReleaseChoices, data: Path, statement: str, others: Sequence[str]) -> Texts:
    title = f"De-identified German clinical letters, release {choices.name}"
    columns = pq.read_schema(data)
    rows = pq.read_table(data, columns=[*COUNTED, *(name for name in MADE_BY if name in columns.names)])
    return Texts(title, f"{DATA}/{data.name}", columns, rows, choices.policy, statement, others)


def _record(lake: Lake, name: str, table: str, notes: Mapping[str, str]) -> None:
    """List the notes of a release, then the release."""
    lake.releases.mkdir(mode=RESTRICTED_MODE, exist_ok=True)
    write_whole(lake.releases / f"{name}.csv", _csv([("note_id", "sha256"), *sorted(notes.items())]), mode=PRIVATE)
    _list(lake, [*releases(lake), {"name": name, "table": table}])


def _forget_unfinished(lake: Lake, folder: Path) -> None:
    """Take a release off the list whose process was killed before the folder got its name."""
    if part_of(folder).exists() and not folder.exists():
        listed = releases(lake)
        left = [release for release in listed if release["name"] != folder.name]
        if left != listed:
            _list(lake, left)


def _list(lake: Lake, releases: Iterable[Mapping[str, str]]) -> None:
    lines = [json.dumps(release) for release in releases]
    write_whole(lake.releases / "releases.jsonl", "".join(f"{line}\n" for line in lines).encode(), mode=PRIVATE)


def _csv(rows: Iterable[tuple[str, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
