"""The corpora of conf/corpora.yaml by name, with their labels mapped to the project's.

Files are looked for in a data folder that the caller names; the project holds none of them but letters written for it.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label
from deid_core.core.resources import conf_dir, letters_dir
from deid_core.core.settings import FrozenSettings
from deid_core.core.yaml_file import load_yaml
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan, check_ids
from deid_core.lab.corpora.formats import read_corpus
from deid_core.lab.corpora.webanno import FEATURE, NAMED_ENTITY
from deid_core.lab.synthetic import iter_notes

TEXT_TOKENS = 400
"""Of a text of joined sentences: about an admission note's running text."""
DROPPED = "O"

Column = Annotated[int, Field(ge=0)]


def _target(label: str) -> str:
    if label != DROPPED and label not in Label.__members__:
        raise ValueError(f"no label of the project; there are: {', '.join([*Label, DROPPED])}")
    return label


Target = Annotated[str, AfterValidator(_target)]


class ConllSource(FrozenSettings):
    """Column files; the options are those of `conll.read_conll`."""

    format: Literal["conll"]
    files: list[str]
    word: Column = 0
    tag: Column = 1
    comment: str | None = None
    words_with_blanks: bool = False
    bare_tags: bool = False
    repairs: dict[str, str] = Field(default={})


class GermevalSource(FrozenSettings):
    """GermEval files; the options are those of `germeval.read_germeval`."""

    format: Literal["germeval"]
    files: list[str]
    nested: bool = False
    derived: bool = False


class JsonlSource(FrozenSettings):
    """JSON lines with labels of any scheme."""

    format: Literal["jsonl"]
    files: list[str]


class LayerSource(FrozenSettings):
    """WebAnno TSV or UIMA CAS files or folders of them; the options are those of their readers."""

    format: Literal["webanno", "cas"]
    files: list[str]
    layer: str = NAMED_ENTITY
    feature: str = FEATURE


class SyntheticSource(FrozenSettings):
    """Made notes; labels are the types of labels.py, offsets those of the canonical text."""

    format: Literal["synthetic"]
    split: Literal["train", "test"] = "train"
    seed: int
    notes: Annotated[int, Field(gt=0)]


class LettersSource(FrozenSettings):
    """Letters written one by one, a part of a checkout's data/letters; labels are the types of labels.py.

    The unseen parts are no corpora: nothing is learned from them, and `deid compare` alone measures on them.
    """

    format: Literal["letters"]
    part: Literal["train/dense", "train/long", "dev/dense", "dev/long"]

    @property
    def folder(self) -> Path:
        """Where the part lies in a checkout."""
        return letters_dir() / self.part


Source = Annotated[
    ConllSource | GermevalSource | JsonlSource | LayerSource | SyntheticSource | LettersSource,
    Field(discriminator="format"),
]


class Corpus(FrozenSettings):
    """One corpus: what it is, what it may be used for, where it lies and how it is read."""

    description: str
    licence: str
    use: Literal["train", "dev"]
    labels: str
    """The name of a label map."""
    source: Source

    @model_validator(mode="after")
    def _letters_are_used_for_what_they_are(self) -> Corpus:
        if isinstance(self.source, LettersSource) and self.source.part.partition("/")[0] != self.use:
            raise ValueError(f"letters of part {self.source.part} are not there to {self.use}")
        return self


class Corpora(FrozenSettings):
    """conf/corpora.yaml: label maps (corpus label → project label or O) and corpora, both by name."""

    label_maps: dict[str, dict[str, Target]]
    corpora: dict[str, Corpus]


def load_corpora(path: Path | None = None) -> Corpora:
    """The named corpora of a file, conf/corpora.yaml by default.

    Raises ConfigurationError with every problem of the file, label maps that do not exist among them.
    """
    path = path or conf_dir() / "corpora.yaml"
    corpora = load_yaml(path, Corpora)
    problems = [
        f"{path}: corpora.{name}.labels: there is no label map {corpus.labels!r}; "
        f"there are: {', '.join(corpora.label_maps)}"
        for name, corpus in corpora.corpora.items()
        if corpus.labels not in corpora.label_maps
    ]
    if problems:
        raise ConfigurationError(problems)
    return corpora


def read_named(
    name: str,
    data_dir: Path,
    labels: Collection[str] | None = None,
    *,
    text_tokens: int | None = TEXT_TOKENS,
    dropped: Label | None = None,
    corpora: Corpora | None = None,
) -> list[AnnotatedText]:
    """The texts of a named corpus, labels mapped.

    labels: the project's labels to keep; None keeps all that the map gives. text_tokens: of a text that sentences of a
    column file are joined to, None leaves each alone; notes stay whole. dropped: the label of what the map turns into
    O, which is otherwise left out. corpora: of another file than conf/corpora.yaml.
    Raises ConfigurationError if the corpus or a file does not exist, a line is bad, an id stands twice, or its map
    lacks a label. It says how many labels are missing, not which: of a wrong column they would be words of the text.
    """
    corpora = corpora or load_corpora()
    if name not in corpora.corpora:
        raise ConfigurationError(f"there is no corpus {name!r}; there are: {', '.join(corpora.corpora)}")
    corpus = corpora.corpora[name]
    if unknown := sorted(set(labels or ()) - set(Label)):
        raise ConfigurationError(f"no labels: {', '.join(unknown)}; there are: {', '.join(Label)}")
    texts = _read(corpus.source, data_dir, text_tokens)
    check_ids(f"corpora.{name}", texts)
    label_map = corpora.label_maps[corpus.labels]
    if missing := {span.label for text in texts for span in text.spans} - label_map.keys():
        raise ConfigurationError(
            f"label_maps.{corpus.labels}: lacks {len(missing)} labels of {name}; is corpora.{name}.source right about "
            "where labels stand, its column or layer and feature?"
        )
    kept = {old: new for old, new in label_map.items() if new != DROPPED and (labels is None or new in labels)}
    if dropped is not None:
        kept |= {old: dropped for old, new in label_map.items() if new == DROPPED}
    return [_mapped(text, kept) for text in texts]


def _read(source: Source, data_dir: Path, text_tokens: int | None) -> list[AnnotatedText]:
    if isinstance(source, SyntheticSource):
        return _notes(source)
    if isinstance(source, LettersSource):
        return read_corpus(source.folder, source.format, types=True)
    paths = [data_dir / file for file in source.files]
    if missing := [f"{path}: does not exist; is {data_dir} the data folder?" for path in paths if not path.exists()]:
        raise ConfigurationError(missing)
    options = source.model_dump(exclude={"format", "files"})
    if isinstance(source, ConllSource | GermevalSource):
        options["text_tokens"] = text_tokens
    if isinstance(source, JsonlSource):
        options["labels"] = None
    return [text for path in paths for text in read_corpus(path, source.format, **options)]


def _notes(source: SyntheticSource) -> list[AnnotatedText]:
    return [
        AnnotatedText(
            made.note.note_id,
            made.note.text,
            tuple(LabelledSpan(gold.start, gold.end, gold.type) for gold in made.gold),
        )
        for made in iter_notes(source.notes, seed=source.seed, split=source.split)
    ]


def _mapped(text: AnnotatedText, kept: dict[str, str]) -> AnnotatedText:
    spans = (LabelledSpan(s.start, s.end, kept[s.label]) for s in text.spans if s.label in kept)
    return AnnotatedText(text.id, text.text, tuple(spans))
