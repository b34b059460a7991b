"""Model cards: computed from the files of a model folder and from the record of its training.

A card is Markdown with YAML front matter, as on the Hugging Face Hub. The front matter is the training record: data,
hyperparameters and scores, which the model's files do not hold. Everything below it is rendered from the record and
the files, so `refreshed_card` can render the card of an existing folder again without training.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import Field, TypeAdapter, ValidationError

from deid_core.core.errors import ConfigurationError
from deid_core.core.settings import FrozenSettings
from deid_core.crf.model_folder import CARD_FILE, FEATURES_FILE, CrfModel
from deid_core.crf.weights import GRID_BITS, CrfWeights
from deid_core.ensemble.subtype.subtype_model import GRID
from deid_core.ensemble.subtype.subtype_model import MODEL_FILE as SUBTYPE_FILE
from deid_core.lab.evaluate.markdown import markdown_table
from deid_core.lab.training.settings import ConvolutionTrainingSettings

_BEST_FEATURES = 12
"""Features of each type that the card of a subtype model lists."""
_FENCE = "---\n"


class CorpusRecord(FrozenSettings):
    """A corpus that a model was trained on. texts, tokens: of the part that was used, each text counted once."""

    corpus: str
    description: str
    licence: str
    texts: int
    tokens: int
    share: float
    repeat: int
    without: list[str] = Field(default=[])


class WordListRecord(FrozenSettings):
    """A class of the name-likeness scorer, the licences of its lists, and its area under the ROC curve."""

    name: str
    licences: list[str]
    area: float


class ScoreRecord(FrozenSettings):
    """Scores of exact entities of a label on a corpus."""

    corpus: str
    label: str
    gold: int
    precision: float
    recall: float
    f1: float


class CrfRecord(FrozenSettings):
    """How a model of recogniser `crf` was trained."""

    kind: Literal["crf"]
    name: str
    corpora: list[CorpusRecord]
    text_tokens: int
    c1: float
    c2: float
    iterations: int
    word_lists: list[WordListRecord]
    scores: list[ScoreRecord]


class StackingRecord(FrozenSettings):
    """How a stacking model was trained. annotations: spans of each of its labels in the letters."""

    kind: Literal["stacking"]
    name: str
    pipeline: str
    letters: list[str]
    letter_count: int
    annotations: dict[str, int]
    augmentations: int
    medical_phrases: int = 0
    detection_dropout: float
    seed: int
    partially_annotated: list[str]
    partially_annotated_texts: int
    c1: float
    c2: float
    iterations: int
    convolution: ConvolutionTrainingSettings | None = None


class SubtypeRecord(FrozenSettings):
    """How a subtype model was trained. spans: training spans of each type, in the model's order of types."""

    kind: Literal["subtypes"]
    name: str
    pipeline: str
    letters: list[str]
    letter_count: int
    spans: dict[str, int]
    min_count: int
    c: float
    second_c: float
    folds: int


Record = Annotated[CrfRecord | StackingRecord | SubtypeRecord, Field(discriminator="kind")]
_RECORD: TypeAdapter[Record] = TypeAdapter(Record)


def model_card(record: Record, files: Mapping[str, bytes]) -> str:
    """Return the card of a model: its record as front matter, then Markdown. files: the model's, without the card."""
    if isinstance(record, CrfRecord):
        sections = _crf(record, files)
    else:
        sections = _stacking(record, files) if isinstance(record, StackingRecord) else _subtypes(record, files)
    data = record.model_dump(mode="json", exclude_defaults=True)
    front = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    return f"{_FENCE}{front}{_FENCE}\n" + "\n\n".join([f"# Model {record.name}", *sections, *_size(files)]) + "\n"


def read_record(card: str) -> Record:
    """Return the record in a card's front matter. Raises ValueError if there is none."""
    try:
        return _RECORD.validate_python(yaml.safe_load(card.split(_FENCE)[1]))
    except (IndexError, yaml.YAMLError, ValidationError):
        raise ValueError("has no record of the training in its front matter") from None


def refreshed_card(folder: Path) -> str:
    """Render the card of a model folder again from its files and the record in its card.

    Raises ConfigurationError if a file cannot be read or the card has no record.
    """
    return model_card(*_record_and_files(folder))


