"""Reads the corpora of conf/corpora.yaml by name, with their labels mapped to the project's.

Files lie in a data folder that the caller names. Only the annotated letters are part of the project.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from deid_core.core.data_folders import conf_dir, letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label
from deid_core.core.settings import FrozenSettings
from deid_core.core.yaml_file import load_yaml
from deid_core.lab.corpora.annotated import AnnotatedText, LabelledSpan, check_ids
from deid_core.lab.corpora.formats import read_corpus
from deid_core.lab.corpora.medical_phrases import read_phrases
from deid_core.lab.corpora.webanno import FEATURE, NAMED_ENTITY
from deid_core.lab.synthetic import iter_notes

TEXT_TOKENS = 400
"""Tokens of a text of joined sentences: about the length of an admission note's running text."""
DROPPED = "O"

Column = Annotated[int, Field(ge=0)]


def _target(label: str) -> str:
    if label != DROPPED and label not in Label.__members__:
        raise ValueError(f"is not a label of the project; there are: {', '.join([*Label, DROPPED])}")
    return label


Target = Annotated[str, AfterValidator(_target)]


class ConllSource(FrozenSettings):
    """Column files; options as in `conll.read_conll`."""

    format: Literal["conll"]
    files: list[str]
    word: Column = 0
    tag: Column = 1
    comment: str | None = None
    words_with_blanks: bool = False
    repairs: dict[str, str] = Field(default={})


class GermevalSource(FrozenSettings):
    """GermEval files; options as in `germeval.read_germeval`."""

    format: Literal["germeval"]
    files: list[str]
    derived: bool = False


class JsonlSource(FrozenSettings):
    """JSON lines with labels of any scheme."""

    format: Literal["jsonl"]
    files: list[str]


class LayerSource(FrozenSettings):
    """WebAnno TSV or UIMA CAS files or folders of them; options as in their readers."""

    format: Literal["webanno", "cas"]
    files: list[str]
    layer: str = NAMED_ENTITY
    feature: str = FEATURE


class PhrasesSource(FrozenSettings):
    """Official medical texts, of which the phrases are read (medical_phrases.py); nothing in them is annotated."""

    format: Literal["phrases"]
    files: list[str]
    part: Literal["train", "dev"]


class SyntheticSource(FrozenSettings):
    """Synthetic notes; labels are the types of core/labels.py."""

    format: Literal["synthetic"]
    split: Literal["train", "test"] = "train"
    seed: int
    notes: Annotated[int, Field(gt=0)]


class LettersSource(FrozenSettings):
    """A part of the annotated letters in data/letters of a checkout; labels are the types of core/labels.py.

    The test parts are not corpora: nothing is trained on them, and only `deid compare` measures on them.
    """

    format: Literal["letters"]
    part: Literal["train/dense", "train/long", "dev/dense", "dev/long"]

    @property
    def folder(self) -> Path:
        """The part's folder in a checkout."""
        return letters_dir() / self.part


Source = Annotated[
    ConllSource | GermevalSource | JsonlSource | LayerSource | PhrasesSource | SyntheticSource | LettersSource,
    Field(discriminator="format"),
]


class Corpus(FrozenSettings):
    """A corpus: its description, licence, permitted use, labels and source."""

    description: str
    licence: str
    use: Literal["train", "dev"]
    labels: str
    """The name of a label map."""
    source: Source

    @model_validator(mode="after")
    def _use_is_that_of_the_part(self) -> Corpus:
        source = self.source
        if isinstance(source, LettersSource | PhrasesSource) and source.part.partition("/")[0] != self.use:
            raise ValueError(f"{source.format} of part {source.part} must not be used to {self.use}")
        return self


class Corpora(FrozenSettings):
    """conf/corpora.yaml: label maps (corpus label → project label or O) and corpora, by name."""

    label_maps: dict[str, dict[str, Target]]
    corpora: dict[str, Corpus]


def load_corpora(path: Path | None = None) -> Corpora:
    """Load the named corpora of a file, by default conf/corpora.yaml.

    Raises ConfigurationError with every problem of the file, including unknown label maps.
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
    """Return the texts of a named corpus with mapped labels.

    labels: the project's labels to keep; None keeps all. text_tokens: length of texts joined from the sentences of
    column files; None joins none. dropped: label for spans that the map turns into O; None omits them. corpora: those
    of another file than conf/corpora.yaml.
    Raises ConfigurationError if the corpus or a file does not exist, a line is bad, an id is repeated, or the map lacks
    a label. The message counts missing labels but does not quote them: with a wrong column they are words of the text.
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
            f"label_maps.{corpus.labels}: lacks {len(missing)} labels of {name}; check the column, or layer and "
            f"feature, of corpora.{name}.source"
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
    if isinstance(source, PhrasesSource):
        return read_phrases(paths, source.part)
    options = source.model_dump(exclude={"format", "files"})
    if isinstance(source, ConllSource | GermevalSource):
        options["text_tokens"] = text_tokens
    if isinstance(source, JsonlSource):
        options["labels"] = None
    return [text for path in paths for text in read_corpus(path, source.format, **options)]


def _notes(source: SyntheticSource) -> list[AnnotatedText]:
    return [
        AnnotatedText(
            generated.note.note_id,
            generated.note.text,
            tuple(LabelledSpan(gold.start, gold.end, gold.type) for gold in generated.gold),
        )
        for generated in iter_notes(source.notes, seed=source.seed, split=source.split)
    ]


def _mapped(text: AnnotatedText, kept: dict[str, str]) -> AnnotatedText:
    spans = (LabelledSpan(s.start, s.end, kept[s.label]) for s in text.spans if s.label in kept)
    return AnnotatedText(text.id, text.text, tuple(spans))
