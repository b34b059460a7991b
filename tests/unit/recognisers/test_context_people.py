"""Names of staff, relatives and cases by context: lists of a protocol, enumerations, what somebody is called."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Names = Callable[[str], list[str]]
_SMALL = "es gab husten und fieber bei der kontrolle und danach ging alles wieder gut nach hause " * 3
_CAPITALS = _SMALL.upper()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Staff of protocols and ambulances
        ("Narkose: Xylander   Pflege: Knarz", ["Knarz", "Xylander"]),
        ("NFS: Knarz Maro   RS: Puhlig", ["Knarz Maro", "Puhlig"]),
        ("Ergebnis rs 3, na 138", []),
        ("Bezirksinspektor Knarz, Wundschwester Anna", ["Anna", "Knarz"]),
        ("Oberarztbrief folgt", []),
        ("Kontrolle (MTA Stein).", ["Stein"]),
        ("Frau Dipl.-Psych. Knarz", ["Knarz"]),
        ("Dr. Haus kam", ["Haus"]),
        ("Hausarzt Xylander jun., Kontrolle", ["Xylander jun."]),
        # Cases of a board
        ("FALL 1 – Xylander Maro, 1.2.1950", ["Xylander Maro"]),
        ("Fall 2\nXyla-Knarz Sipo, 1.2.1950, AZ 7", ["Xyla-Knarz Sipo"]),
        ("Befund 2\nSehr guter Verlauf, 1.2.1950", []),
        ("Mutter      : XYLA, Thi Bo\nKind", ["XYLA, Thi Bo"]),
        # Enumerations
        ("zwei Töchter Flora (14) und Annelo (11).", ["Annelo", "Flora"]),
        ("Kinder mit Asthma (4) und Fieber.", []),
        ("Der Bruder Ermo, 9, ist gesund.", ["Ermo"]),
        ("Die Mutter Hypertonie, der Bruder Asthma.", []),
        # What somebody is called
        ("Der Name hieß dort „Xylander, Maro“.", ["Xylander, Maro"]),
        ("ein Mädchen namens Parwo, das kam", ["Parwo"]),
        ("die Bawo genannt wurde", ["Bawo"]),
        ("der sogenannte Hausbesuch, auch genannt", []),
        ("XYLANDER, MARO (auch: Zylander, Mara)", ["XYLANDER, MARO"]),
        # Who did something
        ("Aufnahme durch Müller.", ["Müller"]),
        ("Übergabe an Müller und Kontrolle", ["Müller"]),
        ("Schmerz durch Kompression, lt. Befund", []),
        ("Logopädie (S. Müller): gut", ["S. Müller"]),
        ("Nachweis von E. coli, Hepatitis B. Labor folgt", []),
        ("Lieber Xylando,\n\nich schicke", ["Xylando"]),
        # Torn and glued names
        ("Der SohnDrazo ist gesund", ["Drazo"]),
        ("Frau Mül ler kam", ["Mül ler"]),
        ("Mit freundlichen Grüßen\n\nMaro\n", ["Maro"]),
        ("Herzliche Grüße\n\nHaus\n", []),
    ],
)
def test_cases(text: str, expected: list[str], names: Names) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sehr geehrte frau stein,", ["stein"]),
        ("die frau, der pat stabil", []),
        ("beatmet durch oa xylando (7,5)", ["xylando"]),
        ("anna xyla, geb. knarz, *1.2.1950", ["anna xyla", "knarz"]),
        ("grüße\n\nxylo\n", ["xylo"]),
    ],
)
def test_a_note_of_small_letters(text: str, expected: list[str], names: Names) -> None:
    assert names(f"{_SMALL}\n\n{text}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ASSISTENZ: NANSO, SR. GONTJO", ["GONTJO", "NANSO"]),
        ("NFS GONTJO, RS NANSO", ["GONTJO", "NANSO"]),
        ("PATIENTIN WILLIGO VORSTELLUNG UND KONTROLLE", []),
    ],
)
def test_a_note_in_capitals(text: str, expected: list[str], names: Names) -> None:
    assert names(f"{_CAPITALS}\n\n{text}") == expected
