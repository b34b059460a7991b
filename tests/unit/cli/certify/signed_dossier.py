"""`deid certify sign`, and what its dossier says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from review_lake import note_id

from deid_core.cli import main
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import ReviewRole
from deid_core.lake.tables.lake_table import LakeTable
from deid_core.review.marks import ReaderName

NOTES = 20
SECOND, JUDGE = ReaderName("zqxother"), ReaderName("zqxjudge", ReviewRole.ADJUDICATOR)


def key_file(path: Path) -> Path:
    made = Ed25519PrivateKey.generate()
    path.write_bytes(made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o400)
    return path


def sign(lake: Lake, key: Path, output: Path, *options: str) -> int:
    arguments = ["--lake", str(lake.root), "--key", str(key), "--output", str(output), *options]
    return main(["certify", "sign", *arguments])


def content(folder: Path) -> dict[str, object]:
    return dict(json.loads((folder / "dossier.json").read_text(encoding="utf-8")))


def shown(folder: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", (folder / "dossier.html").read_text(encoding="utf-8")))


def add_output(lake: Lake, policy: str, texts: dict[int, str]) -> None:
    """Make the texts of an output, by the number of the note."""
    lake.output(policy).mkdir()
    table = LakeTable.of_output(lake, policy)
    table.create()
    row = {"patient_key": "k", "patient_key_id": "k", "patient_source": "note", "fingerprint": "p", "key_id": "i"}
    rows = ({"note_id": note_id(n), "year": 2010 + n % 2, "text": text} for n, text in texts.items())
    table.add(*(row | {"run_id": "run"} | of_note for of_note in rows))
