"""The secret key of surrogates, shifts and pseudonyms, and what is drawn with it.

Everything is drawn by HMAC-SHA256 of a purpose, a scope and a normalised value: no table of who became whom exists, and
the same key gives the same output in any order of notes.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from struct import Struct

from deid_core.core.errors import SecretMissingError

KEY_VARIABLE = "DEID_POLICY_KEY"
_MIN_BYTES = 32
_FIRST_BYTES = Struct(">Q")
"""The first 8 bytes as an integer."""
_OTHERS = 0o077
_REMEDY = (
    "make one with `(umask 377; openssl rand -hex 32 > FILE)`, keep a backup, and give --key FILE or " + KEY_VARIABLE
)


class PolicyKey:
    """A secret of at least 32 bytes. Neither `repr` nor a pickle's name shows it; `id` names it."""

    def __init__(self, secret: bytes) -> None:
        """Raise SecretMissingError if the secret is too short."""
        if len(secret) < _MIN_BYTES:
            raise SecretMissingError(f"the policy's key has fewer than {_MIN_BYTES} bytes; {_REMEDY}")
        self._secret = secret

    @property
    def id(self) -> str:
        """8 hexadecimal digits that tell keys apart and say nothing about them."""
        return hmac.digest(self._secret, b"deid key id", "sha256").hex()[:8]

    def __repr__(self) -> str:
        return f"PolicyKey(id={self.id})"

    def draws(self, scope: str) -> Draws:
        """Return what is drawn for a scope: the same value gives the same number within it."""
        return Draws(self._secret, scope)


class Draws:
    """Numbers and choices that depend on a key, a scope, a purpose and a value, and on nothing else."""

    __slots__ = ("_keyed",)

    def __init__(self, secret: bytes, scope: str) -> None:
        # A fixed length, so that no scope and purpose together equal another two.
        keyed = hmac.new(secret, sha256(scope.encode("utf-8", "surrogatepass")).digest(), "sha256")
        # OpenSSL's object within it is copied without Python's code.
        self._keyed = getattr(keyed, "_hmac", None) or keyed

    def digest(self, purpose: str, value: str) -> bytes:
        """Return 32 bytes: the HMAC-SHA256 of the scope's digest, the purpose, NUL and the value."""
        # A copy does not read the secret again; a note has some forty.
        keyed = self._keyed.copy()
        keyed.update(f"{purpose}\0{value}".encode("utf-8", "surrogatepass"))
        return keyed.digest()

    def number(self, purpose: str, value: str) -> int:
        """Return an integer of 64 bits."""
        number: int = _FIRST_BYTES.unpack_from(self.digest(purpose, value))[0]
        return number

    def choice(self, purpose: str, value: str, among: Sequence[str]) -> str:
        """Return one of `among`."""
        return among[self.number(purpose, value) % len(among)]


class NoDraws(Draws):
    """Stands for the draws where there is no key: nothing is drawn that anybody could draw again."""

    __slots__ = ()

    def __init__(self) -> None:
        """Keep no secret."""

    def digest(self, purpose: str, value: str) -> bytes:
        """Raise RuntimeError."""
        raise RuntimeError("an operator draws without a key: the class of its settings lacks `keyed = True`")


def load_key(file: str | os.PathLike[str] | None = None) -> PolicyKey:
    """Return the key of a file, else of the environment variable DEID_POLICY_KEY.

    The secret is the file's bytes, or the variable's, without the newline at the end.

    Raises SecretMissingError if there is none, it has fewer than 32 bytes, or others may read the file.
    """
    if file is None:
        secret = os.environb.get(KEY_VARIABLE.encode(), b"")
        if not secret:
            raise SecretMissingError(f"the policy needs a key; {_REMEDY}")
        return PolicyKey(secret)
    path = Path(file)
    try:
        mode = path.stat().st_mode
        secret = path.read_bytes().rstrip(b"\r\n")
    except PermissionError:
        raise SecretMissingError(f"{path}: this account may not read the key") from None
    except OSError as error:
        raise SecretMissingError(f"{path}: the key cannot be read: {error.strerror}; {_REMEDY}") from None
    if mode & _OTHERS:
        raise SecretMissingError(
            f"{path}: others may read or change this key; chmod 400 it, and make a new one if they did"
        )
    return PolicyKey(secret)
