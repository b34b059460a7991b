"""The web application of `deid review`, without a browser: who gets an answer, what it says, what it stores."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")
pytest.importorskip("starlette", reason="needs the extra review")
pytest.importorskip("httpx2", reason="needs httpx2")

from review_lake import CANARY, name_range, note_id, raw_text, read_note, review_lake
from starlette.testclient import TestClient

from deid_core.lake.layout import Lake
from deid_core.lake.notes import reviews
from deid_core.lake.notes.reviews import ReviewRole, read_reviews, text_sha256
from deid_core.lake.tables.lake_table import LakeTable
from deid_core.review import application as review_application
from deid_core.review.application import ReviewTask, application, new_token
from deid_core.review.marks import ReaderName
from deid_core.review.queue import QueuedNote, disputed

PREFIX = "t0ken"
ANNA, BEN, JUDGE = ReaderName("anna"), ReaderName("ben"), ReaderName("anna", ReviewRole.ADJUDICATOR)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Four notes; the first shows its patient's name."""
    return review_lake(tmp_path, 4, leaking=[0])


def client(
    lake: Lake, reader: ReaderName | None = ANNA, *, host: str = "127.0.0.1:4711", **options: object
) -> TestClient:
    queue = [QueuedNote(note_id(number)) for number in range(4)]
    task = ReviewTask(lake, options.pop("queue", queue), reader, **options)  # type: ignore[arg-type]
    return TestClient(application(task, PREFIX), base_url=f"http://{host}/{PREFIX}/", raise_server_exceptions=False)


def mark(number: int, kind: str = "patient") -> dict[str, object]:
    start, end = name_range(number)
    return {"start": start, "end": end, "type": kind}


def test_nobody_gets_an_answer_without_the_token(lake: Lake) -> None:
    page = client(lake)
    assert page.get("").status_code == 200
    for path in (
        "/",
        "/other/",
        "/other/api/notes/0",
        f"/{PREFIX}x/",
        f"/x{PREFIX}/api/queue",
        "/api/queue",
        "/review.js",
    ):
        answer = page.get(f"http://127.0.0.1{path}")
        assert answer.status_code == 404 and CANARY not in answer.text, path
    assert len({new_token() for _ in range(9)}) == 9 and len(new_token()) >= 40


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.7:4711"])
def test_another_host_name_is_refused(lake: Lake, host: str) -> None:
    """As a page elsewhere would use after rebinding its name to the loopback address."""
    assert client(lake, host=host).get("api/notes/0").status_code == 400
    assert client(lake, host="localhost:9").get("api/notes/0").status_code == 200


def test_every_answer_forbids_what_comes_from_elsewhere_and_copies(lake: Lake) -> None:
    page = client(lake)
    for answer in (
        page.get(""),
        page.get("review.js"),
        page.get("api/notes/0"),
        page.get("api/notes/99"),
        page.get("/x"),
    ):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_the_page_loads_nothing_from_elsewhere(lake: Lake) -> None:
    page = client(lake)
    html = page.get("").text
    assert set(re.findall(r'(?:src|href)="([^"]*)"', html)) == {"review.css", "review.js"}
    for name in ("", "review.js", "review.css"):
        assert not re.search(r"https?:|@import|url\(|<script>|style=", page.get(name).text), name
    assert page.get("review.js").headers["content-type"].startswith("text/javascript")
    assert CANARY not in html


def test_a_note(lake: Lake) -> None:
    note = client(lake).get("api/notes/1").json()
    assert (note["before"], note["year"], note["read"], note["changed"]) == (raw_text(1), 2011, False, False)
    assert note["after"] == raw_text(1).replace(f"{CANARY}1", "<PER>")
    start, end = name_range(1)
    assert (note["spans"], note["outputs"]) == ([[start, end, "PER"]], [[7, 12]])
    [item] = note["items"]
    assert {name: item[name] for name in ("start", "end", "type", "label", "source", "state", "doubtful")} == {
        "start": start, "end": end, "type": "patient", "label": "PER", "source": "span", "state": "accepted",
        "doubtful": False,
    }  # fmt: skip


def test_what_a_rule_found_and_the_pipeline_dropped_is_no_mark_until_accepted(lake: Lake) -> None:
    [item] = client(lake).get("api/notes/0").json()["items"]
    assert (item["source"], item["state"], item["doubtful"]) == ("dropped", "wrong", True)
    assert item["reason"] == "stacking.drop_above"


def test_what_is_sent_is_stored(lake: Lake) -> None:
    page = client(lake)
    assert page.post("api/notes/0", json={"marks": [mark(0)]}).json() == {"readable": 1}
    assert page.post("api/notes/1", json={"marks": [mark(1)]}).json() == {"readable": 0}
    assert page.post("api/notes/2", json={"marks": []}).json() == {"readable": 0}
    stored = {review.note_id: review for review in read_reviews(lake)}
    assert [len(stored[note_id(number)].marks) for number in range(3)] == [1, 1, 0]
    assert {(review.reader, review.role) for review in stored.values()} == {("anna", "reader")}
    assert page.get("api/queue").json() == {"reader": "anna", "role": "reader", "read": [True, True, True, False]}
    # It comes back: the mark was accepted in the first note, and taken from the third.
    [first], [third] = (page.get(f"api/notes/{number}").json()["items"] for number in (0, 2))
    assert (first["state"], third["state"]) == ("accepted", "wrong")
    assert page.get("api/notes/0").json()["read"]


