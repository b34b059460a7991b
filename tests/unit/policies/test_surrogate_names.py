"""Surrogates of names: which part is replaced by what, and the sex that the text around tells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed_names import MEN, SURNAMES, WOMEN
from policy_notes import PATIENTS, outputs

from deid_core.policies.names.name_parts import GIVEN, SURNAME, parsed_name


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
    ("marked", "women"),
    [
        ("[relative Vrenlh] (Ehefrau)", True),
        ("[relative Vrenla] (sein Bruder)", False),
        ("[patient Vrenlh Vogt], w, 1.2.1950", True),
        ("[patient Vrenla Vogt], m, 1.2.1950", False),
        ("[clinician Vrenlh Vogt], Assistenzärztin", True),
        ("[clinician Vrenlh Vogt]\nLeitende Oberärztin", True),
        ("[clinician Xelmira Vogt]\nOberarzt", False),
        ("OÄ Rad. Dr. [clinician Vrenlh Vogt]", True),
        ("[clinician Vrenla Vogt], Arzt", False),
        ("[relative Norbert], [town Schwerin],", False),
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
    ("before", "female"),
    [("Sr.", True), ("Schwester", True), ("Assistenzärztin", True), ("Therapeutin", True), ("Insulin bei", False)],
)
def test_the_word_before_a_name_that_no_list_has_tells_the_sex(before: str, female: bool) -> None:
    [name] = outputs(f"{before} [clinician Vrenlo Xandhofer] kam.")
    assert name.split()[0] in (WOMEN if female else MEN)


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


def test_a_surname_that_stands_first_is_known_by_the_salutation() -> None:
    marked = "Pat. [patient Xandhofer Irmhilt Vrenly], Frau [patient Xandhofer] und [patient Irmhilt Xandhofer]"
    first, alone, last = outputs(marked)
    assert alone in SURNAMES and first.split()[0] == alone == last.split()[1]
    assert first.split()[1] == last.split()[0]


def test_a_double_name_may_end_with_an_initial() -> None:
    one, other = outputs("[clinician Xandhofer-O.], [clinician Xandhofer-Vrenl.]")
    assert re.fullmatch(r"[\w-]+-[A-Z]\.", one) and re.fullmatch(r"[\w-]+-\w{1,5}\.", other)


def test_a_daughter_in_law_may_have_the_patients_surname() -> None:
    patient, relative = outputs("von Mutter [patient Bach], nicht die Schwiegertochter [relative Bach]")
    assert patient == relative in SURNAMES


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


def test_a_given_name_that_is_a_function_word_is_replaced() -> None:
    names = outputs("[patient Max] kam, [patient max] ging.")
    assert {name.lower() for name in names}.isdisjoint({"max"}) and names[0].lower() == names[1]


@pytest.mark.parametrize("broken", ["[patient Roh-]\n[patient weder]", "[patient Roh]-\n  [patient weder]"])
def test_the_end_of_a_broken_name_is_no_function_word(broken: str) -> None:
    assert outputs(f"hat {broken} unterrichtet")[1] != "weder"
    assert outputs("hat [patient Rohmer] [patient weder] unterrichtet")[1] == "weder"


def test_an_initial_that_is_no_letter_ends_no_note() -> None:
    assert len(outputs("[patient Ⅷ. Muster], [patient Anna Muster]")) == 2


@pytest.mark.parametrize("patient", PATIENTS)
def test_two_letters_are_the_initials_of_the_only_one_who_has_them(patient: str) -> None:
    name, letters = outputs("Prof. [clinician T. Schwab], vis. [clinician TS]", patient=patient)
    initials = name[0] + name.split()[1][0]
    assert letters != "TS"
    assert letters == initials or initials == "TS"
