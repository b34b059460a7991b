"""Surrogates of professions: gender, case and number stay."""

from __future__ import annotations

import re

import pytest
from policy_notes import outputs

from deid_core.core.word_lists import word_list
from deid_core.policies.key import PolicyKey


@pytest.mark.parametrize(
    ("marked", "gender", "ending"),
    [
        ("als [profession Heimhilfe]", 1, ""),
        ("erst [profession Zimmermädchen]", 1, ""),
        ("und der alte [profession Glasmacher]", 0, ""),
        ("und der alte [profession Kantor]", 0, ""),
        ("als [profession Steuerfachangestellte]", 1, ""),
        ("als [profession Lehrbeauftragte]", 1, ""),
        ("als [profession Krippenleitung]", 1, ""),
        ("als [profession Stewardess]", 1, ""),
        ("so hieß eine [profession Nonne]", 1, ""),
        ("zwei Brüder, einer [profession Weihbischof]", 0, ""),
        ("der [profession Gefreite] Hans", 0, ""),
        ("als die [profession Angestellte]", 1, ""),
        ("die frühere [profession Nonne]", 1, ""),
        ("Tochter eines [profession Glasmachers]", 0, "s|en"),
        ("Tochter eines Bäckers und späteren [profession Nachtwächters]", 0, "s|en"),
        ("Lehre als [profession Kauffrau EFZ]", 1, ""),
        ("Antrag seines [profession Försters]", 0, "s|en"),
        ("als [profession Glasmacher]", 0, ""),
    ],
)
def test_professions_keep_gender_and_case(marked: str, gender: int, ending: str) -> None:
    [noun] = outputs(marked)
    grouped = [noun for line in word_list("policies/profession-groups") for noun in line.partition(":")[2].split()]
    listed = [line.split(";")[gender] for line in (*word_list("policies/professions"), *grouped)]
    assert any(re.fullmatch(f"{each}(?:{ending})", noun) for each in listed)


@pytest.mark.parametrize(
    ("marked", "nouns"),
    [
        ("durch [profession Pfr.] Muster", "Pfarrer Pastor Vikar Diakon"),
        ("Antrag des [profession Pastors]", "Pfarrers Vikars Diakons"),
        ("[profession RAin] Muster", "Notarin Richterin Rechtsanwältin Rechtspflegerin"),
        ("war [profession langjährige Obfrau der Bergrettung]", "Leiterin Sprecherin Schriftführerin Ehrenvorsteherin"),
        ("seit 2010 [profession Rentnerin]", "Rentnerin"),
        ("[profession Studentin der Physik]", "Studentin"),
        ("[profession Fliesenlegermeister] auf dem Bau", "Maurer Dachdecker Maler Stuckateur Pflasterer Gerüstbauer"),
        ("[profession Technischer Zeichner]", "Ingenieur Techniker Architekt Bauzeichner Statiker"),
        ("[profession Mechaniker für Hydraulikpressen]", "Schlosser Dreher Schweißer Fräser Werkzeugmacher"),
        ("[profession Ortslandwirt]", "Melker Schäfer Viehzüchter Landarbeiter Tierwirt"),
        ("Frau [profession Rechtsanwalt] Muster", "Notarin Richterin Rechtsanwältin Rechtspflegerin"),
        ("Tochter [profession MTA]", "Arzthelferin Zahnarzthelferin Apothekenhelferin Tierarzthelferin"),
    ],
)
def test_a_profession_of_a_group_stays_in_it(marked: str, nouns: str) -> None:
    [output] = outputs(marked)
    assert output.split()[-1] in nouns.split()


def test_a_place_of_work_becomes_a_profession() -> None:
    [output] = outputs("arbeitet [profession auf dem Bau]")
    assert re.fullmatch(r"als [A-ZÄÖÜ]\w+", output)


def test_weak_nouns_have_their_ending() -> None:
    keys = [PolicyKey(f"a key of these tests, number {number:04}".encode()) for number in range(60)]
    drawn = {outputs("Umschulung zum [profession Grafiker]", key=key)[0] for key in keys}
    assert any(noun.endswith("isten") for noun in drawn) and not any(noun.endswith(("ist", "ekt")) for noun in drawn)


def test_an_abbreviation_in_capitals_does_not_make_capitals() -> None:
    for name in outputs("([profession POK] Stein), seit 1993 in [country NL]"):
        assert not name.isupper()


def test_a_profession_of_several_has_a_plural() -> None:
    [nouns] = outputs("Eltern [profession Tagelöhner], 1 Bruder")
    assert nouns.endswith("er")


@pytest.mark.parametrize("status", ["Rentn.", "i.R.", "Rentnerin"])
def test_a_status_that_is_cut_off_stays(status: str) -> None:
    assert outputs(f"[profession {status}] seit 2002") == [status]


def test_a_profession_has_one_surrogate_in_all_cases() -> None:
    one, other = outputs("als [profession Landwirt], der Hof des [profession Landwirts]")
    assert other == f"{one}s" and one != "Landwirt"


def test_groups_have_enough_surrogates_and_no_word_twice() -> None:
    lines = [line.split(":") for line in word_list("policies/profession-groups")]
    words = [word for listed, _ in lines for word in listed.split()]
    assert len(words) == len(set(words))
    assert all(len(nouns.split()) > 2 and all(noun.count(";") == 1 for noun in nouns.split()) for _, nouns in lines)


def test_professions_that_are_all_of_their_group_become_others() -> None:
    for named in ("Soldat Unteroffizier Feldwebel Offizier", "Küster, Mesner, Organist und Kantor"):
        [made] = outputs(f"Beruf: [profession {named}]")
        assert made not in named
