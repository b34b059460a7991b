"""Surrogates: names follow each other in all their forms, and everything keeps the form that it had."""

from __future__ import annotations

import re

import pytest
from policy_notes import outputs, policy, redacted

from deid_core.core.word_lists import word_list
from deid_core.policies.names.name_parts import given_names, surnames

PATIENTS = [f"p{number}" for number in range(10)]
SURNAMES = set(surnames(other=False))
WOMEN, MEN = (set(given_names(female=female, other=False)) for female in (True, False))


@pytest.mark.parametrize("patient", PATIENTS)
def test_all_forms_of_a_name_follow_each_other(patient: str) -> None:
    full, reversed_, title, capitals, plain, genitive, initial, initials, typo = outputs(
        "[patient Peter Xylander], [patient Xylander, Peter], Dr. [patient P. Xylander], [patient XYLANDER], "
        "[patient Xylander] und [patient Xylanders] Sohn, Hr. [patient X.], [patient P. X.], [patient Xylender]",
        patient=patient,
    )
    given, surname = full.split(" ")
    assert given in MEN and surname in SURNAMES and given != "Peter"
    assert reversed_ == f"{surname}, {given}"
    assert title == f"{given[0]}. {surname}"
    assert capitals == surname.upper()
    assert (plain, typo) == (surname, surname)
    assert genitive == (f"{surname}'" if surname[-1] in "sßxz" else f"{surname}s")
    assert (initial, initials) == (f"{surname[0]}.", f"{given[0]}. {surname[0]}.")


@pytest.mark.parametrize("patient", PATIENTS)
def test_umlauts_written_out_or_left_out_are_one_name(patient: str) -> None:
    plain, *others = outputs("[patient Müller] [patient MUELLER] [patient Muller] [patient Müllers]", patient=patient)
    assert [other.removesuffix("s").removesuffix("'").lower() for other in others[1:]] == [
        plain.lower().removesuffix("s") if other.endswith("s") else plain.lower() for other in others[1:]
    ]
    assert others[0] == plain.upper()


def test_sex_is_kept_by_list_or_salutation() -> None:
    for patient in PATIENTS:
        woman, man, unknown = outputs(
            "[relative Ursula Stein], [relative Günter Stein], Frau [patient Xylo Stein]", patient=patient
        )
        assert woman.split()[0] in WOMEN and man.split()[0] in MEN and unknown.split()[0] in WOMEN
        assert len({name.split()[1] for name in (woman, man, unknown)}) == 1


@pytest.mark.parametrize(
    ("marked", "women"),
    [
        ("[patient Xylo Muster]: Herr [patient Muster] kam.", False),
        ("[patient Xylor Muster]: Frau [patient Muster] kam.", True),
        ("[patient Xylor Muster]. Die Patientin kam.", True),
        ("[patient Xyla Muster]. Der Patient kam.", False),
    ],
)
def test_the_sex_of_a_name_that_no_list_has_is_told_by_the_note(marked: str, women: bool) -> None:
    for patient in PATIENTS:
        assert outputs(marked, patient=patient)[0].split()[0] in (WOMEN if women else MEN)


def test_fields_tell_given_names_from_surnames() -> None:
    for patient in PATIENTS:
        surname, given = outputs("Name: [patient Walter]\tVorname: [patient Xylo Götz]", patient=patient)
        assert surname in SURNAMES and set(given.split()) <= MEN
        reversed_ = outputs("[patient Muster Harald], [patient Harald Muster]", patient=patient)
        assert reversed_[0].split() == reversed_[1].split()[::-1]


@pytest.mark.parametrize("typo", ["Xylandr", "Xylandder", "Xyladner", "Xylanders"])
def test_typing_errors_follow_the_more_frequent_spelling(typo: str) -> None:
    for patient in PATIENTS:
        right, wrong, again = outputs(f"[patient Xylander], [patient {typo}], [patient Xylander]", patient=patient)
        assert right == again and wrong in (right, f"{right}s", f"{right}'")


def test_a_surname_with_s_is_the_genitive_where_the_note_has_the_name_without() -> None:
    for patient in PATIENTS:
        name, genitive = outputs("[patient Peter Heinrich], [patient Heinrichs] Sohn", patient=patient)
        assert genitive in (f"{name.split()[1]}s", f"{name.split()[1]}'")
        assert outputs("Dr. [clinician Peter Heinrichs]", patient=patient)[0].split()[1] in SURNAMES


