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
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from deid_core.config import EngineSettings, PipelineSettings, Settings
from deid_core.decide import whole_note
from deid_core.decide.edges import Edges
from deid_core.decide.resolve import Resolver
from deid_core.decide.whole_note import WholeNote
from deid_core.errors import ConfigurationError, NoteError, Reason, place_of
from deid_core.finer_type.model import FinerTypeModel, load_finer_types
from deid_core.gazetteer import load_gazetteer
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.note import Note
from deid_core.recognise import build_recognisers
from deid_core.recognise.base import Document, Recogniser
from deid_core.redact.placeholder import Redacted, redact
from deid_core.sequence.model import CrfModel, load_model
from deid_core.spans import Detection, Span, check_ranges
from deid_core.tokens import Vocabulary
from deid_core.wrapped import unwrapped

if TYPE_CHECKING:
    from deid_core.decide.learned import LearnedDecision
    from deid_core.finer_type.decide import FinerTypes
    from deid_core.sequence.compiled import CompiledCrf

_Made = TypeVar("_Made")

_DEPENDED_ON = ("numba", "numpy", "rapidfuzz", "regex")
"""Packages whose version can change what is found."""
_WARM_UP = "Herr Muster kam. " * 50
"""Long enough for what only long notes load."""
_NO_RESULT = frozenset({"cli", "corpora", "evaluate", "reading", "synthetic", "training"})
"""Folders whose code does not bear on what the engine makes of a note."""


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
    decision: CrfModel | None = None
    """Of the learned decision, if the pipeline has it; its knowledge of words is that of `model`."""
    finer_types: FinerTypeModel | None = None
    """Of the finer types, if the pipeline gives them."""

    def __post_init__(self) -> None:
        """Raises ConfigurationError if the pipeline names a model and has none: nothing is left out in silence."""
        lacking = [
            f"pipeline {self.pipeline.name}: {part} has no model"
            for part, named, model in (
                ("recogniser crf", self.pipeline.crf, self.model),
                ("decision", self.pipeline.decision, self.decision),
                ("finer_types", self.pipeline.finer_types, self.finer_types),
                ("decision (it has the knowledge of words of recogniser crf)", self.pipeline.decision, self.model),
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
        decision = load_model(pipeline.decision.model) if pipeline.decision else None
        finer_types = load_finer_types(pipeline.finer_types) if pipeline.finer_types else None
        spec = EngineSpec(pipeline, settings, gazetteer, model, decision, finer_types)
        if model is not None or finer_types is not None:
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
        models = [model.digest for model in (self.model, self.decision, self.finer_types) if model]
        for part in (code_digest(), self.pipeline.model_dump_json(), self.gazetteer.digest, *models):
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
            if self.decision is not None:
                archive.writestr(zipfile.ZipInfo("decision"), self.decision.to_bytes())
            if self.finer_types is not None:
                archive.writestr(zipfile.ZipInfo("finer_types"), self.finer_types.data)
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> EngineSpec:
        """The spec of `to_bytes`."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            pipeline = PipelineSettings.model_validate(json.loads(archive.read("pipeline.json")))
            crf, decision, finer_types = pipeline.crf, pipeline.decision, pipeline.finer_types
            return EngineSpec(
                pipeline,
                EngineSettings.model_validate(json.loads(archive.read("settings.json"))),
                Gazetteer.from_bytes(archive.read("gazetteer")),
                CrfModel.from_bytes(crf.model, archive.read("model")) if crf else None,
                CrfModel.from_bytes(decision.model, archive.read("decision")) if decision else None,
                FinerTypeModel(finer_types, archive.read("finer_types")) if finer_types else None,
            )


class Engine:
    """Runs a pipeline's recognisers over notes, decides and redacts."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self._resolver = Resolver(spec.pipeline.order, naming=spec.pipeline.naming, merge=spec.pipeline.merge_names)
        self._crf, self._weights = _compiled(spec.model, spec.decision, spec.gazetteer)
        self._start_anew()

    def _start_anew(self) -> None:
        """Makes all parts for an empty vocabulary; until all are made the engine reads no note."""
        self._is_whole = False
        vocabulary, pipeline, gazetteer = Vocabulary(), self.spec.pipeline, self.spec.gazetteer
        self._vocabulary = vocabulary
        self._recognisers: list[Recogniser] = build_recognisers(pipeline, gazetteer, vocabulary, self._crf)
        self._whole_note = WholeNote(gazetteer, vocabulary) if pipeline.whole_note else None
        self._decision: LearnedDecision | None = None
        if pipeline.decision and self._weights:
            # Only here: pipelines without a model load no numba before they tokenise.
            from deid_core.decide.learned import LearnedDecision

            self._decision = LearnedDecision(pipeline.decision, *self._weights, vocabulary)
        self._edges = Edges(gazetteer, vocabulary) if pipeline.edges else None
        self._finer_types: FinerTypes | None = None
        if self.spec.finer_types is not None:
            from deid_core.finer_type.decide import FinerTypes

            self._finer_types = FinerTypes(self.spec.finer_types, vocabulary)
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
        evidence_types = self._decision.evidence_types if self._decision else 0
        if (
            not self._is_whole
            or max(len(self._vocabulary), evidence_types) > limits.max_word_types
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
            repeat = partial(self._whole_note.repeat, document, detections)
            detections += self._guarded(whole_note.KIND, partial(_checked, repeat), deadline)
        return detections

    def _annotate(self, document: Document, deadline: float) -> tuple[Span, ...]:
        entities: list[Detection] = []
        detections = self._detections(document, deadline)
        if self._decision is not None:
            decide = partial(self._decision.decide, document, detections)
            entities, detections = self._guarded("decision", decide, deadline)
        resolve = partial(self._resolver.resolve, document.text, detections, entities)
        spans: tuple[Span, ...] = self._guarded("resolve", resolve, deadline)
        if self._edges is not None:
            spans = self._guarded("edges", partial(self._edges.cut, document, spans), deadline)
        if self._finer_types is not None:
            spans = self._guarded("finer_types", partial(self._finer_types.decide, document, spans), deadline)
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
    model: CrfModel | None, decision: CrfModel | None, gazetteer: Gazetteer
) -> tuple[CompiledCrf | None, tuple[CompiledCrf, CompiledCrf] | None]:
    """The models ready for tagging; kept for the last ones, since a command checks a spec and then makes its engine."""
    crf = model.compiled(gazetteer) if model else None
    weights = decision.with_lexicon_of(model).compiled_with_evidence(gazetteer) if decision and model else None
    return crf, weights


def _checked(step: Callable[[], Iterable[Detection]]) -> list[Detection]:
    """What the step finds; raises ValueError if one of it is no range with text."""
    found = list(step())
    check_ranges(found)
    return found


@cache
def code_digest() -> str:
    """SHA-256 over the package's source and the versions of what its results depend on, hexadecimal."""
    versions = " ".join(f"{name} {version(name)}" for name in _DEPENDED_ON)
    digest = hashlib.sha256(f"{versions} {unicodedata.unidata_version}".encode())
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if relative.parts[0] not in _NO_RESULT:
            digest.update(relative.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
