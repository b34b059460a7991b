"""A model's folder: whatever breaks while a model is saved, the next one to save or load finds a whole one."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.crf.model_folder import CrfModel, load_model


def model(content: bytes) -> CrfModel:
    return CrfModel.from_crfsuite("toy", content, [], {})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    model(b"first").save(folder, "card")
    return folder


def saved(folder: Path) -> bytes:
    return load_model(str(folder)).crfsuite_bytes()


def break_renames(monkeypatch: pytest.MonkeyPatch, to: str) -> None:
    """Renames to a folder of this name fail from now on."""
    real = Path.rename

    def rename(self: Path, target: Path) -> Path:
        if target.name == to:
            raise OSError("storage went away")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)


def test_a_model_takes_the_place_of_another(folder: Path) -> None:
    model(b"second").save(folder)
    assert saved(folder) == b"second"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]
    assert not (folder / "card.md").exists()


def test_a_break_before_the_old_model_is_away_leaves_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken, pytest.raises(OSError, match="went away"):
        break_renames(broken, "toy.old")
        model(b"second").save(folder)
    assert saved(folder) == b"first"
    model(b"third").save(folder)
    assert saved(folder) == b"third"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_the_old_model_outlives_a_break_between_the_renames_and_another_behind_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken, pytest.raises(OSError, match="went away"):
        break_renames(broken, "toy")
        model(b"second").save(folder)
    assert not folder.exists()
    # The next one breaks as well, before its files are written.
    with monkeypatch.context() as broken, pytest.raises(OSError, match="disk full"):
        broken.setattr(Path, "write_bytes", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        model(b"third").save(folder)
    assert saved(folder) == b"first"
    assert (folder / "card.md").read_text() == "card"
    model(b"fourth").save(folder)
    assert saved(folder) == b"fourth"
    assert [path.name for path in folder.parent.iterdir()] == ["toy"]


def test_a_folder_of_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.doc").touch()
    with pytest.raises(ConfigurationError, match="holds 1 files that are no model's"):
        model(b"first").save(tmp_path / "letters")
    assert (tmp_path / "letters" / "a.doc").exists()
