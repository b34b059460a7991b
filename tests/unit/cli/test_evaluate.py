"""`deid evaluate`: its contract, what it adds to it, and what it refuses."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from deid_core.cli import main
from deid_core.core.errors import ExitCode

TEXT = "Herrn Stein\nSehr geehrte Kollegen,\nHerr Otto Xylander kam aus Ulm."
GOLD = [("Stein", "PER"), ("Otto Xylander", "PER"), ("Ulm", "LOC")]

pytest.importorskip("scipy")


def written(path: Path, *notes: list[tuple[str, str]]) -> Path:
    rows = []
    for number, spans in enumerate(notes):
        starts = [(TEXT.index(surface), surface, label) for surface, label in spans]
        found = [{"start": start, "end": start + len(surface), "label": label} for start, surface, label in starts]
        rows.append(json.dumps({"id": f"brief_{number}", "text": TEXT, "spans": found}))
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    gold = written(tmp_path / "gold.jsonl", GOLD, GOLD)
    good = written(tmp_path / "good.jsonl", GOLD, GOLD[:2])
    poor = written(tmp_path / "poor.jsonl", GOLD[:1], [("Otto", "PER")])
    return ["evaluate", "--gold", str(gold), "--predicted", str(good), "--against", str(poor), "--resamples", "50"]


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == ExitCode.DONE
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed


def test_json_has_the_contracts_keys(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, *files)
    assert found["predicted"]["notes"] == 2
    assert found["predicted"]["scores"]["PHI"] == {
        "precision": 1.0, "recall": 0.875, "f1": pytest.approx(14 / 15), "f2": pytest.approx(35 / 39), "gold": 8,
        "found": 7,
    }  # fmt: skip
    assert found["predicted"]["confusion"]["LOC>O"] == 1
    assert {"only_predicted_right", "only_against_right", "chi2", "p"} <= found["mcnemar"].keys()
    assert (found["mcnemar"]["only_predicted_right"], found["mcnemar"]["only_against_right"]) == (5, 0)


def test_json_has_entities_leaks_intervals_and_tests(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, *files, "--agreement", "--rounds", "99")
    predicted, against = found["predicted"], found["against"]
    assert predicted["entities"]["exact"]["micro"]["recall"] == pytest.approx(5 / 6)
    assert against["entities"]["exact"]["by_label"]["PER"]["f1"] == pytest.approx(1 / 3)
    assert against["entities"]["lenient"]["by_label"]["PER"]["f1"] == pytest.approx(2 / 3)
    assert predicted["leaks"]["names"]["names"]["leaked"] == 0
    assert against["leaks"]["names"]["notes"] == {
        "leaked": 2, "total": 2, "share": 1.0, "upper": 1.0, "confidence": 0.95,
    }  # fmt: skip
    recall = predicted["intervals"]["token"]["recall"]
    assert recall["low"] <= recall["value"] == 0.875 <= recall["high"]
    assert found["differences"]["token"]["f2"]["rounds"] == 99
    assert found["mcnemar_by_label"]["only_against_right"] == 0
    assert found["agreement"]["alpha"] < 1


def test_the_answers_come_first(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One of eight tokens is missed by the better prediction, a place; the other has one of four names."""
    assert main(files) == ExitCode.DONE
    short = capsys.readouterr().out
    lines = short.splitlines()
    assert lines[2] == "== good.jsonl =="
    assert lines[4].startswith("Of 4 names 0 stay readable (0.00%")
    assert lines[5].startswith("Of 2 notes 0 show a name (0.00%")
    assert lines[6].startswith("Of 8 tokens that identify somebody 1 is missed (12.50%")
    assert lines[7] == "Of 18 tokens that identify nobody 0 are removed (0.00%)."
    assert "Only good.jsonl is right on 5 tokens, only poor.jsonl on 0" in short
    assert lines[-1] == "--full prints all tables"
    assert len(lines) < 30
    assert "confusion" not in short and "Xylander" not in short
    assert main([*files, "--full"]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith(short.removesuffix("--full prints all tables\n"))


def test_tables_show_all_of_it(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, "--agreement", "--full"]) == ExitCode.DONE
    out = capsys.readouterr().out
    for part in (
        "2 notes, ",
        "per token",
        "confusion",
        "z-test",
        "per entity",
        "leaks",
        "bootstrap",
        "McNemar",
        "randomisation",
        "alpha",
    ):
        assert part in out
    assert "0 of 4 (0.00%, at most 52.71% with 95% confidence) distinct names" in out
    assert "Xylander" not in out


def test_the_confusion_table_has_the_labels_that_occur(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files[:-4], "--full"]) == ExitCode.DONE
    _, _, behind = capsys.readouterr().out.partition("gold in rows, predicted in columns\n")
    assert [line.split() for line in behind.split("\n\n")[0].split("\n")] == [
        ["LOC", "PER", "O"],
        ["LOC", "1", ".", "1"],
        ["PER", ".", "6", "."],
        ["O", ".", ".", "18"],
    ]


