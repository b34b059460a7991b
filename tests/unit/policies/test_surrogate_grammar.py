"""Surrogates read as German: what belongs to no name stays, order and case stay, articles agree."""

from __future__ import annotations

import pytest
from policy_notes import outputs

from deid_core.policies.names.name_parts import GIVEN, SURNAME, given_names, parsed_name, surnames

WOMEN = {name for other in (False, True) for name in given_names(female=True, other=other)}
MEN = {name for other in (False, True) for name in given_names(female=False, other=other)}
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


@pytest.mark.parametrize("whose", ["Seine", "ihre", "mit seiner"])
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
        ("cc [organisation Betreuungsbehörde Perleberg]", "Behörde "),
        ("beim [organisation Versorgungsamt Hildesheim]", "Versorgungsamt "),
        ("das [organisation Amt für Verbraucherschutz]", "Amt "),
        ("des [organisation Hilfswerks Steiermark]", "Hilfswerks "),
        ("an der [organisation Gorch-Fock-Schule]", "Schule "),
        ("Sänger im [organisation Chor viril Lumnezia]", "Chor "),
        ("beim [organisation Europarat]", "Verband "),
        ("beim [organisation ASD]", "Verband "),
    ],
)
def test_organisations_agree_with_the_article(marked: str, kind: str) -> None:
    [name] = outputs(marked)
    assert name.startswith(kind) and "GmbH" not in name


def test_abbreviations_of_departments_stay() -> None:
    text = "Klinik f. Anästhesiologie, Intensiv- u. Notfallmedizin"
    assert outputs(f"[department {text}]") == [text]
