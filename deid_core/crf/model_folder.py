"""The model folder: a trained CRF and all it needs, as files that are sent to the workers unchanged.

    model.crfsuite.gz    the file that CRFsuite wrote; python-crfsuite and sklearn-crfsuite read it once it is unpacked
    weights.npz          or the weights as plain arrays (weights.py), if the project's own trainer made them
    convolution.npz      the layers of a stacking model beside its weights (convolution_weights.py), if it has some
    features.json        {"format": 1, "features": [...], "detections": [...], "files": {...}}: the feature sets, as in
                         conf/training.yaml, and the hashes of the other files
    clusters.npz         what the features know of words (features/word_knowledge.py), if the feature set needs it. The
    likeness.npz         stacking model shares that of recogniser `crf`, with which it is trained and used
    card.md              data, licences, command and figures; for readers, not loaded

Numba is loaded when a model is compiled, not before: pipelines without a CRF start without it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from deid_core.core.array_cache import Arrays, cached_arrays
from deid_core.core.data_folders import model_folder
from deid_core.core.errors import ConfigurationError
from deid_core.crf.convolution_weights import ConvolutionWeights
from deid_core.crf.crfsuite_file import read_crfsuite
from deid_core.crf.features.families import FeatureSettings, build_templates
from deid_core.crf.features.templates import Templates
from deid_core.crf.features.word_knowledge import CLUSTERS_FILE, LIKENESS_FILE, WordKnowledge
from deid_core.crf.weights import CrfWeights
from deid_core.lexicon.gazetteer.automaton import Gazetteer

if TYPE_CHECKING:
    from deid_core.crf.compiled_crf import CompiledCrf
    from deid_core.crf.convolution import CompiledConvolution

FORMAT = 1
"""Of features.json; a model of another format is refused."""
MODEL_FILE = "model.crfsuite.gz"
WEIGHTS_FILE = "weights.npz"
CONVOLUTION_FILE = "convolution.npz"
FEATURES_FILE = "features.json"
CARD_FILE = "card.md"
WORD_KNOWLEDGE_FILES = (CLUSTERS_FILE, LIKENESS_FILE)
_LOADED = (FEATURES_FILE, MODEL_FILE, WEIGHTS_FILE, CONVOLUTION_FILE, *WORD_KNOWLEDGE_FILES)
_MAX_MODEL_BYTES = 500_000_000


class _FeatureFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1]
    features: list[FeatureSettings]
    detections: list[FeatureSettings] = []
    """Features of the stacking model's second sequence (ensemble/stacking/detection_features.py); others have none."""
    files: dict[str, str]
    """SHA-256 of each other file but the card, hexadecimal: weights and word knowledge must be of one training."""


class CompiledStacking(NamedTuple):
    """The parts of a stacking model: the weights of word features, those of detection features, and its layers."""

    words: CompiledCrf
    features: CompiledCrf
    convolution: CompiledConvolution | None


