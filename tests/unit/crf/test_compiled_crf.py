"""Compiling a CRF: each word's row is the sum of its weights, is computed once, and is the same in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_crf import TEMPLATES, WORDS, compile_crf, random_labels, random_sequences, train

from deid_core.core.errors import ConfigurationError
from deid_core.crf import emission_cache, word_type_rows
from deid_core.crf.compiled_crf import CompiledCrf
from deid_core.crf.crfsuite_file import read_crfsuite, round_weights
from deid_core.crf.emission_cache import EmissionCache
from deid_core.crf.features.templates import PairTemplate, Template, Templates, disjunction, window
from deid_core.text.note_sequence import EDGE_TYPE, FIRST_TYPE, LINE_TYPE
from deid_core.text.tokens import EDGE, LINE
from deid_core.text.vocabulary import Vocabulary

SEQUENCES = random_sequences(3, 120)
FILE = round_weights(train(SEQUENCES, random_labels(4, SEQUENCES, ("O", "PER", "LOC"))))
MODEL = read_crfsuite(FILE)
CRF = compile_crf(MODEL, TEMPLATES)
_KEYS_OF_PAIRS = {pair.key for pair in TEMPLATES.pairs}
_SCALES = [
    1.0 if MODEL.attributes[number].partition(":")[0] in _KEYS_OF_PAIRS else 1024.0 for number in MODEL.state_attributes
]
HEAVY = compile_crf(replace(MODEL, state_weights=MODEL.state_weights * np.array(_SCALES)), TEMPLATES)
"""Some words of WORDS have more than 32 bits, pairs and unknown words have less."""


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
                        at = CRF.offsets.tolist().index(offset)
                        row[at, label] += weights.get((f"{slot.key}:{value}", label), 0.0)
    return row


def row_of(rows: EmissionCache, number: int) -> np.ndarray:
    """What a word type adds at each offset."""
    return rows.scores[rows.rows[number]][CRF.columns][:, : len(MODEL.labels)] * rows.unit


def state(rows: EmissionCache) -> tuple[Any, ...]:
    """All that a reader of the rows sees."""
    used = rows.rows[: len(rows)]
    return (
        used.tolist(), rows.scores[used].tolist(), rows.sides[used].tolist(), rows.pair_scores.tolist(), rows.unit,
    )  # fmt: skip


@pytest.mark.parametrize("word", [*WORDS, "nie-gesehen", "Köl", "x" * 5000, "\x00", "a:b"])
def test_row_is_the_sum_of_the_words_weights(word: str) -> None:
    vocabulary = Vocabulary()
    rows = EmissionCache(CRF, vocabulary)
    number = vocabulary.number(word) + FIRST_TYPE
    rows.extend()
    # Weights are on the grid, so sums are the same to the last bit in any order.
    assert np.array_equal(row_of(rows, number), naive_row(word))


def test_edge_and_line_have_rows_of_their_own() -> None:
    rows = EmissionCache(CRF, Vocabulary())
    assert np.array_equal(row_of(rows, EDGE_TYPE), naive_row(EDGE))
    assert np.array_equal(row_of(rows, LINE_TYPE), naive_row(LINE))
    assert np.abs(rows.scores[rows.rows[EDGE_TYPE]]).sum() > 0


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6), max_size=40, unique=True), st.randoms())
def test_rows_do_not_depend_on_order_or_steps(words: list[str], draw: object) -> None:
    one = Vocabulary()
    rows = EmissionCache(CRF, one)
    for word in words:
        one.number(word)
    rows.extend()
    shuffled = list(words)
    draw.shuffle(shuffled)  # type: ignore[attr-defined]
    other = Vocabulary()
    stepwise = EmissionCache(CRF, other)
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
    rows = EmissionCache(crf, vocabulary)
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


def test_scores_off_the_grid_or_beyond_32_bits_are_floats() -> None:
    for change in (lambda weight: weight / 3, lambda weight: weight * 2**12):
        model = replace(MODEL, state_weights=change(MODEL.state_weights))
        vocabulary = Vocabulary()
        rows = EmissionCache(compile_crf(model, TEMPLATES), vocabulary)
        number = vocabulary.number("Herr") + FIRST_TYPE
        rows.extend()
        assert rows.is_float
        assert np.allclose(row_of(rows, number), change(naive_row("Herr")), rtol=1e-12)
    assert not EmissionCache(CRF, Vocabulary()).is_float


def test_a_word_too_heavy_for_32_bits_changes_no_other_row() -> None:
    vocabulary = Vocabulary()
    rows = EmissionCache(HEAVY, vocabulary)
    known = [EDGE_TYPE, vocabulary.number("nie-gesehen") + FIRST_TYPE]
    rows.extend()
    assert not rows.is_float
    before = [row_of(rows, number).copy() for number in known]
    assert all(np.count_nonzero(row) for row in before)
    for word in WORDS:
        vocabulary.number(word)
    rows.extend()
    assert rows.is_float
    assert all(np.array_equal(row, row_of(rows, number)) for number, row in zip(known, before, strict=True))


@pytest.mark.parametrize(
    ("module", "name", "call"),
    [
        (emission_cache, "_known_sides", 1),
        (emission_cache, "drop_zeros", 1),
        (emission_cache, "add_values", 1),
        (emission_cache, "_in_units", 1),
        (word_type_rows, "with_room", 1),
        (emission_cache, "with_room", 1),
        (emission_cache, "with_room", 2),
    ],
)
@pytest.mark.parametrize("crf", [CRF, HEAVY])
def test_a_step_that_fails_leaves_the_rows_as_they_were(
    module: ModuleType, name: str, call: int, crf: CompiledCrf, out_of_memory: Callable[[Any, str, int], None]
) -> None:
    vocabulary, fresh = Vocabulary(), Vocabulary()
    rows = EmissionCache(crf, vocabulary)

    # More words than the tables have room for.
    words = ["nie-gesehen", *(f"{word}{end}" for word in WORDS for end in ("", *range(99)))]
    vocabulary.number(words[0])
    rows.extend()
    before = state(rows)
    for word in words:
        vocabulary.number(word)
    out_of_memory(module, name, call)
    with pytest.raises(MemoryError):
        rows.extend()
    assert state(rows) == before
    rows.extend()
    whole = EmissionCache(crf, fresh)
    for word in words:
        fresh.number(word)
    whole.extend()
    assert len(rows) == len(words) + FIRST_TYPE
    assert state(rows) == state(whole)


def test_offsets_that_no_slot_tells_apart_share_their_scores() -> None:
    template = Template("word", lambda word: (word,), (*window("word", -1, 0, 1), *disjunction("word", 3)))
    sequences = [["a", "b", "c"], ["b", "c"]]
    file = train(sequences, [["O", "PER", "O"], ["PER", "O"]], Templates((template,)))
    crf = compile_crf(read_crfsuite(file), Templates((template,)))
    assert crf.offsets.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert crf.columns.tolist() == [0, 0, 1, 2, 3, 4, 4]


def test_pairs_are_found_for_the_values_of_the_model_alone() -> None:
    keys = {pair.key for pair in TEMPLATES.pairs}
    named = [attribute for attribute in MODEL.attributes if attribute.partition(":")[0] in keys]
    assert named
    assert np.count_nonzero(CRF.pairs.keys) == len(named)
    assert len(CRF.pairs.keys) >= 2 * np.count_nonzero(CRF.pairs.keys)


def test_templates_of_one_value_and_distance_share_the_search_for_pairs() -> None:
    templates = Templates((), (PairTemplate("a", str.lower, -1, 0), PairTemplate("b", str.lower, 0, 1)))
    file = train([["a", "b", "c"], ["b", "c"]], [["O", "PER", "O"], ["PER", "O"]], templates)
    pairs = compile_crf(read_crfsuite(file), templates).pairs
    assert (pairs.distances.tolist(), pairs.lefts.tolist(), pairs.uses.tolist()) == ([1], [-1, 0], [0, 2])
    # "a b" and "b c", each with a row of scores for either template.
    assert np.count_nonzero(pairs.keys) == 2
    assert len(pairs.scores) == 4


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
