"""Lines in another language are recognised, and names in them are found by their capitals."""

from __future__ import annotations

import pytest

from deid_core import Deidentifier

ENGLISH = (
    "The patient was admitted to our hospital with severe chest pain which had started two days before. There was no "
    "history of heart disease. His wife Abigail Thornbury reported that he had been treated by Dr. Winslade in Leeds."
)
FRENCH = (
    "La patiente est connue pour une hypertension artérielle et une fibrillation auriculaire depuis plusieurs années. "
    "Les jambes sont enflées jusqu'aux genoux, avec des râles aux deux bases. Elle vit avec sa fille Clotilde."
)
ITALIAN = (
    "Il paziente è stato ricoverato presso il nostro reparto per una frattura del femore dopo una caduta in casa. La "
    "ferita era asciutta e non arrossata, il decorso è stato regolare. Il controllo è stato eseguito dalla dottoressa."
)
TURKISH = (
    "Hasta göğüs ağrısı şikayeti ile hastanemize başvurdu ve koroner anjiyografi yapıldı. Kan basıncı normal olarak "
    "ölçüldü, kalp sesleri ritmik idi ve üfürüm yoktu. Kontrol için bir ay sonra gelmesi önerildi."
)
GERMAN = (
    "Der Patient wurde wegen starker Brustschmerzen aufgenommen, die zwei Tage zuvor begonnen hatten. Die Wunde war "
    "reizlos, der Verlauf ohne Besonderheiten. Seine Frau Anna Muster holte ihn am 12.3.2010 ab."
)


@pytest.fixture(scope="module")
def deid() -> Deidentifier:
    return Deidentifier.load("default")


@pytest.mark.parametrize(("text", "code"), [(ENGLISH, "en"), (FRENCH, "fr"), (ITALIAN, "it"), (TURKISH, "tr")])
def test_the_language_is_told_and_small_letters_are_no_names(deid: Deidentifier, text: str, code: str) -> None:
    result = deid.redact(f"{GERMAN}\n\n{text}\n\n{GERMAN}")
    assert result.languages == (code,)
    start = len(GERMAN) + 2
    inside = [span for span in result.spans if start <= span.start < start + len(text)]
    words = " ".join(result.source_text[span.start : span.end] for span in inside).split()
    assert [word for word in words if word[0].islower()] == []
    before, after = ([s for s in result.spans if s.start < start], [s for s in result.spans if s.start > start])
    assert [s.label for s in before] == [s.label for s in after[len(inside) :]]


def test_german_letters_have_no_other_language(deid: Deidentifier) -> None:
    result = deid.redact(f"{GERMAN}\nCOR in situ, lege artis, restitutio ad integrum, follow up by phone\n{GERMAN}")
    assert result.languages == ()


def test_names_in_another_language_are_removed(deid: Deidentifier) -> None:
    text = deid.redact(ENGLISH).text
    assert not [name for name in ("Abigail", "Thornbury", "Winslade", "Leeds") if name in text]
    assert "Clotilde" not in deid.redact(FRENCH).text


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("He was seen on 4 March 2018 and on May 3rd, 2019 by the surgeon who had treated him.", "March|2018|May|2019"),
        ("This 62-year-old man, whose father died at the age of 58, was admitted with pain.", "62|58"),
        ("Cette patiente de 71 ans est connue pour une hypertension depuis le 3 février 2011.", "71|février"),
    ],
)
def test_dates_and_ages_have_other_words(deid: Deidentifier, text: str, hidden: str) -> None:
    redacted = deid.redact(text).text
    assert [part for part in hidden.split("|") if part in redacted] == []


def test_a_script_without_capitals_is_left_to_the_models(deid: Deidentifier) -> None:
    result = deid.redact(f"{GERMAN}\nتم إدخال المريض محمد إلى المستشفى بسبب ألم شديد في الصدر\n")
    assert result.languages == ("ar",)
