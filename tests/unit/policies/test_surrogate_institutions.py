"""Surrogates of institutions: kinds and what names nobody stay, articles agree, towns do not contradict each other."""

from __future__ import annotations

import re

import pytest
from listed_names import SURNAMES
from policy_notes import outputs, redacted

from deid_core.core.word_lists import word_list
from deid_core.policies.key import PolicyKey
from deid_core.policies.surrogates.town_lists import towns


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


@pytest.mark.parametrize("kind", ["hospital", "organisation"])
@pytest.mark.parametrize(
    ("name", "surname"),
    [
        ("Praxis für Orthopädie Fein", "Fein"),
        ("Max-Fein-Klinik", "Fein"),
        ("Mensch Praxis", "Mensch"),
        ("Kessel Spedition", "Kessel"),
        ("Zell-Klinik", "Zell"),
        ("Kraftstiftung", "Kraft"),
        ("Reiterklinik", "Reiter"),
        ("Herz-Klinik", "Herz"),
        ("Kirchklinik Wulften", "Kirch"),
        ("Hotel Nürnberger", "Nürnberger"),
    ],
)
def test_a_surname_that_is_a_word_too_is_replaced(kind: str, name: str, surname: str) -> None:
    [made] = outputs(f"dort gesehen ([{kind} {name}]).")
    assert surname.lower() not in made.lower()


def test_insurers_and_parties_of_a_note_do_not_become_each_other() -> None:
    for names in (["CDU", "SPD", "FDP"], ["DHL", "Hermes", "DPD", "GLS", "UPS"], ["Edeka", "Rewe"]):
        made = outputs(" und ".join(f"bei [organisation {name}]" for name in names))
        assert not {*made} & {*names}
    [hotel] = outputs("bei [organisation Hotel Victoria]")
    assert hotel.startswith("Hotel ")


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Städtisches Kllinikum Xandhof", r"Städtisches Krankenhaus \w+"),
        ("Evangelisches Diakoniewerk Xandhof", r"Evangelisches Diakoniewerk \w+"),
        ("Xandhof-Haus", r"[\w-]+-Haus"),
        ("Xandhof-Haus Wulften", r"[\w-]+-Haus \w+"),
        ("Haus Xandhof", r"Haus \w+"),
    ],
)
def test_an_adjective_has_a_noun_and_a_house_a_name(name: str, form: str) -> None:
    [made] = outputs(f"dort gesehen ([hospital {name}]).")
    assert re.fullmatch(form, made) and made != name


def test_capitals_of_a_line_are_those_of_its_abbreviations() -> None:
    abbreviations = "KASSE: [organisation CSS], AUS DEM [hospital FEK], BERUF: [profession KOCH]"
    assert all(name.isupper() for name in outputs(f"{abbreviations}\nEr kam."))
    assert not any(name.isupper() and len(name) > 3 for name in outputs(f"{abbreviations}, er kam."))
    assert outputs("Pflegeteam [organisation MOKI NÖ]")[0] in towns("AT")


@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("cc [organisation Betreuungsbehörde Perleberg]", "Betreuungsbehörde "),
        ("beim [organisation Versorgungsamt Hildesheim]", "Versorgungsamt "),
        ("das [organisation Amt für Verbraucherschutz]", "Amt "),
        ("des [organisation Hilfswerks Steiermark]", "Hilfswerks "),
        ("an der [organisation Gorch-Fock-Schule]", "Schule "),
        ("Sänger im [organisation Chor viril Lumnezia]", "Chor "),
        ("beim [organisation Europarat]", "Rat "),
        ("am [organisation Institut für Orientalistik der Goethe-Universität]", "Institut "),
        ("im [organisation Knappenchor Hohenfeld]", "Chor "),
        ("beim [organisation MDK Nord]", "MDK "),
        ("Kasse: [organisation TK]", ""),
        ("im [hospital LKH Hohenfeld]", "LKH "),
        ("im [hospital UKE]", "Klinikum "),
        ("im [hospital Gefäßzentrum Hohenfeld]", "Gefäßzentrum "),
        ("im [hospital Seniorenwohnheim Hohenfeld]", "Seniorenwohnheim "),
        ("im [hospital Universitaetsklinikum Hohenfeld]", "Universitaetsklinikum "),
        ("in der [hospital HNO-Klinik Hohenfeld]", "HNO-Klinik "),
        ("in der [hospital Isar-Klinik Hohenfeld]", "Klinik "),
        ("im [hospital Waldkrankenhaus Hohenfeld]", "Krankenhaus "),
        ("im [hospital Institut für Pathologie Hohenfeld]", "Institut für Pathologie "),
        ("in der [hospital Geriatrischen Klinik Hohenfeld]", "Geriatrischen Klinik "),
        ("des [hospital Jugendheims Hohenfeld]", "Jugendheims "),
        ("in der [hospital ORTHOPAEDISCHEN KLINIK HOHENFELD]", "ORTHOPAEDISCHEN KLINIK "),
        ("in der [hospital Rechtsmedizin Hohenfeld]", "Rechtsmedizin "),
        ("der [hospital Arbeitsmedizinischer Dienst Hohenfeld]", "Arbeitsmedizinischer Dienst "),
        ("im [hospital Laboratorium Xandhofer]", "Laboratorium "),
        ("an die [organisation Vormundschaftsbehörde Hohenfeld]", "Vormundschaftsbehörde "),
        ("beim [organisation Polizeipräsidium Hohenfeld]", "Polizeipräsidium "),
        ("beim [organisation Arbeitsinspektorat Hohenfeld]", "Arbeitsinspektorat "),
        ("bei der [organisation Arbeiterwohlfahrt Hohenfeld]", "Arbeiterwohlfahrt "),
        ("bei der [organisation DRV Bund]", "DRV "),
        ("beim [organisation MDK Hohenfeld]", "MDK "),
        ("an das [organisation AG Hohenfeld]", "AG "),
        ("Träger [organisation JA Hohenfelder Seenplatte]", "JA "),
        ("beim [organisation Amt für Xandhof]", "Amt "),
        ("bei der [organisation AHV-Zweigstelle Hohenfeld]", "AHV-Zweigstelle "),
        ("beim [organisation Giftinformationszentrum Hohenfeld]", "Giftinformationszentrum "),
        ("bei der [organisation Deutschen Rentenversicherung Hohenfeld]", "Deutschen Rentenversicherung "),
        ("bei der [organisation Unfallkasse Hohenfeld]", "Unfallkasse "),
        ("bei der [organisation Pensionskasse Hohenfeld]", "Pensionskasse "),
        ("bei der [organisation BG Hohenfeld]", "BG "),
        ("im [hospital Pathologischen Institut Hohenfeld]", "Pathologischen Institut "),
    ],
)
def test_organisations_agree_with_the_article(marked: str, kind: str) -> None:
    [name] = outputs(marked)
    assert name.startswith(kind) and "GmbH" not in name