def record_of(folder: Path) -> Record:
    """Return the record in the card of a model folder.

    Raises ConfigurationError if a file cannot be read or the card has no record.
    """
    return _record_and_files(folder)[0]


def _record_and_files(folder: Path) -> tuple[Record, dict[str, bytes]]:
    try:
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        return read_record(files.pop(CARD_FILE, b"").decode()), files
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ConfigurationError(f"{folder / CARD_FILE}: {error}") from None


def _crf(record: CrfRecord, files: Mapping[str, bytes]) -> list[str]:
    corpora = [
        (c.corpus, c.description, c.licence, f"{c.texts:,}", f"{c.tokens:,}", f"{c.share:g}", str(c.repeat),
         ", ".join(c.without))
        for c in record.corpora
    ]  # fmt: skip
    scores = [
        (s.corpus, s.label, f"{s.gold:,}", *(f"{value:.3f}" for value in (s.precision, s.recall, s.f1)))
        for s in record.scores
    ]
    lists = [(w.name, "; ".join(w.licences), f"{w.area:.3f}") for w in record.word_lists]
    return [
        f"A linear-chain CRF that finds {', '.join(_entity_labels(record, files))} in German text, trained with "
        "CRFsuite. It makes errors. It was measured on the corpora below, not on real clinical letters.",
        "## Training",
        f"`deid train crf --data DIR` with conf/training.yaml: c1 {record.c1:g}, c2 {record.c2:g}, "
        f"{record.iterations} iterations of L-BFGS, texts of about {record.text_tokens} tokens. {_grid(2**GRID_BITS)}",
        markdown_table(
            [("corpus", "content", "licence", "texts", "tokens", "share", "repeat", "without sentences of"), *corpora]
        ),
        "## Word knowledge",
        "`clusters.npz`: Brown clusters of the package spacy-lookups-data (MIT, Explosion); each word is stored as a "
        "hash of 32 bits. `likeness.npz`: weights of character n-grams, learned from the word lists below. No entry of "
        "a list can be reconstructed from them. Names of the generator of synthetic notes were removed from the lists.",
        markdown_table([("list", "licences of its sources", "area under ROC, held-out words"), *lists]),
        *_features(record, files),
        "## Scores",
        "Exact entities (boundaries and label) of the model alone, on the best path.",
        markdown_table([("corpus", "label", "gold", "precision", "recall", "F1"), *scores]),
    ]


def _stacking(record: StackingRecord, files: Mapping[str, bytes]) -> list[str]:
    annotations = sorted(record.annotations.items(), key=lambda item: (-item[1], item[0]))
    return [
        "A linear-chain CRF that weighs the detections of a pipeline's recognisers together with the words around them "
        "(deid_core/ensemble/stacking). It makes errors. Its training letters are synthetic (data/letters/README.md).",
        "## Training",
        f"`deid train stacking --data DIR` with conf/training.yaml: c1 {record.c1:g}, c2 {record.c2:g}, "
        f"{record.iterations} iterations of OWL-QN. {_grid(2**GRID_BITS)} Word knowledge is that of the model of "
        "recogniser `crf`.",
        f"- Detections: those of pipeline `{record.pipeline}` without {record.detection_dropout:.0%} of them, drawn "
        f"with seed {record.seed}.\n"
        f"- {record.letter_count:,} letters of {', '.join(record.letters)}, with the lists of the packages and with "
        "the larger lists; with those of the packages once more, augmented "
        f"{record.augmentations} times in each way: other names, other institutions, noise, other "
        "layouts (deid_core/lab/training/augmentation.py).\n"
        f"- {record.medical_phrases:,} phrases of official medical texts, between the lines of augmented letters.\n"
        f"- {record.partially_annotated_texts:,} texts of {', '.join(record.partially_annotated)}, with both lists. "
        "Only persons, places and organisations are annotated in them (deid_core/lab/training/partial_annotation.py). "
        "Their licences are in the card of recogniser `crf`.",
        *_layers(record, files),
        markdown_table([("label", "annotations in the letters"), *((name, f"{n:,}") for name, n in annotations)]),
        *_features(record, files),
        "Thresholds are those of the pipeline's file in conf/pipelines, with the defaults of ensemble/settings.py. "
        "Scores of pipelines with this model are in docs/evaluation/log/quality-report.md.",
    ]


