"""How dates are written: the seed's forms (Table 8: 01.12.2015, Jan. 1999; Figure 1: 01.04.2009, 12/09) and more."""

from __future__ import annotations

import datetime as dt

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.letter import Phi, Pieces

_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
_SHORT_MONTHS = "Jan. Feb. Mrz. Apr. Mai Jun. Jul. Aug. Sept. Okt. Nov. Dez.".split()


def day(draw: Draw, date: dt.date) -> str:
    """A date with its year."""
    chance = draw.random()
    d, m, y = date.day, date.month, date.year
    if chance < 0.55:
        return f"{d:02}.{m:02}.{y}"
    if chance < 0.70:
        return f"{d}.{m}.{y}"
    if chance < 0.82:
        return f"{d:02}.{m:02}.{y % 100:02}"
    if chance < 0.90:
        return f"{d}.{m}.{y % 100:02}"
    if chance < 0.95:
        return f"{d}. {_MONTHS[m - 1]} {y}"
    if chance < 0.97:
        return f"{d}.{_SHORT_MONTHS[m - 1]} {y}"
    if chance < 0.99:
        return f"{d}. {m}. {y}"
    return f"{y}-{m:02}-{d:02}"


def short_day(draw: Draw, date: dt.date) -> str:
    """A date near the letter's, mostly without its year."""
    chance = draw.random()
    if chance < 0.45:
        return f"{date.day}.{date.month}."
    if chance < 0.70:
        return f"{date.day:02}.{date.month:02}."
    if chance < 0.75:
        return f"{date.day}. {_MONTHS[date.month - 1]}"
    return day(draw, date)


def month(draw: Draw, date: dt.date) -> str:
    """A month of a year."""
    chance = draw.random()
    m, y = date.month, date.year
    if chance < 0.35:
        return f"{m:02}/{y}"
    if chance < 0.60:
        return f"{m:02}/{y % 100:02}"
    if chance < 0.70:
        return f"{m}/{y % 100:02}"
    if chance < 0.73:
        return f"{m:02}/'{y % 100:02}"
    if chance < 0.90:
        return named_month(draw, date)
    return f"{_SHORT_MONTHS[m - 1]} {y}"


def named_month(_draw: Draw, date: dt.date) -> str:
    """A month by its name: März 2011."""
    return f"{_MONTHS[date.month - 1]} {date.year}"


def any_past(draw: Draw, date: dt.date) -> Pieces:
    """A date of the history in whatever form: to the day, the month or the year."""
    chance = draw.random()
    if chance < 0.4:
        return (Phi(day(draw, date), PhiType.DATE),)
    if chance < 0.75:
        return (Phi(month(draw, date), PhiType.DATE),)
    if chance < 0.92:
        return (Phi(str(date.year), PhiType.DATE),)
    return (draw.pick(("im Jahr ", "im Jahre ", "Anfang ", "Mitte ", "Ende ")), Phi(str(date.year), PhiType.DATE))


def span_of_days(draw: Draw, first: dt.date, last: dt.date) -> Pieces:
    """From one day to another: one range, or two dates with "bis" between."""
    chance = draw.random()
    if chance < 0.6 or first.year != last.year:
        link = draw.pick((" bis ", " bis zum ", " - "))
        if link != " - ":
            begin = short_day(draw, first) if chance < 0.15 else day(draw, first)
            return (Phi(begin, PhiType.DATE), link, Phi(day(draw, last), PhiType.DATE))
        text = f"{first:%d.%m.%Y} - {last:%d.%m.%Y}"
    elif first.month == last.month:
        text = f"{first.day}.{draw.pick(('-', '–', ' - '))}{last.day}.{last.month}.{last.year}"
    else:
        text = f"{first.day}.{first.month}.-{last.day}.{last.month}.{last.year}"
    return (Phi(text, PhiType.DATE),)
