"""Feasts (holidays and saints' days) as dates: the day of a feast in a year, and the feast of a form nearest to a day.

A feast moves to that feast of its grammatical form that is nearest to the moved day: "an Ostern" with 100 days more is
"an Jakobi", "am Karfreitag" "am Jakobstag". The list gazetteers/lists/policies/feasts has names, forms and days.
"""

from __future__ import annotations

from bisect import bisect_left
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from deid_core.core.word_lists import word_list
from deid_core.policies.agreement import Agreement


class Feast(NamedTuple):
    """A row of the list. written: "" for a feast that is only read. day: as the list has it."""

    form: str
    written: str
    day: str

    def of_year(self, year: int) -> date:
        """Return the feast's day. Raises ValueError or OverflowError for a year before 1 or after 9999."""
        if self.day[0] == "O":
            return easter(year) + timedelta(int(self.day[1:]))
        if self.day[0] == "A":
            return _advent(year) + timedelta(int(self.day[1:]))
        month, day = self.day.split("-")
        return date(year, int(month), int(day))


def easter(year: int) -> date:
    """Return Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    h = (19 * a + b - d - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    i, k = divmod(c, 4)
    weekday = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * weekday) // 451
    month, day = divmod(h + weekday - 7 * m + 114, 31)
    return date(year, month, day + 1)


def _advent(year: int) -> date:
    """Return the fourth Sunday before Christmas."""
    fourth = date(year, 12, 24)
    return fourth - timedelta(fourth.isoweekday() % 7 + 21)


@cache
def feasts() -> dict[str, Feast]:
    """Return the feasts by all their spellings, in small letters."""
    found: dict[str, Feast] = {}
    for line in word_list("policies/feasts"):
        form, names, day = line.split(";")
        written, *others = names.split("|")
        found |= {name.lower(): Feast(form, written, day) for name in (written, *others) if name}
    return found


def feast_of(text: str) -> Feast:
    """Return the feast that a text is a spelling of."""
    return feasts()[" ".join(text.lower().split())]


def nearest_feast(feast: Feast, article: Agreement, day: date) -> tuple[str, date]:
    """Return the name and the day of the feast nearest to a day, with the form of a feast after this article."""
    return _nearest(_form_after(feast.form, article), day)


def _form_after(form: str, article: Agreement) -> str:
    """Return the form that a feast has after an article: "im Advent" is masculine, "seit Advent" a name."""
    if form not in ("name", "masculine", "feminine"):
        return form
    if article is Agreement.FEMININE:
        return "feminine"
    if article in (Agreement.MASCULINE, Agreement.OBLIQUE, Agreement.GENITIVE):
        return "masculine" if form == "masculine" else "day"
    return "name"


def _nearest(form: str, day: date) -> tuple[str, date]:
    days, names = _around(form, day.year)
    after = bisect_left(days, day)
    if after and (after == len(days) or day - days[after - 1] <= days[after] - day):
        after -= 1
    return names[after], days[after]


@lru_cache(1_000)
def _around(form: str, year: int) -> tuple[list[date], list[str]]:
    """Return the days of a form's feasts in a year and the years next to it, ascending, and their names."""
    found = sorted(
        (feast.of_year(each), feast.written)
        for each in (year - 1, year, year + 1)
        for feast in dict.fromkeys(feasts().values())
        if feast.form == form and feast.written
    )
    return [day for day, _ in found], [name for _, name in found]
