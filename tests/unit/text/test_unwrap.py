"""Lines broken at a width: the ends that it forced are read as blanks, and nothing else changes."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from deid_core.core.note import Block, BlockKind, Note
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import spec_with_lists
from deid_core.text.arrays import code_points
from deid_core.text.column_starts import column_starts
from deid_core.text.unwrap import unwrapped
from deid_core.text.vocabulary import Vocabulary

PROSE = (
    "wir danken für die freundliche Überweisung der Patientin, die sich wegen zunehmender Belastungsdyspnoe und "
    "nächtlicher Atemnot vorstellte. Bei der körperlichen Untersuchung fanden sich Rasselgeräusche über beiden Lungen "
    "sowie Ödeme der Unterschenkel. Echokardiographisch zeigte sich eine Einschränkung der Pumpfunktion, eine "
    "Klappeninsuffizienz bestand nicht. Unter Diuretika besserte sich das Befinden rasch, so dass wir sie in die "
    "weitere Betreuung entlassen konnten. Die Medikation wurde entsprechend dem Befund angepasst, eine Kontrolle der "
    "Elektrolyte und der Nierenwerte empfehlen wir binnen zwei Wochen."
)
HEAD = "Klinik Musterstadt\nMusterweg 5\n12345 Musterstadt\n\nDiagnosen:\n- Herzinsuffizienz\n- Hypertonie\n"


def read(text: str, *blocks: Block) -> str:
    return unwrapped(Note("n", text, blocks=blocks)).text


def wrapped(width: int) -> str:
    return textwrap.fill(PROSE, width, break_on_hyphens=False)


def by_hand(text: str, width: int) -> str:
    """Lines that end up to eleven characters before the width."""
    lines = [""]
    for number, word in enumerate(text.split(" ")):
        if len(lines[-1]) + len(word) > width - number % 12:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


@pytest.mark.parametrize("width", [50, 60, 72, 80, 100, 120])
def test_prose_that_a_width_broke_is_one_line_again(width: int) -> None:
    assert read(f"{HEAD}\n{wrapped(width)}\n\nMit Grüßen") == f"{HEAD}\n{PROSE}\n\nMit Grüßen"


@pytest.mark.parametrize("width", [70, 80])
def test_prose_that_somebody_broke_before_the_width_is_one_line_again(width: int) -> None:
    assert read(f"{HEAD}\n{by_hand(PROSE, width)}\n\nMit Grüßen") == f"{HEAD}\n{PROSE}\n\nMit Grüßen"


TABLE = "".join(
    f"Kalium   am {n}. Tag im Normbereich   {n},1 mmol/l   Kontrolle nach der Gabe von Kalium\n" for n in range(9)
)
LEUKOCYTES = "leukozyten im verlauf rückläufig, crp am 3. tag\n"
DIAGNOSES = "Koronare Herzkrankheit mit drei Gefäßen\nArterielle Hypertonie seit vielen Jahren\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(wrapped(35), id="narrower than a column"),
        pytest.param(textwrap.fill(" ".join([PROSE] * 4), 200), id="wider than a printer's line"),
        pytest.param("\n".join(wrapped(60).split("\n")[:4]), id="too few"),
        pytest.param(f"{wrapped(60)}\n\n{PROSE}\n\n{PROSE}", id="others are longer"),
        pytest.param(LEUKOCYTES * 20 + "\n".join(wrapped(80).split("\n")[:5]), id="few of many"),
        pytest.param(by_hand(PROSE.title(), 70), id="by hand, but none goes on in small letters"),
        pytest.param(DIAGNOSES * 8, id="about equally long"),
        pytest.param(
            "".join(f"- Diagnose, die auf ihrer Zeile steht, Nummer {n}\n" for n in range(9)), id="marked list"
        ),
        pytest.param("".join(f"{n}. Diagnose, die auf ihrer Zeile steht\n" for n in range(9)), id="numbered list"),
        pytest.param("".join(f"Aktuelle Beschwerden: zunehmend, Nr. {n}\n" for n in range(9)), id="fields"),
        pytest.param(TABLE, id="columns"),
        pytest.param(TABLE.replace("   ", "\t"), id="cells"),
        pytest.param(wrapped(70).replace("\n", "\n     "), id="set in"),
        pytest.param(HEAD * 3, id="a letter's head"),
        pytest.param("", id="nothing"),
        pytest.param("\n" * 50, id="empty lines"),
    ],
)
def test_lines_that_end_by_themselves_stay(text: str) -> None:
    assert read(text) == text


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param(TABLE, id="columns"),
        pytest.param("Kalium   4,1 mmol/l   im Normbereich bei Entlassung\nund so weiter\n", id="columns above"),
        pytest.param("die Werte zeigten bei der Entlassung Folgendes:\nk   4,1   mmol/l\n", id="columns below"),
        pytest.param("Dauermedikation seit der Aufnahme\nmit der letzten Gabe am Abend\n", id="well before the width"),
        pytest.param(f"Zustand nach\n{'Donaudampfschifffahrts' * 3} und\n", id="a short line before a long word"),
        pytest.param("Der Vater war mit 60 Jahren an einem Infarkt verstorben\nMutter: gesund\n", id="a field"),
        pytest.param("Der Vater war mit 60 Jahren an dem 2. Infarkt verstorben\n12. Mai\n", id="a number"),
        pytest.param(f"{PROSE[:100]}\nEnde\n", id="a longer line"),
    ],
)
def test_beside_wrapped_prose_other_lines_stay(beside: str) -> None:
    assert read(f"{wrapped(60)}\n\n{wrapped(60)}\n\n{beside}") == f"{PROSE}\n\n{PROSE}\n\n{beside}"


@pytest.mark.parametrize("hyphen", ["-", "\u00ad", "\u2010", "-  "])
def test_a_word_that_a_hyphen_parts_keeps_its_line_end(hyphen: str) -> None:
    lines = wrapped(60).split("\n")
    lines[2] = lines[2][:-3] + hyphen
    text = "\n".join(lines)
    assert read(text).count("\n") == 1 and f"{hyphen}\n" in read(text)


@pytest.mark.parametrize("end", ["\n  ", " \n", "\r\n", "  \n   "])
def test_blanks_around_an_end_become_one_gap_of_the_same_length_and_no_column(end: str) -> None:
    text = wrapped(70).replace("\n", end)
    joined = read(text)
    assert len(joined) == len(text) and joined.split() == PROSE.split() and "\n" not in joined
    assert not column_starts(code_points(joined), Vocabulary().tokenise(joined)).any()


def test_of_blocks_only_paragraphs_go_on_in_each_other() -> None:
    lines = wrapped(70).split("\n")
    text = "\n".join(lines)
    ends = [sum(map(len, lines[: n + 1])) + n for n in range(len(lines))]
    starts = [0, *(end + 1 for end in ends[:-1])]
    kinds = [BlockKind.PARAGRAPH] * (len(lines) - 1) + [BlockKind.PAGE_FOOTER]
    assert read(text, *map(Block, kinds, starts, ends)) == "\n".join((" ".join(lines[:-1]), lines[-1]))
    assert read(text, *(Block(BlockKind.TABLE_CELL, *places) for places in zip(starts, ends, strict=True))) == text


words = st.lists(st.text("abcdeä", min_size=2, max_size=12), min_size=70, max_size=150).map(" ".join)


@example(" ".join(["aa"] * 70), 53)
# The last line is longer than the others, which 59 to 68 break alike.
@example(" ".join(["b" * 9] * 34 + ["aa"] * 9), 66)
@given(words, st.integers(50, 90))
def test_any_words_that_a_width_broke_are_one_line_again(text: str, width: int) -> None:
    broken = textwrap.fill(text, width)
    # Fewer ends show no width.
    assume(broken.count("\n") >= 4)
    assert read(broken) == text


@given(
    st.lists(st.text(st.sampled_from("aB-. \t\r\x0b\u00ad\u2028ü1"), max_size=90), max_size=30).map("\n".join)
    | st.lists(
        st.sampled_from(["wird", "das", "Herz -", "1.", "\t", "   ", "ausführlich", "\n", "\r\n"]), max_size=300
    ).map(" ".join)
)
def test_a_character_stays_where_it_was_and_only_blanks_change(text: str) -> None:
    after = read(text)
    assert len(after) == len(text)
    assert all(old == new or (old.isspace() and new.isspace()) for old, new in zip(text, after, strict=True))
    assert after.split() == text.split()


def test_a_name_at_a_broken_line_is_one_span_and_what_is_written_keeps_its_lines() -> None:
    engine = Engine(spec_with_lists(load_pipeline("default"), EngineSettings(), compile_lists({})))
    letter = PROSE.replace("die weitere Betreuung", "die Betreuung von Frau Dr. Xaveria Knorrenbichler")
    texts = (textwrap.fill(letter, width) for width in range(50, 90))
    text = next(text for text in texts if "Xaveria\nKnorrenbichler" in text)
    for end in ("\n", "\n  ", " \n", "\r\n"):
        written = text.replace("\n", end)
        result = engine.deidentify(Note("n", written))
        assert f"Xaveria{end}Knorrenbichler" in [written[span.start : span.end] for span in result.spans]
        assert result.text.split("\n")[:3] == written.split("\n")[:3]
