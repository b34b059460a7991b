"""Hiding in plain sight: what a program picks out among placeholders, consistent and random surrogates."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from deid_core.lab.evaluate import hidden_name_reading
from deid_core.lab.evaluate.hidden_names import (
    ATTACKS,
    Mention,
    by_chance,
    is_rare,
    is_unlisted,
    outputs,
    picked_out,
    stands_alone,
)


def mention(*words: str, is_leak: bool = False) -> Mention:
    return Mention(frozenset(words), is_leak)


def test_attacks_point_to_what_they_suspect() -> None:
    output = [mention("peter", "muller"), mention("muller"), mention("xylander", is_leak=True)]
    assert picked_out([output], by_chance) == [1 / 3]
    assert picked_out([output], stands_alone) == [1.0]
    assert picked_out([output], is_unlisted) == [1.0]
    assert is_rare(output[2], output, Counter(xylander=1)) > is_rare(output[1], output, Counter(muller=5))


def test_placeholders_hide_nothing_and_random_surrogates_hide_what_stands_alone() -> None:
    placeholders, consistent, random = (outputs(25, repeat, everywhere=False) for repeat in (None, 1.0, 0.0))
    for suspicion in ATTACKS.values():
        assert set(picked_out(placeholders, suspicion)) == {1.0}
    share = {name: sum(picked_out(found, stands_alone)) for name, found in (("one", consistent), ("many", random))}
    assert share["many"] < share["one"]
    assert all(sum(mention.is_leak for mention in output) == 1 for output in consistent)


def test_a_name_leaks_everywhere() -> None:
    leaks = [[m for m in output if m.is_leak] for output in outputs(25, 1.0, everywhere=True)]
    assert max(map(len, leaks)) > 1
    assert outputs(25, 1.0, everywhere=True) == outputs(25, 1.0, everywhere=True)


def test_a_reader_who_knows_the_truth_is_always_right(tmp_path: Path) -> None:
    hidden_name_reading.write(tmp_path)
    notes = (tmp_path / "notes.txt").read_text(encoding="utf-8").split("===== NOTE ")[1:]
    truth = json.loads((tmp_path / "truth.json").read_text(encoding="utf-8"))
    assert len(notes) == len(truth) == 90
    assert all(answer["missed"] in note for note, answer in zip(notes, truth, strict=True))
    assert any("<PER>" in note for note in notes)
    answers = tmp_path / "answers.tsv"
    lines = [f"{number}\t{answer['missed']}" for number, answer in enumerate(truth, 1)]
    answers.write_text("\n".join(lines), encoding="utf-8")
    assert [row[:3] for row in hidden_name_reading.score(tmp_path, answers)] == [
        ("placeholders", 10, 10),
        ("consistent", 40, 40),
        ("random", 40, 40),
    ]
    answers.write_text("\n".join(f"{number}\tNobody" for number in range(1, 90)), encoding="utf-8")
    assert [row[1] for row in hidden_name_reading.score(tmp_path, answers)] == [0, 0, 0]
