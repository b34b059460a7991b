"""Decoding: the same labels and marginals as CRFsuite's own tagger, whatever is tagged together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_crf import TEMPLATES, WORDS, as_arrays, compile_crf, crfsuite_labels, random_labels, random_sequences, train

from deid_core.crf.crfsuite_file import read_crfsuite, round_weights
from deid_core.crf.features.templates import PairTemplate, Templates
from deid_core.crf.model_folder import load_model
from deid_core.crf.tagger import CrfTagger
from deid_core.lab.synthetic import iter_notes
from deid_core.text.note_sequence import FIRST_TYPE, LINE_TYPE, NO_TOKEN, sequence_types, sequence_words
from deid_core.text.tokens import LINE
from deid_core.text.vocabulary import Vocabulary

NAMES = ("O", "PER", "LOC", "ORG", "B-DATE", "I-DATE")


def edge(word: str) -> str:
    """A value that the word outside a sequence has as well."""
    return word[:1] or "outside"


@cache
def model_file(seed: int, labels: int) -> bytes:
    """A model of random sequences and labels, its weights on the grid."""
    sequences = random_sequences(seed, 60)
    return round_weights(train(sequences, random_labels(seed, sequences, NAMES[:labels]), iterations=5 + seed))


PAIRED = Templates(
    TEMPLATES.single[1:2],
    tuple(
        PairTemplate("lower", str.lower, left, left + distance) for left, distance in [(-3, 1), (-1, 1), (0, 1), (1, 2)]
    )
    + tuple(PairTemplate("edge", edge, left, left + 1) for left in (-2, -1, 0, 1)),
)


@cache
def paired_file(seed: int) -> bytes:
    sequences = random_sequences(seed, 60)
    return round_weights(train(sequences, random_labels(seed, sequences, NAMES), PAIRED, iterations=10))


def tagger_of(file: bytes, vocabulary: Vocabulary) -> CrfTagger:
    return CrfTagger(compile_crf(read_crfsuite(file), TEMPLATES), vocabulary)


def tagged(file: bytes, sequences: Sequence[Sequence[str]]) -> list[str]:
    vocabulary = Vocabulary()
    tagger = tagger_of(file, vocabulary)
    return [tagger.labels[label] for label in tagger.tag(*as_arrays(sequences, vocabulary))]


models = st.builds(model_file, st.integers(0, 3), st.sampled_from([1, 2, 3, 6]))
words = st.sampled_from(WORDS) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)
batches = st.lists(st.lists(words, min_size=1, max_size=15), max_size=8)


@given(models, batches)
def test_same_labels_as_crfsuite(file: bytes, sequences: list[list[str]]) -> None:
    assert tagged(file, sequences) == crfsuite_labels(file, sequences)


@given(st.integers(0, 2), batches)
def test_same_labels_with_pairs_that_several_templates_share(seed: int, sequences: list[list[str]]) -> None:
    file = paired_file(seed)
    vocabulary = Vocabulary()
    tagger = CrfTagger(compile_crf(read_crfsuite(file), PAIRED), vocabulary)
    found = tagger.tag(*as_arrays(sequences, vocabulary))
    assert [tagger.labels[label] for label in found] == crfsuite_labels(file, sequences, PAIRED)


@given(models, st.lists(words, min_size=1, max_size=15))
def test_same_marginals_as_crfsuite(file: bytes, sequence: list[str]) -> None:
    reference = pycrfsuite.Tagger()
    reference.open_inmemory(file)
    reference.set(list(TEMPLATES.attributes(sequence)))
    vocabulary = Vocabulary()
    tagger = tagger_of(file, vocabulary)
    _, found = tagger.tag_with_marginals(*as_arrays([sequence], vocabulary))
    expected = [[reference.marginal(name, at) for name in tagger.labels] for at in range(len(sequence))]
    assert np.abs(found - expected).max() < 1e-6
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12


@given(models, batches, st.randoms(use_true_random=False))
def test_batching_and_vocabulary_have_no_bearing(file: bytes, sequences: list[list[str]], draw: object) -> None:
    vocabulary = Vocabulary()
    numbers = list(WORDS)
    draw.shuffle(numbers)  # type: ignore[attr-defined]
    for word in numbers:
        vocabulary.number(word)
    tagger = tagger_of(file, vocabulary)
    together = tagger.tag(*as_arrays(sequences, vocabulary))
    alone = [tagger.tag(*as_arrays([sequence], vocabulary)) for sequence in sequences]
    assert together.tolist() == [label for labels in alone for label in labels]
    assert [tagger.labels[label] for label in together] == tagged(file, sequences)
    _, marginals = tagger.tag_with_marginals(*as_arrays(sequences, vocabulary))
    apart = [tagger.tag_with_marginals(*as_arrays([sequence], vocabulary))[1] for sequence in sequences]
    assert np.array_equal(marginals, np.concatenate(apart) if apart else marginals)


def test_ties_fall_to_the_lower_label_as_in_crfsuite() -> None:
    # Words that the model has never seen, in a model without transitions that differ: all paths weigh the same.
    file = model_file(0, 6)
    model = bytearray(file)
    start = 48 + 12
    count = int.from_bytes(file[56:60], "little")
    for number in range(count):
        model[start + 20 * number + 12 : start + 20 * number + 20] = bytes(8)
    sequences = [["Köln", "unbekannt", "A"], ["A"], ["."] * 9]
    assert tagged(bytes(model), sequences) == crfsuite_labels(bytes(model), sequences)
    assert set(tagged(bytes(model), sequences)) == {read_crfsuite(file).labels[0]}


def test_empty_sequences_and_empty_batches() -> None:
    vocabulary = Vocabulary()
    tagger = tagger_of(model_file(1, 3), vocabulary)
    none = np.zeros(0, np.int32)
    assert tagger.tag(none, np.array([0])).tolist() == []
    assert tagger.tag_with_marginals(none, np.array([0, 0, 0]))[1].shape == (0, 3)
    types, bounds = as_arrays([["Herr", "Meier"], [], ["Köln"], []], vocabulary)
    assert bounds.tolist() == [0, 2, 2, 3, 3]
    labels = [tagger.labels[label] for label in tagger.tag(types, bounds)]
    assert labels == crfsuite_labels(model_file(1, 3), [["Herr", "Meier"], ["Köln"]])


def test_wrong_types_and_bounds_are_refused() -> None:
    vocabulary = Vocabulary()
    tagger = tagger_of(model_file(1, 3), vocabulary)
    types, bounds = as_arrays([["Herr", "Meier"]], vocabulary)
    for wrong in (types + 1000, types - 1000):
        with pytest.raises(ValueError, match="vocabulary"):
            tagger.tag(wrong, bounds)
    for wrong_bounds in ([0, 1], [1, 2], [0, 3, 2], [0, 5], []):
        with pytest.raises(ValueError, match="bounds"):
            tagger.tag_with_marginals(types, np.array(wrong_bounds, np.int64))


def test_a_sequence_of_a_million_tokens() -> None:
    file = model_file(2, 3)
    period = random_sequences(9, 1, longest=40)[0] * 3
    vocabulary = Vocabulary()
    tagger = tagger_of(file, vocabulary)
    sequence = period * (1_000_000 // len(period) + 1)
    types, bounds = as_arrays([sequence], vocabulary)
    _, marginals = tagger.tag_with_marginals(types, bounds)
    assert len(types) >= 1_000_000
    assert np.abs(marginals.sum(axis=1) - 1).max() < 1e-9
    # Far from both ends a period has no memory of where it stands.
    middle = len(period) * (len(sequence) // len(period) // 2)
    one, other = (marginals[at : at + len(period)] for at in (middle, middle + 7 * len(period)))
    assert np.abs(one - other).max() < 1e-9
    labels = tagger.tag(types, bounds).tolist()
    assert labels[: len(period)] == labels_of_start(file, sequence[: 5 * len(period)])[: len(period)]


def labels_of_start(file: bytes, sequence: list[str]) -> list[int]:
    labels = read_crfsuite(file).labels
    return [labels.index(name) for name in crfsuite_labels(file, [sequence])]


def test_extreme_weights_give_probabilities() -> None:
    file = bytearray(model_file(3, 3))
    start = 48 + 12
    for number in range(int.from_bytes(file[56:60], "little")):
        sign = -1.0 if number % 3 else 1.0
        file[start + 20 * number + 12 : start + 20 * number + 20] = np.float64(sign * 4000).tobytes()
    vocabulary = Vocabulary()
    tagger = tagger_of(bytes(file), vocabulary)
    _, marginals = tagger.tag_with_marginals(*as_arrays(random_sequences(1, 50), vocabulary))
    assert np.isfinite(marginals).all()
    assert np.abs(marginals.sum(axis=1) - 1).max() < 1e-9


@given(st.text(st.sampled_from("aB1. -\n\t\r\v\f\u2028\u00ad\U0001d518ü"), max_size=60))
def test_note_sequence_has_one_line_break_between_tokens_of_different_lines(text: str) -> None:
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    types, numbers = sequence_types(tokens)
    expected_types, expected_numbers = [], []
    for at in range(len(tokens)):
        if at and any(c in "\n\t\r\v\f" for c in text[tokens.ends[at - 1] : tokens.starts[at]]):
            expected_types.append(LINE_TYPE)
            expected_numbers.append(NO_TOKEN)
        expected_types.append(int(tokens.types[at]) + FIRST_TYPE)
        expected_numbers.append(at)
    assert types.tolist() == expected_types
    assert numbers.tolist() == expected_numbers
    assert types.dtype == numbers.dtype == np.int32
    expected_words = [LINE if n == NO_TOKEN else vocabulary.words[tokens.types[n]] for n in expected_numbers]
    assert sequence_words(tokens, vocabulary) == expected_words


def corpus_sequences(shared: Path) -> list[list[str]]:
    """Sequences of court decisions, traffic reports, news, old newspapers, laws and made letters: 1.1 million tokens.

    Newspapers without sentence breaks and letters are long sequences, the others short ones.
    """
    sequences: list[list[str]] = []
    for name in ("ler-dev.conll", "mobie-train.conll", "germeval14-dev.tsv", "uner-pud.iob2", "europeana-lft.bio"):
        column = 1 if name.endswith((".tsv", ".iob2")) else 0
        sentence: list[str] = []
        for line in (shared / "ner" / name).read_text(encoding="utf-8").splitlines():
            cells = line.replace("\t", " ").split(" ")
            if len(cells) > column and cells[column] and not line.startswith("#"):
                sentence.append(cells[column])
            elif sentence:
                sequences.append(sentence)
                sentence = []
        if sentence:
            sequences.append(sentence)
    vocabulary = Vocabulary()
    texts = [path.read_text(encoding="utf-8") for path in sorted((shared / "text").glob("*.md"))]
    texts += [item.note.text for item in islice(iter_notes(400, seed=11, split="test"), 400)]
    sequences += [sequence_words(vocabulary.tokenise(text), vocabulary) for text in texts]
    return [words for words in sequences if words]


def assert_labels_are_crfsuites(sequences: list[list[str]]) -> int:
    """With the model that users get; its weights lie on the grid, so sums are exact and ties fall alike."""
    model = load_model("crf-de")
    assert model.weights().on_grid
    templates, vocabulary = model.templates(), Vocabulary()
    tagger, expected = CrfTagger(model.compiled(), vocabulary), pycrfsuite.Tagger()
    data = model.crfsuite_bytes()
    expected.open_inmemory(data)
    found = [tagger.labels[label] for label in tagger.tag(*as_arrays(sequences, vocabulary)).tolist()]
    at = 0
    for words in sequences:
        assert found[at : at + len(words)] == expected.tag(list(templates.attributes(words)))
        at += len(words)
    assert len(set(found)) == len(tagger.labels)
    return len(found)


def test_labels_of_made_letters_are_crfsuites() -> None:
    vocabulary = Vocabulary()
    texts = [item.note.text for item in iter_notes(30, seed=12, split="train")]
    assert assert_labels_are_crfsuites([sequence_words(vocabulary.tokenise(t), vocabulary) for t in texts]) > 20_000


@pytest.mark.shared
@pytest.mark.slow
def test_a_million_tokens_of_mixed_text_without_one_exception(shared_dir: Path) -> None:
    assert assert_labels_are_crfsuites(corpus_sequences(shared_dir)) >= 1_000_000
