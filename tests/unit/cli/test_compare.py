"""`deid compare`: every pipeline on every set, neighbours tested, nothing left out in silence, figures only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compare_command import SMALL, compared

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, ExitCode
from deid_core.core.labels import PhiType
from deid_core.lab.evaluate import Evaluation, Level
from deid_core.lab.evaluate.evaluation_sets import check_sets, generated_set, non_medical_set, non_medical_sets
from deid_core.lab.evaluate.pipeline_scores import measure
from deid_core.lab.synthetic.surrogates import iter_challenge
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import engine_spec

GERMEVAL = "#\tinvented\n" + "".join(
    f"{n}\t{word}\t{tag}\tO\n"
    for n, (word, tag) in enumerate(
        [("Herr", "O"), ("Peter", "B-PER"), ("Schmidt", "I-PER"), ("kam", "O"), ("am", "O"), ("12.03.2010", "O"),
         ("aus", "O"), ("Freiburg", "B-LOC"), (".", "O")],
        1,
    )
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEID_CORPORA_DIR", raising=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one sentence of a non-medical text and no court decisions."""
    (tmp_path / "data" / "ner").mkdir(parents=True)
    (tmp_path / "data" / "ner" / "germeval14-dev.tsv").write_text(GERMEVAL, encoding="utf-8")
    return tmp_path / "data"


def test_figures_are_those_of_an_evaluation_of_the_same_notes(tmp_path: Path) -> None:
    figures = compared(tmp_path, "--pipelines", "baseline,variants", "--sets", "oov,random", "--seed", "5")
    assert [of["set"] for of in figures["sets"]] == ["oov", "random"]
    oov = figures["sets"][0]
    assert [row["name"] for row in oov["pipelines"]] == ["baseline", "variants"]
    for row in oov["pipelines"]:
        engine, expected = Engine(engine_spec(row["name"])), Evaluation(with_header=False)
        for item in iter_challenge("oov", 4, seed=5, split="train"):
            expected.add(item.note.text, item.gold, engine.annotate(item.note))
        assert row["tokens"]["f2"] == expected.score(Level.TOKEN, "f2")
        assert row["entities"]["f1"] == expected.score(Level.EXACT, "f1")
        assert row["names"]["legible"] == expected.leaks.names().count
        assert row["words"]["f2"] == expected.score(Level.WORD, "f2")
        assert row["f2_interval"]["low"] <= row["words"]["f2"] <= row["f2_interval"]["high"]
        assert row["fingerprint"] == engine.spec.fingerprint


def test_each_pipeline_is_tested_against_the_one_before(tmp_path: Path) -> None:
    figures = compared(tmp_path, "--pipelines", "baseline,baseline,default", "--sets", "random")
    same, better = figures["sets"][0]["tests"]
    assert (same["before"], same["after"]) == ("baseline", "baseline")
    assert same["mcnemar"] == {"only_before_right": 0, "only_after_right": 0, "chi2": 0.0, "p": 1.0, "exact": True}
    assert same["randomisation"]["word.f2"]["p"] == 1.0
    assert better["mcnemar"]["only_after_right"] > better["mcnemar"]["only_before_right"]
    assert better["mcnemar"]["p"] < 0.001 and not better["mcnemar"]["exact"]
    moved = better["randomisation"]["word.f2"]
    f2 = [row["words"]["f2"] for row in figures["sets"][0]["pipelines"]]
    assert moved["difference"] == pytest.approx(f2[2] - f2[1]) and moved["difference"] > 0
    assert moved["rounds"] == 9_999


def test_the_terminal_and_markdown_have_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.md"
    figures = compared(
        tmp_path, "--pipelines", "baseline,variants", "--sets", "random", "--by-label", "--output", str(file)
    )
    out, report = capsys.readouterr().out, file.read_text()
    row = figures["sets"][0]["pipelines"][0]
    assert f"{row['tokens']['f2']:.3f}" in out
    for said in (out, report):
        assert "tokens/s, cold" in said and "McNemar's p is exact where fewer than 25 tokens differ" in said
    assert "against the one before" in out and "DATE, variants" in out
    assert "legible in no mark of a person" in report
    assert report.startswith(f"# Pipelines compared, {figures['date']}")
    assert row["fingerprint"] in report and f"| {row['tokens']['recall']:.3f} |" in report
    tables = [part.split("\n") for part in report.strip().split("\n\n") if part.startswith("| ")]
    assert [len({line.count("|") for line in lines}) for lines in tables] == [1] * 5
    for said in (out, report):
        assert "baseline, words, no SALUTE, TITLE" in said and "full names readable" in said
        assert "hold for further notes of the same writers" in said
        assert "street, baseline" in said and "right label" in said


