"""The operator that a policy's settings ask for.

It is imported when a policy asks for one: the surrogates and the names of a note load many lists.
"""

from __future__ import annotations

from typing import assert_never

from deid_core.core.labels import PhiType
from deid_core.policies.operators.base import Operator
from deid_core.policies.operators.generalise_age import GeneraliseAge
from deid_core.policies.operators.generalise_date import GeneraliseDate
from deid_core.policies.operators.generalise_place import GeneralisePlace
from deid_core.policies.operators.generalise_postcode import GeneralisePostcode
from deid_core.policies.operators.keep import Keep
from deid_core.policies.operators.numbered import NumberedPlaceholder
from deid_core.policies.operators.pseudonym import Pseudonym
from deid_core.policies.operators.shift import Shift
from deid_core.policies.operators.typed import TypedPlaceholder
from deid_core.policies.settings import (
    ComputedOperatorSettings,
    DateShift,
    GeneraliseAgeSettings,
    GeneraliseDateSettings,
    GeneralisePlaceSettings,
    GeneralisePostcodeSettings,
    KeepSettings,
    NumberedSettings,
    PseudonymSettings,
    ShiftSettings,
    SurrogateSettings,
    TypedSettings,
)
from deid_core.policies.surrogates import surrogate_operator


def make_operator(settings: ComputedOperatorSettings, phi_type: PhiType, shift: DateShift) -> Operator:
    """Return the operator of these settings for spans of a type."""
    match settings:
        case KeepSettings():
            return Keep()
        case TypedSettings():
            return TypedPlaceholder()
        case NumberedSettings():
            return NumberedPlaceholder()
        case PseudonymSettings():
            return Pseudonym(settings)
        case ShiftSettings():
            return Shift(settings, shift)
        case GeneraliseDateSettings():
            return GeneraliseDate(settings)
        case GeneraliseAgeSettings():
            return GeneraliseAge(settings)
        case GeneralisePostcodeSettings():
            return GeneralisePostcode(settings)
        case GeneralisePlaceSettings():
            return GeneralisePlace()
        case SurrogateSettings():
            return surrogate_operator(phi_type)
        case _:
            assert_never(settings)
