"""What stands in the way of `deid certify sign`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("scipy", reason="needs the extra sign")
pytest.importorskip("cryptography", reason="needs the extra sign")

from deltalake import DeltaTable
from review_lake import note_id, read_note
from signed_dossier import JUDGE, NOTES, SECOND, content, sign

from deid_core.cli import main
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake


def test_nobody_signs_before_all_is_read(
    lake: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(1, NOTES):
        read_note(lake, number)
    assert sign(lake, key, tmp_path / "d") == ExitCode.USAGE
    assert "1 of 20 notes of the plan are not yet read" in capsys.readouterr().err
    read_note(lake, 0)
    read_note(lake, 0, "patient", reader=SECOND)
    assert sign(lake, key, tmp_path / "d") == ExitCode.USAGE
    assert "of 1 notes two readers say different things" in capsys.readouterr().err
    read_note(lake, 0, "patient", reader=JUDGE)
    assert sign(lake, key, tmp_path / "d") == 0
    found = content(tmp_path / "d")
    assert found["statement"] == {"confidence": 0.95, "of_10000": 500}
    review = found["review"]
    assert (review["readers"], review["notes"], review["read_twice"], review["adjudicated"]) == (2, 20, 1, 1)
    assert review["agreement"] == {"notes": 1, "kappa": 0.0, "f1": 0.0}


def test_a_lake_that_is_not_in_order(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    DeltaTable(str(read.phi_audit)).delete(f"note_id = '{note_id(3)}'")
    assert sign(read, key, tmp_path / "d") == ExitCode.USAGE
    assert "the lake is not in order (counts_disagree, 1)" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_mistakes(lake: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none = Lake.at(tmp_path / "none")
    assert main(["certify", "plan", "--lake", str(none.root)]) == sign(none, key, tmp_path / "d") == ExitCode.USAGE
    assert sign(lake, key, tmp_path) == sign(lake, key, tmp_path / "no" / "d") == ExitCode.USAGE
    assert main(["certify", "plan", "--lake", str(lake.root), "--again", "--at-most", "0"]) == ExitCode.USAGE
    assert main(["certify", "verify", str(tmp_path)]) == ExitCode.USAGE
    assert sign(lake, tmp_path / "no.pem", tmp_path / "d") == ExitCode.SECRET
    (tmp_path / "rsa.pem").write_text("no key")
    (tmp_path / "rsa.pem").chmod(0o400)
    assert sign(lake, tmp_path / "rsa.pem", tmp_path / "d") == ExitCode.SECRET
    key.chmod(0o444)
    assert sign(lake, key, tmp_path / "d") == ExitCode.SECRET
    assert "others may read" in capsys.readouterr().err
    shutil.rmtree(lake.sampling_plan)
    key.chmod(0o400)
    assert sign(lake, key, tmp_path / "d") == ExitCode.USAGE
    assert "no sampling plan" in capsys.readouterr().err


def test_a_damaged_plan_says_so(read: Lake, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = read.sampling_plan / "corpus.csv"
    corpus.write_bytes(corpus.read_bytes()[:-1])
    assert sign(read, key, tmp_path / "d") == ExitCode.USAGE
    assert "deid certify plan --again" in capsys.readouterr().err
    assert main(["certify", "plan", "--lake", str(read.root), "--again"]) == 0
    assert sign(read, key, tmp_path / "d") == 0