def _layers(record: StackingRecord, files: Mapping[str, bytes]) -> list[str]:
    model, settings = CrfModel(record.name, tuple(files.items())), record.convolution
    if settings is None:
        return []
    words, detections = (len(values) for values in model.convolution().values)
    return [
        "Layers (deid_core/crf/convolution.py), trained with PyTorch on the same sequences, "
        f"{settings.epochs} epochs: "
        f"vectors of {words:,} feature values of words ({settings.word_size} numbers) and of {detections:,} of "
        f"detections ({settings.detection_size}), those that occur at least {settings.min_count} times; "
        f"{settings.hidden} channels. Dropout {settings.dropout:g}, of values {settings.value_dropout:g}, of spelling "
        f"{settings.spelling_dropout:g}; learning rate {settings.learning_rate:g}, of vectors "
        f"{settings.vector_learning_rate or settings.learning_rate:g}; seed {settings.seed}. "
        f"{settings.share:.0%} of the emissions are theirs, the rest is the weights'."
    ]


def _subtypes(record: SubtypeRecord, files: Mapping[str, bytes]) -> list[str]:
    with np.load(io.BytesIO(files[SUBTYPE_FILE]), allow_pickle=False) as archive:
        slots, types, symbols = (bytes(archive[name]).decode().split("\n") for name in ("slots", "columns", "symbols"))
        rows, weights = archive["rows"].tolist(), archive["weights"] / GRID
    table = []
    for column, name in enumerate(types):
        best = np.argsort(-weights[:, column], kind="stable")[:_BEST_FEATURES].tolist()
        features = [
            f"{slots[rows[row][0]]} '{symbols[rows[row][1] - 1]}' {weights[row, column]:.1f}"
            for row in best
            if weights[row, column] > 0
        ]
        table.append((name, f"{record.spans.get(name, 0):,}", ", ".join(features).replace("|", "\\|")))
    return [
        "Chooses the type of a span among the types of its group (deid_core/ensemble/subtype): two logistic "
        "regressions for each group. It makes errors, which do not change what is removed. Its training letters are "
        "synthetic (data/letters/README.md).",
        "## Training",
        f"`deid train subtypes` with conf/training.yaml: {record.letter_count:,} letters of "
        f"{', '.join(record.letters)}, spans of pipeline `{record.pipeline}`. Features that occur at least "
        f"{record.min_count} times; C {record.c:g}, C of the second regression {record.second_c:g}, which learned from "
        f"{record.folds} folds. {_grid(GRID)} {len(rows):,} features have a weight.",
        "## Strongest features of each type",
        markdown_table([("type", "training spans", "features of the first regression with their weights"), *table]),
        "Scores by set of letters are in docs/evaluation/log/quality-report.md.",
    ]


def _features(record: CrfRecord | StackingRecord, files: Mapping[str, bytes]) -> list[str]:
    settings = yaml.safe_load(files[FEATURES_FILE])
    entries: list[dict[str, Any]] = [*settings["features"], *settings.get("detections", [])]
    rows = [
        (entry["family"], ", ".join(f"{key} {value}" for key, value in entry.items() if key != "family"))
        for entry in entries
    ]
    crf = _weights(record, files)
    return [
        "## Features",
        markdown_table([("family", "position and settings"), *rows]),
        "The families are explained in deid_core/crf/features/families.py. "
        f"{len(crf.attributes):,} attributes, {len(crf.state_weights):,} weights, labels {', '.join(crf.labels)}.",
    ]


def _weights(record: CrfRecord | StackingRecord, files: Mapping[str, bytes]) -> CrfWeights:
    return CrfModel(record.name, tuple(files.items())).weights()


def _entity_labels(record: CrfRecord, files: Mapping[str, bytes]) -> Sequence[str]:
    return sorted({label.partition("-")[2] for label in _weights(record, files).labels if "-" in label})


def _grid(steps: int) -> str:
    return f"Weights are multiples of 2^-{steps.bit_length() - 1}."


def _size(files: Mapping[str, bytes]) -> list[str]:
    rows = [(name, f"{len(data):,}", sha256(data).hexdigest()[:16]) for name, data in sorted(files.items())]
    return ["## Files", markdown_table([("file", "bytes", "SHA-256"), *rows])]
