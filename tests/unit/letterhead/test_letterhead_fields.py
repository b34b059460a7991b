"""The header: roles of cells, typed fields, the letter's date, and what is no header."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import PhiType
from deid_core.core.note import BlockKind, Note
from deid_core.core.word_lists import word_list
from deid_core.letterhead import FieldKind, Role, header_end, header_fields, header_year
from deid_core.letterhead.parts import locate
from deid_core.lexicon.months import ROMAN
from deid_core.readers.canonical import CanonicalBuilder

ADDRESSEE = (
    "Klinikum Musterstadt | Musterstraße 17 | 12345 Musterstadt\n\n"
    "Herrn\nDr. med. Peter Beispiel\nBeispielstraße 1\n54321 Platzhalterstadt"
)
CLINIC = (
    "Klinikum Musterstadt\n\nAbteilung 3\nKardiologie\n\nProf. Dr. Otto Normalverbraucher\nÄrztlicher Direktor\n\n"
    "Station Mustermann\nMusterstraße 17\n12345 Musterstadt\nTel +49 0123-123456-0\nFax +49 0123-123456-34\n"
    "www.mustermann.de\n9.9.1999 / xxx"
)
WRITTEN = (
    *("{d}.{m}.{y}", "{d:02}.{m:02}.{y}", "{d:02}/{m:02}/{y}", "{d}-{m}-{y}", "{y}-{m:02}-{d:02}", "{d}. {name} {y}"),
    *("{d:02}.{name}{y}", "{d}. {short}. {y}", "{d}-{short}-{y}", "{d}.{roman}.{y}", "{d}. {roman}. {y}"),
)
"""Forms of a date in a letterhead."""
COPY = "Nachrichtlich:\nFrau Erika Mustermann, Platzhalterstraße 12, 54321 Platzhalterstadt"


def figure_2() -> Note:
    """Seed 000's example header, then the beginning of its Figure 1."""
    builder = CanonicalBuilder()
    builder.add_row([ADDRESSEE, CLINIC], table=0, row=0)
    builder.add_row([COPY, ""], table=0, row=1)
    builder.add(BlockKind.PARAGRAPH, "")
    builder.add(BlockKind.PARAGRAPH, "Sehr geehrte Kollegen,")
    builder.add(
        BlockKind.PARAGRAPH,
        "wir berichten über Ihren Patienten Herrn Mustermann, geboren am 01.12.1956, wh. Musterstraße 3, "
        "12345 Musterstadt der sich am 12.12.2010 in unserer Ambulanz vorstellte.",
    )
    return builder.build("figure-2")


def values(note: Note, *roles: Role) -> set[tuple[str, str]]:
    return {(f.kind.value, note.text[f.start : f.end]) for f in header_fields(note) if not roles or f.role in roles}


def test_roles_of_the_seeds_example() -> None:
    note = figure_2()
    assert [part.role for part in locate(note)] == [Role.ADDRESSEE, Role.CLINIC, Role.COPY]
    assert note.text[header_end(note) :].startswith("Sehr geehrte")


def test_the_cells_are_header_cells() -> None:
    kinds = [block.kind for block in figure_2().blocks]
    assert kinds[:4] == [BlockKind.HEADER_CELL] * 4
    assert set(kinds[4:]) == {BlockKind.PARAGRAPH}


def test_fields_of_each_cell() -> None:
    note = figure_2()
    assert values(note, Role.ADDRESSEE) >= {
        ("title", "Dr. med."), ("name", "Peter Beispiel"), ("street", "Beispielstraße 1"), ("postcode", "54321"),
        ("town", "Platzhalterstadt"), ("institution", "Klinikum Musterstadt"), ("street", "Musterstraße 17"),
    }  # fmt: skip
    assert values(note, Role.CLINIC) == {
        ("institution", "Klinikum Musterstadt"), ("title", "Prof. Dr."), ("name", "Otto Normalverbraucher"),
        ("street", "Musterstraße 17"), ("postcode", "12345"), ("town", "Musterstadt"), ("phone", "+49 0123-123456-0"),
        ("fax", "+49 0123-123456-34"), ("web", "www.mustermann.de"), ("date", "9.9.1999"),
    }  # fmt: skip
    assert values(note, Role.COPY) == {
        ("name", "Erika Mustermann"), ("street", "Platzhalterstraße 12"), ("postcode", "54321"),
        ("town", "Platzhalterstadt"),
    }  # fmt: skip


def test_types_of_names_follow_the_cell() -> None:
    note = figure_2()
    types = {note.text[f.start : f.end]: f.type for f in header_fields(note) if f.kind is FieldKind.NAME}
    assert types["Erika Mustermann"] is PhiType.PATIENT
    assert types["Otto Normalverbraucher"] is PhiType.CLINICIAN
    assert types["Mustermann"] is PhiType.PATIENT


