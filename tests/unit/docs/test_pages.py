"""The documentation: its code runs, its links lead somewhere, and its lists are those of the code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

from deid_core.cli import COMMANDS
from deid_core.core.errors import ExitCode, Reason
from deid_core.core.spans import DropReason
from deid_core.pipeline.config import load_pipeline, pipeline_names
from deid_core.pipeline.settings_file import Settings

REPOSITORY = Path(__file__).resolve().parents[3]
PAGES = sorted([REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *(REPOSITORY / "docs").rglob("*.md")])
NAMES = [page.relative_to(REPOSITORY).as_posix() for page in PAGES]


def text_of(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(name), re.DOTALL | re.MULTILINE)


def table(text: str) -> list[str]:
    """The first cell of each row of the tables in a text, without its marks."""
    return [cell.strip(" `") for cell in re.findall(r"^\|([^|]*)\|", text, re.MULTILINE)]


WITH_CODE = [name for name in NAMES if blocks(name, "python")]


def test_there_is_code_to_run() -> None:
    assert {"README.md", "docs/python-api.md", "docs/recognisers.md"} <= set(WITH_CODE)


@pytest.mark.parametrize("name", WITH_CODE)
def test_code_runs(name: str, tmp_path: Path) -> None:
    program = [sys.executable, "-c", "\n".join(blocks(name, "python"))]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("package", ["polars", "duckdb"])
def test_code_for_other_tables_runs(package: str, tmp_path: Path) -> None:
    pytest.importorskip(package)
    [source] = [block for block in blocks("docs/dataframes.md", "py") if f"import {package}\n" in block]
    program = [sys.executable, "-c", source]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "<SALUTE> <PER> kam am <DATE>." in done.stdout


def test_the_join_for_researchers_runs(tmp_path: Path) -> None:
    deltalake = pytest.importorskip("deltalake")
    row = {"note_id": "1", "patient_key": "k", "text": "Herr <PER> kam."}
    deltalake.write_deltalake(tmp_path / "clean/deidentified", pa.Table.from_pylist([row]))
    span = {"note_id": "1", "output_start": 5, "output_end": 10, "label": "PER", "type": "patient"}
    deltalake.write_deltalake(tmp_path / "clean/phi_audit", pa.Table.from_pylist([span]))
    [source] = blocks("docs/for-researchers.md", "py")
    done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"^k +patient +<PER> +1$", done.stdout, re.MULTILINE)


def test_the_pipeline_of_the_page_is_one(tmp_path: Path) -> None:
    (source, *_) = blocks("docs/pipelines.md", "yaml")
    path = tmp_path / "ours.yaml"
    path.write_text(source, encoding="utf-8")
    pipeline = load_pipeline(str(path))
    assert pipeline.name == "ours" and pipeline.stacking is not None and pipeline.stacking.drop_above == 0.9
    assert "custom" in {recogniser.kind for recogniser in pipeline.recognisers}


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text_of(name))
    folder = (REPOSITORY / name).parent
    assert [link for link in links if not (folder / link).exists()] == []


@pytest.mark.parametrize("name", [name for name in NAMES if "report" not in name])
def test_files_that_are_named_exist(name: str) -> None:
    named = re.findall(r"`((?:jobs|conf|gazetteers|docker|tests|deid_core|data|docs)/[\w./-]*\w)`", text_of(name))
    assert [path for path in named if not (REPOSITORY / path).exists()] == []


def test_modules_of_the_code_map_exist() -> None:
    page = text_of("docs/code-map.md")
    packages = [cell for cell in table(page) if "/" not in cell and (REPOSITORY / "deid_core" / cell).is_dir()]
    listed = {path.name for path in (REPOSITORY / "deid_core").iterdir() if (path / "__init__.py").exists()}
    assert set(packages) == listed
    modules = re.findall(r"`(\w+/[\w/]*\w+\.py)`", page)
    assert modules
    places = (REPOSITORY, REPOSITORY / "deid_core")
    assert [module for module in modules if not any((place / module).exists() for place in places)] == []
    rows = re.findall(r"^\| `(\w+(?:/\w+)*)` \| (.*) \|$", page, re.MULTILINE)
    rows = [row for row in rows if row[0].split("/")[0] in listed]
    bare = [(package, name) for package, cell in rows for name in re.findall(r"`(\w+\.py)`", cell)]
    assert bare
    assert [name for package, name in bare if not [*(REPOSITORY / "deid_core" / package).rglob(name)]] == []


def test_commands_pipelines_and_exit_codes_are_those_of_the_code() -> None:
    page = text_of("docs/command-line.md")
    assert {cell.split()[1] for cell in table(page) if cell.startswith("deid ")} == set(COMMANDS)
    codes = {int(code) for code in ExitCode}
    for listing in (page, text_of("docs/operations.md")):
        assert {int(cell) for cell in table(listing) if cell.isdigit()} == codes
    assert set(pipeline_names()) <= set(table(text_of("docs/concepts.md")))


def test_the_shares_of_exit_code_65_are_the_defaults() -> None:
    section = text_of("docs/operations.md").split("### Exit code 65")[1].split("\n## ")[0]
    shares = {name: float(share) for name, share in re.findall(r"`([\w.]+_share)` \(([\d.]+)\)", section)}
    settings = Settings()
    assert shares == {
        "quarantine.allowed_share": settings.quarantine.allowed_share,
        "run.allowed_file_year_share": settings.run.allowed_file_year_share,
    }


def test_every_reason_of_the_quarantine_says_what_to_do() -> None:
    section = text_of("docs/operations.md").split("## Quarantine")[1].split("\n## ")[0]
    assert set(table(section)) - {"reason", "---"} == set(Reason)


def test_every_reason_of_a_dropped_detection_is_explained() -> None:
    section = text_of("docs/lake.md").split("## Dropped detections")[1].split("\n## ")[0]
    assert set(re.findall(r"[\w.]+", " ".join(table(section)))) - {"reason"} == set(DropReason)


def test_the_label_table_is_that_of_the_command() -> None:
    command = [sys.executable, "-m", "deid_core.cli", "labels"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    table = next(part for part in text_of("docs/labels.md").split("\n\n") if part.startswith("| type "))
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    assert [[cell.strip() for cell in row] for row in rows] == [line.split("\t") for line in lines]


def test_every_page_is_in_the_navigation() -> None:
    source = text_of("mkdocs.yml")
    entries = [entry for section in yaml.safe_load(source)["nav"] for entries in section.values() for entry in entries]
    pages = {page for entry in entries for page in (entry.values() if isinstance(entry, dict) else [entry])}
    assert pages == {path.relative_to(REPOSITORY / "docs").as_posix() for path in (REPOSITORY / "docs").rglob("*.md")}


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "unpkg.com" not in (tmp_path / "index.html").read_text(encoding="utf-8")
