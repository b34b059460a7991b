"""`--patient -`: the id comes from standard input, so that the list of processes does not show it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from deid_core.cli import main
from deid_core.cli.patient_argument import patient_id
from deid_core.core.errors import ConfigurationError

KEY = "0123456789abcdef" * 4


class Terminal(io.StringIO):
    """Standard input at which somebody sits."""

    def isatty(self) -> bool:
        return True


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.parametrize("data", ["4711\n", "4711", " 4711 \r\n\r\n"])
def test_an_id_is_the_line_of_standard_input(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, data.encode())
    assert patient_id("-") == "4711"


def test_an_id_among_the_arguments_leaves_standard_input_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"4711\n")
    assert patient_id("0815") == "0815"
    assert sys.stdin.read() == "4711\n"


def test_a_terminal_is_asked_for_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("4711\n0815\n"))
    assert patient_id("-") == "4711"
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "the patient's id: ")


@pytest.mark.parametrize(
    ("data", "problem"), [("", "has 0 lines"), (" \n", "has 0 lines"), ("4711\n0815\n", "has 2 lines")]
)
def test_a_list_withdraws_nobody(data: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, data.encode())
    with pytest.raises(ConfigurationError, match=problem) as raised:
        patient_id("-")
    assert "4711" not in str(raised.value)


def test_other_encodings_are_refused_without_their_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin(monkeypatch, "Müller-4711".encode("latin-1"))
    assert main(["text", str(tmp_path / "letter.txt"), "--patient", "-"]) == 64
    told = capsys.readouterr().err
    assert "is not UTF-8" in told and "4711" not in told


def test_text_of_a_patient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    letter, key = tmp_path / "letter.txt", tmp_path / "policy.key"
    letter.write_text("Herr Peter Müller kam am 3.4.2010 aus Heidelberg.")
    key.write_text(KEY)
    key.chmod(0o400)
    arguments = ["--pipeline", "baseline", "--policy", "readable", "--key", str(key), "--patient"]
    assert main(["text", str(letter), *arguments, "4711"]) == 0
    told = capsys.readouterr().out
    stdin(monkeypatch, b"4711\n")
    assert main(["text", str(letter), *arguments, "-"]) == 0
    assert capsys.readouterr().out == told
    assert main(["text", "-", *arguments, "-"]) == 64
    assert "standard input is read once" in capsys.readouterr().err
