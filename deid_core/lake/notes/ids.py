"""Note ids and patient keys: keyed hashes (HMAC-SHA-256) of a path or a patient, and the lake's key.

A file has the same id in every run and partitioning. Without the key nobody can recover a path from an id, nor test
whether a certain name is among the files.
"""

from __future__ import annotations

import hmac
import os
import secrets

import pyarrow.compute as pc

from deid_core.core.errors import SecretMissingError
from deid_core.core.files import name_if_free, write_whole
from deid_core.lake.layout import Lake
from deid_core.lake.states import State
from deid_core.lake.tables import delta_reader
from deid_core.policies.key import PolicyKey, load_key

_KEY_BYTES = 32
_ID_DIGITS = 32
_KNOWN_DIGITS, _WITH = 16, "-"
_OWNER_READS = 0o400


class NoteIds:
    """Makes note ids with one lake's key."""

    def __init__(self, key: bytes, patients: PolicyKey | None = None) -> None:
        """key: of the notes. patients: the key of patients; None is the same."""
        self._key = key
        self._patients = patients

    def id_of(self, relative: str) -> str:
        """Return 32 hexadecimal digits for a path below the input folder, whose parts are separated by "/"."""
        return hmac.digest(self._key, relative.encode(), "sha256").hex()[:_ID_DIGITS]

    def patient_key(self, identity: str) -> str:
        """Return 32 hexadecimal digits for a patient; see matching.NotePatient."""
        return self._patient_secret.draws("patient").digest("key", identity).hex()[:_ID_DIGITS]

    @property
    def patient_key_id(self) -> str:
        """Names the key that patient keys are made with: 8 hexadecimal digits that say nothing about it."""
        return self._patient_secret.id

    @property
    def _patient_secret(self) -> PolicyKey:
        return self._patients or PolicyKey(self._key)

    def alias(self, identity: str) -> str:
        """Return 32 hexadecimal digits for what tells a withdrawn patient: an identity, see matching.NotePatient."""
        return PolicyKey(self._key).draws("withdrawn").digest("alias", identity).hex()[:_ID_DIGITS]

    def fingerprint_with(self, pipeline: str, note_id: str, known: str) -> str:
        """Return a pipeline's fingerprint with 16 hexadecimal digits for what a hospital knows of a note.

        Those of two notes differ, even if the same is known of both. `pipeline_of` gives the pipeline's.
        """
        digits = PolicyKey(self._key).draws(f"known {note_id}").digest("identity", known).hex()[:_KNOWN_DIGITS]
        return f"{pipeline}{_WITH}{digits}"

    def file_key(self, sha256_of_bytes: str) -> str:
        """Return 64 hexadecimal digits for the bytes of a withdrawn file; "" if these are not known."""
        return PolicyKey(self._key).draws("withdrawn").digest("file", sha256_of_bytes).hex() if sha256_of_bytes else ""


def pipeline_of(fingerprint: str) -> str:
    """Return the pipeline's fingerprint of one that a text is stored with (`NoteIds.fingerprint_with`)."""
    return fingerprint.partition(_WITH)[0]


def note_ids(lake: Lake) -> NoteIds:
    """Return the ids of an existing lake.

    Raises SecretMissingError if the key is missing, malformed, or not the one that the ledger's ids were made with.
    """
    try:
        key = _read_key(lake)
    except FileNotFoundError:
        raise SecretMissingError(
            f"{lake.key}: the lake's key is missing; restore it from its backup: without it every note would get a new "
            "id"
        ) from None
    if key is None:
        raise SecretMissingError(f"{lake.key}: is not a key of {2 * _KEY_BYTES} hexadecimal digits; restore it")
    ids = NoteIds(key, load_key(lake.patient_secret) if lake.patient_secret.exists() else None)
    # With another lake's key every id differs, so one row is enough.
    has_path = ~pc.field("state").isin([State.DELETED, State.WITHDRAWN])
    row = delta_reader.first(lake.ledger, ["note_id", "path"], where=has_path)
    if row is not None and ids.id_of(row["path"]) != row["note_id"]:
        raise SecretMissingError(
            f"{lake.key}: is a key, but not the one that this lake's note ids were made with; restore this lake's own: "
            "with another every note would get a new id"
        )
    if not lake.patient_secret.exists() and _has_other_patient_keys(lake, ids):
        raise SecretMissingError(
            f"{lake.patient_secret}: the key that `deid rekey` made is missing; restore it from its backup. "
            "If there is none, put a new secret there (mode 0400): every patient gets a new patient_key then"
        )
    return ids


def make_patient_key(lake: Lake) -> NoteIds:
    """Write a new key of patients (mode 0400) in place of the present one, and return the ids with it."""
    write_whole(lake.patient_secret, f"{secrets.token_hex(_KEY_BYTES)}\n".encode(), mode=_OWNER_READS)
    # After a power cut, no row must name a key that did not reach the disk.
    os.sync()
    return note_ids(lake)


def _has_other_patient_keys(lake: Lake, ids: NoteIds) -> bool:
    if not delta_reader.exists(lake.deidentified) or "patient_key_id" not in delta_reader.columns(lake.deidentified):
        return False
    other = pc.field("patient_key_id") != ids.patient_key_id
    return delta_reader.first(lake.deidentified, ["patient_key_id"], where=other) is not None


def note_ids_for_run(lake: Lake) -> NoteIds:
    """Return the lake's ids. Create the key (mode 0600) if no table has rows that were made with one.

    Raises SecretMissingError if there are tables but no key, or another lake's. The caller holds the lake's lock.
    """
    tables = (lake.deidentified, lake.phi_audit, lake.phi_counts, lake.runs)
    if not lake.ledger.exists() and not any(delta_reader.exists(table) for table in tables):
        _make_key(lake)
    return note_ids(lake)


def _read_key(lake: Lake) -> bytes | None:
    """Return the key; None if the file exists but holds no key."""
    try:
        key = bytes.fromhex(lake.key.read_text(encoding="ascii").strip())
    except ValueError:
        return None
    return key if len(key) == _KEY_BYTES else None


def _make_key(lake: Lake) -> None:
    """Create the key unless there is one. Replace a malformed file, as a full disk or a crash leaves it.

    A key that somebody restores meanwhile stays and becomes the lake's.
    """
    if lake.key.exists():
        if _read_key(lake) is not None:
            return
        lake.key.unlink()
    new = lake.key.with_name("key.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        # The name appears once the whole key is on the disk.
        name_if_free(new, lake.key)
    finally:
        new.unlink(missing_ok=True)
    folder = os.open(lake.restricted, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
