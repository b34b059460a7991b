"""Surrogates of institutions, countries and streets: what names nobody stays, towns do not contradict each other."""

from __future__ import annotations

import re

import pytest
from policy_notes import outputs

from deid_core.core.word_lists import word_list
from deid_core.policies.key import PolicyKey
from deid_core.policies.names.name_parts import surnames
from deid_core.policies.surrogates.town_lists import towns

SURNAMES = {name for other in (False, True) for name in surnames(other=other)}


def test_a_national_body_stays() -> None:
    assert outputs("der [organisation Suva]-Kreisarzt") == ["Suva"]
    for body in ("Suva", "SUVA", "DRV  Bund", "eurotransplant", "OEGK", "Agentur für Arbeit"):
        assert outputs(f"bei der [organisation {body}]") == [body]
    assert outputs("beim [organisation Bundeswehrkameraden]") != ["Bundeswehrkameraden"]


@pytest.mark.parametrize("body", ["BG Bau", "BG Chemie", "vbg", "BGW Hohenfeld", "BGHM", "BG RCI Bezirk Hohenfeld"])
def test_a_berufsgenossenschaft_becomes_another_one(body: str) -> None:
    [name] = outputs(f"bei der [organisation {body}]")
    others = {insurer.lower() for insurer in word_list("policies/accident-insurers")}
    assert name.lower() in others and not body.lower().startswith(name.lower())


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("[hospital Klinik Xandhof] in [town Wulften]", r"Klinik (?P<surname>\w+)"),
        ("[hospital Klinik Xandhof], [street Vrenlweg 3], [postcode 37197] [town Wulften]", r"Klinik (?P<surname>\w+)"),
        ("[organisation Kita Wühlmäuse] in [town Wulften]", r"Kita (?P<surname>\w+)"),
        ("Selbsthilfegruppe [organisation Xandhof] in [town Wulften]", r"(?P<surname>\w+)"),
        ("im [hospital XYZ] ([town Wulften])", r"Klinikum (?P<surname>\w+)"),
        ("[organisation Gesundheitsamt Xandhof], [town Wulften]", r"Gesundheitsamt (?P<town>\w+)"),
        ("im [hospital LKH Xandhof], [town Wulften]", r"LKH (?P<town>\w+)"),
        ("[hospital Klinikum Wulften] in [town Wulften]", r"Klinikum (?P<town>\w+)"),
        ("[organisation Sozialstation], [town Wulften]", "Sozialstation"),
    ],
)
def test_a_name_before_a_town_of_its_own_has_no_other_town(marked: str, form: str) -> None:
    name, *_, town = outputs(marked, patient="one")
    found = re.fullmatch(form, name)
    assert found
    parts = found.groupdict()
    assert parts.get("town", town) == town and ("surname" not in parts or parts["surname"] in SURNAMES)
    # The same name without its town.
    assert outputs(f"{marked}, zuletzt {marked.partition(']')[0]}] am 3.4.", patient="one")[-1] == name


@pytest.mark.parametrize("country", ["Deutschland", "SCHWEIZ", "Österreich", "DDR", "D"])
def test_the_countries_of_the_notes_stay(country: str) -> None:
    assert outputs(f"aus [country {country}], nicht [country Polen]")[0] == country


def test_capitals_of_a_line_are_those_of_its_abbreviations() -> None:
    abbreviations = "KASSE: [organisation CSS], AUS DEM [hospital FEK], BERUF: [profession KOCH]"
    assert all(name.isupper() for name in outputs(f"{abbreviations}\nEr kam."))
    assert not any(name.isupper() and len(name) > 3 for name in outputs(f"{abbreviations}, er kam."))
    assert outputs("Pflegeteam [organisation MOKI NÖ]")[0] in towns()


def test_no_street_doubles_its_end() -> None:
    for number in range(60):
        key = PolicyKey(f"a key of these tests, number {number:04}".encode())
        streets = outputs("[street am schrankenbuckel 2] [street In den Xanden 3] [place Vrenlgarten]", key=key)
        assert not re.search("(?i)bergberg|gartengärten|gartengarten", " ".join(streets))
