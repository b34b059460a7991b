"""The date of a note: the latest date of its letterhead, as the policy leaves it in the text."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_notes import KEY, note, policy

from deid_core.policies.dates.parse import parse_date
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import PolicySettings, load_policy

LETTER = (
    "Musterstadt, den [date 06. Februar 2017]\nFrau [patient Eva Muster], geb. [birth_date 1.2.1950]\n"
    "stationär vom [date 1.2.] bis [date 5.2.2017]\n\n"
    "Sehr geehrte Kollegen,\nTermin am [date 3.4.2018]"
)
DAYS = st.dates(date(1980, 1, 1), date(2030, 12, 31))
SHIFTING = ("readable", "research-shifted")


def note_date(marked: str, settings: PolicySettings | str, **of: str) -> date | None:
    settings = load_policy(settings) if isinstance(settings, str) else settings
    return Redactor(settings, KEY).redact(*note(marked), with_date=True, **of).note_date


def letter(day: date) -> str:
    return f"Musterstadt, den [date {day:%d.%m.%Y}]\n\nSehr geehrte Kollegen,"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("thesis", None),
        ("research-gdpr", date(2017, 2, 1)),
        ("hipaa-safe-harbor", date(2017, 1, 1)),
        (policy(labels={"DATE": "keep"}), date(2017, 2, 6)),
        (policy(labels={"DATE": "typed"}), None),
        (policy(labels={"DATE": "pseudonym"}), None),
        (policy(labels={"DATE": "keep"}, types={"date": "placeholder"}), None),
    ],
)
def test_what_policies_leave(settings: PolicySettings | str, expected: date | None) -> None:
    assert note_date(LETTER, settings) == expected


@pytest.mark.parametrize("name", SHIFTING)
@given(st.lists(DAYS, min_size=2, max_size=4), st.text("0123456789abcdef", min_size=1))
def test_intervals_between_the_notes_of_a_patient_hold(name: str, days: list[date], patient: str) -> None:
    moved = [note_date(letter(day), name, note_id=f"n{n}", patient=patient) for n, day in enumerate(days)]
    shifts = {new - day for new, day in zip(moved, days, strict=True) if new is not None}
    assert None not in moved
    assert len(shifts) == 1
    assert timedelta(0) not in shifts


@pytest.mark.parametrize("name", SHIFTING)
@given(DAYS)
def test_it_is_the_date_that_the_text_has(name: str, day: date) -> None:
    """Also without note id and patient, where the text stands for the note."""
    text, spans = note(letter(day))
    done = Redactor(load_policy(name), KEY).redact(text, spans, with_date=True)
    [(start, end)] = done.outputs
    written = parse_date(done.text[start:end])
    assert written is not None and written.day is not None
    assert done.note_date == written.day


@pytest.mark.parametrize(
    "marked",
    [
        "Musterstadt, den 6.2.2017\n\nSehr geehrte Kollegen,",
        "Eva Muster, geb. [birth_date 1.2.1950]\n\nSehr geehrte Kollegen,",
        "Musterstadt, im [date Februar 2017]\n\nSehr geehrte Kollegen,",
        "Musterstadt, den [date 31.2.2017]\n\nSehr geehrte Kollegen,",
        "Musterstadt, den [date 0012-02-06]\n\nSehr geehrte Kollegen,",
        "Sehr geehrte Kollegen,\nam [date 6.2.2017]",
        "kam am [date 6.2.2017] zu uns",
    ],
)
def test_a_letterhead_without_a_whole_date_in_a_span_gives_none(marked: str) -> None:
    """A date that no span covers stays in the text: beside it a moved one told the shift."""
    assert note_date(marked, "readable") is None
    assert note_date(marked, policy(labels={"DATE": "keep"})) is None


def test_what_becomes_a_placeholder_gives_none() -> None:
    """A year that tells an age from 90 on is removed, so the day is, too."""
    old = "Muster, [date 3.4.1920]\n\nSehr geehrte Kollegen,\nam [date 3.4.2010]"
    assert "<DATE>" in Redactor(load_policy("research-gdpr"), KEY).redact(*note(old)).text
    assert note_date(old, "research-gdpr") is None


@pytest.mark.parametrize("name", SHIFTING)
@pytest.mark.parametrize("written", ["6.II.2017", "Montag, den 6.2.2017", "3.–6.2.2017", "06-FEB-17"])
def test_other_forms_move_as_whole_dates_do(name: str, written: str) -> None:
    marked = f"Musterstadt, [date {written}]\n\nSehr geehrte Kollegen,"
    expected = note_date(letter(date(2017, 2, 6)), name, patient="p")
    assert note_date(marked, name, patient="p") == expected is not None
