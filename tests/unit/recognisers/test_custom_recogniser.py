"""Recogniser `custom`: own expressions and lists in YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core import Deidentifier, note_from_text
from deid_core.core.errors import ConfigurationError, NoteError
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec

TEXT = (
    "Thrombose der Vena cava inferior, STUDY-4711, EF 55 %. Herr Peter Xylander von der Gruppe Blauer Stein, 1.2.2010."
)


def load(tmp_path: Path, custom: str, base: str = "default") -> Deidentifier:
    path = tmp_path / "own.yaml"
    path.write_text(f"extends: {base}\nrecognisers:\n  - kind: custom\n{custom}")
    return Deidentifier.load(path)


def test_own_expressions_and_lists_come_first_and_are_never_dropped(tmp_path: Path) -> None:
    (tmp_path / "teams.txt").write_text("# teams\nBlauer Stein\nRoter Stein\n")
    own = load(
        tmp_path,
        "    patterns:\n      - {name: study, label: ID, type: case_id, "
        "regex: 'study-(?P<phi>[0-9]+)', flags: [ignorecase]}\n"
        "      - {name: vessel, label: PROFESSION, regex: Vena}\n      - {name: first, label: ORG, regex: Peter}\n"
        "    lists:\n      - {name: teams, label: ORG, file: teams.txt}\n"
        "      - {name: words, label: AGE, words: [INFERIOR], case: ignore}\n",
    )
    result = own.redact(TEXT)
    assert result.text == (
        "Thrombose der <PROFESSION> cava <AGE>, STUDY-<ID>, EF 55 %. <SALUTE> <ORG> <PER> von der Gruppe <ORG>, <DATE>."
    )
    found = {span.rule: (span.type, span.recogniser) for span in result.spans if span.recogniser == "custom"}
    assert found["study"] == ("case_id", "custom")
    assert found["teams"] == ("organisation", "custom")
    assert set(found) == {"study", "vessel", "first", "teams", "words"}


def test_an_own_expression_stays_where_the_label_of_a_field_is_cut(tmp_path: Path) -> None:
    own = load(tmp_path, "    patterns:\n      - {name: field, label: LOC, regex: Str}\n")
    redacted = own.redact("Aufnahme am 1.2.2010. Str=unbekannt, am 3.4.2010").text
    assert redacted == "Aufnahme am <DATE>. <LOC>=unbekannt, am <DATE>"


def test_words_of_a_file_travel_with_the_spec_and_change_the_fingerprint(tmp_path: Path) -> None:
    lists = "    lists:\n      - {name: teams, label: ORG, file: teams.txt}\n"
    (tmp_path / "teams.txt").write_text("Blauer Stein\n")
    spec = load(tmp_path, lists, "baseline")._engine.spec
    (tmp_path / "teams.txt").write_text("Roter Stein\n")
    assert load(tmp_path, lists, "baseline").fingerprint != spec.fingerprint
    (tmp_path / "teams.txt").unlink()
    again = EngineSpec.from_bytes(spec.to_bytes())
    assert again.fingerprint == spec.fingerprint
    assert [span.rule for span in Engine(again).annotate(note_from_text("Gruppe Blauer Stein"))] == ["teams"]


def test_an_expression_without_end_stops_thenote_from_text(tmp_path: Path) -> None:
    own = load(
        tmp_path,
        "    timeout_s: 0.2\n    patterns:\n      - {name: slow, label: ID, regex: '(x+x+)+y'}\n",
        "baseline",
    )
    with pytest.raises(NoteError, match=r"engine_timeout: custom\.slow"):
        own.redact("x" * 5000)
    assert own.redact("am 1.2.2010").text == "am <DATE>"


def test_all_mistakes_come_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(
        "extends: baseline\nrecognisers:\n  - kind: custom\n    patterns:\n"
        "      - {name: a, label: ID, regex: '(['}\n"
        "      - {name: b, label: NAME, regex: x}\n"
        "      - {name: c, label: PER, type: town, regex: x}\n"
        "      - {name: d, label: ID, regex: 'x*'}\n"
        "    lists:\n      - {name: e, label: PER, file: absent.txt}\n"
        "      - {name: f, label: PER, words: []}\n"
        "      - {name: G h, label: PER, words: [x]}\n"
    )
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(path))
    told = [problem.removeprefix(str(path)) for problem in error.value.problems]
    assert [problem.split(":")[1] for problem in told] == ["5", "6", "7", "8", "10", "11", "12"]
    words = [
        "is not a regular expression",
        "'PER', 'LOC'",
        "is no type of PER; there are: patient",
        "matches the empty text",
        f"file: {tmp_path}/absent.txt cannot be read: No such file",
        "at least 1 item",
        "should match pattern",
    ]
    assert all(word in problem for word, problem in zip(words, told, strict=True))


def test_only_a_line_that_begins_with_a_hash_is_a_comment(tmp_path: Path) -> None:
    lists = "    lists:\n      - {name: wards, label: ORG, file: wards.txt}\n"
    (tmp_path / "wards.txt").write_text("# wards\nStation #3\n\nBlauer Stein\n")
    assert load(tmp_path, lists, "baseline").redact("auf Station #3 verlegt").text == "auf <ORG> verlegt"
    (tmp_path / "wards.txt").write_text("Station #3\nBlauer Stein  # of old\n")
    with pytest.raises(ConfigurationError, match=r"wards\.txt:2: holds a comment after the entry"):
        load(tmp_path, lists, "baseline")
