"""Outputs of policies: made from detections without the engine, and only what changed is made again."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from lakes import LETTER, PIPELINE, Archive, Crash, write

from deid_core import Deidentifier
from deid_core.cli import main
from deid_core.core.errors import ConfigurationError, SecretMissingError
from deid_core.lake.checks import integrity
from deid_core.lake.tables import delta_reader, task_schemas
from deid_core.lake.tables.lake_table import LakeTable
from deid_core.spark import deidentify_notes, policy_task
from deid_core.spark.forecasts import forecast_lake
from deid_core.spark.run_options import Options
from deid_core.spark.spark_run import SparkRun

pytestmark = pytest.mark.spark

POLICIES = ("research-gdpr", "readable")
CHARACTERS = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def with_outputs(first_run: Archive, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Return a lake that got two outputs later, from its detections. Read only."""
    archive = first_run.copy(tmp_path_factory.mktemp("outputs"))
    before = {name: version for name, version in archive.versions().items() if name != "runs"}
    options = Options(archive.input, archive.root, PIPELINE, outputs=POLICIES, key=key(archive))
    assert forecast_lake(options).outputs == {"research-gdpr": 13, "readable": 13}
    done = run(archive)
    assert "engine" not in done.seconds
    assert (done.counts["output.readable"], done.counts["deidentified"]) == (13, 0)
    assert {name: version for name, version in archive.versions().items() if name != "runs"} == before
    assert forecast_lake(options).nothing_to_do
    return archive


@pytest.fixture
def outputs(with_outputs: Archive, tmp_path: Path) -> Archive:
    """Return a copy."""
    return with_outputs.copy(tmp_path)


def key(archive: Archive, secret: str = CHARACTERS) -> Path:
    """Return a key file beside the archive."""
    file = archive.root.parent / f"{secret[:4]}.key"
    if not file.exists():
        file.write_text(secret)
        file.chmod(0o400)
    return file


def run(archive: Archive, policies: tuple[str, ...] = POLICIES, **options: object) -> SparkRun:
    return archive.run(**{"outputs": policies, "key": key(archive)} | options)


def texts(archive: Archive, policy: str) -> dict[str, str]:
    """Return the text of each note, by the file's path."""
    paths = {row["note_id"]: path for path, row in archive.ledger().items()}
    rows = delta_reader.read(archive.lake.output(policy), ["note_id", "text"]).to_pylist()
    assert len({row["note_id"] for row in rows}) == len(rows)
    return {paths[row["note_id"]]: row["text"] for row in rows}


def test_every_note_has_a_text_of_each_policy(with_outputs: Archive) -> None:
    converted = {path for path, row in with_outputs.ledger().items() if row["state"] == "converted"}
    for policy in POLICIES:
        made = texts(with_outputs, policy)
        assert made.keys() == converted
        for path, text in made.items():
            # A surrogate may be the name of another note.
            name = "Krüger" if path.startswith("ohne Jahr") else Path(path).stem.partition(",")[0]
            assert not re.search(rf"\b{name}\b|06221/56|01\.02\.1950", text)
    assert all("<" not in text for path, text in texts(with_outputs, "readable").items() if path.startswith("201"))
    assert re.search(r"<PER-[0-9a-f]{12}>", texts(with_outputs, "research-gdpr")["2010/Müller, Anna 0.txt"])
    columns = delta_reader.read(with_outputs.lake.output("readable"), ["key_id", "patient_source"]).to_pylist()
    assert {(len(row["key_id"]), row["patient_source"]) for row in columns} == {(8, "note")}


def test_each_note_has_its_date_as_its_text_has_it(with_outputs: Archive) -> None:
    """The letterheads say 12.03.2011; one note has none."""
    coarse, moved, removed = (
        delta_reader.read(table, ["note_date", "text"]).to_pylist()
        for table in (*(with_outputs.lake.output(policy) for policy in POLICIES), with_outputs.lake.deidentified)
    )
    assert Counter(row["note_date"] for row in coarse) == {date(2011, 3, 1): 12, None: 1}
    dated = [row for row in moved if row["note_date"]]
    assert len(dated) == 12
    assert all(f"den {row['note_date']:%d.%m.%Y}" in row["text"] for row in dated)
    assert date(2011, 3, 12) not in {row["note_date"] for row in moved}
    assert {row["note_date"] for row in removed} == {None}


