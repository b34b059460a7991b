"""Dates and ages in other languages; where their rules are tried."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from deid_core.core.note import Note
from deid_core.recognisers.pattern.other_languages import AGE_RULES, DATE_RULES
from deid_core.recognisers.pattern.recogniser import PatternRecogniser
from deid_core.recognisers.settings import PatternSettings
from deid_core.text.document import Document
from deid_core.text.vocabulary import Vocabulary


def pieces(words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words.split("|"))


NUMBERS = pieces("4|31|62|115|4.|1er|4th|2ND|5º|5½")
JOINS = pieces("| | |-|. | of | de | Del |, ")
WORDS = pieces(
    "March|marzo|août 2018|Mai-Juni|January5|years old|year-old|yrs of age|ans|anni|años d'|jaar oud|yaşında|mg"
)


@pytest.mark.parametrize(
    ("text", "rule", "found"),
    [
        ("vue le 7 juillet 2018 pour", "date.foreign", "7 juillet 2018"),
        ("the 4th of February", "date.foreign", "4th of February"),
        ("el 10. de enero de 2016", "date.foreign", "10. de enero de 2016"),
        ("a 62-year-old woman", "age.foreign", "62"),
        ("il a 71 ans et", "age.foreign", "71"),
        ("le 1er août, vu", "date.foreign", "1er août"),
        ("she is 4 years old", "age.foreign", "4"),
    ],
)
def test_they_are_found(text: str, rule: str, found: str) -> None:
    vocabulary = Vocabulary()
    recogniser = PatternRecogniser(PatternSettings(kind="pattern", groups=["date", "age"]), vocabulary)
    document = Document(Note("n", text), vocabulary.tokenise(text), vocabulary)
    assert found in [text[d.start : d.end] for d in recogniser.recognise(document) if d.rule == rule]


@given(st.builds("{}{}{}{}".format, NUMBERS, JOINS, JOINS, WORDS))
@example("4. of March 2018")
@example("62-years of age")
def test_the_token_after_a_number_hides_no_match(text: str) -> None:
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    words = [vocabulary.words[number] for number in tokens.types.tolist()]
    for rule in (DATE_RULES[0], AGE_RULES[0]):
        assert rule.token_pair is not None
        number, following = (regex.compile(expression, regex.VERBOSE) for expression in rule.token_pair)
        for at, start in enumerate(tokens.starts.tolist()):
            if number.fullmatch(words[at]) and regex.compile(rule.pattern, regex.VERBOSE).match(text, start):
                after = words[at + 1 :]
                assert following.fullmatch(after[1] if after[0] == "." else after[0])
