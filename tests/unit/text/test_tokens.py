"""Tokens: what is one token, offsets, and that numbers of word types do not matter."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.text.tokens import FORMAT, MARK, NUMBER, WORD, ZERO_WIDTH_SPACE, plain, token_kind
from deid_core.text.vocabulary import Vocabulary


def cut(text: str) -> list[str]:
    tokens = Vocabulary().tokenise(text)
    return [text[s:e] for s, e in zip(tokens.starts, tokens.ends, strict=True)]


def words(text: str) -> list[str]:
    vocabulary = Vocabulary()
    return [vocabulary.words[number] for number in vocabulary.tokenise(text).types]


def visible(text: str) -> str:
    """The text without format characters and the blanks around it."""
    return text.translate(dict.fromkeys(map(ord, FORMAT + ZERO_WIDTH_SPACE))).strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("geb. am 01.12.1956, wh.", ["geb.", "am", "01.12.1956", ",", "wh."]),
        ("Dr. med. H. Müller-Lüdenscheid", ["Dr.", "med.", "H.", "Müller-Lüdenscheid"]),
        ("Hauptstr. 12a", ["Hauptstr.", "12a"]),
        ("RR 120/80 mmHg.", ["RR", "120/80", "mmHg", "."]),
        ("3,5mg i.v.", ["3,5", "mg", "i.v."]),
        ("06221/56-1234", ["06221/56-1234"]),
        ("O'Brien", ["O'Brien"]),
        ("EF 55%", ["EF", "55", "%"]),
        ("", []),
    ],
)
def test_what_is_one_token(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@pytest.mark.parametrize(
    ("text", "expected", "types"),
    [
        ("Thor\u00adwaldsen.", ["Thor\u00adwaldsen", "."], ["Thorwaldsen", "."]),
        ("Mu\u0308ller", ["Mu\u0308ller"], ["Müller"]),
        ("Jose\u0301 da", ["Jose\u0301", "da"], ["José", "da"]),
        ("Müller\u2011Lüdenscheid", ["Müller\u2011Lüdenscheid"], ["Müller-Lüdenscheid"]),
        ("06221\u2011564321", ["06221\u2011564321"], ["06221-564321"]),
        ("12\u20133\u20132010", ["12\u20133\u20132010"], ["12-3-2010"]),
        ("Knar\u200bzig", ["Knar\u200bzig"], ["Knarzig"]),
        ("Herr\u200bKnarz", ["Herr", "Knarz"], ["Herr", "Knarz"]),
        ("\ufeffHaupt\u00adstr. 1", ["Haupt\u00adstr.", "1"], ["Hauptstr.", "1"]),
        ("Klinik\u00ad \u200b Muster", ["Klinik", "Muster"], ["Klinik", "Muster"]),
        ("Befund \u2013 normal", ["Befund", "\u2013", "normal"], ["Befund", "\u2013", "normal"]),
        ("x" + "\u0301" * 20, ["x" + "\u0301" * 20], ["x" + "\u0301" * 20]),
    ],
)
def test_a_type_is_the_plain_word(text: str, expected: list[str], types: list[str]) -> None:
    assert cut(text) == expected
    assert words(text) == types


ODD = st.text("abÄö1 .-\u00ad\u200b\u200d\u2011\u2013\u0308\u0301\ufeff", max_size=30)


@given(st.one_of(st.text(), ODD))
def test_tokens_cover_all_but_blanks_and_format_characters_in_order(text: str) -> None:
    tokens = Vocabulary().tokenise(text)
    at = 0
    for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        assert at <= start < end <= len(text)
        assert visible(text[at:start]) == ""
        at = end
    assert visible(text[at:]) == ""


@given(st.lists(st.text(max_size=60), min_size=1, max_size=5))
def test_places_do_not_depend_on_what_the_vocabulary_saw(texts: list[str]) -> None:
    used = Vocabulary()
    for text in texts:
        again, fresh = used.tokenise(text), Vocabulary().tokenise(text)
        assert again.starts.tolist() == fresh.starts.tolist()
        assert again.ends.tolist() == fresh.ends.tolist()
        assert [used.words[t] for t in again.types] == [
            plain(text[s:e]) for s, e in zip(again.starts, again.ends, strict=True)
        ]


def test_kinds() -> None:
    assert [token_kind(w) for w in ("Herz", "12a", "(")] == [WORD, NUMBER, MARK]


_HARD = st.text(
    st.sampled_from("aZäÜ1٣²_.,:/-–'’ \t\n\r\x1c\u00a0\u00ad\u200b\u200d\u0308\u0300\ufeff𝒜🙂ⅻ") | st.characters(),
    max_size=60,
)


@given(texts=st.lists(_HARD, min_size=1, max_size=6))
@example(texts=["z.B. Dr. Müller, geb. 1.2.1956 (12a) Thor\u00adwaldsen a\u200bb a\u200bB 1\u200b2 x-\u00ady"])
@example(texts=["ein 🙂 Satz. Ein Satz."])
def test_compiled_code_finds_the_same_tokens_as_the_expression(texts: list[str]) -> None:
    by_expression, compiled = Vocabulary(), Vocabulary()
    for text in texts:
        text = text + " " * 400  # Short texts never go through compiled code.
        expected, found = by_expression.tokenise_by_expression(text), compiled.tokenise(text)
        assert found.starts.tolist() == expected.starts.tolist()
        assert found.ends.tolist() == expected.ends.tolist()
        assert found.breaks.tolist() == expected.breaks.tolist()
        assert [compiled.words[t] for t in found.types] == [by_expression.words[t] for t in expected.types]


def test_numbers_stay_while_the_table_of_matches_grows() -> None:
    vocabulary = Vocabulary()
    text = " ".join(f"Wort{n:x}heit" for n in range(20_000))
    first, second = vocabulary.tokenise(text), vocabulary.tokenise(text)
    assert len(vocabulary) == 20_001  # and the full stop
    assert first.types.tolist() == second.types.tolist()
    assert [vocabulary.words[t] for t in first.types] == text.split()