def test_a_lake_without_dates_of_notes_is_upgraded(outputs: Archive, with_outputs: Archive) -> None:
    """The next run makes all texts and outputs again, with this column."""
    tables = (outputs.lake.deidentified, *map(outputs.lake.output, POLICIES))
    for table in tables:
        rows = delta_reader.read(table, delta_reader.columns(table)).drop_columns("note_date")
        write_deltalake(str(table), rows, mode="overwrite", schema_mode="overwrite")
    outputs.lake.checksums.unlink()
    assert run(outputs).counts["deidentified"] == 13
    for policy in POLICIES:
        assert texts(outputs, policy) == texts(with_outputs, policy)
        rows = delta_reader.read(outputs.lake.output(policy), ["note_date"])
        assert rows["note_date"].null_count == 1
    assert not run(outputs).did_something


def test_a_night_without_a_change_changes_nothing(outputs: Archive) -> None:
    before = outputs.files()
    assert not run(outputs).did_something
    assert outputs.files() == before


def test_changed_and_deleted_notes(outputs: Archive, with_outputs: Archive) -> None:
    """Others are not made again. An output that the settings no longer name loses them as well."""
    changed, deleted = "2010/Müller, Anna 0.txt", "2011/Schmidt, Anna 1.txt"
    write(outputs.input / changed, LETTER.format(name="Altmann", number=5), seconds=1_600_000_000)
    (outputs.input / deleted).unlink()
    note_id = str(outputs.ledger()[deleted]["note_id"])
    assert run(outputs, ("readable",)).counts["output.readable"] == 1
    after, before = texts(outputs, "readable"), texts(with_outputs, "readable")
    assert {path for path in before if after.get(path) != before[path]} == {changed, deleted}
    assert texts(outputs, "research-gdpr").keys() == before.keys() - {changed, deleted}
    for file in outputs.lake.clean.rglob("*.parquet"):
        content = pq.ParquetFile(file).read()
        assert "note_id" not in content.column_names or note_id not in content["note_id"].to_pylist()


