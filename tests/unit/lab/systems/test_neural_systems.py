"""Systems `bilstm-crf` and `dome`: their parts by brute force, and a tiny training of each. They need torch."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from deid_core.core.labels import PhiType
from deid_core.core.note import Note
from deid_core.core.spans import GoldSpan
from deid_core.lab.evaluate.evaluation import Level
from deid_core.lab.evaluate.evaluation_sets import EvaluationSet, generated_set
from deid_core.lab.evaluate.pipeline_scores import measure

pytest.importorskip("torch")

import torch

from deid_core.lab.systems.bilstm_crf import BiLstmCrf, _batches, train_bilstm_crf
from deid_core.lab.systems.char_language_model import CharLanguageModel, train_language_model
from deid_core.lab.systems.linear_chain import LinearChain
from deid_core.lab.systems.settings import BiLstmCrfSettings, DomeSettings

TINY = BiLstmCrfSettings(
    letters=[], language_model_hidden=16, char_size=8, word_size=16, hidden=24, dropout=0.1, epochs=25, text=[]
)


def made(notes: int = 6) -> EvaluationSet:
    return generated_set("generated", notes, seed=1, split="train", with_header=True)


def examples(of: EvaluationSet) -> list[tuple[Note, tuple[GoldSpan, ...]]]:
    return list(zip(of.notes, of.gold, strict=True))


def test_the_chain_is_the_one_by_brute_force() -> None:
    torch.manual_seed(1)
    chain, scores = LinearChain(3), torch.randn(1, 4, 3)
    with torch.no_grad():
        chain.moves.copy_(torch.randn(3, 3))
        chain.starts.copy_(torch.randn(3))
        paths = list(itertools.product(range(3), repeat=3))

        def score(path: tuple[int, ...]) -> float:
            moves = sum(float(chain.moves[a, b]) for a, b in itertools.pairwise(path))
            return float(chain.starts[path[0]]) + sum(float(scores[0, at, tag]) for at, tag in enumerate(path)) + moves

        # The fourth token is padding.
        mask = torch.tensor([[True, True, True, False]])
        best = max(paths, key=score)
        assert chain.best(scores, mask) == [list(best)]
        total = torch.logsumexp(torch.tensor([score(path) for path in paths]), 0)
        loss = chain.loss(scores, torch.tensor([[*best, 0]]), mask)
        assert float(loss) == pytest.approx(float(total) - score(best), abs=1e-4)


def test_a_words_embedding_depends_on_what_stands_around_it() -> None:
    model = CharLanguageModel("\n aKm", 8, 4)
    (one,), (other,) = model.embed([["Kam", "am"]]), model.embed([["am", "am"]])
    assert one.shape == (2, model.size)
    assert not torch.equal(one[1], other[1])
    # What stands before a word does not change what is read from behind it.
    assert torch.allclose(one[1, 8:], other[1, 8:], atol=1e-6)


def test_a_language_model_forecasts_better_than_chance() -> None:
    text = "der Patient kam. " * 400
    model = train_language_model(text, 16, 8, "cpu")
    rows = model.numbers(text[:200]).reshape(1, -1)
    assert float(model.loss(rows).detach()) < float(CharLanguageModel(model.characters, 16, 8).loss(rows).detach())


def test_a_tiny_bilstm_crf_learns_its_notes_and_is_read_again(tmp_path: Path) -> None:
    of = made()
    system = train_bilstm_crf(TINY, examples(of), "Ein Text. " * 50)
    assert measure(system, of).evaluation.score(Level.WORD, "f1") > 0.5
    system.save(tmp_path)
    again = BiLstmCrf.from_folder(tmp_path)
    assert again.fingerprint == system.fingerprint
    assert [again.annotate(note) for note in of.notes] == [system.annotate(note) for note in of.notes]


@pytest.mark.parametrize(
    ("category", "subclass", "together"),
    [
        ("Name", "Name/Patient", "Name/Patient"),
        ("Name", "", "Name"),
        ("Name", "Date/Birthdate", "Other"),
        ("", "Date/Birthdate", "Date/Birthdate"),
        ("", "", ""),
        ("Other", "Other", "Other"),
    ],
)
def test_what_two_models_say_together(category: str, subclass: str, together: str) -> None:
    pytest.importorskip("transformers")
    from deid_core.lab.systems.dome import joined

    assert joined(category, subclass) == together


def test_subclasses_are_of_seed_002s_categories() -> None:
    pytest.importorskip("transformers")
    from deid_core.lab.systems.dome import CATEGORIES, SUBCLASS_OF, type_of

    assert len(CATEGORIES) == 8
    assert {name.partition("/")[0] for name in SUBCLASS_OF.values()} == {*CATEGORIES}
    assert type_of("Name/Patient") is PhiType.PATIENT
    assert all(SUBCLASS_OF[type_of(name)] == name for name in SUBCLASS_OF.values())
    assert type_of("Contact") is PhiType.PHONE


def test_tiny_transformers_learn_their_notes_from_scratch_and_from_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from deid_core.lab.systems.dome import Dome, train_dome

    of = made(4)
    # A window that a note does not fit in.
    settings = DomeSettings(
        letters=[], window=64, stride=16, epochs=30, batch=8, learning_rate=3e-3, layers=1, hidden=32, pieces=600
    )
    train_dome(settings, examples(of)).save(tmp_path / "first")
    system = Dome.from_folder(tmp_path / "first")
    assert measure(system, of).evaluation.score(Level.WORD, "f1") > 0.5
    # The folder of any model of transformers will do; here it is the one that was just made.
    further = settings.model_copy(update={"model": str(tmp_path / "first" / "superclass"), "epochs": 1})
    train_dome(further, examples(of)).save(tmp_path / "second")
    assert Dome.from_folder(tmp_path / "second").fingerprint != system.fingerprint


def test_batches_have_every_sentence_once_and_little_padding() -> None:
    lengths = [*range(1, 41)] * 5
    batches = list(_batches(lengths, 16, np.random.default_rng(1)))
    assert sorted(at for batch in batches for at in batch) == list(range(200))
    assert {len(batch) for batch in batches} == {16, 8}
    assert max(max(lengths[at] for at in batch) - min(lengths[at] for at in batch) for batch in batches) < 10
    assert [lengths[batch[0]] for batch in batches] != sorted(lengths[batch[0]] for batch in batches)
