"""Compile the lists of sources.yaml, with a report of each source: entries read, accepted, and dropped by reason."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from deid_core.core.data_folders import gazetteer_dir
from deid_core.core.errors import ConfigurationError
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.clean import Cleaned, clean
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.lexicon.gazetteer.readers import read_file, read_package
from deid_core.lexicon.gazetteer.settings import GazetteerSettings, sources_path
from deid_core.lexicon.gazetteer.sources import HOUSE, Source, load_sources, source_line

_NAMED_PROBLEMS = 50
"""Malformed lines reported per file; in a file of another format every line is malformed."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """The counts of one source. skipped: why the whole source was left out, "" if it was not."""

    name: str
    kind: str
    origin: str
    licence: str
    read: int
    taken: int
    dropped: Mapping[str, int]
    skipped: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Build:
    """Compiled lists and the report of every source, in the order of sources.yaml.

    entries: of each kind, those that several sources have counted once.
    """

    gazetteer: Gazetteer
    sources: tuple[SourceReport, ...]
    compile_seconds: float
    entries: Mapping[ListKind, int]


def fetched_dir() -> Path:
    """Return the folder of lists from `deid gazetteers fetch`."""
    return gazetteer_dir() / "fetched"


def source_file(source: Source, settings: GazetteerSettings) -> Path | None:
    """Return the file of a source, None for a package and for a lists_dir source without that setting."""
    if source.file is not None:
        return sources_path(settings).parent / source.file
    if source.fetch is not None:
        return fetched_dir() / source.name
    if source.lists_dir is not None and settings.lists_dir is not None:
        return Path(settings.lists_dir) / source.lists_dir
    return None


def build(settings: GazetteerSettings, more: Mapping[ListKind, Iterable[str]] | None = None) -> Build:
    """Read, clean and compile all sources.

    more: entries that join theirs.

    Raises ConfigurationError with all problems of all sources: malformed lines, missing files and packages. Sources
    that were not fetched, and lists_dir sources without that setting or file, are skipped and reported as skipped.
    """
    path = sources_path(settings)
    sources = load_sources(path).sources
    check_lists_dir(settings, sources)
    problems: list[str] = []
    cleaned: dict[str, Cleaned] = {}
    reports: dict[str, SourceReport] = {}
    for source in _in_order(path, sources):
        started = perf_counter()
        raw, skipped, malformed = _read(source, settings, path, problems)
        cleaned[source.name] = kept = clean(
            raw, source, {name: cleaned[name].entries for name in source.filters.without}
        )
        reports[source.name] = SourceReport(
            source.name,
            str(source.kind),
            source.origin,
            source.licence,
            len(raw),
            len(kept.entries),
            dict(kept.dropped) | ({"malformed": malformed} if malformed else {}),
            skipped,
            perf_counter() - started,
        )
    if problems:
        raise ConfigurationError(problems)
    lists: dict[ListKind, set[str]] = {}
    for source in sources:
        lists.setdefault(source.kind, set()).update(cleaned[source.name].entries)
        if source.kind is ListKind.MEDICAL_WORD and source.name.startswith(HOUSE):
            lists.setdefault(ListKind.KEPT_WORD, set()).update(cleaned[source.name].entries)
    for kind, added in (more or {}).items():
        lists.setdefault(kind, set()).update(added)
    started = perf_counter()
    gazetteer = compile_lists(lists)
    entries = {kind: len(of_kind) for kind, of_kind in lists.items()}
    return Build(gazetteer, tuple(reports[s.name] for s in sources), perf_counter() - started, entries)


def check_lists_dir(settings: GazetteerSettings, sources: Iterable[Source]) -> None:
    """Raise ConfigurationError if the lists folder is missing or has no list that a source names.

    It may not be mounted: without its lists, names would be found less often in all notes.
    """
    if settings.lists_dir is None:
        return
    folder = Path(settings.lists_dir)
    known = sorted({source.lists_dir for source in sources if source.lists_dir is not None})
    if not folder.is_dir():
        raise ConfigurationError(f"{folder}: gazetteers.lists_dir: there is no such folder")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise ConfigurationError(f"{folder}: gazetteers.lists_dir: this account may not read it")
    if known and not any((folder / name).exists() for name in known):
        raise ConfigurationError(f"{folder}: gazetteers.lists_dir: has none of the lists {', '.join(known)}")


def list_names(settings: GazetteerSettings) -> list[str]:
    """Return the names of the files that are read from the lists folder if they are there, sorted."""
    return sorted({s.lists_dir for s in load_sources(sources_path(settings)).sources if s.lists_dir is not None})


def unread_files(settings: GazetteerSettings) -> list[str]:
    """Return the names of the lists folder's .txt and .csv files that no source names, sorted."""
    if settings.lists_dir is None:
        return []
    found = {path.name for path in Path(settings.lists_dir).iterdir() if path.suffix in (".txt", ".csv")}
    return sorted(found.difference(list_names(settings)))


def _read(
    source: Source, settings: GazetteerSettings, path: Path, problems: list[str]
) -> tuple[Counter[str], str, int]:
    """Return a source's entries with their counts, why it was skipped, and its number of malformed lines."""
    if source.package is not None:
        try:
            return read_package(source), "", 0
        except ConfigurationError as error:
            problems.extend(f"{path}:{source_line(path, source.name)}: {problem}" for problem in error.problems)
            return Counter(), "", 0
    file = source_file(source, settings)
    if file is None:
        return Counter(), "no lists folder is set", 0
    if source.fetch is not None and not file.is_file():
        return Counter(), "not fetched", 0
    if source.lists_dir is not None and not file.exists():
        return Counter(), "not in the lists folder", 0
    try:
        entries, malformed = read_file(file, source)
    except OSError as error:
        problems.append(f"{file}: cannot be read: {error.strerror}; source {source.name} of {path} names it")
        return Counter(), "", 0
    if malformed and (source.malformed == "refuse" or not entries):
        problems += [f"{file}:{problem}" for problem in malformed[:_NAMED_PROBLEMS]]
        if len(malformed) > _NAMED_PROBLEMS:
            problems.append(f"{file}: {len(malformed) - _NAMED_PROBLEMS:,} more malformed lines")
    return entries, "", len(malformed)


def _in_order(path: Path, sources: tuple[Source, ...]) -> list[Source]:
    """Return the sources, those named in `filters.without` before those that name them."""
    ordered: dict[str, Source] = {}
    waiting = list(sources)
    while waiting:
        ready = [s for s in waiting if all(name in ordered for name in s.filters.without)]
        if not ready:
            raise ConfigurationError(
                f"{path}:{source_line(path, waiting[0].name)}: filters.without goes round in a circle: "
                f"{', '.join(s.name for s in waiting)}"
            )
        ordered.update((s.name, s) for s in ready)
        waiting = [s for s in waiting if s.name not in ordered]
    return list(ordered.values())
