"""What scans read: letters for digits, months with other letters, words of dates with a gap or a line's end within."""

from __future__ import annotations

from deid_core.core.word_lists import word_list

DIGIT = r"[\dlIO]"
"""A digit, or a letter that a scan often reads for one; numbers of all kinds may have it."""
SCAN_LETTERS = "lIOoiS|"
READ_AS_DIGIT = rf"[\d{SCAN_LETTERS}]"
"""As DIGIT, with what is read for a digit more seldom; for dates and ages, whose form says what they are."""
AS_DIGITS = str.maketrans(SCAN_LETTERS, "1100151")
SCANNED_MONTH = r"""
    (?:0ktober|Okt0ber|Octob[ce]r|Septe(?:rn|nn|m)[bh]er|Nove(?:rn|nn|m)[bh]er|Deze(?:rn|nn|m)[bh]er|Apri[1lI]
    |Ju[n1lI][i1l]|Augnst|Angust|Fe[bh]rnar|Febr[un]ar|Ja[nu][nu]ar|M[äa]r[z2]|Miirz)(?!\p{L})
"""
"""Months as scans read them; ordinary words are among them ("Marz"), so they need a scanned day or year beside them."""
HALVES = tuple(
    (first, second) for first, _, second in (word.partition("-") for word in word_list("pattern/divided-date-words"))
)
"""Words of dates as a line's end or a scan's gap divides them."""
