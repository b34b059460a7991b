"""Operator `shift`: dates are moved in the form that they have, and the laws of a shift."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from case_files import CASES_DIR, read_cases
from hypothesis import given
from hypothesis import strategies as st
from policy_notes import KEY, case_rows, note, outputs, policy, redacted

from deid_core.lexicon.months import ROMAN
from deid_core.policies.agreement import Agreement
from deid_core.policies.dates.feasts import Feast, feasts, nearest_feast
from deid_core.policies.dates.move import DateContext, day_form, moved_date
from deid_core.policies.dates.parse import _FORMS, ORDINALS, SEASONS, parse_date
from deid_core.policies.operators.shift import shift_days
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import DateShift

UNPARSED = {
    "1.12.`09", "1.12.´09", "12/`09", "`04", "42.12.2009", "2010/03/12", "Dez/09", "Donnerst., 28.7.88",
    "12\u20113\u20112010", "12\u20133\u20132010", "12\u22123\u22122010", "1. Ma\u0308rz 2009", "1. No\u00advember 2009",
    "Wintersemester 2010/11", "vierzehnter zwölfter zwanzig", "neunzehnhundertachtzig",
}  # fmt: skip
"""What the rules of group `date` find and no policy reads: it becomes a placeholder where dates are moved."""
FORMS = ("%d.%m.%Y", "%Y-%m-%d", "%d. %B %Y", "%d/%m/%Y", "%Y%m%d")
MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
DAYS = st.integers(-365, 365)
DATES = st.dates(date(1910, 1, 1), date(2040, 1, 1))


def written(day: date, form: str) -> str:
    if "%B" in form:
        return f"{day.day}. {MONTHS[day.month - 1]} {day.year}"
    return day.strftime(form)


CONTEXT = DateContext(year=2010, month=0, padded=True, years=False)


def move(text: str, days: int, context: DateContext = CONTEXT) -> str | None:
    found = moved_date(text, days, context)
    return None if found is None else found.part(0, len(text))


@pytest.mark.parametrize(("days", "text", "expected"), case_rows("shift.tsv"))
def test_a_date_is_moved_in_the_format_found(days: str, text: str, expected: str) -> None:
    assert (move(text, int(days)) or "-") == expected


def test_a_policy_reads_what_the_rules_find() -> None:
    cases = [case.expected for case in read_cases(CASES_DIR / "pattern" / "date.tsv") if case.expected != "-"]
    unparsed = {text for case in cases for text in case[1:-1].split("] | [") if parse_date(text) is None}
    assert unparsed - UNPARSED == set(), "give it a form in deid_core/policies/dates/parse.py, or name it in UNPARSED"
    assert UNPARSED - unparsed == set(), "a policy reads it: take it out of UNPARSED"


@pytest.mark.parametrize("example", _FORMS)
def test_an_example_has_its_form_and_none_before_it(example: str) -> None:
    fitting = [name for name, form in _FORMS.items() if re.fullmatch(form, example, re.IGNORECASE)]
    assert fitting[0] == example and parse_date(example) is not None


@given(DATES, DAYS, DAYS, st.sampled_from(FORMS))
def test_moving_twice_is_moving_by_the_sum_and_moving_back_restores(day: date, a: int, b: int, form: str) -> None:
    text = written(day, form)
    once = move(text, a)
    assert once == written(day + timedelta(a), form)
    assert once is not None and move(once, b) == move(text, a + b)
    assert move(once, -a) == text
    assert move(text, 0) == text


SPOKEN = (
    "{d}. {m}",
    "am {d}.{mm}.",
    "{d}/{mm}",
    "{d} {mm}",
    "{d}. {name} {y}",
    "{name} {yy}",
    "{short}. {yy}",
    "{name}",
)
NUMBERS = (
    "{y}-{mm}-{dd}",
    "{dd}.{mm}.{yy}",
    "{d}.{roman}.{y}",
    "{dd}-{mm}-{y}",
    "{y}{mm}{dd}",
    "{mm}/{y}",
    "{mm}/{yy}",
)
MONTH_AND_YEAR = (
    "{y}-{mm}",
    "{mm}.{y}",
    "{mm} {y}",
    "{roman}.{yy}",
    "{roman}.{y}",
    "{roman}/{yy}",
    "{mm}/{yy}",
    "{name}",
)


@given(DATES, st.integers(100, 260), st.sampled_from(SPOKEN + NUMBERS + MONTH_AND_YEAR), st.booleans(), st.booleans())
def test_what_holds_a_month_or_a_day_never_stays(day: date, days: int, form: str, years: bool, capitals: bool) -> None:
    month, year = day.month - 1, f"{day.year}"
    text = form.format(
        d=day.day, dd=f"{day.day:02d}", m=f"{day.month}.", mm=f"{day.month:02d}", y=year, yy=year[2:],
        name=MONTHS[month], short=MONTHS[month][:3], roman=ROMAN[month],
    )  # fmt: skip
    text = text.upper() if capitals else text
    for sign in (1, -1):
        moved = move(text, sign * days, CONTEXT._replace(years=years))
        assert moved is not None and moved != text


@given(st.integers(1950, 2040), st.integers(1, 12), st.integers(100, 260))
def test_a_month_after_a_year_and_a_slash_is_moved_unless_it_is_the_next_year(year: int, month: int, days: int) -> None:
    text = f"{year}/{month:02d}"
    assert (move(text, days) == text) == ((year + 1) % 100 == month)


PIECES = "3. 31. 29.2. 5.7. 05/2010 2010 '98 Mai Okt. Montag Herbst KW 41 - – , und bis 12 0 l998".split(" ")


@given(st.lists(st.sampled_from(PIECES)))
def test_any_pieces_of_dates_are_moved_or_refused(pieces: list[str]) -> None:
    for text in (" ".join(pieces), "".join(pieces)):
        move(text, 45, DateContext(2010, 0, False, True))


@given(DATES, DAYS, st.sampled_from(("%d.%m.%Y", "%d.%m.%y", "%d. %B '%y", "%Y-%m-%d")), st.booleans())
def test_a_whole_date_is_moved_the_quick_way_as_the_other_way(day: date, days: int, form: str, padded: bool) -> None:
    for text in (written(day, form), f"{day.day}.{day.month}.{day:%y}"):
        parsed = parse_date(text)
        whole = None if parsed is None else day_form(text, parsed)
        moved = move(text, days, DateContext(2010, 0, padded, True))
        assert whole is not None and whole.moved(timedelta(days), padded=padded) == moved is not None


@given(DATES, DATES, st.binary(min_size=4, max_size=8), st.booleans())
def test_intervals_and_ages_of_a_patient_stay(one: date, two: date, patient: bytes, keep_weekday: bool) -> None:
    settings = policy(labels={"DATE": "shift"}, shift={"keep_weekday": keep_weekday})
    form = "%d.%m.%Y"
    marked = f"geb. [birth_date {written(one, form)}], heute [date {written(two, form)}]"
    texts = outputs(marked, settings, patient=patient.hex())
    first, second = (date(*map(int, reversed(text.split(".")))) for text in texts)
    assert second - first == two - one
    assert 31 <= abs((first - one).days) <= 334
    assert not keep_weekday or first.weekday() == one.weekday()


@given(st.text(max_size=10), st.integers(1, 31), st.integers(35, 3650), st.booleans())
def test_a_shift_has_at_least_and_at_most_so_many_days(patient: str, least: int, most: int, keep_weekday: bool) -> None:
    shift = DateShift(min_days=least, max_days=most, keep_weekday=keep_weekday)
    days = shift_days(KEY.draws(patient), shift)
    assert least <= abs(days) <= most
    assert least <= days % 365.25 <= 365.25 - least
    assert not keep_weekday or days % 7 == 0


def test_all_days_within_the_limits_occur() -> None:
    seen = {shift_days(KEY.draws(str(patient)), DateShift(min_days=5, max_days=8)) for patient in range(500)}
    assert seen == {-8, -7, -6, -5, 5, 6, 7, 8}


@pytest.mark.parametrize(("least", "most", "keep_weekday"), [(31, 30, False), (8, 13, True), (183, 3650, False)])
def test_a_shift_without_days_is_refused(least: int, most: int, keep_weekday: bool) -> None:
    with pytest.raises(ValueError, match=f"between min_days {least} and max_days {most}"):
        DateShift(min_days=least, max_days=most, keep_weekday=keep_weekday)


@given(st.binary(min_size=1, max_size=8), st.sampled_from(["Ende 03/10", "III.10", "2010-03", "Mar. 2010"]))
def test_a_month_with_its_year_never_stays(patient: bytes, month: str) -> None:
    [output] = outputs(f"seit [date {month}]", patient=patient.hex())
    assert output != month


def test_a_date_without_a_year_has_that_of_the_latest_whole_date() -> None:
    settings = policy(labels={"DATE": "shift"}, types={"birth_date": "placeholder"})
    # Of a leap year, whatever the year of birth.
    full, partial = outputs("geb. [birth_date 1.1.1950], [date 1.3.2012], [date 28.2.]", settings)[1:]
    day, month, _ = map(int, full.split("."))
    other_day, other_month = map(int, partial.rstrip(".").split("."))
    assert (date(2012, month, day) - date(2012, other_month, other_day)).days in (2, -364, -363)


def test_intervals_stay_in_a_note_without_a_whole_date() -> None:
    settings = policy(labels={"DATE": "shift"})
    marked = "[date 5.2.] [date 1.3.] [date 11/2016]"
    for number in range(40):
        first, second, _ = outputs(marked, settings, note_id=f"{number}")
        days = [date(1900, *map(int, reversed(text.rstrip(".").split(".")))) for text in (first, second)]
        assert (days[1] - days[0]).days % 365 == 24


def test_equal_dates_without_a_year_stay_equal() -> None:
    settings = policy(labels={"DATE": "shift"})
    _, first, _, second, _ = outputs("[date 3.1.2012] [date 28.2.] [date 2010] [date 28.2.] [date 5.3.2011]", settings)
    assert first == second


@pytest.mark.parametrize("patient", "abcdefgh")
def test_two_numbers_are_day_and_month_where_the_others_are(patient: str) -> None:
    settings = policy(labels={"DATE": "shift"})
    day, also, whole = outputs("[date 15/11] [date 04/11] [date 04/11/2009]", settings, patient=patient)
    assert also == whole[:5] and day != also
    [month] = outputs("[date 04/11]", settings, patient=patient)
    assert month == outputs("[date 04/2011]", settings, patient=patient)[0].replace("/20", "/")
    whole, also = outputs("[date 2016-04-11] / [date 05-20]", settings, patient=patient)
    assert date.fromisoformat(f"2016-{also}").timetuple().tm_yday and also != "05-20"
    assert date.fromisoformat(f"{whole[:4]}-{also}") - date.fromisoformat(whole) in (
        timedelta(39), timedelta(39 - 365), timedelta(39 - 366), timedelta(38 - 365)
    )  # fmt: skip


def test_a_number_in_a_span_of_its_own_takes_the_month_of_the_date_after_it() -> None:
    settings = policy(labels={"DATE": "shift"})
    whole = outputs("[date 3. und 5.7.2010] und [date 04/'08]", settings, patient="p")
    parts = outputs("[date 3.] und [date 5.7.2010] und [date 04]/[date '08]", settings, patient="p")
    assert whole == [" und ".join(parts[:2]), "/".join(parts[2:])]


def test_what_cannot_be_moved_is_a_placeholder_and_counted() -> None:
    text, spans = note("[date 31.2.2010] und [date 3.2.2010]")
    done = Redactor(policy(labels={"DATE": "shift"}), KEY).redact(text, spans)
    assert done.text.startswith("<DATE> und ") and done.text.count("<") == 1
    assert done.unparsed == {"DATE": 1}


@given(DATES, st.sampled_from(sorted({feast.form for feast in feasts().values()})), st.sampled_from(Agreement))
def test_no_other_feast_of_the_form_is_nearer(day: date, form: str, article: Agreement) -> None:
    name, found = nearest_feast(Feast(form, "", "01-01"), article, day)
    new_form = feasts()[name.lower()].form
    assert new_form == form or {form, new_form} <= {"name", "masculine", "feminine", "day"}
    others = [feast for feast in feasts().values() if feast.written and feast.form == new_form]
    years = (day.year - 1, day.year, day.year + 1)
    assert abs(found - day) == min(abs(feast.of_year(year) - day) for feast in others for year in years)


@given(st.sampled_from(sorted(feasts().keys() - {season.lower() for season in SEASONS})), st.integers(1920, 2040), DAYS)
def test_a_feast_is_replaced_by_a_feast_near_the_moved_day(name: str, year: int, days: int) -> None:
    output = move(f"{name} {year}", days)
    assert output is not None
    words, new_year = output.rsplit(" ", 1)
    found = feasts()[words.lower()]
    moved = feasts()[name].of_year(year) + timedelta(days)
    others = [feast for feast in feasts().values() if feast.written and feast.form == found.form]
    nearest = min(abs(feast.of_year(moved.year + more) - moved) for feast in others for more in (-1, 0, 1))
    assert abs(found.of_year(int(new_year)) - moved) == nearest


@given(DAYS, DAYS, st.integers(1, 28))
def test_days_without_any_month_are_moved_as_a_group(a: int, b: int, day: int) -> None:
    once = move(f"{day}.", a)
    assert once is not None and 1 <= int(once.rstrip(".")) <= 28
    twice, sum_ = move(once, b), move(f"{day}.", a + b)
    assert twice is not None and sum_ is not None and int(twice.rstrip(".")) == int(sum_.rstrip("."))


@pytest.mark.parametrize("text", ["am [date 3.]", "am [date dritten]", "[date Mo 3.]"])
def test_a_day_without_a_month_has_that_of_the_date_before(text: str) -> None:
    settings = policy(labels={"DATE": "shift"}, types={"birth_date": "placeholder"})
    birth, first, alone, last = outputs(f"[birth_date 9.2.1950] [date 28.2.2012], {text}, [date 3.2.2012]", settings)
    assert birth.startswith("<") and first != last
    day = int(last.split(".")[0])
    assert re.sub(r"\D", "", alone) == str(day) or alone == f"{ORDINALS[day - 1]}en"


def test_a_note_that_writes_ae_keeps_doing_so() -> None:
    shift = policy(labels={"DATE": "shift"})
    marked = " ".join(f"[date {day} {month} 2010]" for day in ("1.", "15.") for month in ("Maerz", "Februar", "MAI"))
    outs = [out for patient in map(str, range(40)) for out in outputs(f"fuer ihn: {marked}", shift, patient=patient)]
    assert all(out.isascii() for out in outs) and {"Maerz", "MAERZ"} <= {out.split()[1] for out in outs}
    outs = [out for patient in map(str, range(40)) for out in outputs(f"für ihn: {marked}", shift, patient=patient)]
    assert "März" in {out.split()[1] for out in outs}


def test_feasts_take_the_form_that_the_article_before_them_wants() -> None:
    forms = {
        "seit [date Advent]": "name",
        "im [date Advent]": "masculine",
        "nach der [date Kirchweih]": "feminine",
        "nach [date Kirchweih]": "name",
        "am [date Silvester]": "day",
        "am [date Karfreitag]": "day",
    }
    written = {(feast.form, feast.written) for feast in feasts().values()} | {
        ("masculine", season) for season in ("Frühling", "Sommer", "Herbst", "Winter")
    }
    for marked, form in forms.items():
        for patient in range(20):
            [name] = outputs(marked, policy(labels={"DATE": "shift"}), patient=str(patient))
            assert (form, name) in written


def test_years_that_stand_alone_are_moved_if_the_policy_says_so() -> None:
    shift = {"operator": "shift", "years": "shift"}
    marked = " ".join(f"[date {year}]" for year in range(1990, 2010))
    for days in (1, 200, 365):
        assert move("1990", days, CONTEXT._replace(years=True)) == str(1990 + round(days / 365))
    assert len(set(outputs(marked, policy(labels={"DATE": shift})))) == 20


@given(DATES, st.integers(-3, 3), st.integers(-3650, 3650))
def test_a_year_and_a_date_keep_their_order_if_years_are_moved(day: date, more: int, days: int) -> None:
    year, context = day.year + more, CONTEXT._replace(years=True)
    new_year, new_day = move(f"{year}", days, context), move(day.isoformat(), days, context)
    assert new_year is not None and new_day is not None
    new_more = int(new_year) - int(new_day[:4])
    assert abs(new_more - more) <= 1 and new_more * more >= 0


def test_a_date_that_is_broken_at_a_lines_end_is_moved() -> None:
    output = redacted("im [date Früh-]\n[date jahr 2005]", policy(labels={"DATE": "shift"}))
    assert re.fullmatch(r"im \w+-\n\w+ 200[4-6]", output)
