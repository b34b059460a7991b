"""Phrases of official medical texts: items and paragraphs, without those of the law, divided once and for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lab.corpora.medical_phrases import read_phrases

TEXT = """\
---
Title: Ordnung der Gebühren
slug: head
---

# Ordnung

(1) Die Erlaubnis nach diesem Gesetz gilt für vier Jahre.

*   Exzision einer **Warze**,
    einseitig
*   Bestimmung von Antikörpern, Ziffer 4711
*   Wurzelkanal
-   Exzision einer Warze, einseitig

§ 5 Bemessung

Erkrankungen durch Quecksilber
oder seine Verbindungen
"""


def phrases(file: Path, part: str) -> list[str]:
    return [line for text in read_phrases([file], part) for line in text.text.split("\n")]


def test_items_and_paragraphs_are_phrases_but_not_those_of_the_law_with_numbers_or_of_one_word(tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text(TEXT, encoding="utf-8")
    found = phrases(tmp_path / "text.md", "train") + phrases(tmp_path / "text.md", "dev")
    assert sorted(found) == [
        "Erkrankungen durch Quecksilber oder seine Verbindungen",
        "Exzision einer Warze, einseitig",
    ]


@pytest.mark.parametrize("part", ["train", "dev"])
def test_texts_have_up_to_thirty_phrases_and_no_spans(tmp_path: Path, part: str) -> None:
    (tmp_path / "text.md").write_text("\n\n".join(f"Resektion an Stelle {n}" for n in range(99)), encoding="utf-8")
    texts = read_phrases([tmp_path / "text.md"], part)
    sizes = [text.text.count("\n") + 1 for text in texts]
    assert sum(sizes) < 99
    assert set(sizes[:-1]) <= {30}
    assert sizes[-1] <= 30
    assert len({text.id for text in texts}) == len(texts)
    assert not any(text.spans for text in texts)


@given(st.lists(st.from_regex(r"[a-z]{3,9} [a-z]{3,9}", fullmatch=True), unique=True, max_size=40))
def test_a_phrase_is_of_one_part_whatever_else_there_is(
    tmp_path_factory: pytest.TempPathFactory, items: list[str]
) -> None:
    file = tmp_path_factory.mktemp("phrases") / "text.md"
    parts: list[list[str]] = []
    for lines in (items, items[: len(items) // 2]):
        file.write_text("\n\n".join(lines), encoding="utf-8")
        parts += [phrases(file, "train"), phrases(file, "dev")]
    train, dev, half_train, half_dev = map(set, parts)
    assert not train & dev
    assert half_train <= train
    assert half_dev <= dev
