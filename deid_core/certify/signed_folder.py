"""A folder whose files are listed in SHA256SUMS, and that list's signature (Ed25519) in SHA256SUMS.sig.

Both have common forms, so they can be checked without this program:
    sha256sum --check SHA256SUMS
    openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from deid_core.core.errors import ConfigurationError, SecretMissingError
from deid_core.core.files import content_sha256, new_folder, write_whole

SUMS, SIGNATURE, PUBLIC_KEY = "SHA256SUMS", "SHA256SUMS.sig", "public-key.pem"
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^/\0][^\0]*)")
_OTHERS = 0o077
_HOW = "make one with `(umask 377; openssl genpkey -algorithm ed25519 -out FILE)`, and keep a backup"


class Verified(NamedTuple):
    """A folder after its check.

    key: fingerprint of the key that signed it; None if nobody did. files: that are listed. problems: [] if all is as it
    was signed.
    """

    key: str | None
    files: int
    problems: list[str]


def load_signing_key(file: Path) -> Ed25519PrivateKey:
    """Return the private key of a PEM file without a password.

    Raises SecretMissingError if it is missing, of another kind, or others may read it.
    """
    try:
        mode, content = file.stat().st_mode, file.read_bytes()
    except OSError as error:
        raise SecretMissingError(f"{file}: the signing key cannot be read: {error.strerror}; {_HOW}") from None
    if mode & _OTHERS:
        raise SecretMissingError(f"{file}: others may read or change this key; chmod 400 it, or make a new one")
    try:
        key = load_pem_private_key(content, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise SecretMissingError(f"{file}: is no Ed25519 key in PEM without a password; {_HOW}")
    return key


def load_public_key(file: Path) -> Ed25519PublicKey:
    """Return the public key of a PEM file. Raises ConfigurationError if it is none."""
    try:
        key = load_pem_public_key(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from None
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigurationError(f"{file}: is no public Ed25519 key in PEM")
    return key


def fingerprint(key: Ed25519PublicKey) -> str:
    """Return what names a public key: the SHA-256 of its 32 bytes, 64 hexadecimal digits."""
    return sha256(key.public_bytes_raw()).hexdigest()


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """Return the public key in PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def write_signed(folder: Path, files: Mapping[str, bytes], key: Ed25519PrivateKey) -> None:
    """Write a new folder with files, the public key, the list of all and its signature.

    It appears under its name once it is whole. Raises OSError.
    """
    with new_folder(folder) as part:
        for name, content in {**files, PUBLIC_KEY: public_pem(key)}.items():
            write_whole(part / name, content)
        sign(part, key)


def sign(folder: Path, key: Ed25519PrivateKey | None) -> None:
    """List all files of a folder in SHA256SUMS and sign the list; without a key it is only listed. Raises OSError."""
    names = sorted(name for name in _files(folder) if name not in (SUMS, SIGNATURE))
    sums = "".join(f"{content_sha256(folder / name)}  {name}\n" for name in names).encode()
    write_whole(folder / SUMS, sums)
    if key is not None:
        write_whole(folder / SIGNATURE, key.sign(sums))


def verify(folder: Path, public_key: Path | None = None) -> Verified:
    """Compare a folder with its list, and the list with its signature.

    public_key: of whoever should have signed; else that of the folder, which a forger could have put there.
    Raises ConfigurationError if the folder has no list, or the key cannot be read.
    """
    try:
        sums = (folder / SUMS).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{folder / SUMS}: cannot be read: {error.strerror}") from None
    problems = []
    key = None
    if (folder / SIGNATURE).exists():
        given = load_public_key(public_key or folder / PUBLIC_KEY)
        key = fingerprint(given)
        try:
            given.verify((folder / SIGNATURE).read_bytes(), sums)
        except InvalidSignature:
            problems.append(f"{SUMS}: is not what the key signed")
    elif public_key is not None:
        problems.append(f"{SIGNATURE}: is missing")
    return Verified(key, len(sums.splitlines()), problems + list(_differences(folder, sums)))


def _differences(folder: Path, sums: bytes) -> Iterator[str]:
    listed: dict[str, str] = {}
    for line in sums.decode("utf-8", "replace").splitlines():
        if found := _LINE.fullmatch(line):
            listed[found["name"]] = found["digest"]
        else:
            yield f"{SUMS}: is not a list of checksums"
    there = {name for name in _files(folder) if name not in (SUMS, SIGNATURE)}
    for name in sorted(listed.keys() | there):
        if name not in there:
            yield f"{name}: is missing"
        elif name not in listed:
            yield f"{name}: is not in {SUMS}"
        elif content_sha256(folder / name) != listed[name]:
            yield f"{name}: is not what was signed"


def _files(folder: Path) -> Iterator[str]:
    """Yield the files of a folder and of those in it, by their path below it, with slashes."""
    for path in folder.rglob("*"):
        if path.is_file() or path.is_symlink():
            yield path.relative_to(folder).as_posix()