def test_a_changed_policy_makes_its_own_output_again(
    outputs: Archive, with_outputs: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = Path(__file__).resolve().parents[2] / "conf" / "policies" / "readable.yaml"
    policy = outputs.root.parent / "readable.yaml"
    policies = ("research-gdpr", str(policy))
    policy.write_text(shipped.read_text().replace("description: ", "description: other words, "))
    assert not run(outputs, policies).did_something

    policy.write_text(shipped.read_text().replace("  LOC: surrogate", "  LOC: typed"))
    version = delta_reader.version(outputs.lake.output("research-gdpr"))
    done = run(outputs, policies)
    assert "engine" not in done.seconds
    assert (done.counts["output.readable"], done.counts["output.research-gdpr"]) == (13, 0)
    assert delta_reader.version(outputs.lake.output("research-gdpr")) == version
    assert "<TOWN>" in texts(outputs, "readable")["2010/Müller, Anna 0.txt"]

    # A crash after the old texts are gone: the next run makes what is missing.
    def crash(*_: object, **__: object) -> None:
        raise Crash

    policy.write_text(shipped.read_text())
    with monkeypatch.context() as patch, pytest.raises(Crash):
        patch.setattr(LakeTable, "append", crash)
        run(outputs, policies)
    assert not texts(outputs, "readable")
    run(outputs, policies)
    assert texts(outputs, "readable") == texts(with_outputs, "readable")


def test_another_key_gives_other_texts(outputs: Archive, with_outputs: Archive) -> None:
    assert run(outputs, key=key(outputs, "f" * 40)).counts["output.readable"] == 13
    after, before = texts(outputs, "readable"), texts(with_outputs, "readable")
    assert all(after[path] != before[path] for path in before if path.startswith("201"))


def test_batches_do_not_matter(first_run: Archive, with_outputs: Archive, tmp_path: Path) -> None:
    settings = tmp_path / "conf.yaml"
    settings.write_text("run: {batch_notes: 5}\noutputs: [research-gdpr, readable]\n")
    apart = Archive(first_run.input, tmp_path / "lake")
    apart.lake.prepare()
    apart.lake.key.write_text(first_run.lake.key.read_text())
    apart.run(settings=settings, key=key(with_outputs))
    for policy in POLICIES:
        assert texts(apart, policy) == texts(with_outputs, policy)


@pytest.mark.usefixtures("spark")
def test_mistakes_are_told_before_anything_is_touched(
    outputs: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEID_POLICY_KEY", raising=False)
    before = outputs.files()
    with pytest.raises(SecretMissingError, match="DEID_POLICY_KEY"):
        run(outputs, key=None)
    own = tmp_path / "own.yaml"
    own.write_text("name: Own Policy\ndescription: d\nbasis: []\nassumptions: []\n")
    with pytest.raises(ConfigurationError) as error:
        run(outputs, ("redable", "readable", "readable", str(own)))
    assert [problem.partition(";")[0] for problem in error.value.problems] == [
        "there is no policy 'redable'",
        "outputs: 2 policies are called readable",
        "outputs: 'Own Policy' names a table: use small letters, digits, - and _ alone",
    ]
    assert outputs.files() == before


def test_a_damaged_output_is_made_again(
    outputs: Archive, with_outputs: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    file = delta_reader.data_files(outputs.lake.output("readable"))[0]
    file.write_bytes(file.read_bytes()[:-100])
    [damage] = integrity.damages(outputs.lake)
    assert "a run with this policy makes its texts of" in str(damage)
    done = run(outputs)
    assert (done.counts["damaged_files"], done.counts["deidentified"]) == (1, 0)
    assert texts(outputs, "readable") == texts(with_outputs, "readable")
    # A removed output is begun anew, and nothing is taken for lost.
    shutil.rmtree(outputs.lake.output("readable"))
    run(outputs)
    capsys.readouterr()
    assert main(["check", "--lake", str(outputs.root)]) == 0
    assert texts(outputs, "readable") == texts(with_outputs, "readable")


def test_a_note_on_which_an_operator_fails(
    outputs: Archive, with_outputs: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is tried once, `deid check` tells of it, and it gets its text when asked for or when the program changed."""
    bad = outputs.ledger()["2010/Müller, Anna 0.txt"]["note_id"]
    real = policy_task.Redact

    def broken(*settings: object) -> object:
        task = real(*settings)  # type: ignore[arg-type]

        def failing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in task(batches):
                rows = batch.to_pylist()
                for row in rows:
                    if row["note_id"] == bad:
                        row.update(text=None, unparsed=None, reason="ValueError at shift.py:1")
                yield pa.RecordBatch.from_pylist(rows, schema=task_schemas.OUTPUT)

        return failing

    shutil.rmtree(outputs.lake.output("readable"))
    with monkeypatch.context() as patch:
        patch.setattr(policy_task, "Redact", broken)
        assert run(outputs).counts["failed.readable"] == 1
    assert len(texts(outputs, "readable")) == 12
    assert not run(outputs).did_something
    capsys.readouterr()
    assert main(["check", "--lake", str(outputs.root)]) == 64
    assert "1 notes have no text in clean/deidentified_readable, since an operator failed" in capsys.readouterr().out
    again = outputs.copy(outputs.root.parent / "again")
    with monkeypatch.context() as patch:
        patch.setattr("deid_core.lake.outputs.policy_texts.code_digest", lambda: "another program")
        assert run(again).counts["output.readable"] == 1
    assert run(outputs, retry=True).counts["output.readable"] == 1
    for archive in (outputs, again):
        assert texts(archive, "readable") == texts(with_outputs, "readable")
        assert not delta_reader.read(archive.lake.output_failures, ["note_id"]).num_rows
    assert main(["check", "--lake", str(outputs.root)]) == 0
    # An output that was left behind lacks what came later.
    write(outputs.input / "2012/Neu.txt", LETTER.format(name="Neumann", number=6))
    run(outputs, ("readable",))
    capsys.readouterr()
    assert main(["check", "--lake", str(outputs.root)]) == 75
    assert "1 notes have no text in clean/deidentified_research-gdpr: a run with" in capsys.readouterr().out


def test_the_library_gives_the_same_text(with_outputs: Archive) -> None:
    deid = Deidentifier.load(PIPELINE, policy="readable", key=key(with_outputs))
    path = "2010/Müller, Anna 0.txt"
    note_id = with_outputs.ledger()[path]["note_id"]
    rows = delta_reader.read(with_outputs.lake.deidentified, ["note_id", "patient_key"]).to_pylist()
    [patient] = [row["patient_key"] for row in rows if row["note_id"] == note_id]
    raw = (with_outputs.input / path).read_text(encoding="utf-8")
    assert deid.redact(raw, patient=patient).text.strip() == texts(with_outputs, "readable")[path].strip()


def test_the_engine_is_not_asked(outputs: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deidentify_notes, "_deidentify_batch", lambda *_: pytest.fail("the engine runs"))
    assert run(outputs, (*POLICIES, "hipaa-safe-harbor")).counts["output.hipaa-safe-harbor"] == 13
