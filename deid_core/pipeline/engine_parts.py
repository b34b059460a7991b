"""The parts of an engine whose tables grow with the word types that it reads."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from deid_core.ensemble.boundary_trimming import BoundaryTrimmer
from deid_core.ensemble.foreign_passages import ForeignPassages
from deid_core.ensemble.own_lists import OwnLists
from deid_core.ensemble.propagation import Propagation
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.sweep import Sweep
from deid_core.recognisers.base import Recogniser, Resources
from deid_core.recognisers.registry import build_recognisers
from deid_core.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from deid_core.ensemble.stacking.stacking_model import StackingModel
    from deid_core.ensemble.subtype.classifier import SubtypeClassifier


class EngineParts:
    """The parts of an engine that have tables of word types, and the vocabulary that numbers these."""

    def __init__(self, spec: EngineSpec) -> None:
        pipeline, models, gazetteer, vocabulary = spec.pipeline, spec.compiled, spec.gazetteer, Vocabulary()
        self.vocabulary = vocabulary
        self.recognisers: list[Recogniser] = build_recognisers(
            pipeline.recognisers, Resources(gazetteer, vocabulary, models.crf)
        )
        self.propagation = Propagation(pipeline.propagation, gazetteer, vocabulary) if pipeline.propagation else None
        self.stacking: StackingModel | None = None
        if pipeline.stacking and models.stacking:
            # Imported here: a pipeline without models does not load numba before it tokenises.
            from deid_core.ensemble.stacking.stacking_model import StackingModel

            self.stacking = StackingModel(pipeline.stacking, *models.stacking, gazetteer, vocabulary)
        self.boundary_trimmer = (
            BoundaryTrimmer(pipeline.boundary_trimming, gazetteer, vocabulary) if pipeline.boundary_trimming else None
        )
        self.foreign_passages = ForeignPassages(gazetteer, vocabulary) if pipeline.foreign_passages else None
        kept_words = gazetteer.words(ListKind.KEPT_WORD)
        self.own_lists = (
            OwnLists(pipeline.lists, kept_words, vocabulary)
            if kept_words or pipeline.lists.never or pipeline.lists.always
            else None
        )
        self._spec = spec
        self.subtypes: SubtypeClassifier | None = None
        if spec.subtypes is not None:
            from deid_core.ensemble.subtype.classifier import SubtypeClassifier

            self.subtypes = SubtypeClassifier(spec.subtypes, vocabulary)

    @cached_property
    def sweep(self) -> Sweep:
        """The sweep, made when a note first needs it: with `sweep: false` one whose people are known from elsewhere."""
        pipeline = self._spec.pipeline
        return Sweep(self._spec.gazetteer, self.vocabulary, pipeline.kinds, pipeline.keep, pipeline.lists.never)

    def are_full(self, limits: EngineSettings) -> bool:
        """Whether there are so many word types that the tables have to start anew."""
        feature_sets = self.stacking.feature_sets if self.stacking else 0
        return (
            max(len(self.vocabulary), feature_sets) > limits.max_word_types
            or self.vocabulary.characters > limits.max_word_type_chars
        )
