"""Whether a dossier, a release, or the texts of a lake are what was signed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from deid_core.certify import manifest, signed_folder
from deid_core.core.errors import DeidError, ExitCode
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import text_sha256

DOSSIER, DATA = "dossier", "data"
"""Folders of a release."""


class VerificationError(DeidError):
    """Something is not what was signed."""

    exit_code = ExitCode.QUARANTINE


class VerifiedFolder(NamedTuple):
    """What was found to be as it was signed. key: fingerprint; None if nobody signed. texts: that were compared."""

    key: str | None
    files: int
    texts: int


def verify_folder(folder: Path, public_key: Path | None = None, lake: Path | None = None) -> VerifiedFolder:
    """Compare a dossier or a release with what was signed, and with the texts of a lake if one is given.

    Raises VerificationError with all that differs, ConfigurationError if there is nothing to compare with.
    """
    found = signed_folder.verify(folder, public_key)
    problems = [f"{folder}/{problem}" for problem in found.problems]
    dossier = folder / DOSSIER if (folder / DOSSIER).is_dir() else folder
    key = found.key
    if dossier != folder:
        signed_dossier = signed_folder.verify(dossier, public_key)
        key = key or signed_dossier.key
        problems += [f"{dossier}/{problem}" for problem in signed_dossier.problems]
    texts: Counter[str] = Counter()
    if not problems and (dossier / "corpus.csv").exists():
        signed = manifest.from_csv((dossier / "corpus.csv").read_bytes())
        texts = Counter(_texts_of(folder / DATA))
        if others := (texts - signed).total():
            problems.append(f"{folder / DATA}: {others} texts are not in the manifest of the dossier")
        if lake is not None:
            table = json.loads((dossier / "dossier.json").read_bytes())["corpus"]["table"]
            there = Counter(text.sha256 for text in manifest.note_texts(Lake.at(lake).clean / table))
            texts += signed & there
            if missing := (signed - there).total():
                problems.append(f"--lake {lake}: {missing} texts of the manifest are not in clean/{table}")
    if problems:
        raise VerificationError("\n".join(problems))
    return VerifiedFolder(key, found.files, texts.total())


def _texts_of(data: Path) -> Iterable[str]:
    """Yield the SHA-256 of the texts of a release."""
    for file in sorted(data.rglob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(columns=["text"]):
            yield from map(text_sha256, batch["text"].to_pylist())
