"""Letters that people marked, in any format and label scheme, with what each mark may mean here.

A mark "LOC" may be a town or a street, "NAME_DOCTOR" is a clinician. `deid evaluate` needs the labels alone;
`deid adapt` learns from the types.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, Scheme, labels_of, types_of
from deid_core.core.note import Note
from deid_core.lab.corpora.annotated import AnnotatedText
from deid_core.lab.corpora.formats import FORMATS, format_of, read_corpus
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letter, read_letters

_LETTERS = "letters"
OF_TOOLS = ("layer", "feature")
"""Options of the formats of annotation tools."""


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A mark [start, end) in code points, its label here, and the types that it may have."""

    start: int
    end: int
    label: Label
    types: tuple[PhiType, ...]


@dataclass(frozen=True, slots=True)
class MarkedLetter:
    """A note with its marks. Marks that no label here stands for are left out."""

    note: Note
    marks: tuple[MarkedSpan, ...]


@dataclass(frozen=True, slots=True)
class MarkedFormat:
    """How marks are written: the format (None: by the ending), the scheme, and the options of annotation tools."""

    format: str | None = None
    scheme: Scheme = Scheme.OWN
    layer: str | None = None
    feature: str | None = None


def format_problems(paths: Iterable[Path], of: MarkedFormat) -> list[str]:
    """Return what is wrong with the options of annotation tools for these files."""
    if named := [f"--{name}" for name in OF_TOOLS if getattr(of, name)]:
        if not any(set(OF_TOOLS) <= set(FORMATS[format_of(path, of.format)].options()) for path in paths):
            return [f"{' and '.join(named)}: only CAS and WebAnno files have it, and no file is one"]
    return []


def read_annotated(path: Path, of: MarkedFormat) -> list[AnnotatedText]:
    """Return the texts of a file or folder, with the names of the scheme.

    Raises ConfigurationError as `read_corpus`, and for labels of another scheme: each would count as wrong, and its
    names as no names.
    """
    form = format_of(path, of.format)
    labels = labels_of(of.scheme)
    values = {"labels": labels, "layer": of.layer, "feature": of.feature}
    options = {name: value for name in FORMATS[form].options() if (value := values.get(name)) is not None}
    texts = read_corpus(path, form, **options)
    places = [(number, s.start, s.end) for number, t in enumerate(texts, 1) for s in t.spans if s.label not in labels]
    if places:
        number, start, end = places[0]
        raise ConfigurationError(
            f"{path}: {len(places)} spans have a label that does not exist, the first in text {number} at "
            f"[{start}, {end}); labels of --scheme {of.scheme} are {', '.join(labels)}"
        )
    return texts


def marked(letter: AnnotatedLetter) -> MarkedLetter:
    """Return an annotated letter with its annotations as marks."""
    return MarkedLetter(letter.note, tuple(MarkedSpan(g.start, g.end, g.label, (g.type,)) for g in letter.gold))


def read_marked_letters(path: Path, of: MarkedFormat) -> list[MarkedLetter]:
    """Return the letters of a file or folder. Raises ConfigurationError as `read_annotated`."""
    if format_of(path, of.format) == _LETTERS:
        letters = read_letters(path) if path.is_dir() else [read_letter(path)]
        return list(map(marked, letters))
    labels, types = labels_of(of.scheme), types_of(of.scheme)
    return [
        MarkedLetter(
            Note(text.id, text.text),
            tuple(
                MarkedSpan(span.start, span.end, label, types[span.label])
                for span in text.spans
                if (label := labels[span.label]) is not None
            ),
        )
        for text in read_annotated(path, of)
    ]