def test_a_surname_with_s_is_no_genitive_where_nothing_can_follow_it() -> None:
    for patient in PATIENTS:
        alone, again, genitive = outputs(
            "EKG (Dr. [clinician Reuters]), gez. [clinician Reuters]\nFrau [relative Bauers] Sohn", patient=patient
        )
        assert alone == again and alone in SURNAMES
        assert genitive.removesuffix("s").removesuffix("'") in SURNAMES and genitive[-1] in "s'"


def test_a_function_word_with_a_capital_stays_only_where_a_sentence_begins() -> None:
    kept = "[patient Der] Patient kam nach Hause. [patient Aller] Voraussicht nach geht es ihm gut."
    assert redacted(kept) == "Der Patient kam nach Hause. Aller Voraussicht nach geht es ihm gut."
    assert "Aller" not in redacted(
        "Verden ([clinician Aller]), Dr. [clinician Aller] sah ihn.\n[clinician Aller]\tArzt"
    )


def test_three_capitals_are_a_name_if_the_note_has_it() -> None:
    for patient in PATIENTS:
        name, capitals = outputs("[patient Jutta Xäh] [patient XÄH]", patient=patient)
        assert capitals == name.split()[1].upper()


def test_a_relative_is_called_by_a_given_name_of_the_sex_that_the_text_tells() -> None:
    for patient in PATIENTS:
        woman, man = outputs("Ihre Schwester [relative Xylor], der Neffe [relative Xyla]", patient=patient)
        assert woman in WOMEN and man in MEN
        wife = outputs("Die Ehefrau des Patienten, [relative Xylor Muster], kam.", patient=patient)[0]
        assert wife.split()[0] in WOMEN


def test_no_street_is_another_street_of_the_note_with_another_ending() -> None:
    stems = word_list("policies/street-stems")
    half = len(stems) // 2
    streets = ", ".join(f"[street {stem}str. 1]" for stem in stems[:half])
    for patient in PATIENTS:
        found = outputs(f"{streets}, [street Xylanderstraße 7]", patient=patient)[-1]
        assert found.split("straße")[0] in stems[half:]
        hill = outputs(f"{streets.replace('str.', 'berg')}, [street Am Xylander 7]", patient=patient)[-1]
        assert hill.removeprefix("Am ").split("berg ")[0] in stems[half:]


def test_an_insurer_stays_one() -> None:
    assert outputs("bei [organisation BKK Holz und Metall] versichert")[0] in word_list("policies/insurers")


def test_a_name_after_a_title_is_a_surname() -> None:
    for patient in PATIENTS:
        full, doctor = outputs("[patient Walter Muster] und Frau Dr. [clinician Walter]", patient=patient)
        assert full.split()[0] in MEN and doctor in SURNAMES
        assert outputs("Herr [patient Walter]", patient=patient)[0] in SURNAMES


def test_a_short_name_is_no_sign() -> None:
    assert all(name in SURNAMES for name in outputs("Herr [patient Bum], Dr. [clinician Xyl]"))


def test_titles_particles_and_double_names_stay_what_they_are() -> None:
    for patient in PATIENTS:
        noble, double, given = outputs(
            "[patient Otto Graf von Xylander], [patient Xylander-Muster], [patient Hans-Jürgen Muster]", patient=patient
        )
        assert re.fullmatch(r"\w+ Graf von \w+", noble)
        capitals = outputs("[patient VAN DER XYLANDER, Otto]", patient=patient)[0]
        assert re.fullmatch(r"VAN DER [A-ZÄÖÜẞ]+, \w+", capitals)
        first, second = double.split("-")
        assert noble.endswith(first) and given.endswith(second) and "-" in given


def test_a_word_that_can_be_a_particle_is_replaced_where_it_is_the_name() -> None:
    assert "Graf" not in redacted("Herr [patient Graf] kam. [patient Ben Graf], [patient Graf, Ben]")
    assert "Ben" not in redacted("[patient Ben Muster]")


def test_no_surrogate_is_a_name_of_the_note() -> None:
    listed = sorted(SURNAMES)
    marked = " ".join(f"[patient {name}]" for name in listed[:300])
    assert not {o.casefold() for o in outputs(marked)} & {name.casefold() for name in listed[:300]}


def test_persons_have_one_number_and_one_pseudonym() -> None:
    marked = (
        "[patient Peter Müller], [relative Anna Müller], Herr [patient Müller], [patient P. Müller], [relative Anna], "
        "Dr. [clinician Schmidt], [patient Müllers]"
    )
    assert outputs(marked, policy(labels={"PER": "numbered"})) == [
        "<PER-1>", "<PER-2>", "<PER-1>", "<PER-1>", "<PER-2>", "<PER-3>", "<PER-1>"
    ]  # fmt: skip
    tokens = outputs(marked, policy(labels={"PER": "pseudonym"}))
    assert [tokens.index(token) for token in tokens] == [0, 1, 0, 0, 1, 5, 0]
    assert all(re.fullmatch(r"<PER-[0-9a-f]{12}>", token) for token in tokens)


