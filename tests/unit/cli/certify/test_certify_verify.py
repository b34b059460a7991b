"""`deid certify verify` finds every change, and common tools do as well."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("scipy", reason="needs the extra sign")
pytest.importorskip("cryptography", reason="needs the extra sign")

from deltalake import DeltaTable
from review_lake import note_id
from signed_dossier import key_file, sign

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake


def test_verification(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, public = tmp_path / "d", tmp_path / "public.pem"
    assert sign(read, key, folder) == 0
    shutil.copy(folder / "public-key.pem", public)
    verify = ["certify", "verify", str(folder)]
    assert main([*verify, "--lake", str(read.root)]) == 0
    assert "4 files and 20 texts are as they were signed" in capsys.readouterr().out
    for file in sorted(folder.iterdir()):
        whole = file.read_bytes()
        for at in (0, len(whole) // 2, len(whole) - 1):
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert main([*verify, "--public-key", str(public)]) == ExitCode.QUARANTINE, (file.name, at)
        file.unlink()
        assert main([*verify, "--public-key", str(public)]) in (ExitCode.QUARANTINE, ExitCode.USAGE), file.name
        file.write_bytes(whole)
    (folder / "more.txt").write_text("added")
    assert main(verify) == ExitCode.QUARANTINE
    assert "more.txt: is not in SHA256SUMS" in capsys.readouterr().err
    (folder / "more.txt").unlink()
    assert main([*verify, "--public-key", str(public)]) == 0


def test_another_key_and_a_forged_folder(read: Lake, key: Path, tmp_path: Path) -> None:
    """Who signs again with a key of his own is found out by the key, not by the folder."""
    assert sign(read, key, tmp_path / "d") == 0
    assert sign(read, key_file(tmp_path / "forger.pem"), tmp_path / "forged") == 0
    assert main(["certify", "verify", str(tmp_path / "forged")]) == 0
    public = ["--public-key", str(tmp_path / "d" / "public-key.pem")]
    assert main(["certify", "verify", str(tmp_path / "forged"), *public]) == ExitCode.QUARANTINE
    (tmp_path / "d" / "SHA256SUMS.sig").unlink()
    assert main(["certify", "verify", str(tmp_path / "d"), *public]) == ExitCode.QUARANTINE


def test_a_changed_text_of_the_lake(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sign(read, key, tmp_path / "d") == 0
    DeltaTable(str(read.deidentified)).update(predicate=f"note_id = '{note_id(0)}'", new_values={"text": "mended"})
    assert main(["certify", "verify", str(tmp_path / "d"), "--lake", str(read.root)]) == ExitCode.QUARANTINE
    assert "1 texts of the manifest are not in clean/deidentified" in capsys.readouterr().err


def test_common_tools_verify_it_as_well(read: Lake, key: Path, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    assert sign(read, key, folder) == 0
    if not (shutil.which("sha256sum") and shutil.which("openssl")):
        pytest.skip("needs sha256sum and openssl")
    openssl = "openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig"
    for command in ("sha256sum --check --strict SHA256SUMS", openssl):
        assert subprocess.run(command.split(), cwd=folder, capture_output=True, check=False).returncode == 0, command