@pytest.mark.parametrize(
    "text",
    [
        "Klinik f. Anästhesiologie, Intensiv- u. Notfallmedizin",
        "Abteilung für Physikalische und Rehabilitative Medizin",
        "ABT. GYNAEKOLOGIE U. GEBURTSHILFE",
        "ANAESTHESIE UND OPERATIVE INTENSIVMEDIZIN",
        "Klinik für Augenheilkunde und Orthoptik",
        "Geriatrische Arnbulanz",
        "lnstitut für Pathologie",
    ],
)
def test_abbreviations_and_subjects_of_departments_stay(text: str) -> None:
    assert outputs(f"[department {text}]") == [text]


def test_a_name_beside_a_subject_is_replaced() -> None:
    for text in ("Station Xandhofer für Chirurgie", "Klinik für Chirurgie und Müller", "Haus Xandhofer und Vrenler"):
        assert not {"Xandhofer", "Müller", "Vrenler"} & set(outputs(f"[department {text}]")[0].split())


@pytest.mark.parametrize(
    "marked", ["[organisation NOEGKK]", "bei der [organisation Techniker]", "Kasse: [organisation Xandhof]"]
)
def test_insurers_are_known_by_their_ending_or_field(marked: str) -> None:
    assert outputs(marked)[0] in word_list("policies/insurers")


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("bei [organisation Vrenler Werke GmbH]", r"\w+ Werke GmbH"),
        ("Fa. [organisation Landtechnik Vrenler KG]", r"Landtechnik \w+ KG"),
        ("der [organisation Pixelgrat AG]", r"\w+ AG"),
    ],
)
def test_a_business_keeps_its_order_and_legal_form(marked: str, form: str) -> None:
    [name] = outputs(marked)
    assert re.fullmatch(form, name) and "Rat" not in name.split()


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("Dort ist der", r"Verband \w+"),
        ("Der", r"Verband \w+"),
        ("Langwaffen, der", r"Verband \w+"),
        ("beim", r"Verband \w+"),
        ("mit ihrem örtlichen", r"Verband \w+"),
        ("über den", r"Verband \w+"),
        ("ein Schreiben des", r"Verbands \w+"),
        ("bei der", r"\w+ GmbH"),
        ("Mitglied der", r"\w+ GmbH"),
        ("Az. der", r"\w+ GmbH"),
        ("mit der Familie und der", r"\w+ GmbH"),
        ("betriebsärztin der", r"\w+ GmbH"),
        ("Das teilte der", r"Verband \w+"),
        ("an die", r"\w+ GmbH"),
        ("über das", r"Unternehmen \w+"),
        ("Meldung ans", r"Unternehmen \w+"),
        ("bei den", r"Stadtwerken \w+"),
        ("mit einer", r"\w+ GmbH"),
        ("unser", r"Verband \w+"),
        ("arbeitet in", "|".join(towns())),
        ("arbeitet bei", r"Firma \w+"),
        ("Fa.", r"\w+ GmbH"),
        ("Arbeitgeber:", r"\w+ GmbH"),
    ],
)
def test_an_organisation_without_a_kind_agrees_with_the_word_before_it(before: str, kind: str) -> None:
    [name] = outputs(f"{before} [organisation XYZ] tätig")
    assert re.fullmatch(kind, name)


