"""Operator `surrogate`: an invented value of the same kind and form, one class for each kind of span."""

from __future__ import annotations

from deid_core.core.labels import Label, PhiType, label_of
from deid_core.policies.names.surrogate_names import SurrogateName
from deid_core.policies.operators.base import Operator
from deid_core.policies.surrogates.addresses import SurrogateEmail, SurrogateUri
from deid_core.policies.surrogates.departments import SurrogateDepartment
from deid_core.policies.surrogates.institutions import SurrogateHospital, SurrogateOrganisation, SurrogatePlace
from deid_core.policies.surrogates.numbers import SurrogateIdentifier, SurrogatePhone
from deid_core.policies.surrogates.others import SurrogateOther
from deid_core.policies.surrogates.professions import SurrogateProfession
from deid_core.policies.surrogates.regions import SurrogateRegion
from deid_core.policies.surrogates.streets import SurrogateStreet
from deid_core.policies.surrogates.towns import SurrogatePostcode, SurrogateTown

_OF_TYPE: dict[PhiType, Operator] = {
    PhiType.STREET: SurrogateStreet(),
    PhiType.TOWN: SurrogateTown(),
    PhiType.REGION: SurrogateRegion("region"),
    PhiType.COUNTRY: SurrogateRegion("country"),
    PhiType.HOSPITAL: SurrogateHospital(),
    PhiType.DEPARTMENT: SurrogateDepartment(),
    PhiType.PLACE: SurrogatePlace(),
}
_OF_LABEL: dict[Label, Operator] = {
    Label.PER: SurrogateName(),
    Label.ORG: SurrogateOrganisation(),
    Label.PHONE: SurrogatePhone(),
    Label.PLZ: SurrogatePostcode(),
    Label.URI: SurrogateUri(),
    Label.EMAIL: SurrogateEmail(),
    Label.ID: SurrogateIdentifier(),
    Label.PROFESSION: SurrogateProfession(),
    Label.OTHER: SurrogateOther(),
}


def surrogate_operator(phi_type: PhiType) -> Operator:
    """Return the surrogates of a type of a label that has surrogates."""
    return _OF_TYPE.get(phi_type) or _OF_LABEL[label_of(phi_type)]
