"""The classes of the learned decision, and which of a label's types it does not tell apart."""

from __future__ import annotations

from deid_core.core.labels import PhiType

OUTSIDE = "O"
CLASSES: dict[str, tuple[PhiType, ...]] = {
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
    "title": (PhiType.TITLE,),
}
"""The model's classes: types that it does not tell apart (finer_type/ does). The first is the least specific, taken
where no recogniser knows better."""
CLASS_OF = {phi: name for name, types in CLASSES.items() for phi in types}
