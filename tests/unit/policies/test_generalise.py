"""Operator `generalise` on dates, ages, postcodes and towns."""

from __future__ import annotations

import pytest
from policy_notes import case_rows, note, outputs, policy, redacted

from deid_core.policies.redaction import Redactor


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("geb. [birth_date 2.3.1913], Aufnahme am [date 3.4.2010]", ["<DATE>", "April 2010"]),
        ("geb. [birth_date 2.3.1920], Aufnahme am [date 3.4.2010]", ["<DATE>", "April 2010"]),
        ("geb. [birth_date 2.3.1921], Aufnahme am [date 3.4.2010]", ["1921", "April 2010"]),
        ("[date 1915] geboren, Aufnahme am [date 3.4.2010]", ["<DATE>", "April 2010"]),
        ("Jahrgang [date 1913–1915], jetzt [date 2010]", ["<DATE>", "2010"]),
        # A year of two digits is of this century only as far as the note has come.
        ("geb. [birth_date 2.3.19], Aufnahme am [date 3.4.2010]", ["<DATE>", "April 2010"]),
        ("geb. [birth_date 2.3.08], Aufnahme am [date 3.4.2010]", ["2008", "April 2010"]),
        # No other year: an age above the top tells that the birth may be too long ago.
        ("geb. [birth_date 2.3.1913], [age 97]-jährig", ["<DATE>", "über 89"]),
        ("geb. [birth_date 2.3.1953], [age 57]-jährig", ["1953", "55-59"]),
        # A band cannot be an ordinal number.
        ("zum [age 90]. Geburtstag, [age 91]. Sie", ["<AGE>", "über 89"]),
        ("im [age 57]. Lebensjahr", ["<AGE>"]),
    ],
)
def test_no_year_tells_an_age_above_the_top(marked: str, expected: list[str]) -> None:
    assert outputs(marked, "research-gdpr") == expected


def test_no_year_tells_an_age_above_the_top_under_safe_harbor() -> None:
    marked = "[date 1915] geboren, Pat. zog [date 1925] um und kam am [date 3.4.2010], [age 89]. Geburtstag"
    assert outputs(marked, "hipaa-safe-harbor") == ["<DATE>", "1925", "2010", "89"]


@pytest.mark.parametrize(
    ("marked", "to_month", "to_year"),
    [
        ("vom [date 28.7.] bis [date 15.9.2014]", "vom Juli 2014 bis September 2014", "vom 2014 bis 2014"),
        ("am [date 28.7.], [date Mai], im [date Herbst]. Brief vom [date 3.12.2014]",
         "am Juli 2014, Mai 2014, im 2014. Brief vom Dezember 2014", "am 2014, 2014, im 2014. Brief vom 2014"),
        # A range tells its year itself.
        ("vom [date 28.12.] bis zum [date 5.1.2009], jetzt [date 1.2.2014]",
         "vom Dezember 2008 bis zum Januar 2009, jetzt Februar 2014", "vom 2008 bis zum 2009, jetzt 2014"),
        # Half a year after the latest date is before it.
        ("seit [date Weihnachten], am [date 28.12.], Termin am [date 3.4.]. Brief vom [date 5.1.2014]",
         "seit 2013, am Dezember 2013, Termin am April 2014. Brief vom Januar 2014",
         "seit 2013, am 2013, Termin am 2014. Brief vom 2014"),
        # Nothing tells the month of a day alone, but the date after it.
        ("am [date 3.] kam er, [date 3.] und [date 5.7.2014]", "am 2014 kam er, Juli 2014 und Juli 2014",
         "am 2014 kam er, 2014 und 2014"),
        ("[date 15/11], [date 04/11], [date 3.12.2014]", "November 2014, November 2014, Dezember 2014",
         "2014, 2014, 2014"),
        # No year is known, or it is no date of this year.
        ("am [date 28.7.], geb. [date 3.4.]", "am <DATE>, geb. <DATE>", "am <DATE>, geb. <DATE>"),
        ("am [date 31.2.], [date 90er Jahren], [date 3.4.2014]", "am <DATE>, <DATE>, April 2014",
         "am <DATE>, <DATE>, 2014"),
        # A feast and its date are one date.
        ("Am [date Ostermontag, 5. April 2010]", "Am April 2010", "Am 2010"),
        ("am [date 5. April 2010 (Ostermontag)]", "am April 2010", "am 2010"),
        ("an [date Silvester 31.12.] und [date 3.1.2010]", "an Dezember 2009 und Januar 2010", "an 2009 und 2010"),
        ("[date Ostern 2005 - 5. Mai 2006]", "2005–Mai 2006", "2005–2006"),
    ],
)  # fmt: skip
def test_a_date_without_a_year_has_that_of_the_note(marked: str, to_month: str, to_year: str) -> None:
    for to, expected in (("month", to_month), ("year", to_year)):
        assert redacted(marked, policy(labels={"DATE": {"operator": "generalise", "to": to}})) == expected


def test_a_birth_without_a_year_has_not_that_of_the_note() -> None:
    assert outputs("geb. [birth_date 3.4.], [date 3.5.2010]", "research-gdpr") == ["<DATE>", "Mai 2010"]


def test_a_date_that_nothing_tells_the_year_of_is_counted() -> None:
    text, spans = note("[date 28.7.], geb. [birth_date 3.4.1950]")
    done = Redactor(policy(labels={"DATE": "generalise"})).redact(text, spans)
    assert (done.text, done.unparsed) == ("<DATE>, geb. 1950", {"DATE": 1})


@pytest.mark.parametrize(("phi", "text", "expected"), case_rows("generalise.tsv"))
def test_a_value_is_generalised(phi: str, text: str, expected: str) -> None:
    settings = policy(labels=dict.fromkeys(("DATE", "AGE", "PLZ", "LOC"), "generalise"))
    [output] = outputs(f"[{phi} {text}]", settings)
    assert (output if output[0] != "<" else "-") == expected


@pytest.mark.parametrize(
    ("marked", "banded", "single"),
    [
        ("[age 6] Wochen alt", "<AGE> Wochen alt", "6 Wochen alt"),
        ("mit [age 13] Monaten", "mit <AGE> Monaten", "mit 13 Monaten"),
        ("Bruder ([age 6] Mon.), [age 7] Wo.", "Bruder (<AGE> Mon.), <AGE> Wo.", "Bruder (6 Mon.), 7 Wo."),
        ("mit [age vier] Monaten, [age vier] Jahren", "mit <AGE> Monaten, 0-4 Jahren", "mit 4 Monaten, 4 Jahren"),
        ("[age 57], Montag", "55-59, Montag", "57, Montag"),
    ],
)
def test_an_age_in_months_has_no_band_of_years(marked: str, banded: str, single: str) -> None:
    for width, expected in ((5, banded), (1, single)):
        settings = policy(labels={"AGE": {"operator": "generalise", "band_years": width}})
        assert redacted(marked, settings) == expected
