"""OCR errors: letters for digits, misread months, and words of dates that a gap or a line end divides."""

from __future__ import annotations

from deid_core.core.word_lists import word_list

DIGIT = r"[\dlIO]"
"""A digit, or a letter that OCR often reads for one, in numbers of all kinds."""
SCAN_LETTERS = "lIOoiS|"
READ_AS_DIGIT = rf"[\d{SCAN_LETTERS}]"
"""DIGIT and letters that OCR reads more rarely for a digit, for dates and ages, whose form is unambiguous."""
AS_DIGITS = str.maketrans(SCAN_LETTERS, "1100151")
SCANNED_MONTH = r"""
    (?:0ktober|Okt0ber|Octob[ce]r|Septe(?:rn|nn|m)[bh]er|Nove(?:rn|nn|m)[bh]er|Deze(?:rn|nn|m)[bh]er|Apri[1lI]
    |Ju[n1lI][i1l]|Augnst|Angust|Fe[bh]rnar|Febr[un]ar|Ja[nu][nu]ar|M[äa]r[z2]|Miirz)(?!\p{L})
"""
"""Months as OCR misreads them; some are ordinary words ("Marz"), so they need a misread day or year beside them."""
HALVES = tuple(
    (first, second) for first, _, second in (word.partition("-") for word in word_list("pattern/divided-date-words"))
)
"""The two parts of words of dates that a line end or a gap divides."""