def test_the_introduction_gives_the_same_kind_of_evidence() -> None:
    text = (
        "Sehr geehrte Frau Kollegin,\nwir berichten über Ihre Patientin Frau Dr. Ilse von Beispiel, geb. am 3.4.1930, "
        "wohnhaft Am Alten Tor 3a, 12345 Bad Musterberg, die sich vorstellte."
    )
    assert values(Note("n", text)) >= {
        ("name", "Ilse von Beispiel"), ("birth_date", "3.4.1930"), ("street", "Am Alten Tor 3a"),
        ("postcode", "12345"), ("town", "Bad Musterberg"),
    }  # fmt: skip


def test_a_subject_line_gives_the_patient() -> None:
    text = (
        "Betreff: Mustermann, Erika, geb. 01.12.1956, wh. Musterweg 3, 12345 Musterstadt\n\nSehr geehrter Herr Kollege,"
    )
    note = Note("n", text)
    assert [part.role for part in locate(note)] == [Role.SUBJECT]
    assert values(note) >= {("name", "Mustermann"), ("name", "Erika"), ("birth_date", "01.12.1956")}


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Heidelberg, den 3.4.2009\n\nSehr geehrte Kollegen,\nam 1.1.2015", 2009),
        ("Pat.: Erika Muster, geb. 1.2.2003\nMusterstadt, 5.6.14\n\nSehr geehrte Kollegen,", 2014),
        ("Pat.: Erika Muster, geb. 1.2.1953\n\nSehr geehrte Kollegen,\nam 1.1.2015", None),
        ("Berlin, den 06. Februar 2017\n\nSehr geehrte Kollegen,", 2017),
        ("Berlin, 6. Feb. 2017\n\nSehr geehrte Kollegen,", 2017),
        ("BERLIN, 6.FEBRUAR 1997\n\nSehr geehrte Kollegen,", 1997),
        ("Datum:2017-02-06\n\nSehr geehrte Kollegen,", 2017),
        ("Berlin, 06/02/2017\n\nSehr geehrte Kollegen,", 2017),
        ("Berlin, 06-02-2017\n\nSehr geehrte Kollegen,", 2017),
        ("Berlin, 6.II.2017\n\nSehr geehrte Kollegen,", 2017),
        ("Gedruckt: 6-FEB-17\n\nSehr geehrte Kollegen,", 2017),
        ("vom 28.12.2016 bis 6. Jänner 2017\n\nSehr geehrte Kollegen,", 2017),
        ("Muster, Erika\tgeb.\t6. Februar 1985\n\nSehr geehrte Kollegen,", None),
        ("Erika Beispiel\nGeburtstag: 12.3.1985\n\nSehr geehrte Kollegen,", None),
        ("Erika Beispiel geb. Muster, 12.3.1985\n\nSehr geehrte Kollegen,", None),
        ("Muster, Erika, *06/02/1985\n\nSehr geehrte Kollegen,", None),
        ("Geburtsdatum: 6.2.1985\n\nSehr geehrte Kollegen,", None),
        ("Muster, Erika, 6.2.38\n\nSehr geehrte Kollegen,", None),
        ("Berlin, 31.2.2017\n\nSehr geehrte Kollegen,", None),
        ("Fax 06221/12/10/2010, Herd 22 x 24 mm, Ring 10-11-12\n\nSehr geehrte Kollegen,", None),
        ("Sehr geehrte Kollegen,\nam 1.1.2015", None),
    ],
)
def test_year_of_the_header(text: str, year: int | None) -> None:
    assert header_year(Note("n", text)) == year


@given(st.dates(date(1980, 1, 1), date(2099, 12, 31)), st.sampled_from(WRITTEN))
def test_the_year_of_the_header_is_read_in_every_form(day: date, form: str) -> None:
    name, short = word_list("policies/months")[day.month - 1].split()
    roman = ROMAN[day.month - 1]
    written = form.format(d=day.day, m=day.month, y=day.year, name=name, short=short, roman=roman)
    assert header_year(Note("n", f"Musterstadt, den {written}\n\nSehr geehrte Kollegen,")) == day.year
    assert header_year(Note("n", f"Erika Muster, geb. am {written}\n\nSehr geehrte Kollegen,")) is None


def test_a_note_without_salutation_is_not_one_long_header() -> None:
    body = "Diagnosen:\nKoronare Herzkrankheit\n" * 100
    assert header_end(Note("n", body)) == 0
    assert locate(Note("n", body)) == []


@given(st.text(alphabet="Dr. Müler,\n\t0123geb*@|Fax-wH", max_size=300))
def test_fields_lie_in_the_text_whatever_it_is(text: str) -> None:
    for field in header_fields(Note("n", text)):
        assert 0 <= field.start < field.end <= len(text)
        assert text[field.start : field.end].strip()
