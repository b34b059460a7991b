"""The cache: read when nothing changed, made anew when anything did, and never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core import array_cache
from deid_core.lexicon.gazetteer import cache, load_gazetteer
from deid_core.lexicon.gazetteer.settings import GazetteerSettings


@pytest.fixture
def settings(tmp_path: Path) -> GazetteerSettings:
    (tmp_path / "towns.txt").write_text("Ulm\n", encoding="utf-8")
    sources = tmp_path / "sources.yaml"
    sources.write_text("sources:\n  - {name: t, kind: town, licence: own, file: towns.txt}\n", encoding="utf-8")
    return GazetteerSettings(sources=str(sources), cache_dir=str(tmp_path / "cache"))


def cached(settings: GazetteerSettings) -> list[Path]:
    return sorted(Path(settings.cache_dir or "").glob("*.npz"))


def test_the_second_load_does_not_compile(settings: GazetteerSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_gazetteer(settings)

    def refuse(_: GazetteerSettings) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(cache, "build", refuse)
    assert load_gazetteer(settings).digest == first.digest


def test_an_edited_list_is_compiled_anew(settings: GazetteerSettings, tmp_path: Path) -> None:
    load_gazetteer(settings)
    (tmp_path / "towns.txt").write_text("Köln\n", encoding="utf-8")
    assert load_gazetteer(settings).words("town") == {"Köln"}
    assert len(cached(settings)) == 2


def test_a_damaged_cache_is_written_over(settings: GazetteerSettings) -> None:
    load_gazetteer(settings)
    (file,) = cached(settings)
    file.write_bytes(file.read_bytes()[:100])
    assert load_gazetteer(settings).words("town") == {"Ulm"}
    assert len(file.read_bytes()) > 100


def test_a_folder_that_cannot_be_written_is_no_error(settings: GazetteerSettings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    blocked = settings.model_copy(update={"cache_dir": str(tmp_path / "file" / "cache")})
    assert load_gazetteer(blocked).words("town") == {"Ulm"}
    assert cache.store(load_gazetteer(blocked), blocked) is None


def test_old_files_are_removed(settings: GazetteerSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_gazetteer(settings)
    (file,) = cached(settings)
    monkeypatch.setattr(array_cache, "_KEPT_BYTES", int(4.5 * file.stat().st_size))
    for number in range(8):
        (tmp_path / "towns.txt").write_text(f"Ulm\nOrt{'x' * number}\n", encoding="utf-8")
        load_gazetteer(settings)
    assert len(cached(settings)) == 4
    assert not list(Path(settings.cache_dir or "").glob(".writing-*"))
