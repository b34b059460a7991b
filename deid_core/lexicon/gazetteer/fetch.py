"""Download the lists that sources.yaml marks `fetch`.

The bytes are checked against the source's checksum, a member is extracted from a zip archive, and the file is put in
place by renaming, so gazetteers/fetched never has half a list. urllib reads proxies from the environment. Only `deid
gazetteers fetch` calls this: a hospital's network may be closed.
"""

from __future__ import annotations

import hashlib
import io
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from deid_core.core.errors import ConfigurationError, TryAgainError
from deid_core.core.files import write_whole
from deid_core.core.version import __version__
from deid_core.lexicon.gazetteer.build import fetched_dir
from deid_core.lexicon.gazetteer.settings import GazetteerSettings, sources_path
from deid_core.lexicon.gazetteer.sources import Fetch, Source, load_sources, source_line

_TIMEOUT_S = 60.0
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Fetched:
    """A downloaded list. sha256, size_bytes: of the published file. pinned: whether it was compared with a checksum."""

    name: str
    path: Path
    sha256: str
    size_bytes: int
    pinned: bool


def fetch_all(
    settings: GazetteerSettings, only: Sequence[str] | None = None, into: Path | None = None
) -> Iterator[Fetched]:
    """Download all sources that have an address, or those named, one by one; each address once.

    Raises ConfigurationError: a name is unknown, the checksum differs, the file is too large or no such archive, the
    address does not exist. Raises TryAgainError: the network or the server fails. Earlier lists stay in place.
    """
    path = sources_path(settings)
    folder = into or fetched_dir()
    bodies: dict[str, bytes] = {}
    for source in _chosen(path, only):
        fetch = source.fetch
        assert fetch is not None  # noqa: S101 - _chosen gives no other
        where = f"{path}:{source_line(path, source.name)}: {source.name}"
        if fetch.address not in bodies:
            bodies[fetch.address] = _download(fetch, where)
        body = bodies[fetch.address]
        sha256 = hashlib.sha256(body).hexdigest()
        if fetch.sha256 is not None and sha256 != fetch.sha256:
            raise ConfigurationError(
                f"{where}: sha256 is {sha256}, sources.yaml says {fetch.sha256}; nothing was written. The list was "
                f"published anew or the download was tampered with: look, then correct the checksum"
            )
        _put(folder / source.name, _member(body, fetch, where))
        yield Fetched(source.name, folder / source.name, sha256, len(body), fetch.sha256 is not None)


def _chosen(path: Path, only: Sequence[str] | None) -> list[Source]:
    fetchable = {source.name: source for source in load_sources(path).sources if source.fetch is not None}
    unknown = [name for name in only or () if name not in fetchable]
    if unknown:
        raise ConfigurationError(
            f"{path}: no source to fetch is named {', '.join(unknown)}; there are: {', '.join(fetchable) or 'none'}"
        )
    return [source for name, source in fetchable.items() if only is None or name in only]


def _download(fetch: Fetch, where: str) -> bytes:
    request = urllib.request.Request(fetch.address, headers={"User-Agent": f"deid/{__version__}"})  # noqa: S310 - http(s) only, by Fetch's pattern
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:  # noqa: S310
            body = bytearray()
            while chunk := response.read(_CHUNK):
                body += chunk
                if len(body) > fetch.max_bytes:
                    raise ConfigurationError(f"{where}: is larger than max_bytes, {fetch.max_bytes:,}")
            declared = response.headers.get("Content-Length")
            if declared is not None and int(declared) != len(body):
                raise TryAgainError(f"{where}: the connection ended after {len(body):,} of {declared} bytes")
    except urllib.error.HTTPError as error:
        kind = TryAgainError if error.code >= 500 or error.code in (408, 425, 429) else ConfigurationError
        raise kind(f"{where}: {fetch.address} answers {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise TryAgainError(f"{where}: {fetch.address} cannot be reached: {reason}") from None
    return bytes(body)


def _member(body: bytes, fetch: Fetch, where: str) -> bytes:
    if fetch.member is None:
        return body
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive, archive.open(fetch.member) as file:
            # One byte more than allowed shows that it is too large; the declared size need not be true.
            data = file.read(fetch.max_bytes + 1)
    except KeyError:
        raise ConfigurationError(f"{where}: the archive has no member {fetch.member!r}") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError):
        raise ConfigurationError(f"{where}: what was fetched is no zip archive that can be read") from None
    if len(data) > fetch.max_bytes:
        raise ConfigurationError(f"{where}: member {fetch.member!r} is larger than max_bytes, {fetch.max_bytes:,}")
    return data


def _put(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        raise ConfigurationError(f"{path.parent}: cannot be written: {error.strerror}") from None
