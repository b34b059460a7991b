"""Surrogates read as German: what belongs to no name stays, order and case stay, articles agree."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_notes import outputs

from deid_core.core.word_lists import word_list
from deid_core.policies.key import PolicyKey
from deid_core.policies.names.name_parts import GIVEN, SURNAME, given_names, parsed_name, surnames
from deid_core.policies.surrogates.town_lists import towns

WOMEN = {name for other in (False, True) for name in given_names(female=True, other=other)}
MEN = {name for other in (False, True) for name in given_names(female=False, other=other)}
LANDSCAPES: dict[str, list[str]] = {}
for group, landscape in (line.split(" ", 1) for line in word_list("policies/landscapes")):
    LANDSCAPES.setdefault(group, []).append(landscape)
SURNAMES = {name for other in (False, True) for name in surnames(other=other)}


@pytest.mark.parametrize(
    ("name", "given", "surname"),
    [
        ("Wenzel jun.", [], ["Wenzel"]),
        ("Peter Wenzel senior", ["Peter"], ["Wenzel"]),
        ("Müller sen., Peter", ["Peter"], ["Müller"]),
        ("Anna Senior", ["Anna"], ["Senior"]),
        ("Peter v. Prittwitz", ["Peter"], ["Prittwitz"]),
        ("Salvatore Di Benedetto", ["Salvatore"], ["Benedetto"]),
        ("Ben Stein", ["Ben"], ["Stein"]),
        ("ZUDRELL Kreszentia", ["Kreszentia"], ["ZUDRELL"]),
        ("DE VRIES Maarten", ["Maarten"], ["VRIES"]),
        ("PETER Müller", ["PETER"], ["Müller"]),
        ("Katja M.", ["Katja"], []),
        ("Ospelt L.", [], ["Ospelt"]),
        ("von Xandhofer-Vrenl Nfumu", ["Nfumu"], ["Xandhofer", "Vrenl"]),
        ("XANDHOFER VON VRENL EMMA", ["EMMA"], ["XANDHOFER", "VRENL"]),
        ("Tillmann v. Xandhofer", ["Tillmann"], ["Xandhofer"]),
    ],
)
def test_parts_of_names(name: str, given: list[str], surname: list[str]) -> None:
    parts = parsed_name(name).parts
    assert [part.word for part in parts if part.role is GIVEN] == given
    assert [part.word for part in parts if part.role is SURNAME] == surname


def test_small_letters_with_a_full_stop_are_initials_in_a_text_in_small_letters() -> None:
    [one, other] = outputs("[patient v. müller] [patient v. Müller]")
    assert not one.startswith("v. ") and other.startswith("v. ")


def test_father_and_son_keep_what_tells_them_apart() -> None:
    junior, senior = outputs("Herr [patient Wenzel jun.], Vater [relative Wenzel sen.]")
    assert junior.removesuffix(" jun.") == senior.removesuffix(" sen.") in SURNAMES


def test_sharp_s_among_capitals() -> None:
    [name] = outputs("[patient GROß, ANNEGRET]")
    assert name.isupper()


@pytest.mark.parametrize("whose", ["Seine", "ihre", "mit seiner", "seine frühere"])
def test_his_wife_has_a_given_name(whose: str) -> None:
    [name] = outputs(f"{whose} Frau [relative Tomma] kam.")
    assert name in WOMEN
    [name] = outputs("Frau [relative Tomma] kam.")
    assert name in SURNAMES


def test_a_son_after_herr_has_a_given_name() -> None:
    father, son = outputs("Herr [patient Schlossstein] und sein Sohn [relative Jochen]")
    assert father in SURNAMES and son in MEN


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
    ("marked", "women"),
    [
        ("[relative Vrenlh] (Ehefrau)", True),
        ("[relative Vrenla] (sein Bruder)", False),
        ("[patient Vrenlh Vogt], w, 1.2.1950", True),
        ("[patient Vrenla Vogt], m, 1.2.1950", False),
        ("[clinician Vrenlh Vogt], Assistenzärztin", True),
        ("[clinician Vrenla Vogt], Arzt", False),
        ("[clinician Hevin Vogt]", True),
        ("[clinician Fadil Vogt]", False),
    ],
)
def test_a_word_after_a_name_tells_the_sex(marked: str, women: bool) -> None:
    assert outputs(f"Anruf von {marked}")[0].split()[0] in (WOMEN if women else MEN)


def test_given_names_beside_each_other_are_of_one_sex() -> None:
    [name] = outputs("[patient Xandhe Christian Vogt]")
    assert set(name.split()[:2]) <= MEN
    [name] = outputs("[patient Lhe Vanh Xandhofer]")
    assert set(name.split()[:2]) <= WOMEN


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


@pytest.mark.parametrize(
    ("before", "female"),
    [("Sr.", True), ("Schwester", True), ("Assistenzärztin", True), ("Therapeutin", True), ("Insulin bei", False)],
)
def test_the_word_before_a_name_that_no_list_has_tells_the_sex(before: str, female: bool) -> None:
    [name] = outputs(f"{before} [clinician Vrenlo Xandhofer] kam.")
    assert name.split()[0] in (WOMEN if female else MEN)


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
    listed = [line.split(";")[gender] for line in word_list("policies/professions")]
    assert any(re.fullmatch(f"{each}(?:{ending})", noun) for each in listed)


@pytest.mark.parametrize(
    ("marked", "nouns"),
    [
        ("durch [profession Pfr.] Muster", "Pfarrer Pastor Vikar Diakon"),
        ("Antrag des [profession Pastors]", "Pfarrers Vikars Diakons"),
        ("[profession RAin] Muster", "Notarin Richterin Rechtsanwältin Rechtspflegerin"),
        ("war [profession langjährige Obfrau der Bergrettung]", "Leiterin Sprecherin Schriftführerin Ehrenvorsteherin"),
        ("seit 2010 [profession Rentnerin]", "Rentnerin"),
    ],
)
def test_a_profession_of_a_group_stays_in_it(marked: str, nouns: str) -> None:
    [output] = outputs(marked)
    assert output.split()[-1] in nouns.split()


def test_a_place_of_work_becomes_a_profession() -> None:
    [output] = outputs("arbeitet [profession auf dem Bau]")
    assert re.fullmatch(r"als [A-ZÄÖÜ]\w+", output)


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("Kennz. [other XY-ZA 417]", r"[A-Z]{2}-[A-Z]{2} \d{3}"),
        ("kennz. [other xyz-za 417]", r"[a-z]{3}-[a-z]{2} \d{3}"),
        ("Kennz. [other W-12345 X]", r"[A-Z]-\d{5} [A-Z]"),
        ("war [other Schützenkönig 1964]", r"Leiter|Sprecher|Schriftführer|Ehrenvorsteher"),
        ("die [other letzte Glöcknerin des Klosters]", r"letzte (?:Leit|Sprech|Schriftführ|Ehrenvorsteh)erin"),
    ],
)
def test_what_has_no_label_has_a_surrogate_of_its_form(marked: str, form: str) -> None:
    [output] = outputs(marked)
    assert re.fullmatch(form, output) and output not in marked


@pytest.mark.parametrize(
    "text",
    [
        "Bo",
        "MS Hinrika",
        "Ng",
        "müxi",
        "Herr Xu",
        "A. B.",
        "Zimmer 4711",
        "12. März 1956",
        "Hauptstr. 12",
        "X",
        "seit 2010",
    ],
)
def test_what_may_be_anything_is_a_placeholder(text: str) -> None:
    assert outputs(f"da [other {text}]") == ["<OTHER>"]


@given(st.from_regex(r"[A-Za-zÄÖÜäöü0-9][A-Za-zÄÖÜäöü0-9. '-]{0,18}[A-Za-z0-9.]", fullmatch=True))
def test_no_name_or_number_of_what_has_no_label_stays(text: str) -> None:
    [output] = outputs(f"da [other {text}]")
    is_plate = re.fullmatch(r"[^\W\d_]{1,3}[ -]{1,3}\S*( ?\d+)?.{0,5}", text)  # a letter may be the same by chance
    word = r"\b[A-ZÄÖÜ]\w*|\d+"
    assert is_plate or set(re.findall(word, text)).isdisjoint(re.findall(word, output))


@pytest.mark.parametrize(
    ("marked", "surname"),
    [
        ("Lieber [clinician Xandhe]", False),
        ("Schwester [clinician Xandhe]", False),
        ("Sr. [clinician Xandhe]", False),
        ("aus Nächstenliebe [clinician Xandhe]", True),
        ("Kollegin [clinician Xandhe]", True),
        ("[frau] dr. [clinician mai]", True),
        ("der Sohn [relative Xandhe jun.]", True),
        ("der Sohn [relative Jonte jun.]", False),
        ("die Tochter [relative Lê-Vy]", False),
    ],
)
def test_what_is_before_a_name_that_stands_alone_tells_its_kind(marked: str, surname: bool) -> None:
    name = outputs(marked.replace("[frau]", "frau"))[0].removesuffix(" jun.").title()
    assert (name in SURNAMES) if surname else set(name.split("-")) <= WOMEN | MEN


@pytest.mark.parametrize(
    "field", ["Name, Vorname", "Name/Vorname", "Name / Vorname", "Name und Vorname", "Name; Vorname"]
)
def test_a_cell_of_both_names_has_both(field: str) -> None:
    [name] = outputs(f"{field}: [patient Xandhofer, Jonte]")
    surname, given_name = name.split(", ")
    assert surname in SURNAMES and given_name in MEN
    [name] = outputs("Vorname: [patient Xandhofer]")
    assert name in WOMEN | MEN


def test_two_given_names_of_a_relative() -> None:
    [name] = outputs("die Mutter, [relative Xandhe Rebekka], lebt")
    assert set(name.split()) <= WOMEN


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


def test_letters_beside_digits_of_an_identifier_are_a_code() -> None:
    [code] = outputs("Lot [device_id ABCDE041XY]")
    assert re.fullmatch(r"[A-Z]{5}\d{3}[A-Z]{2}", code)


def test_weak_nouns_have_their_ending() -> None:
    keys = [PolicyKey(f"a key of these tests, number {number:04}".encode()) for number in range(60)]
    drawn = {outputs("Umschulung zum [profession Glasmacher]", key=key)[0] for key in keys}
    assert any(noun.endswith("isten") for noun in drawn) and not any(noun.endswith(("ist", "ekt")) for noun in drawn)


def test_an_abbreviation_in_capitals_does_not_make_capitals() -> None:
    for name in outputs("([profession POK] Stein), seit 1993 in [country NL]"):
        assert not name.isupper()


def test_a_surname_that_stands_first_is_known_by_the_salutation() -> None:
    marked = "Pat. [patient Xandhofer Irmhilt Vrenly], Frau [patient Xandhofer] und [patient Irmhilt Xandhofer]"
    first, alone, last = outputs(marked)
    assert alone in SURNAMES and first.split()[0] == alone == last.split()[1]
    assert first.split()[1] == last.split()[0]


def test_a_double_name_may_end_with_an_initial() -> None:
    one, other = outputs("[clinician Xandhofer-O.], [clinician Xandhofer-Vrenl.]")
    assert re.fullmatch(r"[\w-]+-[A-Z]\.", one) and re.fullmatch(r"[\w-]+-\w{1,5}\.", other)


def test_a_profession_of_several_has_a_plural() -> None:
    [nouns] = outputs("Eltern [profession Tagelöhner], 1 Bruder")
    assert nouns.endswith("er")


def test_a_daughter_in_law_may_have_the_patients_surname() -> None:
    patient, relative = outputs("von Mutter [patient Bach], nicht die Schwiegertochter [relative Bach]")
    assert patient == relative in SURNAMES


def test_a_name_in_a_compound_is_one_word() -> None:
    hospital, company = outputs("im [hospital MHH]-Labor und in der [organisation XYZ]-Ortsgruppe")
    assert hospital in towns() and company in SURNAMES


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


def test_names_that_are_cut_off() -> None:
    short, whole, other = outputs("[clinician Th. Xandhofer], [clinician Thomas Xandhofer], Fr. [clinician Hartm.] kam")
    first, surname = whole.split()
    assert re.fullmatch(rf"{first[0]}\w?\. {surname}", short) and first.startswith(short.split(".")[0])
    assert re.fullmatch(r"\w{1,5}\.", other) and other != "Hartm."
    [turned] = outputs("[clinician Xandhofer Th.]")
    assert turned.split()[0] in SURNAMES


def test_a_wife_is_a_woman_though_her_husband_has_the_same_surname() -> None:
    _, name = outputs("Herr [patient Windischbauer] kam. Die Gattin, Fr. [relative Walpurgis Windischbauer].")
    assert name.split()[0] in WOMEN


def test_a_second_given_name_has_the_sex_of_the_first() -> None:
    [name] = outputs("Frau Dr. [clinician Claudia Linhx Vogt]")
    assert set(name.split()[:2]) <= WOMEN


@pytest.mark.parametrize("whose", ["sein Schulfreund", "ihres Bruders", "wegen des Sohnes", "des Halbbruders"])
def test_a_word_before_the_name_tells_that_it_is_a_mans(whose: str) -> None:
    names = {outputs(f"{whose} [relative Jonth{ending} Xandhofer]")[0].split()[0] for ending in ("e", "a", "o")}
    assert names <= MEN


def test_a_name_that_is_spelled_has_other_letters() -> None:
    [name] = outputs("[patient P-R-Z-E-W], wie man es spricht")
    assert re.fullmatch(r"(?:[A-Z]-){4}[A-Z]", name) and name != "P-R-Z-E-W"


def test_dutch_particles_stay() -> None:
    [name] = outputs("Frau [patient Op de Beeck]")
    assert name.startswith("Op de ") and name.split()[-1] in SURNAMES
    [name] = outputs("[clinician Jan 't Hart]")
    assert re.fullmatch(r"\w+ 't \w+", name)


def test_a_particle_after_the_names_stays() -> None:
    [name] = outputs("[patient Prittwitz, Karl von]")
    assert re.fullmatch(r"\w+, \w+ von", name)


def test_what_is_like_a_particle_is_replaced() -> None:
    for name, word in (("Peter 'Pit' Muster", "Pit"), ("Anh le", "le"), ("Muster von", "Muster")):
        [output] = outputs(f"[patient {name}]")
        assert word not in re.findall(r"\w+", output)


def test_a_relative_with_an_initial_has_a_given_name() -> None:
    [name] = outputs("so die Cousine [relative Irmhilt W.]")
    assert name.split()[0] in WOMEN


def test_a_maiden_name_is_a_surname() -> None:
    [_, name] = outputs("[relative Friederike von Quast], geb. [relative Puttfarken]")
    assert name in SURNAMES


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


@given(st.lists(st.text("ABab. -'’,?0", min_size=1, max_size=9), min_size=1, max_size=6))
def test_spans_with_any_edges_are_replaced(names: list[str]) -> None:
    marked = " und ".join(f"[{phi} {name}]" for phi in ("patient", "clinician") for name in names)
    assert len(outputs(f"Herr {marked} kam.")) == 2 * len(names)


def test_a_given_name_that_no_list_has_is_no_surname_beside_a_listed_surname() -> None:
    alone, whole = outputs("Frau [relative Xandhe] und [relative Xandhe Müller] und [relative ?]")[:2]
    assert whole.split()[0] == alone


@pytest.mark.parametrize(
    ("marked", "women"),
    [
        ("[patient Muster Michèle], Frau [patient Muster]. Die Patientin kam. Die Patientin ging.", True),
        ("Frau Dr. [clinician Robin Muster]", True),
        ("[patient FREIIN VON MUSTER, MERGOR]", True),
        ("[patient Muster, Irmi]", True),
        ("[patient Muster, Vrenkarl]", False),
    ],
)
def test_the_note_or_the_ending_tells_the_sex(marked: str, women: bool) -> None:
    given_name = outputs(marked)[0].replace(",", "").title().split()[-2 if "Dr." in marked else -1]
    assert given_name in (WOMEN if women else MEN)


def test_the_note_tells_which_word_is_the_surname() -> None:
    sister, brother = outputs("PAT: [patient XANDHOFER MARLENE], Bruder [relative Xandhofer Mario]")
    assert sister.split()[0] == brother.split()[0].upper() and brother.split()[1] in MEN
    whole, alone = outputs("Patientin: [patient Meier-Xandhofer Rouah], Frau [patient Meier]")
    assert whole.split("-")[0] == alone in SURNAMES and whole.split()[1] in WOMEN | MEN

    whole, _, genitive = outputs("[patient xandhofer vrenlina], frau [patient x.], [patient xandhofers] wunsch")
    assert whole.split()[0] == genitive.removesuffix("s").removesuffix("'")


def test_a_nurse_in_a_field_has_a_given_name() -> None:
    [name] = outputs("Endoskopieschwester: [clinician Vrenlsu]")
    assert name in WOMEN


def test_no_number_of_a_ward_stays() -> None:
    keys = [PolicyKey(f"a key of these tests, number {number:04}".encode()) for number in range(60)]
    assert "NUK 1" not in {outputs("[department NUK 1]", key=key)[0] for key in keys}


def test_a_given_name_that_is_a_function_word_is_replaced() -> None:
    names = outputs("[patient Max] kam, [patient max] ging.")
    assert {name.lower() for name in names}.isdisjoint({"max"}) and names[0].lower() == names[1]


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


@pytest.mark.parametrize("broken", ["[patient Roh-]\n[patient weder]", "[patient Roh]-\n  [patient weder]"])
def test_the_end_of_a_broken_name_is_no_function_word(broken: str) -> None:
    assert outputs(f"hat {broken} unterrichtet")[1] != "weder"
    assert outputs("hat [patient Rohmer] [patient weder] unterrichtet")[1] == "weder"


def test_an_initial_that_is_no_letter_ends_no_note() -> None:
    assert len(outputs("[patient Ⅷ. Muster], [patient Anna Muster]")) == 2
