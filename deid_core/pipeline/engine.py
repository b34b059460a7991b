"""The engine: one note in, its spans and redacted text out. The same code for Spark, the command line and the library.

An engine belongs to one process and is not thread-safe: its tables by word type grow as it reads.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import unicodedata
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from deid_core.core.code_fingerprint import code_fingerprint
from deid_core.core.errors import ConfigurationError, NoteError, Reason, place_of
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Span, check_ranges
from deid_core.core.word_lists import word_lists_digest
from deid_core.crf.model import CrfModel, load_model
from deid_core.ensemble import propagation as whole_note
from deid_core.ensemble.boundary_trimming import BoundaryTrimmer
from deid_core.ensemble.propagation import NamePropagation
from deid_core.ensemble.resolve import Resolver
from deid_core.ensemble.subtype.model import SubtypeModel, load_subtype_model
from deid_core.lexicon.gazetteer import load_gazetteer
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.pipeline.config import EngineSettings, PipelineSettings, parse_pipeline
from deid_core.policies.placeholder import Redacted, redact
from deid_core.recognisers.base import Recogniser, Resources
from deid_core.recognisers.registry import build_recognisers
from deid_core.text.document import Document
from deid_core.text.unwrap import unwrapped
from deid_core.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from deid_core.crf.inference_model import InferenceModel
    from deid_core.ensemble.stacking.stacking_model import StackingModel
    from deid_core.ensemble.subtype.classifier import SubtypeClassifier
    from deid_core.pipeline.settings import Settings

_Made = TypeVar("_Made")

_DEPENDED_ON = ("numba", "numpy", "regex")
"""Packages whose version can change what is found."""
_WARM_UP = "Herr Muster kam. " * 50
"""Long enough for what only long notes load."""


@dataclass(frozen=True, slots=True)
class Deidentified:
    """What the engine makes of a note; `tokens` counts the tokens of the text before redaction."""

    note_id: str
    year: int | None
    text: str
    spans: tuple[Span, ...]
    outputs: tuple[tuple[int, int], ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """All that an engine is made from; small enough to broadcast, the same bytes on every worker."""

    pipeline: PipelineSettings
    settings: EngineSettings
    gazetteer: Gazetteer
    model: CrfModel | None = None
    """Of recogniser `crf`, if the pipeline has it."""
    stacking: CrfModel | None = None
    """Of the learned decision, if the pipeline has it; its knowledge of words is that of `model`."""
    subtypes: SubtypeModel | None = None
    """Of the finer types, if the pipeline gives them."""

    def __post_init__(self) -> None:
        """Raises ConfigurationError if the pipeline names a model and has none: nothing is left out in silence."""
        lacking = [
            f"pipeline {self.pipeline.name}: {part} has no model"
            for part, named, model in (
                ("recogniser crf", self.pipeline.crf, self.model),
                ("decision", self.pipeline.stacking, self.stacking),
                ("subtypes", self.pipeline.subtypes, self.subtypes),
                ("decision (it has the knowledge of words of recogniser crf)", self.pipeline.stacking, self.model),
            )
            if named is not None and model is None
        ]
        if lacking:
            raise ConfigurationError(lacking)

    @staticmethod
    def load(pipeline: PipelineSettings, settings: Settings) -> EngineSpec:
        """The spec of a pipeline with the lists that the settings name and the model that the pipeline names.

        Raises ConfigurationError if a list or a model is missing, damaged, or does not fit: before any note is read.
        """
        return EngineSpec.of(pipeline, settings.engine, load_gazetteer(settings.gazetteers))

    @staticmethod
    def of(pipeline: PipelineSettings, settings: EngineSettings, gazetteer: Gazetteer) -> EngineSpec:
        """The spec of a pipeline with these lists and the model that the pipeline names.

        Raises ConfigurationError if the model is missing, damaged, or does not fit the pipeline.
        """
        model = load_model(pipeline.crf.model) if pipeline.crf else None
        stacking = load_model(pipeline.stacking.model) if pipeline.stacking else None
        subtypes = load_subtype_model(pipeline.subtypes) if pipeline.subtypes else None
        spec = EngineSpec(pipeline, settings, gazetteer, model, stacking, subtypes)
        if model is not None or subtypes is not None:
            # What a pipeline with a model may lack comes up here, not on the workers: files, labels, numba.
            try:
                Engine(spec).warm_up()
            except NoteError as error:
                raise ConfigurationError(f"pipeline {pipeline.name} cannot run: {error}") from None
        return spec

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over configuration, lists, model and code: what was made with another is remade."""
        digest = hashlib.sha256()
        models = [model.digest for model in (self.model, self.stacking, self.subtypes) if model]
        for part in (
            code_digest(),
            word_lists_digest(),
            self.pipeline.model_dump_json(),
            self.gazetteer.digest,
            *models,
        ):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:16]

    def to_bytes(self) -> bytes:
        """A zip of the settings as JSON, the compiled lists and the model; `from_bytes` reads it."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            # ZipInfo's date is fixed: the same spec gives the same bytes, and workers keep the engine they have.
            archive.writestr(zipfile.ZipInfo("pipeline.json"), self.pipeline.model_dump_json())
            archive.writestr(zipfile.ZipInfo("settings.json"), self.settings.model_dump_json())
            archive.writestr(zipfile.ZipInfo("gazetteer"), self.gazetteer.to_bytes())
            if self.model is not None:
                archive.writestr(zipfile.ZipInfo("model"), self.model.to_bytes())
            if self.stacking is not None:
                archive.writestr(zipfile.ZipInfo("stacking"), self.stacking.to_bytes())
            if self.subtypes is not None:
                archive.writestr(zipfile.ZipInfo("subtypes"), self.subtypes.data)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> EngineSpec:
        """The spec of `to_bytes`."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            pipeline = parse_pipeline(json.loads(archive.read("pipeline.json")))
            crf, stacking, subtypes = pipeline.crf, pipeline.stacking, pipeline.subtypes
            return EngineSpec(
                pipeline,
                EngineSettings.model_validate(json.loads(archive.read("settings.json"))),
                Gazetteer.from_bytes(archive.read("gazetteer")),
                CrfModel.from_bytes(crf.model, archive.read("model")) if crf else None,
                CrfModel.from_bytes(stacking.model, archive.read("stacking")) if stacking else None,
                SubtypeModel(subtypes, archive.read("subtypes")) if subtypes else None,
            )


