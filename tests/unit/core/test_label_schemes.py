"""Label schemes: every type has a name in each, and names lead back to labels."""

from __future__ import annotations

import pytest

from deid_core.core.labels import TYPES, Label, PhiType, Scheme, labels_of, name_in


@pytest.mark.parametrize("scheme", Scheme)
@pytest.mark.parametrize("phi_type", PhiType)
def test_a_name_and_our_label_lead_to_the_same_label(scheme: Scheme, phi_type: PhiType) -> None:
    label = TYPES[phi_type].label
    name = name_in(scheme, label, phi_type)
    assert labels_of(scheme)[label] == (labels_of(scheme)[name] if name else None)


@pytest.mark.parametrize("scheme", [Scheme.OWN, Scheme.GEMTEX, Scheme.I2B2])
def test_these_schemes_distinguish_our_labels(scheme: Scheme) -> None:
    labels = labels_of(scheme)
    assert all(labels[label] in (label, None) for label in Label)


def test_what_each_scheme_lacks_and_joins() -> None:
    lacking = {scheme: {label for label in Label if labels_of(scheme)[label] is None} for scheme in Scheme}
    assert lacking == {
        "own": set(),
        "gemtex": {"SALUTE"},
        "i2b2": {"SALUTE", "TITLE", "OTHER"},
        "dome": set(),
        "hipaa": {"SALUTE", "TITLE", "PROFESSION"},
    }
    joined = {label: labels_of(Scheme.HIPAA)[label] for label in ("ORG", "PLZ", "AGE", "OTHER")}
    assert joined == {"ORG": "LOC", "PLZ": "LOC", "AGE": "DATE", "OTHER": "ID"}
    assert {name for name in labels_of(Scheme.DOME) if not name.isupper()} == {
        "Name", "Location", "Date", "Contact", "Age", "Profession", "Other",
    }  # fmt: skip


def test_names_of_a_type() -> None:
    names = {scheme: name_in(scheme, Label.PER, PhiType.CLINICIAN) for scheme in Scheme}
    assert names == {"own": "PER", "gemtex": "NAME_DOCTOR", "i2b2": "DOCTOR", "dome": "Name", "hipaa": "1"}
    assert labels_of(Scheme.I2B2)["NAME/DOCTOR"] == labels_of(Scheme.I2B2)["DOCTOR"] == "PER"


def test_every_tag_of_gemtex_and_i2b2_can_be_read() -> None:
    # The tag set phiKind of GeMTeX's layer webanno.custom.PHI, version 1.2.
    gemtex = (
        "AGE DATE_BIRTH DATE_DEATH CONTACT_EMAIL NAME_EXT NAME_RELATIVE NAME_TITLE PROFESSION OTHER CONTACT_FAX "
        "CONTACT_PHONE CONTACT_URL DATE ID LOCATION_CITY LOCATION_COUNTRY LOCATION_HOSPITAL LOCATION_ORGANIZATION "
        "LOCATION_OTHER LOCATION_STATE LOCATION_STREET LOCATION_ZIP NAME_DOCTOR NAME_USERNAME NAME_PATIENT"
    )
    i2b2 = (
        "PATIENT DOCTOR USERNAME PROFESSION ROOM DEPARTMENT HOSPITAL ORGANIZATION STREET CITY STATE COUNTRY ZIP "
        "LOCATION-OTHER AGE DATE PHONE FAX EMAIL URL IPADDRESS SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE "
        "DEVICE BIOID IDNUM"
    )
    assert all(labels_of(Scheme.GEMTEX)[name] for name in gemtex.split())
    assert all(labels_of(Scheme.I2B2)[name] for name in i2b2.split())
    assert labels_of(Scheme.GEMTEX)["NAME_EXT"] == "PER" and labels_of(Scheme.I2B2)["SSN"] == "ID"