def test_of_few_tokens_the_exact_p_alone_is_printed(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, "--full"]) == ExitCode.DONE
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("McNemar")]
    # Five tokens that one alone has right: 2 / 2^5.
    assert ["exact p 0.0625" in line for line in lines] == [True, True]
    assert not any("chi² 3" in line for line in lines)


def test_the_z_test_is_seed_001s(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    tests = report(capsys, *files)["z_tests"]
    assert (tests["PHI"]["words"], tests["other"]["words"]) == (8, 18)
    recall = tests["PHI"]["recall"]
    assert (recall["predicted"], recall["against"]) == (7 / 8, 2 / 8)
    pooled = 9 / 16
    assert recall["z"] == pytest.approx((5 / 8) / (pooled * (1 - pooled) * 2 / 8) ** 0.5)


def test_the_header_can_be_left_out(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, *files, "--without-header")["predicted"]["scores"]["PHI"]["gold"] == 6


def test_errors_go_to_their_file_alone(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "run.errors.html"
    files[files.index("--predicted") + 1] = str(tmp_path / "poor.jsonl")
    assert main([*files, "--errors", str(target)]) == ExitCode.DONE
    assert "<mark>Otto Xylander</mark>" in target.read_text(encoding="utf-8")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    captured = capsys.readouterr()
    assert "Xylander" not in captured.out + captured.err


def test_a_file_of_another_format_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "news.conll"
    path.write_text("Anna B-PER\nkam O\n\nUlm B-LOC\n")
    found = report(capsys, "evaluate", "--gold", str(path), "--predicted", str(path), "--format", "conll")
    assert found["predicted"]["entities"]["exact"]["micro"]["f1"] == 1.0


@pytest.mark.parametrize("role", ["--gold", "--predicted"])
def test_labels_of_another_scheme_are_counted_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], role: str
) -> None:
    good, other = tmp_path / "good.conll", tmp_path / "other.conll"
    good.write_text("Anna B-PER\n\nkam O\nUlm B-LOC\n")
    other.write_text("Anna B-PER\n\nkam B-PERSON\nUlm B-Geheim\n")
    paths = {"--gold": str(good), "--predicted": str(good), role: str(other)}
    assert main(["evaluate", *(part for pair in paths.items() for part in pair)]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert "other.conll: 2 spans have a label that does not exist, the first in text 2 at [0, 3)" in captured.err
    assert captured.out == "" and "Geheim" not in captured.err and "PERSON" not in captured.err


def test_an_unknown_ending_is_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "spans.out", GOLD)
    assert report(capsys, "evaluate", "--gold", str(path), "--predicted", str(path))["predicted"]["notes"] == 1


def test_order_and_further_notes_of_the_prediction_do_not_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = written(tmp_path / "gold.jsonl", GOLD, [])
    more = written(tmp_path / "more.jsonl", GOLD, [], GOLD)
    more.write_text("".join(reversed(more.read_text().splitlines(keepends=True))))
    found = report(capsys, "evaluate", "--gold", str(gold), "--predicted", str(more))
    assert found["predicted"]["scores"]["PHI"]["f1"] == 1.0


