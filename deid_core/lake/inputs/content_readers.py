"""How the content of a listed note is had: the same way on the driver, where a run is planned, and on executors.

It is sent to executors, so it holds nothing but plain values.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pyarrow import ArrowException, NativeFile

from deid_core.core.errors import NoteError, Reason, TryAgainError
from deid_core.core.files import sha256_of
from deid_core.core.s3_url import S3Url
from deid_core.lake.object_store import StoreAddress, connected, error_kind, store_error
from deid_core.readers.source_listing import SourceFile, read_bytes


class ContentReader(Protocol):
    """Gives the contents of the notes of one kind of source. path: as in the listing (task_schemas.LISTING)."""

    def is_readable(self, path: bytes) -> bool:
        """Return whether this process can read the note now."""
        ...

    def sha256_of(self, path: bytes) -> str:
        """Return the SHA-256 of the note's bytes, hexadecimal; "" if they cannot be read."""
        ...

    def read(self, listed: Mapping[str, Any], max_bytes: int) -> bytes | str:
        """Return a file's bytes, or a text.

        listed: the note's row of task_schemas.LISTING. Raises NoteError with a reason of the closed list.
        """
        ...


class LocalFiles:
    """Files that the driver and all executors see under the same path."""

    def is_readable(self, path: bytes) -> bool:
        """Return whether this process can open the file."""
        return os.access(path, os.R_OK)

    def sha256_of(self, path: bytes) -> str:
        """Return the SHA-256 of the file's bytes, hexadecimal; "" if they cannot be read."""
        return sha256_of(path)

    def read(self, listed: Mapping[str, Any], max_bytes: int) -> bytes:
        """Return the file's bytes. Raises NoteError as `read_bytes` does."""
        source = SourceFile(Path(os.fsdecode(listed["path"])), listed["source"], listed["note_id"])
        return read_bytes(source, max_bytes)


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """Objects of a store. Executors ask the driver's address for them, with the credentials of their own environment.

    An executor that lacks the address would ask Amazon, by names of files.
    place: of the input, for messages.
    """

    place: S3Url
    address: StoreAddress

    def is_readable(self, path: bytes) -> bool:
        """Return whether the store gives this process the object's first byte. It tells the size also of others."""
        try:
            with self._open(path) as file:
                file.read(1)
        except (NoteError, *_STORE_ERRORS):
            return False
        return True

    def sha256_of(self, path: bytes) -> str:
        """Return the SHA-256 of the object's bytes, hexadecimal; "" if they cannot be read."""
        try:
            with self._open(path) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (NoteError, *_STORE_ERRORS):
            return ""

    def read(self, listed: Mapping[str, Any], max_bytes: int) -> bytes:
        """Return the object's bytes.

        Raises NoteError: UNSAFE for a key that is read as another one, TOO_LARGE, VANISHED if the object is gone or the
        store refuses it; TryAgainError if the store does not answer.
        """
        try:
            with self._open(listed["path"]) as file:
                if file.size() > max_bytes:
                    raise NoteError(Reason.TOO_LARGE, f"{file.size()} bytes, limit {max_bytes}")
                return bytes(file.read())
        except _STORE_ERRORS as error:
            kind = error_kind(error)
            # Where a store refuses to give an object, Arrow reports a failure of the store.
            if kind != "INTERNAL_FAILURE" and isinstance(away := store_error(self.place, error), TryAgainError):
                raise away from None
            raise NoteError(Reason.VANISHED, kind or type(error).__name__) from None

    def _open(self, path: bytes) -> NativeFile:
        """Return the open object. Raises NoteError UNSAFE for a key that the store's client would shorten."""
        key = path.decode()
        if not {"", ".", ".."}.isdisjoint(key.split("/")):
            raise NoteError(Reason.UNSAFE, "a part of the key is empty, '.' or '..'")
        return connected(self.address).open_input_file(key)


_STORE_ERRORS = (OSError, ArrowException)


class ListedRows:
    """Rows of a table. The listing holds their contents and says what is wrong with a row."""

    def is_readable(self, path: bytes) -> bool:
        """Return true: a row that is listed is there."""
        return True

    def sha256_of(self, path: bytes) -> str:
        """Return "": the listing has the row's hash."""
        return ""

    def read(self, listed: Mapping[str, Any], max_bytes: int) -> bytes | str:
        """Return the row's text, or its bytes if the column holds files.

        Raises NoteError: the listing's reason, TOO_LARGE, EMPTY for null, CORRUPT for a text that is not UTF-8,
        UNSUPPORTED for RTF in a column of texts, which would be read with its commands.
        """
        if listed["reason"]:
            raise NoteError(Reason(listed["reason"]), listed["detail"])
        content: bytes | None = listed["content"]
        if content is None:
            raise NoteError(Reason.EMPTY, "null")
        if len(content) > max_bytes:
            raise NoteError(Reason.TOO_LARGE, f"{len(content)} bytes, limit {max_bytes}")
        if not listed["is_text"]:
            return content
        if content.lstrip().startswith(b"{\\rtf"):
            raise NoteError(Reason.UNSUPPORTED, "RTF in a column of texts; cast it to binary")
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise NoteError(Reason.CORRUPT, "text that is not UTF-8") from None
