"""Searches that begin with a class of characters find what the plain expressions find."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.core.word_lists import alternatives
from deid_core.letterhead.parts import _ADDRESSED, _CLINIC_PREFIXES, _POSTCODE_AND_TOWN

ADDRESS = re.compile(
    r"(?<!\d)(?:[A-Z]{1,2}-)?\d{4,5} +[A-ZÄÖÜ]|\b(?:herrn?|frau|praxis|gemeinschaftspraxis|an\s+d(?:ie|en|as))\b",
    re.IGNORECASE,
)
STEM = re.compile(rf"{alternatives('letterhead/clinic-signs')}|universität|@")
PIECES = st.sampled_from(
    "D- A-1 1234 80331 123456 Ulm ulm ä ſ Herr herrn HERRNX Frau Fraulich Praxis praxiſ Gemeinschaftspraxis xPraxis An "
    "an die d' das den E-Mail emails Tele. fax www. Univers Universität @".split()
)


@given(st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "  ", "\n"])), max_size=8), st.integers(0, 6))
@example([("D-", ""), ("1234", " "), ("Ulm", "")], 0)
@example([("A-1", ""), ("80331", " "), ("Ulm", "")], 3)
def test_addresses_and_stems(pieces: list[tuple[str, str]], start: int) -> None:
    text = "".join(piece + gap for piece, gap in pieces)
    found = _POSTCODE_AND_TOWN.search(text, start) or _ADDRESSED.search(text, start)
    assert (found is not None) == (ADDRESS.search(text, start) is not None)
    lower = text.lower()
    assert any(stem in lower for stem in _CLINIC_PREFIXES) == (STEM.search(lower) is not None)


def test_first_letters_have_no_other_forms() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert sorted(re.findall("[hfpga]", everything, re.IGNORECASE)) == sorted("hfpgaHFPGA")
