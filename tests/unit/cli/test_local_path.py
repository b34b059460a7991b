"""Folders that are named on the command line: URLs, empty folders and missing lakes are refused with exit code 64."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.cli import main


@pytest.mark.parametrize("url", ["gs://bucket/lake", "hdfs://host:8020/lake", "file:///lake", "abfss://a@b/c"])
@pytest.mark.parametrize(
    "command",
    [
        ["run", "--input", ".", "--lake"],
        ["run", "--lake", "lake", "--input"],
        ["annotate", "--output", "out.jsonl", "--input"],
        ["annotate", "--input", ".", "--output"],
        ["export", "--lake", "lake", "--output"],
        ["report", "--lake"],
        ["check", "--lake"],
        ["list", "--lake"],
        ["show", "note", "--lake"],
    ],
)
def test_a_url_is_refused(
    command: list[str], url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main([*command, url])
    assert left.value.code == 64
    told = capsys.readouterr().err
    assert f"{url} is a URL" in told
    assert "give a path of a local or mounted file system" in told
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--input", ".", "--lake", "s3://bucket/lake"], "s3://bucket/lake is a URL; give a path of a local"),
        (["run", "--lake", ".", "--input", "s3://"], "s3:// names no place on a store; give s3://BUCKET/PREFIX"),
        (["run", "--lake", ".", "--input", "s3:///a"], "s3:///a names no place on a store"),
        (["export", "--lake", ".", "--output", "s3://bucket/a/../b"], "s3://bucket/a/../b names no place on a store"),
    ],
)
def test_places_on_an_object_store(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A lake does not lie there. A place is what its URL says, with no part that the store's client would remove."""
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 64
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", [None, "notes.pdf", "~$brief.docx"])
def test_an_input_without_notes_is_refused(
    name: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "input" / "2010"
    folder.mkdir(parents=True)
    if name:
        (folder / name).write_text("x")
    lake = tmp_path / "lake"
    assert main(["run", "--input", str(folder.parent), "--lake", str(lake), "--pipeline", "baseline"]) == 64
    assert f"--input {folder.parent}: holds no .doc, " in capsys.readouterr().err
    assert not lake.exists()


def test_reading_a_folder_without_notes_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(tmp_path)]) == 64
    assert f"{tmp_path}: holds no .doc, " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "check"])
def test_a_missing_lake_is_named(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = tmp_path / "nosuch"
    assert main([command, "--lake", str(lake)]) == 64
    assert f"no such lake: {lake}" in capsys.readouterr().err
    assert not lake.exists()


@pytest.mark.parametrize(
    "command",
    [
        ["annotate", "--input", "a.jsonl", "--output"],
        ["annotate", "--output", "a.jsonl", "--input"],
        ["bench", "--output"],
        ["compare", "--output"],
        ["compare", "--errors"],
        ["evaluate", "--gold", "a.jsonl", "--predicted", "b.jsonl", "--errors"],
        ["export", "--lake", "lake", "--output"],
        ["generate", "--notes", "1", "--seed", "1", "--format", "jsonl", "--output"],
        ["letters", "export", "--format", "jsonl", "--output"],
        ["publish", "--lake", "lake", "--output"],
        ["report", "--lake", "lake", "--html"],
        ["run", "--lake", "lake", "--input"],
    ],
)
def test_a_dash_is_refused_instead_of_a_file_of_this_name(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as left:
        main([*command, "-"])
    assert left.value.code == 64
    assert f"argument {command[-1]}: - is no standard input or output here" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
