"""What of patients' names stays readable."""

from __future__ import annotations

import re

import numpy as np
import pytest
from span_samples import at

from deid_core.core.labels import PhiType, label_of
from deid_core.core.spans import GoldSpan
from deid_core.core.uncovered_text import covered_characters
from deid_core.lab.corpora import LabelledSpan
from deid_core.lab.evaluate.leaks import LeakShare
from deid_core.lab.evaluate.patients import PatientEvaluation, is_full_name_readable

TEXT = "Name: von Beispiel, Erika. Frau Beispiels Mann. Erika kam. Dr. Muster"
NAME, GENITIVE, GIVEN = "von Beispiel, Erika", "Beispiels", "Erika kam"
SPANS = [
    at(TEXT, NAME, "PER"),
    at(TEXT, GENITIVE, "PER"),
    LabelledSpan(TEXT.index(GIVEN), TEXT.index(GIVEN) + 5, "PER"),
]


def typed(spans: list[LabelledSpan], kind: PhiType = PhiType.PATIENT) -> list[GoldSpan]:
    return [GoldSpan(span.start, span.end, label_of(kind), kind) for span in spans]


@pytest.mark.parametrize(
    ("hidden", "readable"),
    [
        ((0, 1, 2), False),
        ((1, 2), True),  # the name itself stands there
        ((0, 1), False),  # the given name alone
        ((0, 2), False),  # the surname alone
        ((0,), True),  # the surname in the genitive here, the given name there
        ((), True),
    ],
)
def test_a_full_name_is_readable_if_its_words_are_wherever_they_stand(hidden: tuple[int, ...], readable: bool) -> None:
    covered = covered_characters(TEXT, [SPANS[number] for number in hidden])
    assert is_full_name_readable(TEXT, typed(SPANS), covered) is readable


def readable(letter: str) -> bool:
    """Of a letter with marks, `<patient>…</patient>`; what `*…*` encloses is covered."""
    gold: list[GoldSpan] = []
    covered: list[bool] = []
    text, kind, start, hidden = "", PhiType.PATIENT, 0, False
    for piece in re.findall(r"</?\w+>|\*|[^<*]+", letter):
        if piece == "*":
            hidden = not hidden
        elif piece.startswith("</"):
            gold.append(GoldSpan(start, len(text), label_of(kind), kind))
        elif piece.startswith("<"):
            kind, start = PhiType(piece[1:-1]), len(text)
        else:
            text += piece
            covered += [hidden] * len(piece)
    return is_full_name_readable(text, gold, np.array(covered))


@pytest.mark.parametrize(
    ("letter", "expected"),
    [
        # A name that a line end divides is one word.
        ("<patient>*Bei-\nspiel*</patient> | <patient>Beispiel</patient> | <patient>Erika</patient>", True),
        ("<patient>Bei-\nspiel</patient> | <patient>*Beispiel*</patient> | <patient>*Erika*</patient>", False),
        # So is one with an indent or a soft hyphen, whose parts give it away, and of which only the letters count.
        ("<patient>Erika *Bei*-\n           *spiel*</patient>", False),
        ("<patient>Erika Bei-\n           *spiel*</patient>", True),
        ("<patient>Erika *Bei*\u00ad\n  spiel</patient>", True),
        ("<patient>Bei\u00ad\n  spiel</patient> | <patient>*Beispiel*</patient> | <patient>*Erika*</patient>", False),
        ("<patient>*Erika BEISPIEL*</patient> <patient>Erika</patient> <patient>BEI-\nSPIEL</patient>", True),
        # Two of three words give it away.
        ("<patient>*Beispiel, Erika Anna*</patient> <patient>Beispiel</patient> <patient>Erika</patient>", True),
        ("<patient>*Beispiel, Erika Anna*</patient> <patient>Beispiel</patient> <patient>Beispiel</patient>", False),
        # Words of two persons' names are no name.
        (
            "<patient>*Beispiel, Erika*</patient> <patient>*Muster, Otto*</patient> "
            "<patient>Beispiel</patient> <patient>Otto</patient>",
            False,
        ),
        # Marks of other types, and text without one.
        ("<patient>*Erika Beispiel*</patient> <relative>Otto Beispiel</relative> <hospital>Erika</hospital>", True),
        ("<patient>*Erika Beispiel*</patient> <email>erika.beispiel@web.de</email>", True),
        ("<patient>*Erika Beispiel*</patient> <email>*erika.beispiel@web.de*</email>", False),
        ("<patient>*Erika Beispiel*</patient> Erika, zum Beispiel", False),
        # Genitives, on either side; the s of a short word is its own.
        ("<patient>*Erika Beispiels*</patient> <patient>Beispiel</patient> <patient>Erika</patient>", True),
        ("<patient>*Erika Beispiel*</patient> <patient>Beispiels</patient> <patient>Erikas</patient>", True),
        ("<patient>*Anna Maas*</patient> <patient>Anna</patient> <patient>Maa</patient>", False),
        # A hyphenated name is one word, which a part gives away.
        ("<patient>Müller-Lüdenscheid</patient>", False),
        ("<patient>*Müller-Lüdenscheid*</patient> <patient>Müller</patient>-<patient>Lüdenscheid</patient>", False),
        ("<patient>Erika Müller-*Lüdenscheid*</patient>", True),
        ("<patient>Erika *Müller-Lüdenscheid*</patient> <relative>Frau Lüdenscheids</relative>", True),
        ("<patient>*Karl-Heinz Beispiel*</patient> <patient>Karl</patient> <patient>Heinz</patient>", False),
        ("<patient>*Jo-Anna Beispiel*</patient> <patient>Beispiel</patient> <patient>Jo</patient>", False),
        ("<patient>Müller</patient> <patient>Müller-Lüdenscheid</patient>", False),
        # Particles and single letters.
        ("<patient>*Erika* von *Beispiel*</patient> <relative>Erika von *Beispiel*</relative>", False),
        ("<patient>*Anna von-der-Au*</patient> <patient>Anna</patient> <relative>von der *Au*</relative>", False),
        ("<patient>E. Beispiel</patient>", False),
        # Names that only stand apart are one name.
        ("| <patient>Beispiel</patient> | <patient>Erika</patient> |", True),
        ("| <patient>Beispiel</patient> | <patient>*Erika*</patient> |", False),
        ("| <patient>*Beispiel*</patient> | <patient>*Erika*</patient> | <person>Erika Beispiel</person>", True),
        ("<relative>Erika Beispiel</relative>", False),
        ("", False),
    ],
)
def test_which_words_make_a_full_name(letter: str, expected: bool) -> None:
    assert readable(letter) is expected


def test_half_a_word_must_not_be_left() -> None:
    assert not readable("<patient>Erika *Beis*piel</patient>")
    assert readable("<patient>Erika *Bei*spiel</patient>")


def test_only_patients_count_and_letters_add_up() -> None:
    evaluation = PatientEvaluation()
    gold = [*typed(SPANS), *typed([at(TEXT, "Muster", "PER")], PhiType.CLINICIAN)]
    evaluation.add(TEXT, gold, SPANS)
    evaluation.add(TEXT, gold, SPANS[:1])
    assert evaluation.leaked == LeakShare(2, 6)
    assert evaluation.per_letter == 1.0
    assert evaluation.letters == evaluation.full_names == LeakShare(1, 2)


def test_without_letters_nothing_leaks() -> None:
    evaluation = PatientEvaluation()
    assert evaluation.per_letter == 0.0
    assert evaluation.full_names == LeakShare(0, 0)
