"""The cache of compiled lists: a file named by a hash of everything that the lists depend on.

The hash covers sources.yaml, the bytes of every list, the versions of the packages, and the code that cleans and
compiles. So an edited list gives another name, and an outdated file is never read.
"""

from __future__ import annotations

import contextlib
import hashlib
from importlib import metadata
from pathlib import Path

from deid_core.core.array_cache import (
    Arrays,
    cache_folders,
    cached_arrays,
    delete_old,
    make_readable,
    strings_of,
    strings_to_array,
)
from deid_core.core.code_fingerprint import code_fingerprint
from deid_core.core.files import write_whole
from deid_core.lexicon.gazetteer.automaton import FORMAT, Gazetteer
from deid_core.lexicon.gazetteer.build import build, check_lists_dir, source_file
from deid_core.lexicon.gazetteer.settings import GazetteerSettings, sources_path
from deid_core.lexicon.gazetteer.sources import Source, load_sources


def load(settings: GazetteerSettings) -> Gazetteer:
    """Return the compiled lists from the cache; if it has none, compile them and store them where possible.

    Raises ConfigurationError as build.build does.
    """
    name = f"{cache_key(settings)}.npz"
    for folder in _folders(settings):
        found = _read(folder / name)
        if found is not None:
            return found
    gazetteer = build(settings).gazetteer
    store(gazetteer, settings)
    return gazetteer


def store(gazetteer: Gazetteer, settings: GazetteerSettings) -> Path | None:
    """Write the cache file into the first writable folder; return its path, None if no folder is writable."""
    name = f"{cache_key(settings)}.npz"
    for folder in _folders(settings):
        with contextlib.suppress(OSError):
            make_readable(folder)
            write_whole(folder / name, gazetteer.to_bytes())
            delete_old(folder, "*.npz")
            return folder / name
    return None


def cache_key(settings: GazetteerSettings) -> str:
    """Return 24 hexadecimal digits of a hash over everything that the compiled lists depend on.

    Raises ConfigurationError if sources.yaml is wrong, or the lists folder is missing or has no list.
    """
    path = sources_path(settings)
    digest = hashlib.sha256(f"form {FORMAT}".encode())
    digest.update(cached_arrays("code that compiles lists", _code)["fingerprint"].tobytes())
    sources = _kept_sources(path)
    check_lists_dir(settings, sources)
    digest.update(hashlib.sha256(path.read_bytes()).digest())
    for source in sources:
        digest.update(f"\n{source.name}={_state(source, settings)}".encode())
    return digest.hexdigest()[:24]


def _code() -> Arrays:
    """Return the fingerprint of the code that cleans and compiles; parsing it takes 40 ms."""
    return {"fingerprint": strings_to_array([code_fingerprint("deid_core.lexicon.gazetteer.build")])}


def _kept_sources(path: Path) -> list[Source]:
    """Return the sources of sources.yaml from the cache; reading YAML takes 50 ms. Raises as `load_sources` does."""

    def compute() -> Arrays:
        return {"sources": strings_to_array(source.model_dump_json() for source in load_sources(path).sources)}

    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return list(load_sources(path).sources)  # which says what is wrong
    kept = cached_arrays(f"sources\0{content}", compute)
    return [Source.model_validate_json(source) for source in strings_of(kept["sources"])]


def _state(source: Source, settings: GazetteerSettings) -> str:
    """Return what a source's entries depend on besides sources.yaml: a file's hash or a package's version."""
    if source.package is not None:
        try:
            return metadata.version(source.package)
        except metadata.PackageNotFoundError:
            return "missing"
    file = source_file(source, settings)
    if file is None:
        return "none"
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return "missing"


def _folders(settings: GazetteerSettings) -> list[Path]:
    """Return the possible cache folders: the configured one, else gazetteers/compiled and the user's cache."""
    if settings.cache_dir is not None:
        return [Path(settings.cache_dir)]
    return cache_folders()


def _read(path: Path) -> Gazetteer | None:
    try:
        return Gazetteer.from_bytes(path.read_bytes())
    except (OSError, ValueError):
        # Missing or damaged, e.g. by a full disk: it is compiled anew and overwritten.
        return None
