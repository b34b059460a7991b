"""Surrogates of numbers, addresses and what has no label: the form stays. Broken words are broken again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_notes import PATIENTS, outputs, policy, redacted

from deid_core.text.divided_words import HYPHENS


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
        "[profession La\u00ad] \n[profession ckierer]",
        "Herr [patient Muster]-\n[patient mann] und Frau [relative Eva Mustermann]",
    ],
)
def test_a_broken_word_has_one_surrogate_that_is_broken_again(patient: str, marked: str) -> None:
    hyphen = "[-\u00ad]"
    whole = outputs(re.sub(rf"\]?{hyphen}\]?\s+\[\w+ ", "", marked), patient=patient)
    first, second, *others = outputs(marked, patient=patient)
    assert [re.sub(hyphen, "", first) + second, *others] == whole
    assert len(first.rstrip("-\u00ad")) > 1 < len(second)
    assert re.findall(rf"{hyphen}\Z", first) == re.findall(rf"{hyphen}(?=\])", marked)


def test_a_double_name_that_is_broken_at_its_hyphen_has_two_surrogates() -> None:
    first, second, whole = outputs("[patient muster]-\n[patient beispiel], frau [patient muster-beispiel]")
    assert f"{first}-{second}" == whole


@pytest.mark.parametrize("patient", PATIENTS)
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("herr [patient Muster-\nmann], frau [relative Mustermann]", "[patient Muster]-\n[patient mann]"),
        ("[patient Karl-\nFriedrich Muster], [relative Karl-Friedrich]", "[patient Karl]-\n[patient Friedrich Muster]"),
        ("in [town Muster-\n  stadt] und [town Beispiel-\nstadt]", "[town Muster]-\n  [town stadt]"),
        ("am [date 3. Septem-\nber 2011] in [town Ulm]", "[date 3. Septem-\nber 2011]"),
    ],
)
def test_one_span_of_a_broken_word_has_the_text_of_two(patient: str, one: str, two: str) -> None:
    """two: what stands for the first span if it is marked in two."""
    start, end = one.index("["), one.index("]") + 1
    text = redacted(one, patient=patient)
    assert text == redacted(one[:start] + two + one[end:], patient=patient)
    first, *others = outputs(one, patient=patient)
    assert len(others) == 1
    assert first in text


BLANKS = st.text(" \t\u00a0", max_size=3)


@given(st.sampled_from(HYPHENS), BLANKS, BLANKS)
def test_so_it_has_whatever_the_hyphen_and_the_blanks_are(hyphen: str, blanks: str, indent: str) -> None:
    between = f"{hyphen}{blanks}\n{indent}"
    text = redacted(f"in [town Muster{between}stadt]")
    assert text == redacted(f"in [town Muster]{between}[town stadt]")
    assert between in text


def test_halves_of_a_placeholder_are_placeholders() -> None:
    settings = policy(labels={"PER": "surrogate"})
    assert (
        outputs("[town Muster-]\n[town stadt], [patient Mus-]\n[patient ter 3]", settings)
        == ["<LOC>"] * 2 + ["<PER>"] * 2
    )


@pytest.mark.parametrize(
    ("marked", "form"),
    [
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
        "AB-XY 123",
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
    word = r"\b[A-ZÄÖÜ]\w*|\d+"
    assert set(re.findall(word, text)).isdisjoint(re.findall(word, output))


@pytest.mark.parametrize(
    ("marked", "form"),
    [
        ("Lot [device_id ABCDE041XY]", r"[A-Z]{5}\d{3}[A-Z]{2}"),
        ("Kennz. [id XY-ZA 417]", r"[A-Z]{2}-[A-Z]{2} \d{3}"),
        ("kennz. [id xyz-za 417]", r"[a-z]{3}-[a-z]{2} \d{3}"),
        ("Kennz. [id W-12345 X]", r"[A-Z]-\d{5} [A-Z]"),
    ],
)
def test_letters_beside_digits_of_an_identifier_are_a_code(marked: str, form: str) -> None:
    [code] = outputs(marked)
    assert re.fullmatch(form, code) and code not in marked


@pytest.mark.parametrize("patient", PATIENTS)
def test_surrogates_have_the_letters_of_their_note(patient: str) -> None:
    streets = " ".join(f"[street {name}strasse 3]" for name in ("Linden", "Birken", "Rosen", "Post"))
    people = " ".join(f"[clinician {name}]" for name in ("Kramer", "Bauer", "Vogel", "Schuster", "Keller", "Winkler"))
    assert "ß" not in redacted(f"[postcode CH-8001] [town Bern] {streets} {people}", patient=patient)
    assert redacted(f"Brief fuer {streets} {people}", patient=patient).isascii()
