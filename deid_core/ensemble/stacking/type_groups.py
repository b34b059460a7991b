"""Groups of types that the stacking model does not tell apart: their names are its labels."""

from __future__ import annotations

from deid_core.core.labels import PhiType

OUTSIDE = "O"
TYPE_GROUPS: dict[str, tuple[PhiType, ...]] = {
    "person": (PhiType.PERSON, PhiType.PATIENT, PhiType.CLINICIAN, PhiType.RELATIVE),
    "street": (PhiType.STREET,),
    "town": (PhiType.PLACE, PhiType.TOWN, PhiType.REGION, PhiType.COUNTRY),
    "hospital": (PhiType.HOSPITAL,),
    "department": (PhiType.DEPARTMENT,),
    "organisation": (PhiType.ORGANISATION,),
    "profession": (PhiType.PROFESSION,),
    "age": (PhiType.AGE,),
    "date": (PhiType.DATE, PhiType.BIRTH_DATE),
    "phone": (PhiType.PHONE, PhiType.FAX),
    "id": (PhiType.ID, PhiType.PATIENT_ID, PhiType.CASE_ID, PhiType.INSURANCE_ID, PhiType.DEVICE_ID),
    "postcode": (PhiType.POSTCODE,),
    "salute": (PhiType.SALUTE,),
    "title": (PhiType.TITLE,),
}
"""The labels of the model and their types, which the subtype classifier distinguishes later. The first type is the
least specific; an entity gets it if no recogniser gives a more specific one. The model never drops detections of other
types, but for those of type OTHER."""
TYPE_GROUP_OF = {phi: name for name, types in TYPE_GROUPS.items() for phi in types}
