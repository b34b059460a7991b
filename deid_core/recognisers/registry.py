"""The recognisers by kind: those of the project, and those that other packages register.

A recogniser of another package is a class with

    kind: str                                       its name in pipelines and in spans
    Settings: type[RecogniserSettings]              what a pipeline's YAML may set
    __init__(self, settings: Settings, resources: Resources)
    recognise(self, document: Document) -> Iterable[Detection]

It becomes known by the decorator `register_recogniser`, or by an entry point of the group "deid.recognisers" whose
name is the kind and whose object is the class. Workers of a cluster import only what pipelines name, so there it needs
the entry point. Detections bear the recogniser's kind. A pipeline's `order` may leave the kind out; then its detections
come before all others but authors and the pipeline's own lists. The stacking model never drops detections of
`custom`, or of a kind from another package, that it was not trained with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points, packages_distributions, version
from typing import Any, Literal, TypeVar, cast

from pydantic import create_model

from deid_core.core.errors import ConfigurationError, DeidError
from deid_core.recognisers import settings as s
from deid_core.recognisers.base import Recogniser, RecogniserSettings, Resources
from deid_core.recognisers.custom import CustomRecogniser
from deid_core.recognisers.gazetteer import GazetteerRecogniser
from deid_core.recognisers.institution.recogniser import InstitutionRecogniser
from deid_core.recognisers.letterhead import LetterheadRecogniser
from deid_core.recognisers.pattern.recogniser import PatternRecogniser
from deid_core.recognisers.suffix import SuffixRecogniser

ENTRY_POINTS = "deid.recognisers"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A recogniser's class that another package registered. distribution: "name version", "" if it is of none."""

    recogniser: type
    distribution: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """How recognisers of one kind are configured and built. plugin: None for the project's own."""

    settings: type[RecogniserSettings]
    build: Callable[[Any, Resources], Recogniser]
    plugin: Plugin | None = None


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
    "letterhead": _Kind(s.LetterheadSettings, lambda c, r: LetterheadRecogniser(c, r.gazetteer, r.vocabulary)),
    "institution": _Kind(s.InstitutionSettings, lambda c, r: InstitutionRecogniser(r.gazetteer, r.vocabulary)),
    "crf": _Kind(s.CrfSettings, _build_crf),
    "custom": _Kind(s.CustomSettings, lambda c, _: CustomRecogniser(c)),
}


Registered = TypeVar("Registered", bound=type)


def register_recogniser(recogniser: Registered) -> Registered:
    """Make a recogniser's class known under its `kind`; a decorator.

    A class of the same module and name takes the place of the one before it, so a notebook's cell can be run again.

    Raises TypeError naming all that the class lacks, ValueError if another class has the kind.
    """
    _register(recogniser, "")
    return recogniser


def settings_types(kinds: Iterable[str] = ()) -> dict[str, type[RecogniserSettings]]:
    """Return the settings class of every recogniser by its kind.

    kinds: those that a pipeline names; unknown ones are looked for among the entry points of installed packages.

    Raises ConfigurationError naming every entry point whose package cannot be used.
    """
    problems: list[str] = []
    for kind in kinds:
        if kind not in _KINDS:
            for entry_point in entry_points(group=ENTRY_POINTS, name=kind):
                try:
                    _load(entry_point)
                except ConfigurationError as error:
                    problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return {kind: known.settings for kind, known in _KINDS.items()}


def plugin_of(kind: str) -> Plugin | None:
    """Return the class of a recogniser that another package registered, None for the project's own."""
    known = _KINDS.get(kind)
    return known.plugin if known else None


def is_stacked_by_default(kind: str) -> bool:
    """Return whether the stacking model takes this kind's detections though its features may not name it."""
    return plugin_of(kind) is None and kind != CustomRecogniser.kind


def build_recognisers(configured: Iterable[RecogniserSettings], resources: Resources) -> list[Recogniser]:
    """Build recognisers in the order of their settings.

    Raises ConfigurationError if settings name a group, list or label that does not exist, a model is missing, or a
    plugin's constructor fails.
    """
    return [_built(settings, resources) for settings in configured]


def _built(settings: RecogniserSettings, resources: Resources) -> Recogniser:
    known = _KINDS[settings.kind]
    try:
        return known.build(settings, resources)
    except (DeidError, MemoryError):
        raise
    except Exception as error:
        if known.plugin is None:
            raise
        name = _name(known.plugin.recogniser)
        raise ConfigurationError(
            f"recogniser {settings.kind} ({name}) cannot be made: {type(error).__name__}: {error}"
        ) from None


def _register(recogniser: type, distribution: str) -> None:
    kind, settings = getattr(recogniser, "kind", None), getattr(recogniser, "Settings", None)
    lacking = []
    if not isinstance(kind, str) or not kind:
        lacking.append("`kind`, a string")
    if not (isinstance(settings, type) and issubclass(settings, RecogniserSettings)):
        lacking.append("`Settings`, a subclass of RecogniserSettings")
    if not callable(getattr(recogniser, "recognise", None)):
        lacking.append("the method `recognise`")
    if lacking or not isinstance(kind, str) or not isinstance(settings, type):
        raise TypeError(f"{_name(recogniser)} needs {', '.join(lacking)}")
    known = _KINDS.get(kind)
    if known is not None and (known.plugin is None or _name(known.plugin.recogniser) != _name(recogniser)):
        other = _name(known.plugin.recogniser) if known.plugin else "the project's own"
        raise ValueError(f"{_name(recogniser)}: there is a recogniser of the kind {kind!r} already: {other}")
    of_kind: type[RecogniserSettings] = create_model(
        settings.__name__, __base__=settings, kind=(cast(Any, Literal)[kind], ...)
    )
    _KINDS[kind] = _Kind(of_kind, recogniser, Plugin(recogniser, distribution or _distribution(recogniser)))


def _load(entry_point: EntryPoint) -> None:
    distribution = f"{entry_point.dist.name} {entry_point.dist.version}" if entry_point.dist else ""
    try:
        recogniser = entry_point.load()
        kind = getattr(recogniser, "kind", entry_point.name)
        if kind != entry_point.name:
            raise ValueError(f"the class has the kind {kind!r}, which must be the entry point's name")
        _register(recogniser, distribution)
    except Exception as error:
        where = f"entry point {entry_point.name} = {entry_point.value} of the group {ENTRY_POINTS}"
        told = " ".join(str(error).split())
        raise ConfigurationError(f"{where}: cannot be used: {type(error).__name__}: {told}") from None


def _name(recogniser: object) -> str:
    return f"{getattr(recogniser, '__module__', '?')}.{getattr(recogniser, '__qualname__', repr(recogniser))}"


def _distribution(recogniser: type) -> str:
    """Return "name version" of what installed the class's package, "" if it is not installed."""
    names = packages_distributions().get(recogniser.__module__.split(".")[0], [])
    return ", ".join(f"{name} {version(name)}" for name in sorted(set(names)))
