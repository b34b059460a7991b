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
from deid_core.lab.corpora.cas import read_cas, write_cas
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
    """

    read: Callable[..., list[AnnotatedText]]
    suffixes: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    write_one: Callable[..., None] | None = None
    by_suffix: bool = True


FORMATS: dict[str, CorpusFormat] = {
    "jsonl": CorpusFormat(read_jsonl, (".jsonl", ".ndjson"), write=write_jsonl),
    "conll": CorpusFormat(read_conll, (".conll", ".bio", ".iob", ".iob2"), write=write_conll),
    "germeval": CorpusFormat(read_germeval),
    "webanno": CorpusFormat(read_webanno, (".tsv",), write_one=write_webanno),
    "cas": CorpusFormat(read_cas, (".xmi", ".json"), write_one=write_cas),
    "letters": CorpusFormat(read_letter_text, (LETTER_SUFFIX,), by_suffix=False),
}


def read_corpus(path: Path, format: str | None = None, **options: Any) -> list[AnnotatedText]:
    """Return the texts of a file in order, or of a folder's files with the format's endings, sorted by name.

    format: a key of FORMATS; None uses the file's ending. options: keyword arguments of the format's reader.
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
        raise ConfigurationError(f"{path}: format {format} is read-only; {_writable()} can be written")
    _check_options(path, writer, options)
    if chosen.write:
        chosen.write(path, texts, **options)
        return
    held = list(texts)
    if _is_of(path, chosen):
        if len(held) != 1:
            raise ConfigurationError(f"{path}: a file of this format holds one text, not {len(held)}; name a folder")
        writer(path, held[0], **options)
        return
    path.mkdir(parents=True, exist_ok=True)
    for text in held:
        writer(path / (quote(text.id, safe=" ") + chosen.suffixes[0]), text, **options)


def _format(path: Path, name: str | None) -> CorpusFormat:
    if name is None:
        by_ending = [known for known in FORMATS.values() if known.by_suffix and _is_of(path, known)]
        if by_ending:
            return by_ending[0]
        raise ConfigurationError(f"{path}: the ending names no format; give one of {', '.join(FORMATS)}")
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
    known = list(inspect.signature(function).parameters.values())[1:]
    names = [parameter.name for parameter in known if parameter.default is not parameter.empty]
    if unknown := sorted(set(options) - set(names)):
        raise ConfigurationError(f"{path}: no option {', '.join(unknown)}; there are: {', '.join(names) or 'none'}")


def _writable() -> str:
    return ", ".join(name for name, known in FORMATS.items() if known.write or known.write_one)
