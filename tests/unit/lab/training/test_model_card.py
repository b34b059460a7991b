"""Model cards: all of a card is computed from its record and the model's files."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from deid_core.core.data_folders import models_dir
from deid_core.core.errors import ConfigurationError
from deid_core.lab.training.model_card import CrfRecord, StackingRecord, SubtypeRecord, read_record, refreshed_card
from deid_core.lab.training.settings import load_training

MODELS = sorted(path.name for path in models_dir().iterdir() if path.is_dir())


@pytest.mark.parametrize("name", MODELS)
def test_the_card_of_a_shipped_model_is_current(name: str) -> None:
    folder = models_dir() / name
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert card == refreshed_card(folder), "run `deid train cards`"
    assert f"# Model {name}" in card
    for file in folder.iterdir():
        if file.name != "card.md":
            data = file.read_bytes()
            assert f"| {file.name} | {len(data):,} | {sha256(data).hexdigest()[:16]} |" in card


def test_the_records_of_the_shipped_models_are_those_of_the_settings() -> None:
    settings = load_training()
    records = [read_record((models_dir() / name / "card.md").read_text(encoding="utf-8")) for name in MODELS]
    assert {record.name for record in records} == {settings.crf.model, settings.stacking.model, settings.subtypes.model}
    for record in records:
        match record:
            case CrfRecord():
                assert [c.corpus for c in record.corpora] == [c.corpus for c in settings.crf.train]
                assert (record.c1, record.c2, record.iterations) == (
                    settings.crf.c1,
                    settings.crf.c2,
                    settings.crf.iterations,
                )
            case StackingRecord():
                of = settings.stacking
                assert (record.letters, record.augmentations, record.seed) == (of.letters, of.augmentations, of.seed)
                assert (record.c1, record.c2, record.iterations) == (of.c1, of.c2, of.iterations)
            case SubtypeRecord():
                assert (record.letters, record.folds) == (settings.subtypes.letters, settings.subtypes.folds)


def test_a_card_lists_the_features_of_the_model_file() -> None:
    folder = models_dir() / "crf-de"
    card = (folder / "card.md").read_text(encoding="utf-8")
    families = [entry["family"] for entry in json.loads((folder / "features.json").read_text())["features"]]
    table = card.split("## Features")[1].split("\n\n")[1].splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in table] == families


def test_a_card_without_a_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "card.md").write_text("# Model x\n")
    with pytest.raises(ConfigurationError, match="has no record of the training"):
        refreshed_card(tmp_path)
    (tmp_path / "card.md").write_text("---\nkind: crf\nname: x\n---\n")
    with pytest.raises(ConfigurationError, match="has no record of the training"):
        refreshed_card(tmp_path)
