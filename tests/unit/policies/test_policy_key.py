"""The key: from a file that nobody else may read or from the environment, never shown, missing means exit code 78."""

from __future__ import annotations

import hmac
import io
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core import Deidentifier
from deid_core.cli import main
from deid_core.core.errors import ExitCode, SecretMissingError
from deid_core.policies.key import KEY_VARIABLE, PolicyKey, load_key

SECRET = "0123456789abcdef" * 4
TEXT = "Herr Peter Müller kam am 3.4.2010 aus Heidelberg."


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "policy.key"
    path.write_text(SECRET + "\n")
    path.chmod(0o400)
    return path


def test_file_and_variable_give_the_same_key(key_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    assert load_key(key_file).id == load_key().id == PolicyKey(SECRET.encode()).id
    assert len(load_key().id) == 8


@given(st.binary(min_size=32, max_size=150), st.text(), st.text(), st.text())
def test_what_is_drawn_is_the_hmac_of_scope_purpose_and_value(
    secret: bytes, scope: str, purpose: str, value: str
) -> None:
    message = sha256(scope.encode()).digest() + f"{purpose}\0{value}".encode()
    drawn = PolicyKey(secret).draws(scope).digest(purpose, value)
    assert drawn == hmac.digest(secret, message, "sha256")


def test_the_secret_is_never_shown(key_file: Path) -> None:
    key = load_key(key_file)
    assert SECRET not in repr(key) and key.id in repr(key)
    assert key.id != PolicyKey(b"x" * 32).id


@pytest.mark.parametrize("mode", [0o440, 0o404, 0o420, 0o644])
def test_a_file_that_others_may_read_is_refused(key_file: Path, mode: int) -> None:
    key_file.chmod(mode)
    with pytest.raises(SecretMissingError, match="chmod 400"):
        load_key(key_file)


def test_missing_and_short_keys_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with pytest.raises(SecretMissingError, match="openssl rand"):
        load_key()
    with pytest.raises(SecretMissingError, match="cannot be read"):
        load_key(tmp_path / "none")
    with pytest.raises(SecretMissingError, match="fewer than 32 bytes"):
        PolicyKey(b"x" * 31)


def test_the_command_and_the_library_write_the_same(
    key_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    arguments = ["text", "-", "--pipeline", "baseline", "--policy", "readable"]
    assert main([*arguments, "--key", str(key_file), "--patient", "p"]) == ExitCode.DONE
    deidentifier = Deidentifier.load("baseline", policy="readable", key=key_file)
    result = deidentifier.redact(TEXT, patient="p")
    assert capsys.readouterr().out == result.text + "\n"
    assert result.text.startswith("Herr ") and "Müller" not in result.text and "<" not in result.text
    assert main(arguments) == ExitCode.SECRET
    assert "--key FILE" in capsys.readouterr().err
    assert SecretMissingError.exit_code == 78