@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("Die [organisation XYZ] haben abgelehnt", r"Stadtwerke \w+"),
        ("Die [organisation XYZ] hat abgelehnt", r"\w+ GmbH"),
        ("im [organisation HEK]", r"Verband \w+"),
        ("das [organisation AOK]", r"Unternehmen \w+"),
    ],
)
def test_an_organisation_agrees_with_the_verb_and_an_insurer_with_its_article(marked: str, kind: str) -> None:
    [name] = outputs(marked)
    assert re.fullmatch(kind, name)


@pytest.mark.parametrize(
    ("before", "kind"),
    [
        ("in der", r"Klinik \w+"),
        ("im", r"Klinikum \w+"),
        ("der Chefarzt des", r"Klinikums \w+"),
        ("Reha in", r"\w+"),
        ("Verlegung nach", r"\w+"),
    ],
)
def test_a_hospital_without_a_kind_agrees_with_the_word_before_it(before: str, kind: str) -> None:
    [name] = outputs(f"{before} [hospital Kreischa] ab 3.4.")
    assert re.fullmatch(kind, name) and name.split()[-1] in towns()


def test_case_of_institutions() -> None:
    text = outputs("[organisation SEEMANNSMISSION] [organisation aok] [organisation XYZ] [hospital KH]")
    assert text[0].isupper() and text[1].islower() and not text[2].isupper() and not text[3].isupper()


@pytest.mark.parametrize(
    ("before", "marked"), [("im Altersheim ", "[hospital Casa]"), ("im Kindergarten ", '"[organisation Spatzen]"')]
)
def test_after_a_kind_a_town_is_enough(before: str, marked: str) -> None:
    [name] = outputs(before + marked)
    assert name in towns()


@pytest.mark.parametrize("text", ["Kinderstation", "Tropenmed. Ambulanz", "Abteilung für Bewegungsstörungen"])
def test_medical_words_of_departments_stay(text: str) -> None:
    assert outputs(f"[department {text}]") == [text]


def test_a_name_in_a_compound_is_one_word() -> None:
    hospital, company = outputs("im [hospital MHH]-Labor und in der [organisation XYZ]-Ortsgruppe")
    assert hospital in towns() and company in SURNAMES


def test_no_number_of_a_ward_stays() -> None:
    keys = [PolicyKey(f"a key of these tests, number {number:04}".encode()) for number in range(60)]
    assert "NUK 1" not in {outputs("[department NUK 1]", key=key)[0] for key in keys}


def test_an_insurer_stays_one() -> None:
    assert outputs("bei [organisation BKK Holz und Metall] versichert")[0] in word_list("policies/insurers")


def test_a_hospital_without_a_kind_follows_the_article() -> None:
    assert re.fullmatch(
        r"in der Klinik \w+, im Klinikum \w+", redacted("in der [hospital CPU], im [hospital Rheinblick]")
    )


@pytest.mark.parametrize(
    ("marked", "kind"),
    [
        ("[hospital Herz- und Gefaesszentrum Musterstadt]", "Herz- und Gefaesszentrum "),
        ("[organisation Kreishandwerkerschaft Musterstadt]", "Kreishandwerkerschaft "),
        ("[organisation JC Rhein-Kreis Musterstadt]", "JC "),
        ("[department Perinatalzentrum Level 1]", "Perinatalzentrum Level 1"),
    ],
)
def test_kinds_of_several_words_stay(marked: str, kind: str) -> None:
    assert outputs(marked)[0].startswith(kind)


@pytest.mark.parametrize(
    ("marked", "pattern"),
    [
        ("im [organisation Trachtenverein Musterdorf]", r"Trachtenverein \w+"),
        ("im [hospital Universitäts-Augenklinik Musterburg]", r"Universitäts-Augenklinik \w+"),
        ("vom [organisation Psychosozialen Dienst Musterburg]", r"Psychosozialen Dienst \w+"),
        ("das [organisation Landesamt für Gesundheit und Soziales]", r"Landesamt für Gesundheit und Soziales \w+"),
        ("bei [organisation Meister Bürger Glasbau GmbH]", r"\w+ Glasbau GmbH"),
        ("Mitglied der [organisation SPD]", "CDU|FDP"),
        ("Lagerist bei [organisation Rewe]", "Edeka|Lidl|Aldi|Netto|Penny|Kaufland|Norma"),
        (
            "privat versichert bei der [organisation Hamburg-Mannheimer]",
            "Allianz|Debeka|DKV|HUK-Coburg|Continentale|Barmenia|Gothaer|Hallesche",
        ),
        ("Kasse: [organisation AOK]", "Barmer|DAK|Knappschaft|SBK|HEK|KKH|TK"),
    ],
)
def test_an_institution_stays_what_it_is(marked: str, pattern: str) -> None:
    [name] = outputs(marked)
    assert re.fullmatch(pattern, name)
