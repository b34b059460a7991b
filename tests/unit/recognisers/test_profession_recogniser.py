"""Professions: sure words anywhere, staff's and families' words with evidence, and what only ends like one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import Note
from deid_core.core.spans import Detection
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.recognisers.profession import ProfessionRecogniser
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary

GAZETTEER = compile_lists(
    {
        ListKind.PROFESSION: [
            "arbeiter", "arzt", "bankkaufmann", "bauer", "dachdecker", "dolmetscher", "fahrer", "koch",
            "krankenschwester", "lehrer", "mechaniker", "meister", "notar", "polizeibeamter", "rentner",
            "richter", "schlosser", "schneider", "straßenwärter", "techniker", "trainer", "zeichner",
            "zimmermann",
        ],
        ListKind.COMMON_WORD: ["verstärker", "raucher", "morgen"],
        ListKind.TOWN: ["Hannover"],
    }
)  # fmt: skip


def detections(text: str) -> list[Detection]:
    vocabulary = Vocabulary()
    recogniser = ProfessionRecogniser(GAZETTEER, vocabulary)
    return list(recogniser.recognise(Document(Note("n", text), vocabulary.tokenise(text), vocabulary)))


def found(text: str) -> list[str]:
    return [text[d.start : d.end] for d in detections(text)]


@pytest.mark.parametrize(
    ("text", "profession"),
    [
        ("Er war Dachdecker.", "Dachdecker"),
        ("Rentnerin, lebt allein", "Rentnerin"),
        ("Witwe eines Waldarbeiters", "Waldarbeiters"),
        ("Grundschullehrerin in zweiter Ehe", "Grundschullehrerin"),
        ("die Tochter, Bankkauffrau, kommt", "Bankkauffrau"),
        ("ein Polizeibeamter kam", "Polizeibeamter"),
        ("EM-Rentner seit Mai", "EM-Rentner"),
        ("Altbaeuerin am Hof", "Altbaeuerin"),
        ("arbeitet als Koch", "Koch"),
        ("gelernter Zimmermann", "Zimmermann"),
        ("Lehre zum Schneider", "Schneider"),
        ("52-jähriger Koch, ein Glas Bier", "Koch"),
        ("der Ehemann (61, Bauer) raucht", "Bauer"),
        ("seit 1990 Koch im Gasthof", "Koch"),
        ("Tochter Olga, Krankenschwester in der Stadt", "Krankenschwester"),
        ("Beruf:\tSchlosser", "Schlosser"),
        ("Technische Zeichnerin", "Technische Zeichnerin"),
    ],
)
def test_professions(text: str, profession: str) -> None:
    assert found(text) == [profession]
    assert (detections(text)[0].label, detections(text)[0].type) == (Label.PROFESSION, PhiType.PROFESSION)


@pytest.mark.parametrize(
    ("text", "profession", "rule"),
    [
        # Around a word that staff or families have as well.
        ("der Vater, der Zimmermann war, starb", "Zimmermann", "evidence"),
        ("will Arzt werden", "Arzt", "evidence"),
        ("die Tante, Krankenschwester i.R., kommt", "Krankenschwester", "evidence"),
        ("ab 1952 Koch, später Rente", "Koch", "evidence"),
        ("danach Krankenschwester in der Stadt", "Krankenschwester", "evidence"),
        ("Der Patient, Schneider von Beruf, klagt", "Schneider", "evidence"),
        ("Grossmutter Afra Beispiel (71, Krankenschwester) half", "Krankenschwester", "evidence"),
        ("Mutter Krankenschwester, gesund", "Krankenschwester", "evidence"),
        ("Sozial: Tunnelbauer und Stadthirt", "Tunnelbauer", "evidence"),
        # In small letters among others, with evidence.
        ("Herr Muster ist Rentner, war früher dachdecker am Bau", "dachdecker", "evidence"),
        # An office before its holder's name.
        ("mit Dolmetscherin Frau Muster besprochen", "Dolmetscherin", "named"),
        ("verhandelt vom Richter Beispiel", "Richter", "named"),
        ("Gemeinde (Bgm. Beispiel)", "Bgm.", "named"),
        # In no list.
        ("arbeitete 30 Jahre als Spulerin", "Spulerin", "announced"),
        ("hat als Kartonagistin gearbeitet", "Kartonagistin", "announced"),
        ("Umschulung zum Gerüstplaner", "Gerüstplaner", "announced"),
        ("gelernte Federschmückerin", "Federschmückerin", "announced"),
        ("Tochter Eva (28, Coiffeuse in Wil)", "Coiffeuse", "likely"),
        ("ist Seilprüfer bei der Bahn", "Seilprüfer", "likely"),
        # As a scan reads them.
        ("früher Wa1darbeiter", "Wa1darbeiter", "word"),
        ("der Bankkaufrnann kam", "Bankkaufrnann", "word"),
        ("als Strassenwärter", "Strassenwärter", "word"),
    ],
)
def test_evidence(text: str, profession: str, rule: str) -> None:
    assert (profession, rule) in [(text[d.start : d.end], d.rule) for d in detections(text)]


def test_an_adjective_of_the_name_belongs_to_it() -> None:
    assert found("Umschulung zum technischen Zeichner") == ["technischen Zeichner"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Tochter Eva (48), Kranken-\nschwester in der Stadt", ["Kranken", "schwester"]),
        ("der Schwiegersohn, Kfz-\nMechaniker am Ort", ["Kfz-", "Mechaniker"]),
        ("die Wald-\narbeiterin kam", ["Wald", "arbeiterin"]),
        ("die Wald-\nwege sind nass", []),
    ],
)
def test_a_line_end_may_split_a_profession(text: str, parts: list[str]) -> None:
    assert found(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "als Verstärker eingesetzt, arbeitet gut",
        "Frau Blumacher kommt morgen",
        "Sohn Pilzmaier Alois ruft an",
        "ist Linkshänder und Nichtraucher",
        "Tochter Eva (Hannover) kommt",
        "Frau Dr. Waldarbeiter, Oberärztin",
        "Pfleger Beispiel half",
        "Frau W.-Koch mag nicht",
        "ein Dolmetscher war nicht nötig",
        "Richter 3 mg",
        "wegen einer gelernten Vermeidung",
    ],
)
def test_what_only_looks_like_a_profession(text: str) -> None:
    assert found(text) == []


def test_what_is_joined_to_a_profession_has_its_evidence() -> None:
    assert found("früher Dachdecker und Koch, dann Schneider") == ["Dachdecker", "Koch", "Schneider"]


@pytest.mark.parametrize(
    "text",
    [
        "Herr Koch klagt",
        "Dr. Schneider, Oberarzt",
        "Frau Anna Bauer",
        "die Krankenschwester gab Insulin",
        "Ihr Hausarzt ist informiert",
        "Arzt für Allgemeinmedizin",
        "der Beifahrer blieb unverletzt",
        "Armtrainer und Stehtrainer, ein Heimtrainer",
        "die lehrer und rentner der Stadt Musterhausen sind heute alle",
        "Brief an Koch",
    ],
)
def test_names_staff_and_others_are_no_professions(text: str) -> None:
    assert found(text) == []


def test_a_text_in_small_letters_needs_no_capitals() -> None:
    text = "pat. kommt heute mit der tochter zur kontrolle, seit tagen husten und etwas fieber, kein auswurf, "
    assert found(text + "war früher dachdecker, jetzt rentner, raucht nicht mehr") == ["dachdecker", "rentner"]


def test_time_grows_with_the_length_of_a_word_not_with_its_square() -> None:
    began = time.perf_counter()
    assert found("a" * 300_000 + " war Dachdecker") == ["Dachdecker"]
    assert time.perf_counter() - began < 5


@given(
    st.lists(st.sampled_from("Koch Herr als , . und Dachdecker ( ) Tochter Dr. ist \n Arzt 3".split(" ")), max_size=25)
)
def test_nothing_behind_a_salutation_or_title_is_a_profession_by_evidence(words: list[str]) -> None:
    text = " ".join(words)
    for detection in detections(text):
        before = text[: detection.start].split()
        if detection.rule == "evidence" and before:
            assert before[-1] not in ("Herr", "Dr.")