@pytest.mark.parametrize(
    "marked",
    [
        "Dr. [clinician Xymuster], [clinician P. Xymuster]",
        "[clinician P. Xymuster], Dr. [clinician Xymuster]",
        "[clinician Xymuster, P.], Dr. [clinician Xymuster]",
        "Dr. [clinician Xymuster], [clinician H.-P. Xymuster], [clinician H. Xymuster]",
        "Dr. [clinician Muster-Xylander], [clinician Eva Muster-Xylander], [clinician E. Muster-Xylander]",
        "Herr [patient X.], [patient Peter Xymuster], Hr. [patient P. X.]",
        "[relative Irmhild X.], [relative Irmhild Xymuster]",
        "Dr. [clinician Eva Xymuster], Visite [clinician xy]",
    ],
)
@pytest.mark.parametrize("operator", ["pseudonym", "numbered"])
def test_the_mentions_of_a_person_have_one_pseudonym(marked: str, operator: str) -> None:
    assert len(set(outputs(marked, policy(labels={"PER": operator})))) == 1


@pytest.mark.parametrize(
    "marked",
    [
        "[clinician P. Xymuster], [clinician M. Xymuster]",
        "[clinician P. Xymuster], [clinician Mia Xymuster]",
        "[clinician H.-P. Xymuster], [clinician H.-G. Xymuster]",
        "[patient Eva Xymuster], Visite [clinician xy]",
        "[patient Eva Xymuster], Visite [clinician EX]",
        "[relative Irmhild X.], [relative Irmhild Muster]",
    ],
)
def test_two_people_have_two_pseudonyms(marked: str) -> None:
    assert len(set(outputs(marked, policy(labels={"PER": "pseudonym"})))) == 2


def test_a_fuller_name_has_one_pseudonym_in_all_notes_of_a_patient() -> None:
    marked = "Dr. [clinician Xymuster], [clinician P. Xymuster]"
    [*_, first] = outputs(marked, "research-gdpr", note_id="a", patient="p")
    assert outputs("[clinician P. Xymuster]", "research-gdpr", note_id="b", patient="p") == [first]
    assert outputs("[clinician P. Xymuster]", "research-gdpr", note_id="b", patient="q") != [first]


def test_values_in_another_form_have_one_number() -> None:
    settings = policy(labels={"PHONE": "numbered", "ID": "numbered"})
    assert outputs("[phone 06221/56-12], [phone 06221 5612], [id A 1], [phone 1]", settings) == [
        "<PHONE-1>", "<PHONE-1>", "<ID-1>", "<PHONE-2>"
    ]  # fmt: skip


