"""conf/policies/NAME.yaml: which operator replaces the spans of each label and type, and how surrogates are chosen.

Each label allows some operators: a date can be shifted, a name cannot. The union of the allowed ones is the field's
type, so an operator that does not fit is an error with file and line, like a misspelt setting.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Optional, Union, cast

from pydantic import BeforeValidator, Field, SerializeAsAny, create_model, model_validator

from deid_core.core.data_folders import DEFAULT_POLICY, conf_dir, policy_names
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import LABELS, TYPES, Label, PhiType, label_of
from deid_core.core.settings import FrozenSettings, Share
from deid_core.core.yaml_file import load_yaml

__all__ = ["DEFAULT_POLICY", "policy_names"]

_DAYS_OF_YEAR = 365.25


class OperatorSettings(FrozenSettings):
    """An operator: what replaces a span. The class's docstring says it unless `meaning` does."""

    operator: str
    keyed: ClassVar[bool] = False
    """Whether it draws with the policy's key."""

    @property
    def meaning(self) -> str:
        """What stands in a span's place with these settings, for `deid policies show`."""
        return type(self).__doc__ or ""


class PlaceholderSettings(OperatorSettings):
    """<LABEL>"""

    operator: Literal["placeholder"] = "placeholder"


class TypedSettings(OperatorSettings):
    """<TYPE>, as <PATIENT> or <BIRTH_DATE>"""

    operator: Literal["typed"] = "typed"


class NumberedSettings(OperatorSettings):
    """<LABEL-1>, the same number for the same name or value in the note"""

    operator: Literal["numbered"] = "numbered"


class PseudonymSettings(OperatorSettings):
    """<LABEL-7f3a09c2d1e8>, a keyed token, the same for the same name or value"""

    operator: Literal["pseudonym"] = "pseudonym"
    keyed = True
    typed: bool = False
    """Name the type: <PATIENT-7f3a09c2d1e8>. The digits do not depend on it."""

    @property
    def meaning(self) -> str:
        """The token."""
        return f"<{'TYPE' if self.typed else 'LABEL'}-7f3a09c2d1e8>, a keyed token, the same for the same name or value"


class KeepSettings(OperatorSettings):
    """kept as it is"""

    operator: Literal["keep"] = "keep"


class SurrogateSettings(OperatorSettings):
    """an invented value of the same kind and form"""

    operator: Literal["surrogate"] = "surrogate"
    keyed = True


class ShiftSettings(OperatorSettings):
    """moved by the days of the subject, written in the format found"""

    operator: Literal["shift"] = "shift"
    keyed = True
    years: Literal["keep", "shift"] = "keep"
    """A year that stands alone ("seit 1998") is kept, or moved by the nearest number of whole years."""


class GeneraliseDateSettings(OperatorSettings):
    """the year, or month and year"""

    operator: Literal["generalise"] = "generalise"
    to: Literal["year", "month"] = "year"
    top: Annotated[int, Field(ge=50, le=110)] = 90
    """A year so many or more years before the note's tells such an age; it is a placeholder."""

    @property
    def meaning(self) -> str:
        """The year, or month and year."""
        return "the year" if self.to == "year" else "month and year"


class GeneraliseAgeSettings(OperatorSettings):
    """a band of years; one band for the oldest"""

    operator: Literal["generalise"] = "generalise"
    band_years: Annotated[int, Field(ge=1, le=30)] = 5
    top: Annotated[int, Field(ge=50, le=110)] = 90
    """This age and all above are one band."""

    @property
    def meaning(self) -> str:
        """The width of the bands."""
        band = "the age in years" if self.band_years == 1 else f"a band of {self.band_years} years"
        return f"{band}; one band from {self.top} on"


class GeneralisePostcodeSettings(OperatorSettings):
    """the first digits"""

    operator: Literal["generalise"] = "generalise"
    digits: Annotated[int, Field(ge=1, le=3)] = 2
    """Of five; one less of the four of Austria and Switzerland."""


class GeneralisePlaceSettings(OperatorSettings):
    """the state of a listed town, else a placeholder"""

    operator: Literal["generalise"] = "generalise"


ComputedOperatorSettings = (
    TypedSettings
    | NumberedSettings
    | PseudonymSettings
    | KeepSettings
    | SurrogateSettings
    | ShiftSettings
    | GeneraliseDateSettings
    | GeneraliseAgeSettings
    | GeneralisePostcodeSettings
    | GeneralisePlaceSettings
)
"""All operators but the placeholder, which is the same for all spans of a label. mypy refuses a new one until
`make_operator` and certify/policy_rows.py have a case for it."""
AnyOperatorSettings = PlaceholderSettings | ComputedOperatorSettings
_OF_ALL_LABELS: tuple[type[AnyOperatorSettings], ...] = (
    PlaceholderSettings,
    TypedSettings,
    NumberedSettings,
    PseudonymSettings,
    KeepSettings,
)
_GENERALISE: dict[Label, type[AnyOperatorSettings]] = {
    Label.DATE: GeneraliseDateSettings,
    Label.AGE: GeneraliseAgeSettings,
    Label.PLZ: GeneralisePostcodeSettings,
    Label.LOC: GeneralisePlaceSettings,
}