def test_a_second_reader_does_not_see_the_first_ones_marks(lake: Lake) -> None:
    client(lake).post("api/notes/0", json={"marks": [mark(0), {"start": 2, "end": 6, "type": "salute"}]})
    second = client(lake, BEN)
    note = second.get("api/notes/0").json()
    assert not note["read"] and [item["state"] for item in note["items"]] == ["wrong"]
    assert second.get("api/queue").json()["read"] == [False] * 4


def test_read_only_until_told(lake: Lake) -> None:
    page = client(lake, None)
    assert page.get("api/notes/0").status_code == 200
    assert page.post("api/notes/0", json={"marks": []}).status_code == 403
    assert not lake.reviews.exists()
    assert 'data-writes=""' in page.get("").text and 'id="done"' not in page.get("").text


@pytest.mark.parametrize(
    "sent",
    [
        {},
        [],
        {"marks": [{}]},
        {"marks": [mark(0) | {"type": "name"}]},
        {"marks": [mark(0) | {"end": 5.5}]},
        {"marks": [mark(0) | {"end": 9999}]},
        {"marks": [mark(0) | {"start": 20}]},
        {"marks": [mark(0), mark(0, "person")]},
    ],
)
def test_nonsense_is_refused(lake: Lake, sent: object) -> None:
    answer = client(lake).post("api/notes/0", json=sent)
    assert answer.status_code == 400 and CANARY not in answer.text
    assert read_reviews(lake) == []


def test_what_is_too_much_is_refused(lake: Lake) -> None:
    assert client(lake).post("api/notes/0", content=b"[" + b" " * (5 << 20) + b"]").status_code == 413


def test_who_decides_gets_both_readers_marks(lake: Lake) -> None:
    read_note(lake, 0, "patient", reader=ANNA)
    read_note(lake, 0, "person", reader=BEN)
    read_note(lake, 1, "patient", reader=ANNA)
    read_note(lake, 1, "patient", reader=BEN)
    disputes = disputed(read_reviews(lake))
    assert list(disputes) == [note_id(0)]
    page = client(lake, JUDGE, queue=[QueuedNote(note_id(0))], disputes=disputes)
    items = page.get("api/notes/0").json()["items"]
    assert [(item["type"], item["readers"], item["state"]) for item in items] == [
        ("patient", [1], "open"), ("person", [2], "open"),
    ]  # fmt: skip
    assert page.post("api/notes/0", json={"marks": [mark(0)]}).status_code == 200
    assert page.get("api/queue").json()["read"] == [True]
    assert disputed(read_reviews(lake)) == {}


def test_a_note_that_changed_since_the_plan_is_told(lake: Lake) -> None:
    page = client(lake, queue=[QueuedNote(note_id(0), "0" * 64)])
    assert page.get("api/notes/0").json()["changed"]
    page.post("api/notes/0", json={"marks": []})
    assert page.get("api/queue").json()["read"] == [False]


def test_a_note_that_is_gone(lake: Lake) -> None:
    answer = client(lake, queue=[QueuedNote("f" * 32)]).get("api/notes/0")
    assert answer.status_code == 409 and "no note of this id" in answer.text
    assert client(lake).get("api/notes/99").status_code == 404


def test_a_full_disk_is_told(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews.os, "write", lambda descriptor, data: 0)
    answer = client(lake).post("api/notes/0", json={"marks": []})
    assert answer.status_code == 507 and "disk is full" in answer.text
    assert read_reviews(lake) == []


def test_an_error_is_told_by_its_place_alone(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fault(*arguments: object) -> None:
        raise RuntimeError(f"cannot handle {CANARY}")

    monkeypatch.setattr(review_application, "note_json", fault)
    answer = client(lake).get("api/notes/0")
    assert answer.status_code == 500 and CANARY not in answer.text
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        f"deid review: internal error: RuntimeError at test_application.py:{fault.__code__.co_firstlineno + 1}\n",
    )


def test_agreement(lake: Lake) -> None:
    assert client(lake).get("api/agreement").json() is None
    told = {"notes": 2, "kappa": 1.0, "f1": 0.5}
    assert client(lake, agreement=lambda: told).get("api/agreement").json() == told


def test_the_texts_of_an_output_are_read_and_stored_as_such(lake: Lake) -> None:
    """Marks stay places in the raw text, and count if they were not removed."""
    table = LakeTable.of_output(lake, "own")
    table.create()
    row = {"patient_key": "k", "patient_key_id": "k", "patient_source": "note", "fingerprint": "p", "key_id": "i"}
    start, end = name_range(1)
    text = raw_text(1)[:start] + "Anna Beispiel" + raw_text(1)[end:]
    table.add(row | {"run_id": "run", "note_id": note_id(1), "year": 2011, "text": text})
    page = client(lake, policy="own")
    note = page.get("api/notes/1").json()
    assert (note["after"], note["before"]) == (text, raw_text(1))
    assert [text[first:last] for first, last in note["outputs"]] == ["Anna Beispiel"]
    assert "output “own”" in page.get("").text
    day = raw_text(1).index("3.4.2010")
    marks = [mark(1), {"start": day, "end": day + 8, "type": "date"}]
    assert page.post("api/notes/1", json={"marks": marks}).json() == {"readable": 1}
    [review] = read_reviews(lake)
    assert review.output_sha256 == text_sha256(text)
    assert review.text_sha256 == text_sha256(raw_text(1).replace(raw_text(1)[start:end], "<PER>"))
    answer = page.get("api/notes/2")
    assert (answer.status_code, "its text of policy own is not there" in answer.text) == (409, True)
    assert page.post("api/notes/2", json={"marks": []}).status_code == 409
