"""Words that are never removed, and words that are removed always, at the level of a whole pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core import Deidentifier
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label
from deid_core.core.note import Note
from deid_core.core.spans import Dropped, DropReason
from deid_core.ensemble.own_lists import KIND
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, load_pipeline, parse_pipeline
from deid_core.pipeline.engine import Deidentified, Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.known_terms import Term, TermKind, TermSource
from deid_core.pipeline.note_steps import NoteSteps
from deid_core.text.document import Document

GAZETTEER = compile_lists({ListKind.SURNAME: ["Stein", "Sommer"], ListKind.TOWN: ["Ulm"]})
HEADER = "Sehr geehrte Kollegen,\nwir berichten über Ihren Patienten Herrn Anton Stein, geb. 1.2.1950, aus Ulm.\n"


def spec(gazetteer: Gazetteer = GAZETTEER, **lists: object) -> EngineSpec:
    pipeline = load_pipeline("baseline", {f"lists.{name}": value for name, value in lists.items()})
    return EngineSpec(pipeline, EngineSettings(), gazetteer)


def deidentified(text: str, gazetteer: Gazetteer = GAZETTEER, **lists: object) -> Deidentified:
    return Engine(spec(gazetteer, **lists)).deidentify(Note("n", text))


@pytest.mark.parametrize("form", ["Stein", "STEIN", "stein", "Steins", "Steine", "Steinen"])
def test_never_words_hold_in_any_case_and_inflection(form: str) -> None:
    always = {"PER": [form.lower()]}
    assert deidentified(f"Der {form} war da.", always={"PER": ["Stein"]}).text == "Der <PER> war da."
    if form.lower() == "stein":
        assert form in deidentified(f"Der {form} war da.", never=["stein"]).text
        assert deidentified(f"Der {form} war da.", always=always).text == "Der <PER> war da."


def test_umlauts_and_their_spellings_are_the_same() -> None:
    found = deidentified("Müßig, Muessig und MUESSIGS Hut", always={"PER": ["Müßig"]})
    assert found.text == "<PER>, <PER> und <PER> Hut"


def test_other_words_that_begin_alike_are_no_forms() -> None:
    text = "Steiner, Steinbruch, Hals, Ranzlerin"
    assert deidentified(text, always={"PER": ["Stein", "Hal", "Ranzler"]}).text == text


def test_several_words_and_the_longest_entry() -> None:
    found = deidentified("Haus am Walde, Hauses am Walde, am Walde", always={"ORG": ["Haus am Walde"], "LOC": ["Haus"]})
    assert found.text == "<ORG>, <ORG>, am Walde"
    assert {span.recogniser for span in found.spans} == {KIND}


def test_a_part_of_a_hyphenated_word_is_removed_with_the_word() -> None:
    assert deidentified("Frau Ranzler-Kunz kam", always={"PER": ["Ranzler"]}).text == "<SALUTE> <PER> kam"


def test_never_words_are_cut_out_and_told() -> None:
    found = deidentified("Befund nach Stein positiv", never=["Stein"])
    assert found.text == "Befund nach Stein positiv"
    assert [(d.label, d.reason) for d in found.dropped] == [(Label.PER, DropReason.NEVER)]
    assert found.refused == 0


def test_what_was_dropped_and_removed_under_another_span_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two detections that were dropped a span covers one wholly, the other but for its end."""
    engine = Engine(spec(never=["Stein"]))
    decide = engine._decide

    def with_dropped(document: Document, steps: NoteSteps) -> Iterator[None]:
        decided = yield from decide(document, steps)
        span = decided.spans[0]
        whole = Dropped.from_detection(span, DropReason.DROP_ABOVE)
        return decided._replace(dropped=(whole, whole._replace(end=span.end + 2)))

    monkeypatch.setattr(engine, "_decide", with_dropped)
    found = engine.deidentify(Note("n", "Am 3.4.2010 kam er."))
    [span] = found.spans
    assert [(d.start, d.end) for d in found.dropped] == [(span.start, span.end + 2)]


def test_names_of_the_letterhead_are_removed_all_the_same_and_counted() -> None:
    found = deidentified(HEADER + "Herr Stein kam. Nach Stein positiv. Der Sommer war da.", never=["Stein", "Sommer"])
    assert "Stein" not in found.text
    assert "Sommer" in found.text
    assert found.refused >= 2


def test_a_name_that_the_hospital_knows_is_removed_all_the_same_and_counted() -> None:
    known = [Term(TermKind.NAME, "Anton Stein", TermSource.HOSPITAL)]
    engine = Engine(spec(never=["Stein"]))
    found = engine.deidentify(Note("n", "Befund nach Stein positiv"), known=known)
    assert found.text == "Befund nach <PER> positiv"
    assert found.refused == 1


def test_a_whole_by_its_form_is_never_cut() -> None:
    found = deidentified("Am 3. Mai 2010, a.mai@klinik.de", never=["Mai", "Klinik", "3"])
    assert found.text == "Am <DATE>, <EMAIL>"


