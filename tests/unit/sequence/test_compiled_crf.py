"""Compiling a CRF: each word's row is the sum of its weights, is computed once, and is the same in any order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_crf import TEMPLATES, WORDS, random_labels, random_sequences, train

from deid_core.errors import ConfigurationError
from deid_core.sequence.compiled import EDGE_TYPE, FIRST_TYPE, LINE_TYPE, TypeRows, compile_crf
from deid_core.sequence.crfsuite_file import read_crfsuite, round_weights
from deid_core.sequence.features import EDGE, LINE, PairTemplate, Template, Templates, window
from deid_core.tokens import Vocabulary

SEQUENCES = random_sequences(3, 120)
FILE = round_weights(train(SEQUENCES, random_labels(4, SEQUENCES, ("O", "PER", "LOC"))))
MODEL = read_crfsuite(FILE)
CRF = compile_crf(MODEL, TEMPLATES)


def naive_row(word: str) -> np.ndarray:
    """What a word adds at each offset, straight from the attribute strings."""
    weights = {
        (MODEL.attributes[a], label): w
        for a, label, w in zip(MODEL.state_attributes, MODEL.state_labels, MODEL.state_weights, strict=True)
    }
    row = np.zeros((len(CRF.offsets), len(MODEL.labels)))
    for template in TEMPLATES.single:
        for slot in template.slots:
            for offset in slot.offsets:
                for value in template.values(word):
                    for label in range(len(MODEL.labels)):
                        place = CRF.offsets.tolist().index(offset)
                        row[place, label] += weights.get((f"{slot.key}:{value}", label), 0.0)
    return row


@pytest.mark.parametrize("word", [*WORDS, "nie-gesehen", "Köl", "x" * 5000, "\x00", "a:b"])
def test_row_is_the_sum_of_the_words_weights(word: str) -> None:
    vocabulary = Vocabulary()
    rows = TypeRows(CRF, vocabulary)
    number = vocabulary.number(word) + FIRST_TYPE
    rows.extend()
    # Weights are on the grid, so sums are the same to the last bit in any order.
    assert np.array_equal(rows.scores[rows.rows[number]], naive_row(word))


def test_edge_and_line_have_rows_of_their_own() -> None:
    rows = TypeRows(CRF, Vocabulary())
    assert np.array_equal(rows.scores[rows.rows[EDGE_TYPE]], naive_row(EDGE))
    assert np.array_equal(rows.scores[rows.rows[LINE_TYPE]], naive_row(LINE))
    assert np.abs(rows.scores[rows.rows[EDGE_TYPE]]).sum() > 0


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6), max_size=40, unique=True), st.randoms())
def test_rows_do_not_depend_on_order_or_steps(words: list[str], draw: object) -> None:
    one = Vocabulary()
    rows = TypeRows(CRF, one)
    for word in words:
        one.number(word)
    rows.extend()
    shuffled = list(words)
    draw.shuffle(shuffled)  # type: ignore[attr-defined]
    other = Vocabulary()
    stepwise = TypeRows(CRF, other)
    for word in shuffled:
        other.number(word)
        stepwise.extend()
    for word in words:
        a, b = one.number(word) + FIRST_TYPE, other.number(word) + FIRST_TYPE
        assert np.array_equal(rows.scores[rows.rows[a]], stepwise.scores[stepwise.rows[b]])


def test_a_word_is_computed_once_and_words_of_the_same_values_share_a_row() -> None:
    calls: Counter[str] = Counter()

    def counted(word: str) -> tuple[str, ...]:
        calls[word] += 1
        return (word,)

    templates = Templates((Template("word", counted, window("word", 0)),))
    sequences = [["a", "b"], ["b", "c"]]
    crf = compile_crf(read_crfsuite(train(sequences, [["O", "PER"], ["PER", "O"]], templates)), templates)
    calls.clear()
    vocabulary = Vocabulary()
    rows = TypeRows(crf, vocabulary)
    capacities = set()
    vocabulary.number("a")
    for number in range(5000):
        vocabulary.number(f"word{number}")
        rows.extend()
        capacities.add(len(rows.rows))
    assert max(calls.values()) == 1
    assert len(calls) == 5003
    assert sorted(capacities) == [1024, 2048, 4096, 8192]
    # The model knows "a", "b" and "c"; all other words add the same, nothing.
    assert len(set(rows.rows[: len(rows)].tolist())) == 2


def test_pairs_are_found_for_the_values_of_the_model_alone() -> None:
    left, right = {}, {}
    for pair, (_, lefts, rights) in zip(TEMPLATES.pairs, CRF.sides, strict=True):
        left[pair.key], right[pair.key] = set(lefts), set(rights)
    named = [a.partition(":") for a in MODEL.attributes if a.startswith("pair[-1,0]")]
    assert named
    for key, _, value in named:
        a, b = value.split("\x1f")
        assert a in left[key] and b in right[key]
    assert np.count_nonzero(CRF.keys) == sum(
        a.split("[")[0] in {"pair", "shapes", "capitals"} for a in MODEL.attributes
    )
    assert len(CRF.keys) >= 2 * np.count_nonzero(CRF.keys)


def test_model_of_other_features_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"6 kinds.*'pair\[-1,0\]'|'capitals"):
        compile_crf(MODEL, Templates(TEMPLATES.single))
    with pytest.raises(ConfigurationError, match="not of the same training"):
        compile_crf(MODEL, Templates((), TEMPLATES.pairs))


def test_two_slots_of_one_key_are_refused() -> None:
    twice = Template("word", lambda word: (word,), (*window("word", 0), *window("word", 0)))
    with pytest.raises(ValueError, match="same key"):
        compile_crf(MODEL, Templates((twice,)))
    pair = PairTemplate("pair", str.lower, 0, 1)
    with pytest.raises(ValueError, match="same key"):
        compile_crf(MODEL, Templates((), (pair, pair)))
