"""Cached arrays are what was computed; a file that is damaged, cut short or another's is computed again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from deid_core.core import array_cache
from deid_core.core.array_cache import Arrays, cached_arrays, strings_of, strings_to_array
from deid_core.crf.compiled_crf import compiled_crf, crf_arrays
from deid_core.crf.features.templates import Templates
from deid_core.crf.model_folder import CrfModel, load_model


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(array_cache, "gazetteer_dir", lambda: tmp_path)
    return tmp_path / "compiled"


def numbers(*values: int) -> Callable[[], Arrays]:
    return lambda: {"values": np.array(values, np.int64), "none": np.zeros((0, 3)), "one": np.array([True])}


def refuse(*_: object) -> Arrays:
    raise AssertionError("computed again")


def assert_same(found: Arrays, expected: Arrays) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_the_second_call_reads_what_the_first_computed(folder: Path) -> None:
    assert_same(cached_arrays("model", numbers(1, 2, 3)), numbers(1, 2, 3)())
    assert_same(cached_arrays("model", refuse), numbers(1, 2, 3)())
    assert_same(cached_arrays("another model", numbers(4)), numbers(4)())
    assert len(list(folder.iterdir())) == 2


def test_others_read_the_folder_that_a_private_process_made(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        cached_arrays("x", numbers(1))
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o644}


def test_arrays_are_aligned() -> None:
    cached_arrays("model", numbers(1, 2, 3))
    assert all(array.ctypes.data % 64 == 0 for array in cached_arrays("model", refuse).values() if array.size)


def test_who_writes_to_an_array_changes_a_copy() -> None:
    cached_arrays("model", numbers(1, 2, 3))["values"][0] = 7
    assert_same(cached_arrays("model", refuse), numbers(1, 2, 3)())


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[:20], id="cut in its head"),
        pytest.param(lambda data: data[:-1], id="cut short"),
        pytest.param(lambda data: data + b"\0", id="too long"),
        pytest.param(lambda data: data[:-1] + bytes([data[-1] ^ 1]), id="a wrong bit at the end"),
        pytest.param(lambda data: data[:33] + b"\xff" + data[34:], id="a wrong length of the header"),
        pytest.param(lambda data: bytes(len(data)), id="zeros"),
    ],
)
def test_a_damaged_file_is_computed_again_and_replaced(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    cached_arrays("model", numbers(1, 2, 3))
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert_same(cached_arrays("model", numbers(1, 2, 3)), numbers(1, 2, 3)())
    assert file.read_bytes() == whole


def test_a_whole_file_of_another_key_is_computed_again(folder: Path) -> None:
    cached_arrays("model", numbers(1))
    (file,) = folder.iterdir()
    cached_arrays("another model", numbers(2))
    (other,) = set(folder.iterdir()) - {file}
    file.write_bytes(other.read_bytes())
    assert_same(cached_arrays("model", numbers(1)), numbers(1)())


def test_other_code_computes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cached_arrays("model", numbers(1))
    monkeypatch.setattr(array_cache, "source_digest", lambda: "other code")
    assert_same(cached_arrays("model", numbers(2)), numbers(2)())


def test_arrays_are_computed_where_no_folder_can_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    for _ in range(2):
        assert_same(cached_arrays("model", numbers(1)), numbers(1)())


def test_code_in_no_folder_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_cache, "source_digest", lambda: None)
    assert_same(cached_arrays("model", numbers(1)), numbers(1)())
    assert not folder.exists()


def test_the_oldest_files_are_removed_when_there_is_no_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached_arrays("model", numbers(*range(100)))
    for number in range(30):
        cached_arrays(f"small model {number}", numbers(number))
    cached_arrays("model", refuse)
    assert len(list(folder.iterdir())) == 31
    small = min(file.stat().st_size for file in folder.iterdir())
    monkeypatch.setattr(array_cache, "_KEPT_BYTES", 10 * small + 20)
    cached_arrays("last model", numbers(1))
    assert 5 < len(list(folder.iterdir())) <= 10
    assert_same(cached_arrays("last model", refuse), numbers(1)())
    assert_same(cached_arrays("small model 29", refuse), numbers(29)())
    with pytest.raises(AssertionError, match="computed again"):
        cached_arrays("model", refuse)
    monkeypatch.setattr(array_cache, "_KEPT_BYTES", 1)
    cached_arrays("only model", numbers(1))
    assert len(list(folder.iterdir())) == 1


def test_a_cached_crf_has_the_arrays_of_a_compiled_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model("crf-de")
    expected = crf_arrays(model.weights(), model.templates(), Templates(()))
    model.compiled()
    assert len(list(folder.iterdir())) == 1
    monkeypatch.setattr(CrfModel, "weights", refuse)
    cached, compiled = model.compiled(), compiled_crf(expected, model.templates())
    for name in ("transitions", "offsets", "columns", "starts", "cells", "weights"):
        assert getattr(cached, name).tobytes() == getattr(compiled, name).tobytes() == expected[name].tobytes()
    for name in ("distances", "lefts", "uses", "keys", "first_scores", "scores"):
        assert getattr(cached.pairs, name).tobytes() == getattr(compiled.pairs, name).tobytes()
    words = ("Herr", "Müller", "kam", "am", "12.3.2010", "nach", "Heidelberg", ".", "")
    for table, other in zip(
        (*cached.tables, *cached.pairs.tables), (*compiled.tables, *compiled.pairs.tables), strict=True
    ):
        assert table(words).tobytes() == other(words).tobytes()


@pytest.mark.parametrize("strings", [[], [""], ["", "ä", "\n"], ["a", "", ""]])
def test_strings_come_back(strings: list[str]) -> None:
    assert strings_of(strings_to_array(strings)) == strings
