"""Names by context: what is found, where a name ends, and what is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.recognisers.person_names.layout import NoteLayout

Names = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Herr Xylander kam.", ["Xylander"]),
        ("Frau Dr. med. A. von der Xyla stellte sich vor.", ["A. von der Xyla"]),
        ("Frau Anna Müller-Xyla, Hausfrau", ["Anna Müller-Xyla"]),
        ("Herrn Müller Vorstellung am Montag", ["Müller"]),
        ("Dr. Stein berichtet", ["Stein"]),
        ("Herr Stein hat einen Stein.", ["Stein"]),
        ("lebt mit ihrer Tochter Anna zusammen", ["Anna"]),
        ("die Mutter Diabetes, der Vater Herzinfarkt", []),
        ("Hausarzt: Xylander", ["Xylander"]),
        ("Hausarzt Kontrolle erbeten", []),
        ("Ihr Hausarzt, - heute nicht da", []),
        ("gez. Xylander", ["Xylander"]),
        ("Hausarzt Xylander, OA Knarz", ["Knarz", "Xylander"]),
        ("Name: Lan Xyla", ["Lan Xyla"]),
        ("Name des Präparats", []),
        ("Sehr geehrter Herr Kollege Knarz,", ["Knarz"]),
        ("Herrn Oberarzt Dr. Knarz", ["Knarz"]),
        ("Dr. Knarzo Stein, Oberarzt", ["Knarzo Stein"]),
        ("Herr Müller vom Rohrighaus", ["Müller"]),
        ("Freiherr Dr. von und zu Knarz", ["von und zu Knarz"]),
        ("Operateure Knarz/Puhlig", ["Knarz", "Puhlig"]),
        ("Frau Knarz und Puhlig kamen", ["Knarz", "Puhlig"]),
        ("Dres. Knarz, Puhlig und Rohrig", ["Knarz", "Puhlig", "Rohrig"]),
        ("Herr Knarz und Diagnosen", ["Knarz"]),
        ("Dr. Müller vom Klinikum", ["Müller"]),
        ("Frau Dr. med.\nKnarz", ["Knarz"]),
        ("Frau Müller\n\nDiagnosen", ["Müller"]),
        ("Xylander, Peter, geb. 1.2.1950", ["Xylander, Peter"]),
        ("Peter Xylander * 1.2.1950", ["Peter Xylander"]),
        ("Sehr geehrte Frau Kollegin, sehr geehrter Herr Kollege,", []),
        ("die Frau kam, der herr und die dame", []),
        ("Herr\nXylander", ["Xylander"]),
        ("Herr\n\nXylander", []),
        ("Herr Xylander, frau dr. puhlig und schw. anna", ["Xylander", "anna", "puhlig"]),
        ("die frau kann, der herr will, dr. med. und", []),
        ("der sohn peter, die tochter anna (7) und lina (5)", ["anna", "lina", "peter"]),
        ("Kinder Anna (7) und Peter (5), gesund", ["Anna", "Peter"]),
        ("Ehefrau Anna („Änni“) ist informiert", ["Anna", "Änni"]),
        ("die Mutter, Anna, ist gesund", ["Anna"]),
        ("Frau v. d. Xyla-P. leidet", ["v. d. Xyla-P."]),
        ("Dr. H.-J. Knarz, Prof. Dr. h. c. Ch. Puhlig", ["Ch. Puhlig", "H.-J. Knarz"]),
        ("Name, Vorname\tXylander, Anna\tgeb.\t1.2.1950", ["Xylander, Anna"]),
        ("Patient/in: Xylander, Anna", ["Xylander, Anna"]),
        ("Versicherte(r): Xylander, Anna", ["Xylander, Anna"]),
        ("Operateur:\tA. Knarz / B. Puhlig\tAssistenz:\tDr. Rohrig", ["A. Knarz", "B. Puhlig", "Rohrig"]),
        ("EKG SR. Langzeit-RR 138/76", []),
        ("5 mg i.v. Pyelo, 10 mg I.V. Wdh", []),
        ("i.A. Knarz", ["Knarz"]),
        ("Anna Xyla geb. Puhlig", ["Anna Xyla", "Puhlig"]),
        ("eine geborene von Rohrig", ["von Rohrig"]),
        ("Der 1941 geborene Stein", []),
        ("Frau Puh-\nlig kam", ["Puh", "lig"]),
        ("Frau Xyla-\nKnarz kam", ["Knarz", "Xyla"]),
        ("HerrXylander kam, FrauKnarz auch, Frauenarzt nicht", ["Knarz", "Xylander"]),
        ("1. Xylander, Anna, 1.2.1950", ["Xylander, Anna"]),
        ("1) Xylander, Anna, 1.2.1950", ["Xylander, Anna"]),
        ("Befund vom 1.2.1950, Kontrolle am 3.4.1951", []),
        ("xylander anna   1.2.1950   dorfweg", ["xylander anna"]),
        ("Mit freundlichen Grüßen\n\nAnna Xyla    B. Knarz\nOberärztin", ["Anna Xyla", "B. Knarz"]),
        ("Mit freundlichen Grüßen\n\nAnna Xyla\tP. Müller\nOberarzt\tKardiologie", ["Anna Xyla", "P. Müller"]),
    ],
)
def test_cases(text: str, expected: list[str], names: Names) -> None:
    assert names(text) == expected


@given(text=st.text(alphabet="Herr FauDmd.Müleg,\n\t-ABc:*1", max_size=200))
def test_detections_lie_on_text_whatever_it_is(text: str, names: Names) -> None:
    for name in names(text):
        assert name == name.strip() != ""


@pytest.mark.parametrize(
    "word", ["Dr. ", "Herr ", "i.A. ", "Herrn Kollegen ", "geb. ", "Dr. von ", "A. ", "Dres. Müller und "]
)
def test_work_is_linear_in_repeated_triggers(word: str, names: Names, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the questions asked of tokens, not seconds: four times the text must not be five times the work."""
    asked = [0]

    def counting(method: Callable[..., object]) -> Callable[..., object]:
        def counted(layout: NoteLayout, index: int) -> object:
            asked[0] += 1
            return method(layout, index)

        return counted

    for question in ("word", "adjacent", "opens_column"):
        monkeypatch.setattr(NoteLayout, question, counting(getattr(NoteLayout, question)))

    def work(times: int) -> int:
        asked[0] = 0
        names(word * times)
        return asked[0]

    assert 500 <= work(500)
    assert work(2000) <= 5 * work(500)
