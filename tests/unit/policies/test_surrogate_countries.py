"""Letters of Austria and Switzerland get towns, regions and area codes of their country; foreign towns foreign ones."""

from __future__ import annotations

import re

import pytest
from policy_notes import note, outputs, policy

from deid_core.core.word_lists import word_list
from deid_core.policies.key import NoDraws
from deid_core.policies.normal_form import name_key
from deid_core.policies.note_context import NoteContext
from deid_core.policies.surrogates.countries import note_country
from deid_core.policies.surrogates.town_lists import area_codes, countries_of_towns, towns

PATIENTS = tuple(f"p{number}" for number in range(12))
AUSTRIAN, SWISS = "A-[postcode 8501] [town Musterdorf]. ", "CH-[postcode 3999] [town Musterdorf]. "


def country(marked: str) -> str:
    text, spans = note(marked)
    return note_country(NoteContext(text, spans, NoDraws(), NoDraws(), 1.0, ""))


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[town Musterdorf]", "DE"),
        ("[postcode A-8036] [town Musterdorf]", "AT"),
        ("[postcode CH-3010] [town Musterdorf]", "CH"),
        ("Tel. [phone +43 316 385 12]", "AT"),
        ("Tel. [phone 0041 31 632 21 11]", "CH"),
        ("Tel. [phone 031 632 21 11]", "CH"),
        ("[postcode 20095] [town Musterdorf], Tel. [phone 040 555 21 80]", "DE"),
        ("[town Wien-Hietzing]", "AT"),
        ("Tel. [phone 0511 / 600 41 73]", "DE"),
        ("[id AT61 1904 3002 3457 3201]", "AT"),
        ("AHV [insurance_id 756.1234.5678.97]", "CH"),
        ("[postcode 8010] [town Graz]", "AT"),
        ("[postcode 69120] [town Musterdorf], zuvor in [town Graz]", "DE"),
        ("[postcode 6900] [town Heidelberg] (1988)", "DE"),
        ("Bericht an die [organisation ÖGK]", "AT"),
        ("gemäss Bericht, notfallmässig in [town Musterdorf]", "CH"),
        ("publiziert in [town Musterdorf]", "DE"),  # "lic" is no word here
        ("Kostenträger: [organisation Suva]", "CH"),
        ("[town Baden]", "DE"),
    ],
)
def test_a_note_tells_its_country(marked: str, expected: str) -> None:
    assert country(marked) == expected


@pytest.mark.parametrize(("before", "of"), [(AUSTRIAN, "AT"), (SWISS, "CH")])
@pytest.mark.parametrize("patient", PATIENTS)
def test_towns_postcodes_and_area_codes_are_of_the_country(before: str, of: str, patient: str) -> None:
    postcode, town, phone, hospital, again = outputs(
        f"{before}[postcode 4321] [town Beispielau], [phone 0316/3852-12], "
        "[hospital Spital Beispielau], [town Beispielau]",
        patient=patient,
    )[2:]
    assert town in towns(of) and (hospital, again) == (f"Spital {town}", town)
    assert len(postcode) == 4 and postcode.startswith(towns(of)[town].postcode)
    code, number = phone.split("/")
    assert code[1:] in area_codes(of) and re.fullmatch(r"\d{4}-\d\d", number)


def test_mobile_and_foreign_numbers_get_no_area_code_of_the_country() -> None:
    mobile, german, swedish = outputs(
        f"{AUSTRIAN} [phone 0664/1234567], [phone 0171/480 22 19], [phone +46 70 555 18 09]"
    )[2:]
    assert re.fullmatch(r"0664/\d{7}", mobile) and re.fullmatch(r"017\d/\d{3} \d\d \d\d", german)
    assert re.fullmatch(r"\+46 \d\d \d{3} \d\d \d\d", swedish)


@pytest.mark.parametrize("patient", PATIENTS)
def test_a_listed_town_has_one_surrogate_in_notes_of_any_country(patient: str) -> None:
    notes = ("[postcode 69120] [town Musterdorf]. ", AUSTRIAN, SWISS)
    for town, of in (("Graz", "AT"), ("Bern", "CH"), ("Kassel", "DE")):
        found = {outputs(f"{before}In [town {town}]", patient=patient, note_id=before)[-1] for before in notes}
        assert len(found) == 1 and found < set(towns(of))


@pytest.mark.parametrize("patient", PATIENTS)
def test_regions_are_of_the_original_country_else_of_the_note(patient: str) -> None:
    listed = {name_key(line.split(" ")[-1]): line.split(" ")[0] for line in word_list("policies/regions")}
    text = "im [region Emmental], im [region Waldviertel], im [region Allgäu], "
    text += "aus [region Schlesien], im [region Mustertal]"
    for before, own in ((AUSTRIAN, "region-AT"), (SWISS, "region-CH")):
        kinds = [listed[name_key(name.split(" ")[-1])] for name in outputs(before + text, patient=patient)[2:]]
        assert kinds == ["region-CH", "region-AT", "region", "region-east", own]
    assert re.fullmatch(r"[A-Z]{2}", outputs(f"{SWISS}wh. in [town Musterau] [region AG]", patient=patient)[-1])


def test_an_insurer_is_of_the_country() -> None:
    for before, name in ((AUSTRIAN, "insurers-austria"), (SWISS, "insurers-switzerland")):
        assert outputs(f"{before}Krankenkasse: [organisation Musterkasse]")[-1] in word_list(f"policies/{name}")


@pytest.mark.parametrize("patient", PATIENTS)
@pytest.mark.parametrize(
    "marked",
    [
        "in [town Izmir] ([country Türkei]), aus der [country Türkei], in [town IZMIR]",
        "in [town Musterköy], [country Türkei], aus der [country Türkei], in [town MUSTERKÖY]",
        "[country Türkei] ([town Musterköy]), aus der [country Türkei], in [town MUSTERKÖY]",
    ],
)
def test_a_foreign_town_is_of_the_country_that_its_own_becomes(marked: str, patient: str) -> None:
    one, two, again, capitals = outputs(marked, patient=patient)
    town, land = (two, one) if marked.startswith("[country") else (one, two)
    assert land == again and capitals == town.upper() and land != "Türkei"
    assert town in towns({"Schweiz": "CH", "Österreich": "AT"}.get(land, land))


def test_a_foreign_town_is_foreign_in_a_note_without_its_country() -> None:
    for patient in PATIENTS:
        assert countries_of_towns()[name_key(outputs("geboren in [town Izmir]", patient=patient)[0])] not in (
            "DE",
            "Türkei",
        )


def test_a_policy_can_keep_countries_and_occupations() -> None:
    kept = policy(labels={"LOC": "surrogate", "PROFESSION": "keep"}, types={"country": "keep"})
    marked = "[profession Maurer] aus [town Izmir] ([country Türkei]), dann in [town Lima]"
    for patient in PATIENTS:
        job, town, land, other = outputs(marked, kept, patient=patient)
        assert (job, land) == ("Maurer", "Türkei") and town in towns("Türkei") and town != "Izmir"
        # Of Peru the list has this town alone.
        assert other != "Lima"


def test_every_country_that_may_replace_one_has_towns() -> None:
    lines = [line.split(" ") for line in word_list("policies/regions") if line.startswith("country ")]
    names = [name[-1] for _, *name in lines if name[:-1] in (["in"], ["im"], ["in", "der"])]
    assert names and [name for name in names if not towns({"Schweiz": "CH", "Österreich": "AT"}.get(name, name))] == []
