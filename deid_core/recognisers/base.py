"""What a recogniser is: its interface, its settings, and what it is built from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from deid_core.core.settings import FrozenSettings
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from deid_core.crf.compiled_crf import CompiledCrf


class RecogniserSettings(FrozenSettings):
    """Settings of one recogniser in a pipeline's YAML file; `kind` says which recogniser it is."""

    kind: str


@dataclass(frozen=True, slots=True)
class Resources:
    """What an engine offers its recognisers; all of them share the vocabulary and its tables.

    crf: the model of recogniser `crf`, compiled once per engine; None if the pipeline has none.
    """

    gazetteer: Gazetteer
    vocabulary: Vocabulary
    crf: CompiledCrf | None = None


class Recogniser(Protocol):
    """Proposes detections for a document; the same document gives the same detections, whatever came before.

    A recogniser that cannot finish raises NoteError: the note is quarantined, no rule is skipped in silence.
    """

    kind: str

    def recognise(self, document: Document) -> Iterable[Detection]:
        """All that this recogniser finds, in any order, overlaps allowed."""
        ...
