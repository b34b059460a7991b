"""`deid report --html`, --pdf, --csv, --json FILE, --by type and --table corpus: what a user gets in files."""

from __future__ import annotations

import csv
import json
import os
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="needs the extra spark")

from page_lake import CANARY, page_lake

from deid_core.audit_page import pdf
from deid_core.cli import main
from deid_core.lake.layout import Lake


class Page(HTMLParser):
    """Tags, references, the text of each table's cells by its caption, and the text that is shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.text = ""
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("th", "td"):
            self._rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            continue

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text += data
        if "caption" in self._open:
            self.tables[data] = self._rows
        elif {"th", "td"} & set(self._open):
            self._rows[-1][-1] += data

    def shown(self) -> str:
        return re.sub(r"\s+", " ", self.text)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return page_lake(tmp_path)


def page(lake: Lake, folder: Path, *options: str) -> tuple[Page, str]:
    assert main(["report", "--lake", str(lake.root), "--html", str(folder / "page.html"), *options]) == 0
    text = (folder / "page.html").read_text(encoding="utf-8")
    return Page(text), text


def test_the_page_says_first_what_is_asked_first(lake: Lake, tmp_path: Path) -> None:
    shown = page(lake, tmp_path)[0].shown()
    sentences = [
        "3 points need a look before you sign.",
        "5 notes of the years 2010 to 2011 were received.",
        "3 of them were de-identified and are in the corpus. 1 more was deleted at the source",
        "4 spans were removed: 20.0 for each 1,000 tokens.",
        "From 1 note nothing was removed (33.3 %).",
        "with version 0.5.0, pipeline “default” and policy “thesis”",
        "The last run ended on 2 March 2026, 01:02 UTC.",
        "Have deid check run before you sign",
        "1 of 4 removed spans have a score below 0.5 (25 %).",
        "Warning: 33.3 % of the notes have the year of their file's date; more than 5 % is too much.",
    ]
    places = [shown.find(sentence) for sentence in sentences]
    assert -1 not in places, sentences[places.index(-1)]
    assert places[:8] == sorted(places[:8])


def test_its_tables_have_the_figures(lake: Lake, tmp_path: Path) -> None:
    tables = page(lake, tmp_path)[0].tables
    assert tables["Removed spans per 1,000 tokens, by label and year"] == [
        ["Label", "2010", "2011", "All years"],
        ["Names of persons PER", "20.0", "10.0", "15.0"],
        ["Dates DATE", "10.0", "0", "5.00"],
        ["Total", "30.0", "10.0", "20.0"],
    ]
    assert tables["Removed spans per 1,000 tokens, by type and year"][1] == ["Patient PER", "10.0", "10.0", "10.0"]
    assert tables["Notes in quarantine by reason and year of the file, if it is known"] == [
        ["Reason", "2011", "unknown", "Total"],
        ["The file has no text empty", "0", "1", "1"],
        ["De-identifying took too long engine_timeout", "1", "0", "1"],
    ]
    assert tables["Dropped detections by rule, the most frequent first"][1][:5] == [
        "crf", "crf.PER", "Names of persons", "stacking.drop_above", "2",
    ]  # fmt: skip
    difference = tables["Removed spans in the lake after the last two runs"]
    assert difference[2] == ["Names of persons PER", "2", "3", "+1", "12.5", "15.0"]


def test_it_needs_nothing_from_elsewhere(lake: Lake, tmp_path: Path) -> None:
    found, text = page(lake, tmp_path)
    assert not {"script", "link", "img", "iframe", "object", "embed"} & {tag for tag, _ in found.tags}
    references = [attributes.get("href") or attributes.get("src") for _, attributes in found.tags]
    assert {reference for reference in references if reference and not reference.startswith("#")} == set()
    assert not re.search(r"https?:|//[a-z]|url\(|@import", text)
    assert "default-src 'none'" in text


def test_whoever_cannot_see_it_can_read_it(lake: Lake, tmp_path: Path) -> None:
    """Each table has a caption and headings, each chart a name, each link a place, and headings skip no level."""
    found, text = page(lake, tmp_path)
    tags = [tag for tag, _ in found.tags]
    assert tags.count("table") == tags.count("caption") == len(found.tables) > 10
    assert all(attributes.get("scope") for tag, attributes in found.tags if tag == "th")
    charts = [attributes for tag, attributes in found.tags if tag == "svg"]
    assert len(charts) == 2 and all(chart["role"] == "img" and chart["aria-label"] for chart in charts)
    ids = {attributes["id"] for _, attributes in found.tags if "id" in attributes}
    assert {target[1:] for tag, attributes in found.tags if (target := attributes.get("href"))} <= ids
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))
    assert '<html lang="en">' in text


def test_in_german(lake: Lake, tmp_path: Path) -> None:
    found, text = page(lake, tmp_path, "--language", "de")
    assert '<html lang="de">' in text
    assert "5 Briefe aus den Jahren 2010 bis 2011 sind angekommen." in found.shown()
    assert found.tables["Entfernte Stellen je 1.000 Tokens, nach Label und Jahr"][1][1] == "20,0"


def test_no_file_names_anybody(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Paths, texts and details of the ledger hold the name; the page, the figures and what is printed do not."""
    options = ["--html", str(tmp_path / "p.html"), "--json", str(tmp_path / "p.json"), "--csv", str(tmp_path / "csv")]
    assert main(["report", "--lake", str(lake.root), *options]) == 0
    files = [tmp_path / "p.html", tmp_path / "p.json", *(tmp_path / "csv").iterdir()]
    assert len(files) > 10
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert CANARY not in text and ".doc" not in text and str(lake.root) not in text, file.name
    assert CANARY not in "".join(capsys.readouterr())


