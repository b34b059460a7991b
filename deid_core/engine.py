"""The engine: one note in, its spans and redacted text out. The same code for Spark, the command line and the library.

An engine belongs to one process and is not thread-safe: its tables by word type grow as it reads.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from time import monotonic

from deid_core import __version__
from deid_core.config import EngineSettings, PipelineSettings
from deid_core.decide.resolve import Resolver
from deid_core.errors import NoteError, Reason
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.note import Note
from deid_core.recognise import build_recognisers
from deid_core.recognise.base import Document, Recogniser
from deid_core.redact.placeholder import Redacted, redact
from deid_core.spans import Detection, Span
from deid_core.tokens import Vocabulary


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

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over configuration, lists and code version: what was made with another is remade."""
        digest = hashlib.sha256()
        for part in (__version__, self.pipeline.model_dump_json(), self.gazetteer.digest):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:16]

    def to_bytes(self) -> bytes:
        """A zip of the settings as JSON and the compiled lists; `from_bytes` reads it."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("pipeline.json", self.pipeline.model_dump_json())
            archive.writestr("settings.json", self.settings.model_dump_json())
            archive.writestr("gazetteer", self.gazetteer.to_bytes())
        return buffer.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> EngineSpec:
        """The spec of `to_bytes`."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return EngineSpec(
                PipelineSettings.model_validate(json.loads(archive.read("pipeline.json"))),
                EngineSettings.model_validate(json.loads(archive.read("settings.json"))),
                Gazetteer.from_bytes(archive.read("gazetteer")),
            )


class Engine:
    """Runs a pipeline's recognisers over notes, decides and redacts."""

    def __init__(self, spec: EngineSpec) -> None:
        self.spec = spec
        self._resolver = Resolver(spec.pipeline.order, naming=spec.pipeline.naming, merge=spec.pipeline.merge_names)
        self._start_anew()

    def _start_anew(self) -> None:
        self._vocabulary = Vocabulary()
        self._recognisers: list[Recogniser] = build_recognisers(
            self.spec.pipeline, self.spec.gazetteer, self._vocabulary
        )

    def document(self, note: Note) -> Document:
        """The note cut into tokens."""
        if len(self._vocabulary) > self.spec.settings.max_word_types:
            self._start_anew()
        return Document(note, self._vocabulary.tokenise(note.text), self._vocabulary)

    def annotate(self, note: Note) -> tuple[Span, ...]:
        """The spans of a note, ascending and disjoint.

        Raises NoteError if a recogniser fails or the note takes longer than its limit.
        """
        return self._annotate(self.document(note))

    def deidentify(self, note: Note) -> Deidentified:
        """The note's redacted text with its spans.

        Raises NoteError if a recogniser fails or the note takes longer than its limit.
        """
        document = self.document(note)
        spans = self._annotate(document)
        redacted: Redacted = redact(note.text, spans, unlabelled=self.spec.pipeline.unlabelled_placeholder)
        return Deidentified(note.note_id, note.year, redacted.text, spans, redacted.outputs, len(document.tokens))

    def _annotate(self, document: Document) -> tuple[Span, ...]:
        deadline = monotonic() + self.spec.settings.note_time_limit_s
        detections: list[Detection] = []
        for recogniser in self._recognisers:
            try:
                detections += recogniser.recognise(document)
            except TimeoutError:
                raise NoteError(Reason.ENGINE_TIMEOUT, recogniser.kind) from None
            if monotonic() > deadline:
                raise NoteError(Reason.ENGINE_TIMEOUT, recogniser.kind)
        return self._resolver.resolve(document.text, detections)
