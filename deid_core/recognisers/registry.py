"""Which recognisers there are: those of the project, and those that other packages register.

A recogniser's class has `kind`, its name in pipelines, and `Settings`, a subclass of RecogniserSettings. It is built
from its settings and from Resources. Another package makes its recognisers known by `register_recogniser`, or by an
entry point of the group "deid.recognisers" whose name is the kind and whose object is the class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, cast

from pydantic import create_model

from deid_core.core.errors import ConfigurationError
from deid_core.recognisers import settings as s
from deid_core.recognisers.address.recogniser import AddressRecogniser
from deid_core.recognisers.base import Recogniser, RecogniserSettings, Resources
from deid_core.recognisers.gazetteer import GazetteerRecogniser
from deid_core.recognisers.institution.recogniser import InstitutionRecogniser
from deid_core.recognisers.letterhead import LetterheadRecogniser
from deid_core.recognisers.pattern.recogniser import PatternRecogniser
from deid_core.recognisers.person_context.recogniser import PersonContextRecogniser
from deid_core.recognisers.profession.recogniser import ProfessionRecogniser
from deid_core.recognisers.suffix import SuffixRecogniser

ENTRY_POINTS = "deid.recognisers"


@dataclass(frozen=True, slots=True)
class _Kind:
    """How recognisers of one kind are configured and built. plugin: the class, if another package registered it."""

    settings: type[RecogniserSettings]
    build: Callable[[Any, Resources], Recogniser]
    plugin: type | None = None


def _build_crf(settings: s.CrfSettings, resources: Resources) -> Recogniser:
    if resources.crf is None:
        raise ConfigurationError("recogniser crf was given no model")
    # Only here: pipelines without a CRF do not load numba.
    from deid_core.recognisers.crf import CrfRecogniser

    return CrfRecogniser(settings, resources.crf, resources.vocabulary)


_KINDS: dict[str, _Kind] = {
    "pattern": _Kind(s.PatternSettings, lambda c, r: PatternRecogniser(c, r.vocabulary)),
    "gazetteer": _Kind(s.GazetteerRecogniserSettings, lambda c, r: GazetteerRecogniser(c, r.gazetteer, r.vocabulary)),
    "suffix": _Kind(s.SuffixSettings, lambda c, r: SuffixRecogniser(c, r.gazetteer, r.vocabulary)),
    "header": _Kind(s.LetterheadSettings, lambda c, r: LetterheadRecogniser(c, r.gazetteer, r.vocabulary)),
    "context": _Kind(s.PersonContextSettings, lambda c, r: PersonContextRecogniser(r.gazetteer, r.vocabulary)),
    "institution": _Kind(s.InstitutionSettings, lambda c, r: InstitutionRecogniser(r.gazetteer, r.vocabulary)),
    "address": _Kind(s.AddressSettings, lambda c, r: AddressRecogniser(r.gazetteer, r.vocabulary)),
    "profession": _Kind(s.ProfessionSettings, lambda c, r: ProfessionRecogniser(r.gazetteer, r.vocabulary)),
    "crf": _Kind(s.CrfSettings, _build_crf),
}


def register_recogniser(recogniser: type) -> type:
    """Make a recogniser's class known under its `kind`; return it, so that this serves as a decorator.

    Raises ValueError if the class lacks `kind` or `Settings`, or if another class has the kind.
    """
    kind, settings = getattr(recogniser, "kind", None), getattr(recogniser, "Settings", None)
    if not isinstance(kind, str) or not (isinstance(settings, type) and issubclass(settings, RecogniserSettings)):
        name = recogniser.__name__
        raise ValueError(f"{name} needs `kind`, a string, and `Settings`, a subclass of RecogniserSettings")
    known = _KINDS.get(kind)
    if known is not None and known.plugin is not recogniser:
        raise ValueError(f"there is a recogniser of the kind {kind!r} already")
    of_kind = create_model(settings.__name__, __base__=settings, kind=(cast(Any, Literal)[kind], ...))
    _KINDS[kind] = _Kind(of_kind, recogniser, recogniser)
    return recogniser


def settings_types(kinds: Iterable[str] = ()) -> dict[str, type[RecogniserSettings]]:
    """Return the settings class of every recogniser by its kind.

    kinds: those that a pipeline names; what is not known is looked for among the entry points of installed packages.
    Raises ConfigurationError naming the entry point if its package cannot be used.
    """
    for kind in kinds:
        if kind not in _KINDS:
            for entry_point in entry_points(group=ENTRY_POINTS, name=kind):
                _load(entry_point)
    return {kind: known.settings for kind, known in _KINDS.items()}


def plugin_of(kind: str) -> type | None:
    """Return the class of a recogniser that another package registered, None for the project's own."""
    return _KINDS[kind].plugin


def build_recognisers(configured: Iterable[RecogniserSettings], resources: Resources) -> list[Recogniser]:
    """Build recognisers in the order of their settings.

    Raises ConfigurationError if settings name a group, list or label that does not exist, or the model is missing.
    """
    return [_KINDS[settings.kind].build(settings, resources) for settings in configured]


def _load(entry_point: EntryPoint) -> None:
    try:
        register_recogniser(entry_point.load())
    except Exception as error:
        where = f"entry point {entry_point.name} = {entry_point.value} of the group {ENTRY_POINTS}"
        raise ConfigurationError(f"{where}: cannot be used: {type(error).__name__}: {error}") from None