def test_the_documentation_names_each_file(lake: Lake, tmp_path: Path) -> None:
    """And the page says how what was missed is measured."""
    options = ["--csv", str(tmp_path / "csv"), "--html", str(tmp_path / "p.html")]
    assert main(["report", "--lake", str(lake.root), *options]) == 0
    told = (Path(__file__).parents[3] / "docs" / "audit-page.md").read_text(encoding="utf-8")
    names = [file.name for file in (tmp_path / "csv").iterdir()]
    unnamed = [name for name in names if f"`{name}`" not in told and f"`{name.removesuffix('.csv')}`" not in told]
    assert not unnamed
    assert "deid certify plan" in Page((tmp_path / "p.html").read_text(encoding="utf-8")).shown()


def test_json_and_csv_have_the_same_figures(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    assert main(["report", "--lake", str(lake.root), "--json", str(out), "--csv", str(tmp_path / "csv")]) == 0
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["summary"]["spans"] == 4
    assert figures["summary"]["last_run_finished"] == "2026-03-02T01:02:00+00:00"
    assert {finding["name"] for finding in figures["findings"]} == {"without_spans", "quarantined", "year_of_file"}
    for name, rows in figures["tables"].items():
        with (tmp_path / "csv" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            read = list(csv.DictReader(file))
        assert read == [{key: "" if cell is None else str(cell) for key, cell in row.items()} for row in rows]


def test_an_old_table_does_not_stay_in_the_folder(lake: Lake, tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    stale = tmp_path / "csv" / "last_two_runs.csv"
    stale.write_text("old")
    for file in lake.runs.rglob("*"):
        if file.is_file():
            file.unlink()
    assert main(["report", "--lake", str(lake.root), "--csv", str(tmp_path / "csv")]) == 0
    assert stale.read_text() == ""


def test_by_type_and_table_corpus(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--lake", str(lake.root), "--by", "type", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["type"], row["spans"], row["per_1000_tokens"]) for row in rows] == [
        ("clinician", 1, 5.0), ("date", 1, 5.0), ("patient", 2, 10.0),
    ]  # fmt: skip
    assert main(["report", "--lake", str(lake.root), "--table", "corpus"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "year   notes  lines  tokens",
        "2010       1      2     100",
        "2011       2      4     100",
        "total      3      6     200",
    ]


def test_without_chromium_pdf_says_so(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    html = tmp_path / "p.html"
    assert main(["report", "--lake", str(lake.root), "--html", str(html), "--pdf", str(tmp_path / "p.pdf")]) == 64
    assert "chromium" in capsys.readouterr().err
    assert not html.exists()


def test_pdf(lake: Lake, tmp_path: Path) -> None:
    if not any(os.access(Path(folder) / name, os.X_OK) for folder in os.get_exec_path() for name in pdf.BROWSERS):
        pytest.skip("needs Chromium")
    assert main(["report", "--lake", str(lake.root), "--pdf", str(tmp_path / "p.pdf")]) == 0
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF-")


def test_usage_errors_come_before_any_work(lake: Lake, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = ["report", "--lake", str(lake.root)]
    assert main([*report, "--html", str(tmp_path / "no" / "p.html"), "--json", str(tmp_path)]) == 64
    error = capsys.readouterr().err
    assert "--html" in error and "--json" in error
    assert main([*report, "--html", str(tmp_path / "p.html"), "--by", "year"]) == 64
    assert main(["report", "--lake", str(tmp_path / "none"), "--html", str(tmp_path / "p.html")]) == 64
    assert "no such lake" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main([*report, "--csv", str(tmp_path / "file")]) == 64
    assert not (tmp_path / "p.html").exists()