def test_no_name_of_a_note_is_printed_or_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.md"
    compared(tmp_path, "--pipelines", "baseline", "--sets", "oov", "--by-label", "--output", str(file))
    said = capsys.readouterr().out + file.read_text() + (tmp_path / "figures.json").read_text()
    notes = list(iter_challenge("oov", 4, seed=2018, split="train"))
    names = {i.note.text[g.start : g.end] for i in notes for g in i.gold if g.type in (PhiType.PATIENT, PhiType.TOWN)}
    assert len(names) > 8
    assert not [name for name in names if name in said]


def test_absent_corpora_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.md"
    figures = compared(tmp_path, "--pipelines", "baseline", "--output", str(file))
    assert [of["set"] for of in figures["sets"]] == ["letters-dev", "letters-dev-long", "generated"]
    assert figures["not_measured"] == ["germeval-dev", "ler-dev"]
    for said in (capsys.readouterr().out, file.read_text()):
        assert "Not measured" in said and "germeval-dev, ler-dev" in said


def test_a_folder_without_its_files_is_an_error(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--pipelines", "baseline", "--sets", "germeval-dev,ler-dev", "--data", str(data)]
    assert main(["compare", *SMALL, *arguments]) == ExitCode.USAGE
    assert "ler-dev.conll" in capsys.readouterr().err


def test_the_environment_names_the_folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEID_CORPORA_DIR", str(data))
    figures = compared(tmp_path, "--pipelines", "baseline", "--sets", "germeval-dev")
    assert figures["sets"][0]["pipelines"][0]["tokens"]["gold"] == 3


def test_of_non_medical_texts_only_persons_and_places_count(data: Path) -> None:
    of = non_medical_set("germeval-dev", data)
    engine = Engine(engine_spec("default"))
    assert {"DATE", "SALUTE"} < {str(span.label) for span in engine.annotate(of.notes[0])}
    measured = measure(engine, of)
    assert set(measured.evaluation.tokens.by_label) == {"PER", "LOC"}
    assert measured.evaluation.tokens.binary.false_positive == 0
    assert "ignored" in of.description


def test_in_medical_phrases_whatever_is_found_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    for name in ("goae_1982", "goz_1987", "versmedv", "amvv", "btmg_1981", "bkv"):
        phrases = "\n\n".join(f"Kontrolle am 3.4.{year} nach {name}" for year in range(10, 30))
        (tmp_path / "text" / f"{name}.md").write_text(phrases, encoding="utf-8")
    of = non_medical_set("medical-phrases-dev", tmp_path)
    binary = measure(Engine(engine_spec("baseline")), of).evaluation.tokens.binary
    assert binary.gold == 0
    assert 0 < binary.false_positive < sum(note.text.count("\n") + 1 for note in of.notes) * 9
    assert "all labels" in of.description


def test_the_header_counts_only_if_asked() -> None:
    engine = Engine(engine_spec("baseline"))
    without, with_header = (
        measure(engine, generated_set("random", 4, seed=1, split="train", with_header=header))
        for header in (False, True)
    )
    assert without.evaluation.tokens.tokens < with_header.evaluation.tokens.tokens
    assert without.evaluation.tokens.binary.gold < with_header.evaluation.tokens.binary.gold
    assert without.tokens == with_header.tokens > without.evaluation.tokens.tokens


def test_generated_is_the_generator_without_surrogates() -> None:
    made = generated_set("generated", 2, seed=1, split="test")
    assert [note.note_id for note in made.notes] == ["test-1-000000", "test-1-000001"]


def test_every_mistake_is_said_at_once_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--pipelines", "absent,baseline", "--sets", "random,nowhere,ler-dev", "--notes", "0"]
    assert main(["compare", *arguments, "--json", str(tmp_path / "no" / "x.json")]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    for part in ("'absent'", "'nowhere'", "ler-dev: needs", "--notes", "x.json"):
        assert part in captured.err


def test_corpora_to_train_on_are_no_evaluation_sets() -> None:
    assert {"germeval-dev", "ler-dev"} <= set(non_medical_sets())
    with pytest.raises(ConfigurationError, match="germeval-test"):
        check_sets(["germeval-test"])


def test_generate_writes_a_challenge_corpus(tmp_path: Path) -> None:
    out = tmp_path / "made"
    arguments = ["--notes", "2", "--seed", "3", "--format", "jsonl", "--output", str(out), "--workers", "1"]
    assert main(["generate", *arguments, "--corpus", "challenge"]) == ExitCode.DONE
    rows = [json.loads(line) for line in (out / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = list(iter_challenge("challenge", 2, seed=3, split="train"))
    assert [(row["id"], row["text"]) for row in rows] == [(i.note.note_id, i.note.text) for i in expected]
    assert [len(row["spans"]) for row in rows] == [len(i.gold) for i in expected]