@pytest.mark.parametrize("patient", PATIENTS)
@pytest.mark.parametrize(
    ("span", "form"),
    [
        ("phone 06221/56-1234", r"0[1-9]\d{3}/\d\d-\d{4}"),
        ("phone +49 (0)6221 56-0", r"\+49 \(0\)\d{4} \d\d-0"),
        ("phone 0172-5540918", r"017\d-\d{7}"),
        ("fax -7096", r"-\d{4}"),
        ("id A 123/04-b", r"[A-Z] \d{3}/\d\d-[a-z]"),
        ("id 5 XVII 1133/21", r"\d XVII \d{4}/\d\d"),
        ("insurance_id 756.4471.0920.18", r"756\.(?!4471)\d{4}\.\d{4}\.\d\d"),
        ("id XVII", r"(?!XVII)[A-Z]{4}"),
        ("id XVII 318/04", r"XVII \d{3}/\d\d"),
        ("id CX-2019-77", r"(?!CX)[A-Z]{2}-\d{4}-\d\d"),
        ("id 92/06618", r"(?:8[7-9]|9[01])/0(?!6618)\d{4}"),
        ("id 2010-55102", r"200[5-9]-(?!55102)\d{5}"),
        ("id 2008/K-00391", r"200[3-7]/[A-Z]-0\d{4}"),
        ("id 02-44719", r"(?:9[7-9]|0[01])-\d{5}"),
        ("phone 079 412 30 58", r"079 \d{3} \d\d \d\d"),
        ("phone 0676/9004418", r"0676/\d{7}"),
        ("id B-2010/40817", r"[A-Z]-200[5-9]/(?!40817)\d{5}"),
        ("insurance_id 4417 190661", r"(?!4417)\d{4} (?!190661)(?:0[1-9]|1\d|2[0-8])(?:0[1-9]|1[0-2])\d\d"),
        ("insurance_id 4417190661", r"(?!4417)\d{4}(?!190661)(?:0[1-9]|1\d|2[0-8])(?:0[1-9]|1[0-2])\d\d"),
        ("insurance_id 65 190661 M 012", r"\d\d (?!1906)(?:0[1-9]|1\d|2[0-8])(?:0[1-9]|1[0-2])\d\d [A-Z] \d{3}"),
        ("postcode D-69120", r"D-\d{5}"),
        ("postcode 1988", r"[1-9]\d{3}"),
        ("postcode A-1010", r"A-[1-9]\d{3}"),
        ("street Gartenstr. 11a", r"[A-ZÖÜ]\w+str\. \d+a"),
        ("street Goethestraße 9-11", r"[A-Z]\w+straße \d+-\d+"),
        ("street Mannheimer Straße 4", r"\w+er Straße \d+"),
        ("street Am Mühlbach 3", r"Am \w+berg \d+"),
        ("street Hintere Gasse 3", r"\w+gasse \d+"),
        ("street Postfach 12 20", r"Postfach \d\d \d\d"),
        ("street Postf. 10 14 44", r"Postf\. \d\d \d\d \d\d"),
        ("street Packstation 131", r"Packstation \d{3}"),
        ("hospital Theresienkrankenhaus", r"Krankenhaus \w+"),
        ("hospital Marienhaus Klinikum Musterstadt", r"Klinikum \w+"),
        ("hospital Kurpfalzklinik", r"Klinik \w+"),
        ("organisation Bahn-BKK", "[A-Z](?!.*GmbH).*"),
        ("clinician .", r"\."),
        ("hospital XYZ Sandhausen", r"Klinikum \w+"),
        ("street whft", "<LOC>"),
        ("hospital KLINIKUM MUSTERSTADT", r"KLINIKUM [A-ZÄÖÜẞ]+"),
        ("organisation Spedition Muster GmbH", r"Spedition \w+ GmbH"),
        ("organisation Amtsgericht Musterstadt", r"Amtsgericht \w+"),
        ("organisation Muster", r"\w+ GmbH"),
        ("organisation BKK Muster", "[A-Z].*"),
        ("department Station Xylomuster", r"Station \w+"),
        ("department Station Stein", r"Station (?!Stein)\w+"),
        ("department Klinik für Kardiologie", r"Klinik für Kardiologie"),
        ("department Klinik für Unfall- und Handchirurgie", r"Klinik für Unfall- und Handchirurgie"),
        ("profession Lehrerin", r"\w+(?:in|frau)"),
        ("profession pensionierter Lehrer", r"pensionierter [A-Z]\w+"),
        ("email info@klinik-muster.de", r"info@klinik-\w+\.example"),
        ("email geriatrie@muster.de", r"geriatrie@\w+\.example"),
        ("email interne3@lkh-muster.de", r"interne3@lkh-\w+\.example"),
        ("email muster71@musterpost.de", r"[a-z]+\d\d@post-\w+\.example"),
        ("uri http://www.klinik-muster.de/team/muster", r"http://www\.klinik-\w+\.example"),
        ("clinician wi-zi", r"[a-z]{2}-[a-z]{2}"),
        ("place Bahnhof Musterstadt", r"Bahnhof \w+"),
        ("place Xylau", r"\w+hof"),
        ("place Berg", "Berg"),
        ("patient der", "der"),
        ("clinician ja", "(?!ja)[a-z]{2}"),
    ],
)
def test_the_form_stays(span: str, form: str, patient: str) -> None:
    [output] = outputs(f"[{span}]", patient=patient)
    assert re.fullmatch(form, output)
    assert "uster" not in output


def test_regions_and_countries_follow_their_preposition() -> None:
    for patient in PATIENTS:
        text = redacted(
            "im [region Allgäu], auf [region Sylt], aus der [country Türkei], aus [country Italien]", patient=patient
        )
        found = re.fullmatch(r"im (\w+), auf (\w+), aus der (\w+), aus (\w+)", text)
        assert found and found[1].endswith(("land", "gebirge", "Allgäu")) and found[3] in (
            "Elfenbeinküste", "Moldau", "Mongolei", "Schweiz", "Slowakei", "Ukraine"
        )  # fmt: skip


def test_a_hospital_without_a_kind_follows_the_article() -> None:
    assert re.fullmatch(
        r"in der Klinik \w+, im Klinikum \w+", redacted("in der [hospital CPU], im [hospital Rheinblick]")
    )


