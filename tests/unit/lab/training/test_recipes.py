"""Training recipes: a model is trained on a folder of one's own letters, and its card is computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.data_folders import letters_dir, models_dir
from deid_core.core.errors import ConfigurationError
from deid_core.crf.model_folder import load_model
from deid_core.ensemble.subtype.subtype_model import load_subtype_model
from deid_core.lab.training.model_card import StackingRecord, SubtypeRecord, read_record, record_of, refreshed_card
from deid_core.lab.training.settings import load_training

pytest.importorskip("sklearn_crfsuite")
from deid_core.lab.training.recipes import _checked_record, refresh_cards, train_subtype_model


def test_subtypes_are_trained_on_a_folder_of_ones_own_letters(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    for file in sorted((letters_dir() / "train/long").glob("*.txt"))[:6]:
        (mine / file.name).write_bytes(file.read_bytes())
    settings = load_training()
    update = {"model": "own", "letters": [str(mine)], "pipeline": "baseline", "min_count": 1, "folds": 2}
    settings = settings.model_copy(update={"subtypes": settings.subtypes.model_copy(update=update)})
    folder = tmp_path / "model"
    train_subtype_model(settings, folder)
    card = (folder / "card.md").read_text(encoding="utf-8")
    record = read_record(card)
    assert isinstance(record, SubtypeRecord)
    assert (record.name, record.letters, record.letter_count) == ("own", [str(mine)], 6)
    assert record.spans["date"] > 10 and load_subtype_model(str(folder)).number_of("<date>") > 0
    (folder / "card.md").write_text(card.replace("# Model own", "# Model changed"), encoding="utf-8")
    refresh_cards([folder])
    assert (folder / "card.md").read_text(encoding="utf-8") == refreshed_card(folder) == card


@pytest.mark.parametrize("changed", ["nothing", "layers", "seed", "features"])
def test_layers_are_trained_beside_weights_of_the_same_settings(changed: str) -> None:
    settings, folder = load_training().stacking, models_dir() / "stacking-de"
    kept, record = load_model("stacking-de"), record_of(folder)
    assert isinstance(record, StackingRecord) and settings.convolution is not None
    more = settings.convolution.model_copy(update={"epochs": 9})
    settings = settings.model_copy(
        update={"layers": {"convolution": more}, "features": {"features": settings.features[:-1]}}.get(changed, {})
    )
    today = record.model_copy(update={"convolution": settings.convolution} | ({"seed": 8} if changed == "seed" else {}))
    if changed in ("nothing", "layers"):
        assert _checked_record(folder, kept, today, settings) == today
    else:
        with pytest.raises(ConfigurationError, match="are of other settings or letters"):
            _checked_record(folder, kept, today, settings)
