"""Reads and writes corpora by path and format; the format is named or found by the file's ending."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora.annotated import AnnotatedText, check_ids
from deid_core.lab.corpora.brat import SUFFIX as BRAT_SUFFIX
from deid_core.lab.corpora.brat import read_brat, write_brat
from deid_core.lab.corpora.cas import load_cassis, read_cas, write_cas
from deid_core.lab.corpora.conll import read_conll, write_conll
from deid_core.lab.corpora.germeval import read_germeval
from deid_core.lab.corpora.jsonl import read_jsonl, write_jsonl
from deid_core.lab.corpora.letters import SUFFIX as LETTER_SUFFIX
from deid_core.lab.corpora.letters import read_letter_text
from deid_core.lab.corpora.webanno import read_webanno, write_webanno


@dataclass(frozen=True, slots=True)
class CorpusFormat:
    """A format: its reader, its writer, and the endings of its files; the first ending is written.

    by_suffix: whether the ending identifies the format; .txt does not.
    write takes a file and its texts, write_one a file and a single text; a format has one of them or is read-only.
    check raises ConfigurationError if a package that the format needs is not installed.
    """

    read: Callable[..., list[AnnotatedText]]
    suffixes: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    write_one: Callable[..., None] | None = None
    by_suffix: bool = True
    check: Callable[[], object] = lambda: None

    def options(self) -> list[str]:
        """Return the names of the reader's options."""
        return _options(self.read)


FORMATS: dict[str, CorpusFormat] = {
    "jsonl": CorpusFormat(read_jsonl, (".jsonl", ".ndjson"), write=write_jsonl),
    "conll": CorpusFormat(read_conll, (".conll", ".bio", ".iob", ".iob2"), write=write_conll),
    "germeval": CorpusFormat(read_germeval),
    "webanno": CorpusFormat(read_webanno, (".tsv",), write_one=write_webanno),
    "cas": CorpusFormat(read_cas, (".xmi", ".json"), write_one=write_cas, check=load_cassis),
    "brat": CorpusFormat(read_brat, (BRAT_SUFFIX,), write_one=write_brat),
    "letters": CorpusFormat(read_letter_text, (LETTER_SUFFIX,), by_suffix=False),
}
WRITABLE = tuple(name for name, known in FORMATS.items() if known.write or known.write_one)


def find_format(path: Path) -> str:
    """Return the format that a file's ending names, or the endings of a folder's files.

    Raises ConfigurationError if they name none, or those of a folder several.
    """
    known = [name for name, form in FORMATS.items() if form.by_suffix and _is_of(path, form)]
    if not known and path.is_dir():
        endings = {file.suffix.lower() for file in path.iterdir()}
        known = [name for name, form in FORMATS.items() if endings.intersection(form.suffixes)]
        # .txt files are letters only where no other format has files; brat has them beside its own.
        known = [name for name in known if FORMATS[name].by_suffix] or known
    if not known:
        raise ConfigurationError(f"{path}: the ending names no format; give one of {', '.join(FORMATS)}")
    if len(known) > 1:
        raise ConfigurationError(f"{path}: has files of several formats; give one of {', '.join(known)}")
    return known[0]


def format_of(path: Path, named: str | None = None) -> str:
    """Return the named format, else that of `find_format`; a file whose ending names none has JSON lines."""
    endings = {ending for known in FORMATS.values() if known.by_suffix for ending in known.suffixes}
    if named is None and path.is_file() and path.suffix.lower() not in endings:
        return "jsonl"
    return named or find_format(path)


def read_corpus(path: Path, format: str | None = None, **options: Any) -> list[AnnotatedText]:
    """Return the texts of a file in order, or of a folder's files with the format's endings, sorted by name.

    format: a key of FORMATS; None uses `find_format`. options: keyword arguments of the format's reader.
    Raises ConfigurationError for an unknown format or option, a folder without a file of the format, a repeated id, and
    the problems of all files that the reader finds. Labels are checked for JSON lines only.
    """
    chosen = _format(path, format)
    _check_options(path, chosen.read, options)
    if path.is_dir():
        texts = _of_files(_files(path, chosen), chosen, options)
    else:
        texts = chosen.read(path, **options)
    check_ids(path, texts)
    return texts


def write_corpus(path: Path, texts: Iterable[AnnotatedText], format: str | None = None, **options: Any) -> None:
    """Write texts to a file; or to a folder, if the format has one text a file and the path has none of its endings.

    In a folder, files are named after the ids of texts with "%" escapes as in a URL; `read_corpus` reverses them.
    Raises ConfigurationError for an unknown format or option, a read-only format, several texts for a file of one
    text, and the problems that the writer finds.
    """
    chosen = _format(path, format)
    writer = chosen.write or chosen.write_one
    if writer is None:
        raise ConfigurationError(f"{path}: format {format} is read-only; {', '.join(WRITABLE)} can be written")
    _check_options(path, writer, options)
    if chosen.write:
        chosen.write(path, texts, **options)
        return
    if _is_of(path, chosen):
        held = list(texts)
        if len(held) != 1:
            raise ConfigurationError(f"{path}: a file of this format holds one text, not {len(held)}; name a folder")
        writer(path, held[0], **options)
        return
    path.mkdir(parents=True, exist_ok=True)
    for text in texts:
        writer(path / file_name(text.id, chosen), text, **options)


def file_name(text_id: str, format: CorpusFormat) -> str:
    """Return the name in a folder of the file of a text."""
    return quote(text_id, safe=" ") + format.suffixes[0]


def _format(path: Path, name: str | None) -> CorpusFormat:
    if name is None:
        return FORMATS[find_format(path)]
    if name not in FORMATS:
        raise ConfigurationError(f"{path}: there is no format {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name]


def _is_of(path: Path, format: CorpusFormat) -> bool:
    return path.suffix.lower() in format.suffixes


def _files(folder: Path, format: CorpusFormat) -> list[Path]:
    """Return the folder's files of the format, sorted. Raises ConfigurationError if there is none."""
    if not format.suffixes:
        raise ConfigurationError(f"{folder}: files of this format have no own ending; name a file, not a folder")
    files = sorted(file for file in folder.iterdir() if _is_of(file, format))
    if not files:
        raise ConfigurationError(f"{folder}: there is no file that ends in {' or '.join(format.suffixes)}")
    return files


def _of_files(files: Iterable[Path], format: CorpusFormat, options: dict[str, Any]) -> list[AnnotatedText]:
    """Return the texts of files. Raises ConfigurationError with the problems of all of them."""
    texts: list[AnnotatedText] = []
    problems: list[str] = []
    for file in files:
        try:
            texts += _of_folder(file, format, options)
        except ConfigurationError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return texts


def _of_folder(file: Path, format: CorpusFormat, options: dict[str, Any]) -> list[AnnotatedText]:
    texts = format.read(file, **options)
    if format.write_one is None:
        return texts
    return [AnnotatedText(unquote(file.stem), text.text, text.spans) for text in texts]


def _check_options(path: Path, function: Callable[..., object], options: dict[str, Any]) -> None:
    names = _options(function)
    if unknown := sorted(set(options) - set(names)):
        raise ConfigurationError(f"{path}: no option {', '.join(unknown)}; there are: {', '.join(names) or 'none'}")


def _options(function: Callable[..., object]) -> list[str]:
    known = list(inspect.signature(function).parameters.values())[1:]
    return [parameter.name for parameter in known if parameter.default is not parameter.empty]