def operators_of(label: Label) -> tuple[type[AnyOperatorSettings], ...]:
    """Return the settings classes of the operators that a label allows."""
    more: list[type[AnyOperatorSettings]] = [SurrogateSettings] if LABELS[label].has_surrogates else []
    more += [ShiftSettings] if label is Label.DATE else []
    more += [_GENERALISE[label]] if label in _GENERALISE else []
    return (*_OF_ALL_LABELS, *more)


class DateShift(FrozenSettings):
    """How far the dates of a subject are moved: at least and at most so many days, in either direction.

    A shift of a few days leaves a month alone as it is, and a birth date nearly so; one of a year leaves day and month.
    """

    min_days: Annotated[int, Field(ge=1, le=3650)] = 31
    max_days: Annotated[int, Field(ge=7, le=3650)] = 365
    keep_weekday: bool = False
    """Move by whole weeks."""

    @property
    def days(self) -> tuple[int, ...]:
        """The days to draw from, ascending: they also move the day of the year by at least `min_days`."""
        unit, least = 7 if self.keep_weekday else 1, self.min_days
        multiples = range(-(-least // unit) * unit, self.max_days + 1, unit)
        return tuple(days for days in multiples if least <= days % _DAYS_OF_YEAR <= _DAYS_OF_YEAR - least)

    @model_validator(mode="after")
    def _has_days(self) -> DateShift:
        if not self.days:
            what = "whole weeks" if self.keep_weekday else "days"
            raise ValueError(
                f"there are no {what} between min_days {self.min_days} and max_days {self.max_days} that move the day "
                "of the year by min_days"
            )
        return self


class PolicySettings(FrozenSettings):
    """conf/policies/NAME.yaml; `policy_model` adds `labels` and `types`."""

    name: str
    description: str
    basis: list[str]
    """The law that the policy is made for, article by article."""
    assumptions: list[str]
    """What must hold besides, and is not checked by the program."""
    consistency: Literal["note", "patient", "corpus"] = "patient"
    """Within what the same name has the same surrogate or pseudonym. Dates are moved by patient also for "corpus": one
    shift for all would be found out once for all."""
    repeat_surrogate: Share = 1.0
    """Probability that a mention repeats the surrogate of the mention before (a Markov chain, Osborne et al. 2022): 1
    is consistent. Consistent surrogates show a name that was missed, since it is the one that stands once."""
    shift: DateShift = DateShift()
    labels: Any
    types: Any

    def operator(self, phi_type: PhiType) -> AnyOperatorSettings:
        """Return the operator for spans of a type: the type's own, else its label's."""
        own = getattr(self.types, phi_type.value)
        return cast(AnyOperatorSettings, own or getattr(self.labels, label_of(phi_type).value))

    def has(self, *kinds: type[OperatorSettings]) -> bool:
        """Return whether a type has an operator of these kinds."""
        return any(isinstance(self.operator(phi_type), kinds) for phi_type in TYPES)

    def fingerprint(self, key_id: str) -> str:
        """Return 16 hexadecimal digits that change with the operators, their settings and the key."""
        told = {"name", "description", "basis", "assumptions"}
        return sha256(f"{self.model_dump_json(exclude=told)}\0{key_id}".encode()).hexdigest()[:16]

    @property
    def shifts_dates(self) -> bool:
        """Whether an operator moves dates."""
        return self.has(ShiftSettings)

    @property
    def needs_key(self) -> bool:
        """Whether an operator is keyed."""
        return any(self.operator(phi_type).keyed for phi_type in TYPES)


def _as_mapping(value: Any) -> Any:
    """Return {"operator": NAME} for a name alone."""
    return {"operator": value} if isinstance(value, str) else value


@cache
def policy_model() -> type[PolicySettings]:
    """Return the class that validates a policy: each label and type with the operators that it allows."""

    def field(label: Label, default: AnyOperatorSettings | None) -> Any:
        allowed: Any = Annotated[Union[operators_of(label)], Field(discriminator="operator")]  # noqa: UP007 - at run time
        if default is None:
            allowed = Optional[allowed]  # noqa: UP045 - at run time
        return Annotated[cast(Any, SerializeAsAny)[allowed], BeforeValidator(_as_mapping)], default

    def group(name: str, fields: dict[str, Any]) -> Any:
        return create_model(name, __base__=FrozenSettings, **fields)

    labels = group("LabelOperators", {label.value: field(label, PlaceholderSettings()) for label in Label})
    types = group("TypeOperators", {phi.value: field(entry.label, None) for phi, entry in TYPES.items()})
    return create_model("PolicySettings", __base__=PolicySettings, labels=(labels, labels()), types=(types, types()))


def policy_from_json(text: str) -> PolicySettings:
    """Return the policy of a policy's `model_dump_json`."""
    return policy_model().model_validate_json(text)


def shifts_dates(name: str) -> bool:
    """Return whether a policy shifts dates: True also for one that is not shipped, which may."""
    return name not in policy_names() or load_policy(name).shifts_dates


def load_policy(name: str = DEFAULT_POLICY) -> PolicySettings:
    """Return the policy of that name, or of that path if it ends in .yaml or .yml.

    Raises ConfigurationError with every problem of the file, naming the policies that exist if this one does not.
    """
    path = Path(name) if name.endswith((".yaml", ".yml")) else conf_dir() / "policies" / f"{name}.yaml"
    if not path.is_file() and path.stem == name:
        raise ConfigurationError(f"there is no policy {name!r}; there are: {', '.join(policy_names())}")
    return load_yaml(path, policy_model())
