"""Arrays that depend on code, models and lists alone: computed once, kept in files, and mapped into memory.

A file is the SHA-256 of all that follows, the length of the header (8 bytes), the header (JSON: the key, and name,
dtype and shape of each array), and the arrays, each aligned to 64 bytes. A file that is not whole, or that has another
key, is computed again and replaced. Its folder has to be as safe as the code's, as that of the machine code (jit.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deid_core.core.data_folders import gazetteer_dir
from deid_core.core.files import PRIVATE, READABLE, write_whole

Arrays = Mapping[str, npt.NDArray[Any]]

_KEPT_BYTES = 200_000_000
"""Of the files of a kind in a folder: those of some versions, and however many small ones, as of models in tests."""
_HASHED, _START, _ALIGNMENT = 32, 40, 64
_PACKAGE = Path(__file__).resolve().parent.parent


def cached_arrays(depends_on: str, compute: Callable[[], Arrays], *, is_private: bool = False) -> Arrays:
    """Return the arrays of the cache; if it has none, compute them and store them where possible.

    They are mapped: processes share them, until one writes to them, which changes its own copy. depends_on: all that
    they depend on besides the code of the packages below `recognisers`. is_private: only this account may read them.
    """
    code = source_digest()
    if code is None:
        return compute()
    key = hashlib.sha256(f"{code}\0{depends_on}".encode()).hexdigest()
    files = [folder / f"{key[:24]}.arrays" for folder in cache_folders()]
    for file in files:
        if (found := _mapped(file, key)) is not None:
            return found
    arrays = compute()
    for file in files:
        with contextlib.suppress(OSError):
            make_readable(file.parent)
            write_whole(file, _to_bytes(key, arrays), mode=PRIVATE if is_private else READABLE)
            delete_old(file.parent, "*.arrays")
            return _mapped(file, key) or arrays
    return arrays


def cache_folders() -> list[Path]:
    """Return the possible folders: gazetteers/compiled beside the lists, and the user's cache."""
    user = os.environ.get("XDG_CACHE_HOME")
    own = Path(user) if user else Path(os.path.expanduser("~")) / ".cache"
    return [gazetteer_dir() / "compiled", own / "deid" / "gazetteers"]


def make_readable(folder: Path) -> None:
    """Make a cache folder that other accounts can read, also in a run, which makes private folders (umask 077)."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)


def delete_old(folder: Path, pattern: str) -> None:
    """Delete the oldest files of a pattern, as long as all have over 200 MB together; the newest one stays."""
    with contextlib.suppress(OSError):  # another process may delete them, too
        newest_first = sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        sizes = accumulate(file.stat().st_size for file in newest_first)
        for file, size in list(zip(newest_first, sizes, strict=True))[1:]:
            if size > _KEPT_BYTES:
                file.unlink()


@cache
def source_digest() -> str | None:
    """Return the SHA-256 of the code that compiles lists and models; None if it is in no folder, as in a zip."""
    files = sorted(file for name in ("core", "text", "lexicon", "crf") for file in (_PACKAGE / name).rglob("*.py"))
    digest = hashlib.sha256(f"numpy {np.__version__}".encode())
    for file in files:
        digest.update(f"{file.relative_to(_PACKAGE)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest() if files else None


def strings_to_array(strings: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Return strings without NUL as one array; `strings_of` reads it."""
    return np.frombuffer("".join(f"{string}\0" for string in strings).encode(), np.uint8)


def strings_of(array: npt.NDArray[np.uint8]) -> list[str]:
    """Return the strings of `strings_to_array`."""
    return array.tobytes().decode().split("\0")[:-1]


def _to_bytes(key: str, arrays: Arrays) -> bytes:
    entries = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    header = json.dumps([key, entries]).encode()
    parts = [len(header).to_bytes(8, "little"), header]
    size = _START + len(header)
    for array in arrays.values():
        parts += [bytes(-size % _ALIGNMENT), array.tobytes()]
        size += -size % _ALIGNMENT + array.nbytes
    content = b"".join(parts)
    return hashlib.sha256(content).digest() + content


def _mapped(file: Path, key: str) -> Arrays | None:
    """Return the arrays of a file; None if it is missing, not whole, or has another key."""
    try:
        with file.open("rb") as opened:
            # A private copy of each page that is written to: numba's signatures ask for arrays that can be written.
            data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_COPY)
    except (OSError, ValueError):
        return None
    view = memoryview(data)
    if hashlib.sha256(view[_HASHED:]).digest() != view[:_HASHED]:
        return None
    at = _START + int.from_bytes(view[_HASHED:_START], "little")
    found_key, entries = json.loads(bytes(view[_START:at]))
    if found_key != key:
        return None
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, dtype, shape in entries:
        at += -at % _ALIGNMENT
        arrays[name] = np.ndarray(shape, dtype, data, at)
        at += arrays[name].nbytes
    return arrays