def test_a_postcode_a_hospital_and_a_town_agree() -> None:
    from deid_core.policies.surrogates.town_lists import towns

    for patient in PATIENTS:
        postcode, town, hospital, again = outputs(
            "[postcode 69120] [town Heidelberg], [hospital Klinikum Heidelberg], [town HEIDELBERG]", patient=patient
        )
        assert postcode.startswith(towns()[town].postcode)
        assert (hospital, again) == (f"Klinikum {town}", town.upper())


@pytest.mark.parametrize("patient", PATIENTS)
def test_names_and_initials_of_mail_addresses_are_those_of_their_person(patient: str) -> None:
    one, two, *mails = outputs(
        "[patient XYLANDER, INGRID], [clinician Dieter Xylander], "
        + " ".join(
            f"[email {user}@muster.de]"
            for user in ("ingrid.xylander", "i.xylander", "d.xylander", "xylander.i", "ixylander", "ix", "ingrid")
        ),
        patient=patient,
    )
    umlauts = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
    surname, woman = one.lower().translate(umlauts).split(", ")
    man = two.lower().translate(umlauts).split()[0]
    assert [mail.split("@")[0] for mail in mails] == [
        f"{woman}.{surname}", f"{woman[0]}.{surname}", f"{man[0]}.{surname}", f"{surname}.{woman[0]}",
        f"{woman[0]}{surname}", f"{woman[0]}{surname[0]}", woman,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["S. Xylander", "Xylander S."])
def test_an_initial_of_a_mail_address_is_that_of_a_person_whose_given_name_no_one_says(name: str) -> None:
    for patient in PATIENTS:
        marked = f"Dr. [clinician {name}], [patient Sabine Muster], [email s.xylander@muster.de]"
        person, _, mail = outputs(marked, patient=patient)
        initial = next(word[0] for word in person.split() if word.endswith("."))
        assert mail[0] == initial.lower() and mail[1] == "."


def test_mail_and_web_addresses_of_one_domain_agree_and_names_in_them_follow() -> None:
    for patient in PATIENTS:
        name, mail, uri = outputs(
            "[clinician Karl Xylander], [email k.xylander@muster.de], [uri www.muster.de]", patient=patient
        )
        folded = name.split()[1].lower().translate(str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}))
        assert mail.split("@")[0].endswith(folded)
        assert uri == "www." + mail.split("@")[1]


@pytest.mark.parametrize("patient", PATIENTS)
def test_equal_area_codes_stay_equal_and_begin_no_mobile_number(patient: str) -> None:
    phone, fax = outputs("Tel. [phone 06221/56-1234], Fax [fax 06221 / 56-9]", patient=patient)
    assert phone[:5] == fax[:5] != "06221" and phone[1] != "1"


@pytest.mark.parametrize("patient", PATIENTS)
@pytest.mark.parametrize(
    "marked",
    [
        "[profession La-]\n[profession ckierer]",
        "[profession La]-\n  [profession ckierer]",
        "Herr [patient Muster]-\n[patient mann] und Frau [relative Eva Mustermann]",
    ],
)
def test_a_broken_word_has_one_surrogate_that_is_broken_again(patient: str, marked: str) -> None:
    whole = outputs(marked.replace("]-\n  [profession ", "").replace("-]\n[profession ", "").replace(
        "]-\n[patient ", ""
    ), patient=patient)  # fmt: skip
    first, second, *others = outputs(marked, patient=patient)
    assert [first.rstrip("-") + second, *others] == whole
    assert len(first.rstrip("-")) > 1 < len(second)
    assert first.endswith("-") == ("-]" in marked)


def test_a_double_name_that_is_broken_at_its_hyphen_has_two_surrogates() -> None:
    first, second, whole = outputs("[patient muster]-\n[patient beispiel], frau [patient muster-beispiel]")
    assert f"{first}-{second}" == whole


def test_halves_of_a_placeholder_are_placeholders() -> None:
    settings = policy(labels={"PER": "surrogate"})
    assert (
        outputs("[town Muster-]\n[town stadt], [patient Mus-]\n[patient ter 3]", settings)
        == ["<LOC>"] * 2 + ["<PER>"] * 2
    )


@pytest.mark.parametrize("patient", PATIENTS)
def test_a_surrogate_is_no_other_spelling_of_its_original(patient: str) -> None:
    for name, others in (("Annalise", "Anneliese"), ("Mattias", "Matthias"), ("Philip", "Philipp Filip")):
        [new] = outputs(f"Liebe [relative {name}]", patient=patient)
        assert new not in others.split()
