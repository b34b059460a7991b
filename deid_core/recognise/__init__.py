"""Recognisers, one a file: each proposes detections for a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deid_core.config import (
    AddressSettings,
    ContextSettings,
    CrfSettings,
    GazetteerRecogniserSettings,
    HeaderSettings,
    InstitutionSettings,
    PatternSettings,
    PipelineSettings,
    ProfessionSettings,
    SuffixSettings,
)
from deid_core.errors import ConfigurationError
from deid_core.gazetteer.compiled import Gazetteer
from deid_core.recognise.address import AddressRecogniser
from deid_core.recognise.base import Recogniser
from deid_core.recognise.context import ContextRecogniser
from deid_core.recognise.gazetteer import GazetteerRecogniser
from deid_core.recognise.header import HeaderRecogniser
from deid_core.recognise.institution import InstitutionRecogniser
from deid_core.recognise.pattern import PatternRecogniser
from deid_core.recognise.profession import ProfessionRecogniser
from deid_core.recognise.suffix import SuffixRecogniser
from deid_core.tokens import Vocabulary

if TYPE_CHECKING:
    from deid_core.sequence.compiled import CompiledCrf


def build_recognisers(
    pipeline: PipelineSettings, gazetteer: Gazetteer, vocabulary: Vocabulary, crf: CompiledCrf | None = None
) -> list[Recogniser]:
    """The pipeline's recognisers, in its order, ready for documents of this vocabulary.

    crf: the model of recogniser `crf`, compiled once an engine, since it depends on no vocabulary.
    Raises ConfigurationError if a recogniser's settings name a group, list or label that does not exist, or the model
    is missing.
    """
    built: list[Recogniser] = []
    for settings in pipeline.recognisers:
        match settings:
            case PatternSettings():
                built.append(PatternRecogniser(settings, vocabulary))
            case GazetteerRecogniserSettings():
                built.append(GazetteerRecogniser(settings, gazetteer, vocabulary))
            case SuffixSettings():
                built.append(SuffixRecogniser(settings, gazetteer, vocabulary))
            case HeaderSettings():
                built.append(HeaderRecogniser(settings, gazetteer, vocabulary))
            case ContextSettings():
                built.append(ContextRecogniser(gazetteer, vocabulary))
            case InstitutionSettings():
                built.append(InstitutionRecogniser(gazetteer, vocabulary))
            case AddressSettings():
                built.append(AddressRecogniser(gazetteer, vocabulary))
            case ProfessionSettings():
                built.append(ProfessionRecogniser(gazetteer, vocabulary))
            case CrfSettings():
                if crf is None:
                    raise ConfigurationError(f"pipeline {pipeline.name}: recogniser crf was given no model")
                # Only here: pipelines without a CRF do not load numba.
                from deid_core.recognise.crf import CrfRecogniser

                built.append(CrfRecogniser(settings, crf, vocabulary))
    return built
