"""Check digits of identifiers: German health insurance number, IBAN, Swiss AHV number."""

from __future__ import annotations

import regex

from deid_core.recognisers.pattern.rule import digits, phi_text

_IBAN_LENGTHS = {"DE": 22, "AT": 20, "CH": 21, "LI": 21, "LU": 20}
"""IBAN lengths of the neighbouring countries whose account numbers have digits only."""
_SCANNED = str.maketrans("OIl", "011")


def is_health_insurance_number(match: regex.Match[str]) -> bool:
    """Check a letter and 9 digits (SGB V, § 290): letter as 01 to 26, weights 1 and 2 in turn, digit sums modulo 10."""
    number = phi_text(match).upper()
    spread = f"{ord(number[0]) - ord('A') + 1:02d}{number[1:9]}"
    total = sum(sum(divmod(int(digit) * (1 + at % 2), 10)) for at, digit in enumerate(spread))
    return total % 10 == int(number[9])


def is_iban(match: regex.Match[str]) -> bool:
    """Check ISO 13616, modulo 97; for neighbouring countries the right length suffices, despite a wrong digit."""
    number = "".join(phi_text(match).split())
    if len(number) == _IBAN_LENGTHS.get(number[:2]) and number[2:].translate(_SCANNED).isdecimal():
        return True
    number = number.upper()
    turned = number[4:] + number[:4]
    return 15 <= len(number) <= 34 and int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


def is_swiss_insurance_number(match: regex.Match[str]) -> bool:
    """Check 756 and 10 digits, the last of which is an EAN-13 check digit."""
    number = digits(phi_text(match))
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(number[:12]))
    return (10 - total % 10) % 10 == int(number[12])
