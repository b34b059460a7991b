"""The index of the letters: it is current, its counts are right, and the data card states them."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

from deid_core.core.data_folders import letters_dir
from deid_core.core.labels import Label
from deid_core.lab.corpora.letter_index import INDEX_FILE, letters_index, writer_of

LETTER = """\
kind: Arztbrief
speciality: Kardiologie
country: DE
year: 2009
---
<salute>Frau</salute> <patient>Beispiel</patient> und <clinician>Muster</clinician>
"""


def rows() -> list[dict[str, str]]:
    with (letters_dir() / INDEX_FILE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_row_has_head_and_counts_and_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "train" / "dense"
    folder.mkdir(parents=True)
    (folder / "ab01-2.txt").write_text(LETTER, encoding="utf-8")
    _, row = letters_index(tmp_path).splitlines()
    values = row.split("\t")
    assert values[:10] == "train/dense/ab01-2.txt train dense ab Arztbrief Kardiologie DE 2009 24 4".split()
    counts = dict(zip(Label, map(int, values[10:]), strict=True))
    assert {label: count for label, count in counts.items() if count} == {Label.PER: 2, Label.SALUTE: 1}


def test_the_index_of_the_checkout_is_current() -> None:
    written = (letters_dir() / INDEX_FILE).read_text(encoding="utf-8")
    assert written == letters_index(letters_dir()), "run `deid letters index`"


def test_no_writer_is_in_two_parts() -> None:
    parts = {(row["split"], row["part"]): set[str]() for row in rows()}
    for row in rows():
        parts[row["split"], row["part"]].add(row["writer"])
    assert sum(map(len, parts.values())) == len(set().union(*parts.values()))
    assert writer_of("sgh03-1") == "sgh" and writer_of("7-1") == ""


def test_the_data_card_states_the_figures_of_the_index() -> None:
    card = (letters_dir() / "README.md").read_text(encoding="utf-8")
    total = 0
    for (split, part), group in groupby(rows(), key=lambda row: (row["split"], row["part"])):
        letters = list(group)
        total += len(letters)
        tokens = sum(int(row["tokens"]) for row in letters)
        spans = sum(int(row[label]) for row in letters for label in Label)
        writers = len({row["writer"] for row in letters})
        assert f"| `{split}/{part}` | {len(letters)} | {writers} | {tokens:,} | {spans:,} |" in card
    years = [int(row["year"]) for row in rows()]
    assert f"{total:,} synthetic German" in card and f"the years {min(years)} to {max(years)}" in card
