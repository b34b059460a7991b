"""Addresses, hospitals, telephone numbers, web and e-mail addresses, in the forms that letters have them."""

from __future__ import annotations

from dataclasses import dataclass

from deid_core.core.labels import PhiType
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.synthetic.letter import Phi, Pieces
from deid_core.lab.synthetic.lists import NameLists, TownEntry

# a: area code, b: the same without its 0, t: trunk, e: extension, p, q: its halves.
_PHONE_FORMS = (
    "{a}/{t}-{e}", "{a}/{t}-{e}", "{a}/{t}{e}", "{a} / {t} {e}", "({a}) {t}-{e}", "({a}) {t} {p} {q}", "{a}-{t}-{e}",
    "{a} {t}{e}", "{a} {t}-{e}", "{a} - {t} {e}", "+49 (0){b} {t}-{e}", "+49 {b} {t} {e}", "+49(0){b}/{t}-{e}",
    "0049 {b} {t}{e}", "+49 {a}-{t}-{e}", "{a}.{t}.{e}", "+49{b}{t}{e}",
)  # fmt: skip
_MOBILE_FORMS = ("{a} {t}{e}", "{a}/{t}{e}", "{a}-{t}{e}", "{a}/{t} {p} {q}", "+49 {b} {t}{e}", "{a}{t}{e}")
_MOBILE_CODES = ("0151", "0160", "0170", "0171", "0172", "0173", "0175", "0176", "0179")
_PLAIN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", " ": "-", ".": "", "(": "", ")": "", "'": ""})


@dataclass(frozen=True, slots=True)
class Address:
    """Where somebody lives or works."""

    street: str
    town: TownEntry

    def pieces(self, separator: str = ", ") -> Pieces:
        """Street, postcode and town: "Hauptstr. 5, 69120 Heidelberg"."""
        return (self.street_phi, separator, self.postcode_phi, " ", self.town_phi)

    @property
    def street_phi(self) -> Phi:
        """Street and number."""
        return Phi(self.street, PhiType.STREET)

    @property
    def postcode_phi(self) -> Phi:
        """The postcode."""
        return Phi(self.town.postcode, PhiType.POSTCODE)

    @property
    def town_phi(self) -> Phi:
        """The town."""
        return Phi(self.town.name, PhiType.TOWN)


def address(draw: Draw, lists: NameLists) -> Address:
    """An address with a postcode of the town's region."""
    town = draw.pick(lists.towns)
    postcode = town.postcode[:3] + f"{draw.number(1, 99):02}"
    if draw.chance(0.04):
        postcode = f"D-{postcode}"
    return Address(street(draw, lists), TownEntry(town.name, postcode, town.area_code))


def street(draw: Draw, lists: NameLists) -> str:
    """A street and number: in full, abbreviated or with ss; the number with a letter, a range or a stroke."""
    name = draw.pick(lists.streets)
    chance = draw.random()
    stem, found, _ = name.partition("straße")
    if found and chance < 0.45:
        name = stem + ("str." if chance < 0.36 else "strasse" if chance < 0.43 else "-Str.")
    elif name.endswith("Straße") and chance < 0.45:
        name = name[:-6] + ("Str." if chance < 0.36 else "Strasse")
    number = str(draw.number(1, 140))
    chance = draw.random()
    if chance < 0.10:
        number += draw.pick("abcd")
    elif chance < 0.13:
        number += f"-{int(number) + 2}"
    elif chance < 0.15:
        number += f" {draw.pick('ab')}"
    return f"{name} {number}"


def hospital(draw: Draw, lists: NameLists, town: str | None = None) -> str:
    """A hospital's name, of this town where its name says a town."""
    pattern = draw.pick(lists.hospitals)
    return pattern.replace("{town}", town or draw.pick(lists.towns).name)


def trunk(draw: Draw) -> str:
    """The part of a telephone number that all lines of a house share."""
    return str(draw.number(20, 9999))


def phone(draw: Draw, area_code: str, shared: str, form: int | None = None, digits: int = 4) -> str:
    """A telephone number; form: position among the forms, so that a letterhead keeps to one."""
    pattern = _PHONE_FORMS[form] if form is not None else draw.pick(_PHONE_FORMS)
    return _filled(pattern, area_code, shared, draw.digits(digits))


def phone_form(draw: Draw) -> int:
    """A form for `phone`."""
    return int(draw.random() * len(_PHONE_FORMS))


def mobile(draw: Draw) -> str:
    """A mobile number."""
    return _filled(draw.pick(_MOBILE_FORMS), draw.pick(_MOBILE_CODES), draw.digits(3), draw.digits(draw.number(4, 5)))


def _filled(pattern: str, area_code: str, shared: str, extension: str) -> str:
    half = len(extension) // 2
    return pattern.format(a=area_code, b=area_code[1:], t=shared, e=extension, p=extension[:half], q=extension[half:])


def plain(name: str) -> str:
    """A name as it stands in a web address."""
    folded = name.lower().translate(_PLAIN)
    return "".join(c for c in folded if c.isascii() and (c.isalnum() or c == "-")).strip("-")