def test_always_comes_before_never() -> None:
    found = deidentified("Haus Stein und Stein", never=["Stein"], always={"ORG": ["Haus Stein"]})
    assert found.text == "<ORG> und Stein"


def test_medical_words_of_the_hospital_are_never_removed() -> None:
    gazetteer = compile_lists({ListKind.SURNAME: ["Stein"], ListKind.KEPT_WORD: ["stein"]})
    assert deidentified("Befund nach Stein positiv", gazetteer).text == "Befund nach Stein positiv"


def test_lists_travel_with_the_pipeline_and_change_its_fingerprint() -> None:
    plain, one, other = spec(), spec(never=["Stein"], always={"PER": ["Ranzler"]}), spec(never=["Steine"])
    assert len({plain.fingerprint, one.fingerprint, other.fingerprint}) == 3
    again = EngineSpec.from_bytes(one.to_bytes())
    assert again.pipeline.lists == one.pipeline.lists
    assert again.fingerprint == one.fingerprint
    assert parse_pipeline(one.pipeline.model_dump(mode="json")).lists == one.pipeline.lists


WORDS = st.lists(st.sampled_from(["Stein", "Sommer", "Ulm", "kam", "Herr", "am", "3.4.2010", "Ranzler", ",", "-"]))


@given(WORDS, st.sets(st.sampled_from(["Stein", "Sommer", "Ulm", "Ranzler", "Herr Stein"])))
def test_what_is_never_removed_only_takes_away_from_the_spans(words: list[str], never: set[str]) -> None:
    text = " ".join(words)
    before, after = deidentified(text), deidentified(text, never=sorted(never))

    def covered(found: Deidentified) -> set[int]:
        return {at for span in found.spans for at in range(span.start, span.end) if text[at].isalnum()}

    assert covered(after) <= covered(before)
    kept = {at for d in after.dropped if d.reason is DropReason.NEVER for at in range(d.start, d.end)}
    assert covered(before) - covered(after) <= kept


# --- files ----------------------------------------------------------------------------------------------------------


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder / "ours.yaml"


def test_files_are_relative_to_the_yaml_file(tmp_path: Path) -> None:
    ours = written(tmp_path, never="# sense: ours\n\nStein\n", staff="Ranzler\nXylander\n", more="Quandt\n")
    ours.write_text(
        "extends: baseline\nlists:\n  never: never.txt\n  always: {staff.txt: PER, more.txt: PER, ORG: [Haus Ulm]}\n"
    )
    lists = load_pipeline(str(ours)).lists
    assert lists.never == ["Stein"]
    assert lists.always == {Label.PER: ["Ranzler", "Xylander", "Quandt"], Label.ORG: ["Haus Ulm"]}


def test_several_files_and_words_in_one_list(tmp_path: Path) -> None:
    ours = written(tmp_path, one="Stein\n", two="Sommer\n")
    ours.write_text("extends: baseline\nlists: {never: [one.txt, two.txt, Winter]}\n")
    assert load_pipeline(str(ours)).lists.never == ["Stein", "Sommer", "Winter"]


def test_all_problems_come_at_once_with_file_and_line(tmp_path: Path) -> None:
    ours = written(tmp_path, bad="Stein\na\tb\n--\n", empty="# nothing\n", staff="Ranzler\n")
    ours.write_text(
        "extends: baseline\nlists:\n  never: [bad.txt, none.txt, empty.txt]\n  always:\n    staff.txt: PERSON\n"
        "keeps: [AGE]\n"
    )
    with pytest.raises(ConfigurationError) as error:
        load_pipeline(str(ours))
    begins = [f"{tmp_path}/bad.txt:2:", f"{tmp_path}/bad.txt:3:", f"{tmp_path}/none.txt:", f"{tmp_path}/empty.txt:1:"]
    begins += [f"{ours}:5: lists.always.PERSON", f"{ours}:6: keeps:"]
    assert len(error.value.problems) == len(begins)
    assert all(problem.startswith(begin) for problem, begin in zip(error.value.problems, begins, strict=True))


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ({"never": ["Ab"], "always": {"PER": ["aB"]}}, "1 entries in common"),
        ({"never": ["--"]}, "no letter or digit"),
    ],
)
def test_contradictions_are_errors_that_quote_no_entry(lists: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told) as error:
        load_pipeline("baseline", {f"lists.{name}": value for name, value in lists.items()})
    assert "aB" not in str(error.value)


@pytest.mark.parametrize("word", ["Uhr", "Oberarzt", "und"])
def test_a_word_of_an_own_list_is_removed_beside_a_name_too(word: str) -> None:
    """One span with the name; boundary trimming would cut such a word off."""
    deidentifier = Deidentifier.load("default", overrides={"lists.always": {"PER": [word]}})
    text = f"{HEADER}Herr Anton Stein {word} kommt morgen wieder.\n"
    assert word not in deidentifier.redact(text).text.splitlines()[-1]