class Engine:
    """Runs a pipeline's recognisers over notes, decides and redacts."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self._resolver = Resolver(spec.pipeline.order, naming=spec.pipeline.naming, merge=spec.pipeline.merge_names)
        self._crf, self._weights = _compiled(spec.model, spec.stacking, spec.gazetteer)
        self._start_anew()

    def _start_anew(self) -> None:
        """Makes all parts for an empty vocabulary; until all are made the engine reads no note."""
        self._is_whole = False
        vocabulary, pipeline, gazetteer = Vocabulary(), self.spec.pipeline, self.spec.gazetteer
        self._vocabulary = vocabulary
        self._recognisers: list[Recogniser] = build_recognisers(
            pipeline.recognisers, Resources(gazetteer, vocabulary, self._crf)
        )
        self._whole_note = NamePropagation(pipeline.whole_note, gazetteer, vocabulary) if pipeline.whole_note else None
        self._stacking: StackingModel | None = None
        if pipeline.stacking and self._weights:
            # Only here: pipelines without a model load no numba before they tokenise.
            from deid_core.ensemble.stacking.stacking_model import StackingModel

            self._stacking = StackingModel(pipeline.stacking, *self._weights, vocabulary)
        self._boundary_trimmer = (
            BoundaryTrimmer(pipeline.boundary_trimming, gazetteer, vocabulary) if pipeline.boundary_trimming else None
        )
        self._subtypes: SubtypeClassifier | None = None
        if self.spec.subtypes is not None:
            from deid_core.ensemble.subtype.classifier import SubtypeClassifier

            self._subtypes = SubtypeClassifier(self.spec.subtypes, vocabulary)
        self._is_whole = True

    def warm_up(self) -> None:
        """Loads and compiles what the first note would have to wait for, which its time limit is not meant for.

        Raises NoteError if a step fails.
        """
        note = Note("", _WARM_UP)
        self._annotate(self._guarded("tokenise", partial(self.document, note), math.inf), math.inf)

    def document(self, note: Note) -> Document:
        """The note as it is read: cut into tokens, and, if the pipeline says so, without line ends that only a width
        forced; to be used before the next one, since the word types may be numbered anew.
        """
        self._make_room()
        if self.spec.pipeline.unwrap:
            note = unwrapped(note)
        return Document(note, self._vocabulary.tokenise(note.text), self._vocabulary)

    def learn(self, texts: Iterable[str]) -> None:
        """Numbers the words of texts that come next, which makes these quicker and changes no result.

        What depends on a word alone is computed for all words that are new, and costs half as much a word for hundreds
        of them as for the few of one note. The first note that is read afterwards waits for that within its time
        limit, so it should not be more than some dozens of notes.
        Raises NoteError if there is no memory for them.
        """
        for text in texts:
            self._guarded("tokenise", partial(self._learn, text), math.inf)

    def _learn(self, text: str) -> None:
        self._make_room()
        self._vocabulary.tokenise(text)

    def _make_room(self) -> None:
        """Starts anew if there are too many word types, or if a failure left tables that are half grown."""
        limits = self.spec.settings
        feature_sets = self._stacking.feature_sets if self._stacking else 0
        if (
            not self._is_whole
            or max(len(self._vocabulary), feature_sets) > limits.max_word_types
            or self._vocabulary.characters > limits.max_word_type_chars
        ):
            self._start_anew()

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """The spans of a note, ascending and disjoint.

        Raises NoteError if a step fails or the note takes longer than its limit.
        """
        deadline = self._deadline()
        return self._annotate(self._guarded("tokenise", partial(self.document, note), deadline), deadline)

    def deidentify(self, note: Note) -> Deidentified:
        """The note's redacted text with its spans.

        Raises NoteError if a step fails or the note takes longer than its limit.
        """
        deadline = self._deadline()
        document = self._guarded("tokenise", partial(self.document, note), deadline)
        spans = self._annotate(document, deadline)
        rewrite = partial(redact, note.text, spans, unlabelled=self.spec.pipeline.unlabelled_placeholder)
        redacted: Redacted = self._guarded("redact", rewrite, deadline)
        return Deidentified(note.note_id, note.year, redacted.text, spans, redacted.outputs, len(document.tokens))

    def detections(self, document: Document) -> list[Detection]:
        """All that the recognisers find, and what follows from it elsewhere in the note.

        Raises NoteError if a step fails or the note takes longer than its limit, and ValueError if the
        engine has numbered its word types anew since the document was made.
        """
        return self._detections(document, self._deadline())

    def spans(self, document: Document) -> tuple[Span, ...]:
        """The spans of a note that is cut into tokens already. Raises as `detections` does."""
        return self._annotate(document, self._deadline())

    def _deadline(self) -> float:
        """When a note that is begun now has to be done, on the monotonic clock."""
        return monotonic() + self.spec.settings.note_time_limit_s

    def _detections(self, document: Document, deadline: float) -> list[Detection]:
        if document.vocabulary is not self._vocabulary or not self._is_whole:
            raise ValueError("the document is of a vocabulary that the engine has given up")
        detections: list[Detection] = []
        for recogniser in self._recognisers:
            recognise = partial(recogniser.recognise, document)
            detections += self._guarded(recogniser.kind, partial(_checked, recognise), deadline)
        if self._whole_note is not None:
            repeat = partial(self._whole_note.propagate, document, detections)
            detections += self._guarded(whole_note.KIND, partial(_checked, repeat), deadline)
        return detections

    def _annotate(self, document: Document, deadline: float) -> tuple[Span, ...]:
        entities: list[Detection] = []
        detections = self._detections(document, deadline)
        if self._stacking is not None:
            decide = partial(self._stacking.decide, document, detections)
            entities, detections, _ = self._guarded("decision", decide, deadline)
        resolve = partial(self._resolver.resolve, document.text, detections, entities)
        spans: tuple[Span, ...] = self._guarded("resolve", resolve, deadline)
        if self._boundary_trimmer is not None:
            spans, _ = self._guarded("edges", partial(self._boundary_trimmer.trim, document, spans), deadline)
        if self._subtypes is not None:
            spans = self._guarded("subtypes", partial(self._subtypes.decide, document, spans), deadline)
        return spans

    def _guarded(self, kind: str, step: Callable[[], _Made], deadline: float) -> _Made:
        """What the step makes; raises NoteError for whatever goes wrong, since a rule that is skipped would leak."""
        try:
            made = step()
        except NoteError:
            raise
        except TimeoutError:
            raise NoteError(Reason.ENGINE_TIMEOUT, kind) from None
        except Exception as error:
            # Tables of word types may have grown by half (out of memory): the next note must not read them. If there is
            # no memory for new ones either, that note tries again.
            self._is_whole = False
            with suppress(Exception):
                self._start_anew()
            raise NoteError(Reason.INTERNAL, f"{kind}: {place_of(error)}") from None
        if monotonic() > deadline:
            raise NoteError(Reason.ENGINE_TIMEOUT, kind)
        return made


@lru_cache(1)
def _compiled(
    model: CrfModel | None, stacking: CrfModel | None, gazetteer: Gazetteer
) -> tuple[InferenceModel | None, tuple[InferenceModel, InferenceModel] | None]:
    """The models ready for tagging; kept for the last ones, since a command checks a spec and then makes its engine."""
    crf = model.compiled(gazetteer) if model else None
    weights = stacking.with_lexicon_of(model).compiled_with_evidence(gazetteer) if stacking and model else None
    return crf, weights


def _checked(step: Callable[[], Iterable[Detection]]) -> list[Detection]:
    """What the step finds; raises ValueError if one of it is no range with text."""
    found = list(step())
    check_ranges(found)
    return found


@cache
def code_digest() -> str:
    """A fingerprint of the engine's code and of the versions of what its results depend on, hexadecimal."""
    versions = " ".join(f"{name} {version(name)}" for name in _DEPENDED_ON)
    code = code_fingerprint("deid_core.pipeline.engine")
    return hashlib.sha256(f"{versions} {unicodedata.unidata_version} {code}".encode()).hexdigest()
