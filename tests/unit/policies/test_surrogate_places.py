"""Surrogates of streets, towns, regions and countries: articles agree, and none is another place of the note."""

from __future__ import annotations

import re

import pytest
from policy_notes import PATIENTS, outputs, redacted

from deid_core.core.word_lists import word_list
from deid_core.policies.key import PolicyKey
from deid_core.policies.surrogates.town_lists import towns

LANDSCAPES: dict[str, list[str]] = {}
for group, landscape in (line.split(" ", 1) for line in word_list("policies/landscapes")):
    LANDSCAPES.setdefault(group, []).append(landscape)


@pytest.mark.parametrize("country", ["Deutschland", "SCHWEIZ", "Österreich", "DDR", "D"])
def test_the_countries_of_the_notes_stay(country: str) -> None:
    assert outputs(f"aus [country {country}], nicht [country Polen]")[0] == country


def test_no_street_doubles_its_end() -> None:
    for number in range(60):
        key = PolicyKey(f"a key of these tests, number {number:04}".encode())
        streets = outputs("[street am schrankenbuckel 2] [street In den Xanden 3] [place Vrenlgarten]", key=key)
        assert not re.search("(?i)bergberg|gartengärten|gartengarten", " ".join(streets))


@pytest.mark.parametrize(
    ("street", "form"),
    [
        ("10.-Oktober-Platz 6", r"[A-Z]\w+platz \d+"),
        ("34, rue de la Muster", r"[A-Z]\w+straße"),
        ("Xa1ianstr. 6", r"[A-Z]\w+str\. \d+"),
        ("lange brücke 4 a", r"\w+ \d+ a"),
        ("6a", r"\d+a"),
    ],
)
def test_streets_with_numbers_in_unusual_places(street: str, form: str) -> None:
    [output] = outputs(f"[street {street}]")
    assert re.fullmatch(form, output) and not {"Oktober", "rue", "ianstr"} & set(re.findall(r"\w+", output))


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("in den [country Niederlanden]", "in den"),
        ("Urlaub auf den [region Kapverden]", "auf den"),
        ("aus dem [country Kosovo]", "im"),
        ("ins [region Wendland]", "im"),
    ],
)
def test_regions_and_countries_agree_with_the_article(marked: str, form: str) -> None:
    [name] = outputs(marked)
    kind = marked.split("[")[1].split()[0]
    assert f"{kind} {form} {name}" in word_list("policies/regions")


def test_an_adjective_of_a_region_stays_one() -> None:
    [name] = outputs("das [region Tiroler] Gesetz")
    assert name in word_list("policies/town-adjectives") and name != "Tiroler"


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        ("auf der [place Rigi]", r"\w+wiese"),
        ("im [place Rössli]", r"\w+hof"),
        ("vor dem Eingang des [place Rössli]", r"\w+hofs"),
        ("an das [place Schwarze Meer]", r"\w+feld"),
        ("im [place Zum Goldenen Löffel]", r"Zum \w+berg"),
        ("auf der [place B 19]", r"B \d\d"),
        ("am [place Edersee]", r"\w+see"),
        ("an die [place Nordseeküste]", r"\w+küste"),
        ("an die [place Amalfiküste]", r"\w+küste"),
        ("an der [place Elbe]", "|".join(LANDSCAPES["die-river"])),
        ("jenseits des [place Rheins]", "|".join(f"{river}s" for river in LANDSCAPES["der-river"])),
        ("in den [place Stubaier Alpen]", "|".join(LANDSCAPES["alps"])),
        ("Ufer des [place Stadtsees]", r"\w+sees"),
        ("an der [place Warnowbrücke]", r"\w+brücke"),
        ("im Tagebau [place Jänschwalde]", "|".join(towns())),
    ],
)
def test_a_place_without_a_kind_agrees_with_the_article(marked: str, name: str) -> None:
    [place] = outputs(marked)
    assert re.fullmatch(name, place) and place not in marked


def test_a_number_that_text_recognition_broke() -> None:
    [street] = outputs("[street Kirchgasse l2]")
    assert re.fullmatch(r"\w+gasse l\d+", street)


def test_a_place_keeps_neither_a_streets_name_nor_becomes_a_place_of_the_note() -> None:
    assert "Laurenz" not in outputs("an der [place Laurenzstraße 3]")[0]
    stems = [stem for stem in word_list("policies/street-stems") if stem != "Ahorn"]
    marked = " ".join(f"[place {stem}hof]" for stem in stems)
    assert outputs(f"{marked} im [place Rössli]")[-1] == "Ahornhof"


def test_a_postcode_in_words_is_a_placeholder() -> None:
    assert outputs("[postcode fünf sieben sechs zwei sieben]") == ["<PLZ>"]


@pytest.mark.parametrize(
    ("number", "form"), [("8-10", r"(\d+)-(\d+)"), ("5/3", r"(\d+)/(\d+)"), ("7, Whg. 4", r"(\d+), Whg. (\d+)")]
)
def test_a_range_of_house_numbers_keeps_its_width_and_a_door_is_drawn_apart(number: str, form: str) -> None:
    found = {
        re.search(form + "$", outputs(f"[street Musterweg {number}]", key=PolicyKey(bytes([n]) * 32))[0]).groups()
        for n in range(20)
    }
    widths = {int(last) - int(first) for first, last in found}
    assert widths == {2} if "-" in number else len(widths) > 5 and all(int(door) <= 20 for _, door in found)


def test_no_street_is_another_street_of_the_note_with_another_ending() -> None:
    stems = word_list("policies/street-stems")
    half = len(stems) // 2
    streets = ", ".join(f"[street {stem}str. 1]" for stem in stems[:half])
    for patient in PATIENTS:
        found = outputs(f"{streets}, [street Xylanderstraße 7]", patient=patient)[-1]
        assert found.split("straße")[0] in stems[half:]
        hill = outputs(f"{streets.replace('str.', 'berg')}, [street Am Xylander 7]", patient=patient)[-1]
        assert hill.removeprefix("Am ").split("berg ")[0] in stems[half:]


def test_regions_and_countries_follow_their_preposition() -> None:
    for patient in PATIENTS:
        text = redacted(
            "im [region Allgäu], auf [region Sylt], aus der [country Türkei], aus [country Italien]", patient=patient
        )
        found = re.fullmatch(r"im (\w+), auf (\w+), aus der (\w+), aus (\w+)", text)
        assert found and found[1].endswith(("land", "gebirge", "Allgäu")) and found[3] in (
            "Elfenbeinküste", "Moldau", "Mongolei", "Schweiz", "Slowakei", "Ukraine"
        )  # fmt: skip


def test_a_postcode_a_hospital_and_a_town_agree() -> None:
    for patient in PATIENTS:
        postcode, town, hospital, again = outputs(
            "[postcode 69120] [town Heidelberg], [hospital Klinikum Heidelberg], [town HEIDELBERG]", patient=patient
        )
        assert postcode.startswith(towns()[town].postcode)
        assert (hospital, again) == (f"Klinikum {town}", town.upper())