@dataclass(frozen=True, slots=True)
class CrfModel:
    """The files of a model, sorted by name, without its card. name: what errors call it.

    is_kept: whether the cache (core/array_cache.py) gets what is compiled of it; not for models of a trial.
    """

    name: str
    files: tuple[tuple[str, bytes], ...]
    is_kept: bool = True

    @property
    def digest(self) -> str:
        """Return the SHA-256 over names and contents of the files, hexadecimal."""
        digest = hashlib.sha256()
        for name, data in self.files:
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()

    def crfsuite_bytes(self) -> bytes:
        """Return the file that CRFsuite wrote; `pycrfsuite.Tagger().open_inmemory` needs it as long as it tags.

        Raises ConfigurationError if it is missing, damaged, or larger than any model should be.
        """
        unpacker = zlib.decompressobj(wbits=31)
        try:
            data = unpacker.decompress(self._file(MODEL_FILE), _MAX_MODEL_BYTES)
        except zlib.error:
            raise self._error(MODEL_FILE, "is damaged: is no gzip file or has a wrong checksum") from None
        if not unpacker.eof:
            raise self._error(MODEL_FILE, f"is cut short, or has more than {_MAX_MODEL_BYTES} bytes unpacked")
        return data

    def weights(self) -> CrfWeights:
        """Return labels, attributes and weights; raises ConfigurationError if the file is missing or damaged."""
        if any(name == WEIGHTS_FILE for name, _ in self.files):
            return CrfWeights.from_npz(self._file(WEIGHTS_FILE), f"{self.name}/{WEIGHTS_FILE}")
        return read_crfsuite(self.crfsuite_bytes(), f"{self.name}/{MODEL_FILE}")

    def templates(self, gazetteer: Gazetteer | None = None) -> Templates:
        """Return the templates of the feature set; some look words up in the gazetteer.

        Raises ConfigurationError if features.json is damaged, of another format, or needs a file that is missing.
        """
        return build_templates(
            self._checked_description().features, WordKnowledge.from_files(dict(self.files), gazetteer)
        )

    def detection_templates(self) -> Templates:
        """Return the templates of a stacking model's second sequence, that of detections.

        Raises ConfigurationError if features.json is damaged or of another format.
        """
        return build_templates(self._description().detections, WordKnowledge())

    def features(self) -> tuple[list[FeatureSettings], list[FeatureSettings]]:
        """Return the settings of the features of words and of detections.

        Raises ConfigurationError if features.json is damaged or of another format.
        """
        description = self._description()
        return description.features, description.detections

    def with_word_knowledge_of(self, other: CrfModel) -> CrfModel:
        """Return the model with the word knowledge of another, for a model that was trained with that."""
        word_knowledge = [(name, data) for name, data in other.files if name in WORD_KNOWLEDGE_FILES]
        return CrfModel(self.name, tuple(sorted(dict([*word_knowledge, *self.files]).items())), self.is_kept)

    def _description(self) -> _FeatureFile:
        try:
            described = json.loads(self._file(FEATURES_FILE))
            if isinstance(described, dict) and "evidence" in described:
                raise ConfigurationError(
                    f"{self.name}/{FEATURES_FILE}: this stacking model was made by an earlier version of deid and "
                    "cannot be used; run deid adapt again, or train it again"
                )
            description = _FeatureFile.model_validate(described)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
            raise ConfigurationError([f"{self.name}/{FEATURES_FILE}: {problem}" for problem in problems]) from None
        except ValueError:
            raise self._error(FEATURES_FILE, "is not JSON") from None
        return description

    def _checked_description(self) -> _FeatureFile:
        description = self._description()
        found = {name: hashlib.sha256(data).hexdigest() for name, data in self.files if name != FEATURES_FILE}
        if wrong := sorted(name for name, _ in found.items() ^ description.files.items()):
            raise ConfigurationError(
                f"{self.name}: not of one training: {', '.join(dict.fromkeys(wrong))}; train again or restore the files"
            )
        return description

    def compiled(self, gazetteer: Gazetteer | None = None) -> CompiledCrf:
        """Return the model ready for tagging; this loads numba.

        Raises ConfigurationError if a file is damaged, weights and features do not fit, or numba cannot be loaded.
        """
        return self._compiled(self._templates(gazetteer), Templates(()))

    def compiled_stacking(self, gazetteer: Gazetteer | None = None) -> CompiledStacking:
        """Return the parts of a stacking model, ready for use.

        Raises ConfigurationError as `compiled` does.
        """
        words, detections = self._templates(gazetteer), self.detection_templates()
        convolution = self._compiled_convolution(words, detections) if self.has_convolution else None
        return CompiledStacking(self._compiled(words, detections), self._compiled(detections, words), convolution)

    @property
    def has_convolution(self) -> bool:
        """Whether there are layers beside the weights."""
        return any(name == CONVOLUTION_FILE for name, _ in self.files)

    def convolution(self) -> ConvolutionWeights:
        """Return the layers; raises ConfigurationError if the file is missing, damaged or has other labels."""
        found = ConvolutionWeights.from_npz(self._file(CONVOLUTION_FILE), f"{self.name}/{CONVOLUTION_FILE}")
        if found.labels != self.weights().labels:
            raise self._error(CONVOLUTION_FILE, "has other labels than the weights")
        return found

    def _compiled_convolution(self, words: Templates, detections: Templates) -> CompiledConvolution:
        from deid_core.crf.convolution import compiled_convolution, convolution_arrays

        both = words, detections

        def compute() -> Arrays:
            return convolution_arrays(self.convolution(), both)

        if not self.is_kept:
            return compiled_convolution(compute(), both)
        depends_on = "\0".join(("convolution", self.digest, *words.keys, "", *detections.keys))
        return compiled_convolution(cached_arrays(depends_on, compute, is_private="/" in self.name), both)

    def _templates(self, gazetteer: Gazetteer | None) -> Templates:
        try:
            return self.templates(gazetteer)
        except ConfigurationError:
            # If the weights are damaged, the error names their file.
            self.weights()
            raise

    def _compiled(self, templates: Templates, other: Templates) -> CompiledCrf:
        """Return the model of the templates, from the cache if it was compiled before; `other` as in `crf_arrays`."""
        try:
            from deid_core.crf.compiled_crf import compiled_crf, crf_arrays
        except ImportError as error:
            raise ConfigurationError(f"a CRF needs numba, which cannot be loaded: {type(error).__name__}") from None

        def compute() -> Arrays:
            return crf_arrays(self.weights(), templates, other)

        if not self.is_kept:
            return compiled_crf(compute(), templates)
        depends_on = "\0".join((self.digest, *templates.keys, "", *other.keys))
        # A model of one's own may hold words of one's letters.
        arrays = cached_arrays(depends_on, compute, is_private="/" in self.name)
        return compiled_crf(arrays, templates)

    def to_bytes(self) -> bytes:
        """Return a zip of the files; the same model gives the same bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in self.files:
                archive.writestr(zipfile.ZipInfo(name), data)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(name: str, data: bytes) -> CrfModel:
        """Return the model of `to_bytes`."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return CrfModel(name, tuple((file, archive.read(file)) for file in sorted(archive.namelist())))

    @staticmethod
    def from_crfsuite(
        name: str, crfsuite: bytes, features: Sequence[FeatureSettings], word_knowledge: Mapping[str, bytes]
    ) -> CrfModel:
        """Return a model of CRFsuite's file, its feature set, and the files of its word knowledge by name."""
        return _model(name, {**word_knowledge, MODEL_FILE: gzip.compress(crfsuite, mtime=0)}, features, ())

    @staticmethod
    def from_weights(
        name: str,
        weights: CrfWeights,
        features: Sequence[FeatureSettings],
        word_knowledge: Mapping[str, bytes],
        detections: Sequence[FeatureSettings] = (),
    ) -> CrfModel:
        """Return a model of weights, its feature sets, and the files of its word knowledge by name.

        detections: the feature set of a stacking model's second sequence. Weights of 0 are left out. Raises ValueError
        if the weights are not on the grid.
        """
        return _model(name, {**word_knowledge, WEIGHTS_FILE: weights.pruned().to_npz()}, features, detections)

    def with_weights(self, weights: CrfWeights, *, is_kept: bool = True) -> CrfModel:
        """Return the model with other weights, stored as .npz; raises ValueError if they are not on the grid."""
        return self._with_files({WEIGHTS_FILE: weights.to_npz()}, is_kept)

    def with_convolution(self, convolution: ConvolutionWeights) -> CrfModel:
        """Return the model with other layers."""
        return self._with_files({CONVOLUTION_FILE: convolution.to_npz()}, self.is_kept)

    def _with_files(self, changed: Mapping[str, bytes], is_kept: bool) -> CrfModel:
        description = self._description()
        files = {file: data for file, data in self.files if file not in (FEATURES_FILE, MODEL_FILE)}
        return _model(
            self.name, {**files, **changed}, description.features, description.detections,
            {file: digest for file, digest in description.files.items() if file in WORD_KNOWLEDGE_FILES}, is_kept,
        )  # fmt: skip

    def without_word_knowledge(self) -> CrfModel:
        """Return the model without its word knowledge, for a folder beside the model that has it."""
        return CrfModel(self.name, tuple(file for file in self.files if file[0] not in WORD_KNOWLEDGE_FILES))

    def save(self, folder: Path, card: str = "") -> None:
        """Replace a folder by the model; see `replace_model_folder`."""
        replace_model_folder(folder, {**dict(self.files), **({CARD_FILE: card.encode()} if card else {})})

    def _file(self, name: str) -> bytes:
        for file, data in self.files:
            if file == name:
                return data
        raise self._error(name, "is missing")

    def _error(self, file: str, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self.name}/{file}: {problem}; train the model again or restore its file")