def test_all_that_is_wrong_is_said_before_anything_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", "--gold", "absent.jsonl", "--predicted", "absent.jsonl"]
    wrong = ["--resamples", "0", "--rounds", "0", "--errors", "absent/x.txt"]
    assert main([*arguments, *wrong]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert all(part in error for part in ("--resamples", "--rounds", ".html or .md", "folder does not exist"))


def test_notes_that_do_not_match_are_counted_not_quoted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = written(tmp_path / "gold.jsonl", GOLD, GOLD)
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "brief_0", "text": "Otto Xylander", "spans": []}) + "\n")
    assert main(["evaluate", "--gold", str(gold), "--predicted", str(other)]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert "1 notes of the gold file are missing" in error and "1 notes have another text" in error
    assert "brief_0" not in error and "Xylander" not in error


def test_a_gold_file_without_notes_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "gold.jsonl"
    empty.write_text("")
    assert main(["evaluate", "--gold", str(empty), "--predicted", str(empty)]) == ExitCode.USAGE


def letter_folder(folder: Path, body: str) -> Path:
    head = "kind: Brief\nspeciality: Kardiologie\ncountry: DE\nyear: 2010\n---\n"
    folder.mkdir(parents=True)
    (folder / "a01-1.txt").write_text(head + body, encoding="utf-8")
    return folder


def test_two_readings_of_letters_agree_by_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = letter_folder(tmp_path / "first", "<town>Ulm</town>, <date>3.4.</date>\n")
    second = letter_folder(tmp_path / "second", "<town>Ulm</town>, 3.4.\n")
    arguments = ["evaluate", "--gold", str(first), "--predicted", str(second), "--format", "letters", "--agreement"]
    agreement = report(capsys, *arguments)["agreement"]
    assert agreement["kappa_by_label"] == {"DATE": 0.0, "LOC": 1.0}
    assert agreement["f1"]["by_label"] == {"DATE": 0.0, "LOC": 1.0}


@pytest.fixture
def readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The test letters of a checkout, another reading of them, and ways to name the first that are not its path."""
    unseen = letter_folder(tmp_path / "test/long", "<town>Ulm</town>, <date>3.4.</date>\n")
    other = letter_folder(tmp_path / "other", "<town>Ulm</town>, 3.4.\n")
    (tmp_path / "link").symlink_to(unseen)
    monkeypatch.setattr("deid_core.lab.evaluate.evaluation_sets.letters_dir", lambda: tmp_path)
    return {"unseen": unseen, "other": other, "file": unseen / "a01-1.txt", "link": tmp_path / "link"}


@pytest.mark.parametrize(
    ("gold", "predicted", "options"),
    [
        ("unseen", "other", []),
        ("link", "other", []),
        ("file", "file", []),
        ("other", "unseen", []),
        ("unseen", "other", ["--agreement", "--errors", "e.html"]),
        ("unseen", "other", ["--agreement", "--against", "other"]),
    ],
)
def test_the_unseen_letters_are_not_measured_past_their_record(
    readings: dict[str, Path], gold: str, predicted: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    folders = ["--gold", str(readings[gold]), "--predicted", str(readings[predicted]), "--format", "letters"]
    options = [str(readings.get(option, option)) for option in options]
    assert main(["evaluate", *folders, *options]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert "test letters are measured by `deid compare`" in captured.err and captured.out == ""


def test_of_the_unseen_letters_a_second_reading_can_be_compared(
    readings: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folders = ["--gold", str(readings["unseen"]), "--predicted", str(readings["other"]), "--format", "letters"]
    assert report(capsys, "evaluate", *folders, "--agreement")["agreement"]["kappa_by_label"]["DATE"] == 0.0


def test_predictions_of_the_same_name_are_told_apart_by_their_paths(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(files) == ExitCode.DONE
    out = capsys.readouterr().out
    assert "good.jsonl" in out
    assert str(tmp_path) not in out
    paths = []
    for name, spans in (("a", GOLD), ("b", GOLD[:1])):
        (tmp_path / name).mkdir()
        paths.append(str(written(tmp_path / name / "spans.jsonl", spans, spans)))
    assert main([*files[:3], "--predicted", paths[0], "--against", paths[1], "--resamples", "50"]) == ExitCode.DONE
    out = capsys.readouterr().out
    assert all(path in out for path in paths)


def test_layer_and_feature_choose_the_annotations_of_a_tool(
    tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    cassis = pytest.importorskip("cassis", reason="needs the extra 'cas'")
    types = cassis.TypeSystem()
    phi = types.create_type("webanno.custom.PHI", supertypeName="uima.tcas.Annotation")
    types.create_feature(phi, "kind", "uima.cas.String")
    folder = tmp_path / "export"
    folder.mkdir()
    types.to_xml(folder / "TypeSystem.xml")
    for number in range(2):
        cas = cassis.Cas(types, sofa_string=TEXT)
        places = [
            (TEXT.index(name), name, kind) for name, kind in (("Stein", "NAME_PATIENT"), ("Ulm", "LOCATION_CITY"))
        ]
        cas.add_all([phi(begin=start, end=start + len(name), kind=kind) for start, name, kind in places])
        cas.to_xmi(folder / f"brief_{number}.xmi")
    arguments = ["evaluate", "--gold", str(folder), "--predicted", files[4], "--scheme", "gemtex"]
    found = report(capsys, *arguments, "--layer", "webanno.custom.PHI", "--feature", "kind")
    micro = found["predicted"]["entities"]["exact"]["micro"]
    assert (micro["gold"], micro["recall"]) == (4, 0.75)
    assert main(arguments) == ExitCode.USAGE
    assert "a type of the file or" in capsys.readouterr().err
    assert main([*files, "--layer", "webanno.custom.PHI"]) == ExitCode.USAGE
    assert "--layer: only CAS and WebAnno files have it, and no file is one" in capsys.readouterr().err


def test_labels_that_a_scheme_lacks_are_not_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = written(tmp_path / "gold.jsonl", [("Stein", "PATIENT"), ("Ulm", "LOCATION/CITY")])
    found = written(tmp_path / "found.jsonl", [("Stein", "PER"), ("Ulm", "LOC"), ("Herrn", "SALUTE")])
    arguments = ["evaluate", "--gold", str(gold), "--predicted", str(found)]
    micro = report(capsys, *arguments, "--scheme", "i2b2")["predicted"]["entities"]["exact"]["micro"]
    assert (micro["gold"], micro["f1"]) == (2, 1.0)
    assert main(arguments) == ExitCode.USAGE
    assert "gold.jsonl:1: a label does not exist" in capsys.readouterr().err


def test_a_folder_of_letters_is_gold_for_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = letter_folder(tmp_path / "mine", "<town>Ulm</town>, <date>3.4.</date>\n")
    found = tmp_path / "found.jsonl"
    found.write_text(
        json.dumps({"id": "a01-1", "text": "Ulm, 3.4.", "spans": [{"start": 0, "end": 3, "label": "LOC"}]})
    )
    scores = report(capsys, "evaluate", "--gold", str(gold), "--predicted", str(found))["predicted"]["scores"]
    assert (scores["LOC"]["f1"], scores["DATE"]["recall"]) == (1.0, 0.0)
