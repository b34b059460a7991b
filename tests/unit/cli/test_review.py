"""`deid review`: what the command serves and to whom, and what goes out to other tools and comes back."""

from __future__ import annotations

import json
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("starlette", reason="needs the extra review")
pytest.importorskip("uvicorn", reason="needs the extra review")

from review_lake import CANARY, name_range, note_id, raw_text, read_note, review_lake
from served_review import served

from deid_core.cli import main
from deid_core.cli.review import ORDERS, queue_of
from deid_core.core.errors import ExitCode
from deid_core.lake.layout import Lake
from deid_core.lake.notes.reviews import ReviewRole, read_reviews
from deid_core.review import queue
from deid_core.review.marks import ReaderName

ANNA, BEN, JUDGE = ReaderName("anna"), ReaderName("ben"), ReaderName("carla", ReviewRole.ADJUDICATOR)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return review_lake(tmp_path, 4, leaking=[0])


def review(lake: Lake, *options: str) -> int:
    return main(["review", "--lake", str(lake.root), *options])


def test_the_page_is_served_to_this_machine_until_it_is_interrupted(lake: Lake) -> None:
    with served(lake, "--reader", "anna") as (address, process):
        port = int(address.split(":")[2].partition("/")[0])
        assert address.startswith("http://127.0.0.1:") and len(address.split("/")[3]) >= 40
        with urllib.request.urlopen(f"{address}api/notes/0") as answer:  # noqa: S310
            assert json.loads(answer.read())["before"] == raw_text(0)
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/")
        # On no other address of this machine.
        with socket.socket() as other:
            other.settimeout(2)
            assert other.connect_ex(("127.0.0.2", port)) != 0
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == ExitCode.DONE
    assert (CANARY not in out + err, err) == (True, "")


def test_a_taken_port(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert review(lake, "--port", str(taken.getsockname()[1])) == ExitCode.USAGE
    assert "--port" in capsys.readouterr().err


def test_each_order_has_its_queue(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    for order in ("doubt", "random"):
        monkeypatch.setattr(queue, f"{order}_queue", lambda *notes, order=order: [order])
    assert {order: queue_of(lake, order) for order in ORDERS if order != "plan"} == {
        "doubt": ["doubt"], "random": ["random"],
    }  # fmt: skip
    pytest.importorskip("scipy", reason="needs the extra sign")
    assert main(["certify", "plan", "--lake", str(lake.root), "--seed", "s"]) == ExitCode.DONE
    assert sorted(note.note_id for note in queue_of(lake, "plan")) == [note_id(n) for n in range(4)]
    assert queue_of(lake, None) == queue_of(lake, "plan")


def test_mistakes(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert review(Lake.at(tmp_path / "none")) == ExitCode.USAGE
    assert review(lake, "--reader", "a b") == ExitCode.USAGE
    assert review(lake, "--order", "plan") == ExitCode.USAGE
    assert review(lake, "--adjudicate") == ExitCode.USAGE
    assert review(lake, "--import", str(tmp_path / "x.jsonl")) == ExitCode.USAGE
    assert "deid certify plan" in capsys.readouterr().err
    assert review(lake, "--export", str(tmp_path / "gold.jsonl")) == ExitCode.USAGE
    assert "nobody has read a note yet" in capsys.readouterr().err
    assert review(lake, "--proposals", str(lake.root)) == ExitCode.USAGE
    assert review(lake, "--proposals", str(tmp_path / "no" / "x.jsonl")) == ExitCode.USAGE


def test_reviews_become_gold_that_evaluate_reads(
    lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where somebody decided, that counts. The file is its owner's alone."""
    for number in range(3):
        read_note(lake, number, "patient", reader=ANNA)
    read_note(lake, 2, reader=BEN)
    assert review(lake, "--export", str(tmp_path / "gold.jsonl")) == ExitCode.USAGE
    assert "in 1 notes two readers differ" in capsys.readouterr().err
    read_note(lake, 2, reader=JUDGE)
    assert review(lake, "--export", str(tmp_path / "gold.jsonl")) == 0
    assert capsys.readouterr().out == "3 notes\n"
    rows = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    start, end = name_range(0)
    assert rows[0] == {
        "id": note_id(0), "text": raw_text(0), "spans": [{"start": start, "end": end, "label": "PER"}],
    }  # fmt: skip
    assert [len(row["spans"]) for row in rows] == [1, 1, 0]
    assert (tmp_path / "gold.jsonl").stat().st_mode & 0o777 == 0o600
    gold = str(tmp_path / "gold.jsonl")
    assert main(["evaluate", "--gold", gold, "--predicted", gold, "--resamples", "5"]) == 0
    assert "3 notes" in capsys.readouterr().out
    assert review(lake, "--export", gold) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("form", "name"), [("brat", "tool"), ("webanno", "tool"), ("cas", "tool"), ("jsonl", "tool.jsonl")]
)
def test_notes_go_out_to_a_tool_and_come_back(lake: Lake, tmp_path: Path, form: str, name: str) -> None:
    """With types, who is the patient comes back as well; a label alone takes the type of the span in its place."""
    if form == "cas":
        pytest.importorskip("cassis", reason="needs the extra cas")
    for types, path in ((["--types"], tmp_path / name), ([], tmp_path / f"labels-{name}")):
        assert review(lake, "--proposals", str(path), "--format", form, *types) == 0
        reader = "typed" if types else "labels"
        assert review(lake, "--import", str(path), "--format", form, "--reader", reader) == 0
        found = {r.note_id: r for r in read_reviews(lake) if r.reader == reader}
        assert len(found) == 4
        assert [(m.start, m.end, str(m.type), m.readable) for m in found[note_id(1)].marks] == [
            (*name_range(1), "patient", False)
        ]
        assert found[note_id(0)].marks == ()


def tool_file(tmp_path: Path, label: str, text: str | None = None) -> str:
    start, end = name_range(0)
    row = {"id": note_id(0), "text": text or raw_text(0), "spans": [{"start": start, "end": end, "label": label}]}
    (tmp_path / "marked.jsonl").write_text(json.dumps(row) + "\n")
    return str(tmp_path / "marked.jsonl")


def test_a_name_whose_owner_the_tool_does_not_tell_may_be_the_patients(lake: Lake, tmp_path: Path) -> None:
    assert review(lake, "--import", tool_file(tmp_path, "PER"), "--reader", "anna") == 0
    [found] = read_reviews(lake)
    assert [(str(m.type), m.readable) for m in found.marks] == [("patient", True)]


def test_what_is_not_of_the_lake_is_refused_as_a_whole(
    lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for label, text in (("NAME", None), ("PER", raw_text(0) + "more")):
        assert review(lake, "--import", tool_file(tmp_path, label, text), "--reader", "anna") == ExitCode.USAGE
        error = capsys.readouterr().err
        assert "text 1" in error and CANARY not in error
    assert read_reviews(lake) == []


def test_agreement(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    read_note(lake, 0, "patient", reader=ANNA)
    assert review(lake, "--agreement") == 0
    assert "no note was read by two readers" in capsys.readouterr().out
    read_note(lake, 0, "patient", reader=BEN)
    read_note(lake, 1, "patient", reader=ANNA)
    read_note(lake, 1, reader=BEN)
    assert review(lake, "--agreement") == 0
    assert "2 notes, kappa 0.6" in capsys.readouterr().out