def _model(
    name: str,
    files: Mapping[str, bytes],
    features: Sequence[FeatureSettings],
    detections: Sequence[FeatureSettings],
    other_digests: Mapping[str, str] = MappingProxyType({}),
    is_kept: bool = True,
) -> CrfModel:
    """Return the model of these files and feature sets. other_digests: of files that are stored with another model."""
    digests = {**other_digests, **{file: hashlib.sha256(data).hexdigest() for file, data in files.items()}}
    hashes = ",\n".join(f'    "{file}": "{digest}"' for file, digest in sorted(digests.items()))
    of_detections = f'  "detections": [\n{_entries(detections)}\n  ],\n' if detections else ""
    description = (
        f'{{\n  "format": {FORMAT},\n  "features": [\n{_entries(features)}\n  ],\n{of_detections}'
        f'  "files": {{\n{hashes}\n  }}\n}}\n'
    )
    return CrfModel(name, tuple(sorted({**files, FEATURES_FILE: description.encode()}.items())), is_kept)


def _entries(features: Sequence[FeatureSettings]) -> str:
    return ",\n".join(f"    {json.dumps(entry.model_dump(mode='json', exclude_none=True))}" for entry in features)


def replace_model_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put a model's files in the place of a folder; an interruption leaves the old model or the new one, never a mix.

    Between two renames the old one exists only as FOLDER.old; after an interruption there the next call restores it
    first. Raises ConfigurationError if the folder holds a file that is not a model's.
    """
    fresh, old = folder.with_name(f"{folder.name}.new"), folder.with_name(f"{folder.name}.old")
    if old.exists() and not folder.exists():
        old.rename(folder)
    foreign = [path.name for path in folder.glob("*") if path.name not in {*_LOADED, CARD_FILE, *files}]
    if foreign:
        raise ConfigurationError(f"{folder}: holds {len(foreign)} files that are no model's; name another folder")
    for rest in (fresh, old):
        shutil.rmtree(rest, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name, data in files.items():
        (fresh / name).write_bytes(data)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def load_model(name: str) -> CrfModel:
    """Return the model of that name in the package, or in the folder of that path if it contains a slash.

    Raises ConfigurationError, with the names of the models that exist, if there is no such model.
    """
    folder = model_folder(name, FEATURES_FILE)
    try:
        return CrfModel(
            name, tuple((file, (folder / file).read_bytes()) for file in sorted(_LOADED) if (folder / file).exists())
        )
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: cannot be read: {error.strerror}") from None
