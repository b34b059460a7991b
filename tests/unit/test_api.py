"""The Python interface as a caller sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deid_core
from deid_core import Deidentifier, Dropped, Note, Result, note_from_text, read_note
from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import DropReason, Span
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.settings_file import Settings, load_settings

LETTER = "Sehr geehrte Kollegen,\nwir berichten über Herrn Peter Xylander, geb. am 1.2.1950.\n"


@pytest.fixture(scope="module")
def deidentifier() -> Deidentifier:
    return Deidentifier.load("default")


def test_a_text_is_redacted_and_its_spans_refer_to_it(deidentifier: Deidentifier) -> None:
    result = deidentifier.redact(LETTER)
    assert result.text == "Sehr geehrte Kollegen,\nwir berichten über <SALUTE> <PER>, geb. am <DATE>.\n"
    assert result.source_text == LETTER
    assert [LETTER[span.start : span.end] for span in result.spans] == ["Herrn", "Peter Xylander", "1.2.1950"]
    assert [result.text[start:end] for start, end in result.placeholders] == ["<SALUTE>", "<PER>", "<DATE>"]
    assert deidentifier.annotate(LETTER) == result.spans


def test_a_result_says_what_was_found_and_dropped(deidentifier: Deidentifier) -> None:
    text = "Befund: Stein im linken Ureter, Vogel und Krause unauffällig."
    result = deidentifier.redact(text)
    assert result.dropped and {type(item) for item in result.dropped} == {Dropped}
    for item in result.dropped:
        assert item.reason is DropReason.DROP_ABOVE
        assert text[item.start : item.end] in result.text
    assert [result.dropped] == [other.dropped for other in deidentifier.pipe([text])]


def test_spans_of_a_text_with_other_line_ends_refer_to_the_source_text(deidentifier: Deidentifier) -> None:
    result = deidentifier.redact(LETTER.replace("\n", "\r\n").replace("Herrn", "\x00Herrn"))
    assert result.source_text == LETTER
    assert result == deidentifier.redact(LETTER)


@settings(max_examples=200)
@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\t"), max_size=60))
def test_offsets_count_characters_of_the_given_text_unless_it_has_control_characters(text: str) -> None:
    kept = "".join(c for c in text if c not in "\ufffe\uffff" and not "\U000e0000" <= c < "\U000e0080")
    assert note_from_text(text).text == kept


def test_a_text_and_a_note_give_the_same_spans(deidentifier: Deidentifier, tmp_path: Path) -> None:
    path = tmp_path / "brief.txt"
    path.write_text(LETTER)
    spans = deidentifier.annotate(LETTER)
    assert deidentifier.annotate(Note("n", LETTER)) == spans
    note = read_note(path)
    assert (note.note_id, deidentifier.annotate(note)) == ("brief", spans)


@pytest.mark.parametrize("wrong", [b"Herr Muster", 5, None, ["Herr Muster"]])
def test_what_is_no_text_is_refused_with_its_type(deidentifier: Deidentifier, wrong: object) -> None:
    with pytest.raises(TypeError, match=f"a text is a str or a Note, not {type(wrong).__name__}"):
        deidentifier.redact(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a text is a str"):
        list(deidentifier.pipe([wrong]))  # type: ignore[list-item]


def test_one_text_is_no_list_of_texts(deidentifier: Deidentifier) -> None:
    with pytest.raises(TypeError, match="for one text use redact"):
        deidentifier.pipe("Herr Muster")


def test_what_is_known_of_a_text_is_removed() -> None:
    deidentifier = Deidentifier.load("baseline")
    text = "Quendelins Werte sind gut, Nummer 17 24 56-3."
    assert deidentifier.redact(text).text == text
    found = deidentifier.redact(text, identity={"name": ["Quendelin, Quentin"], "number": "1724563"})
    assert found.text == "<PER> Werte sind gut, Nummer <ID>."
    assert [(span.recogniser, span.rule) for span in found.spans] == [
        ("sweep", "hospital.name.gazetteer"),
        ("sweep", "hospital.number.pattern"),
    ]
    with pytest.raises(ConfigurationError, match="there is no kind 'names'"):
        deidentifier.redact(text, identity={"names": "Quendelin"})


def test_pipe_gives_what_redact_gives_in_order(deidentifier: Deidentifier) -> None:
    texts = [LETTER, "EF 55 %", LETTER * 2000, "", LETTER.replace("Peter", "Anna")]
    assert list(deidentifier.pipe(iter(texts))) == [deidentifier.redact(text) for text in texts]


def test_pipe_reads_texts_only_as_it_needs_them(deidentifier: Deidentifier) -> None:
    taken = 0

    def texts() -> object:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield "Herr Muster kam. " * 1000

    results = deidentifier.pipe(texts())  # type: ignore[arg-type]
    next(results)
    assert taken < 10


def test_pipe_yields_the_error_of_a_note_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    deidentifier = Deidentifier.load("baseline")
    real = deidentifier._engine.deidentify

    def fail(note: Note, patient: str, known: object) -> object:
        if note.text == "bad":
            raise NoteError(Reason.ENGINE_TIMEOUT, "pattern")
        return real(note, patient)

    monkeypatch.setattr(deidentifier._engine, "deidentify", fail)
    monkeypatch.setattr(deidentifier._engine, "deidentify_all", lambda notes: None)
    first, second, third = deidentifier.pipe(["a", "bad", "b"], errors="yield")
    assert (isinstance(first, Result), isinstance(second, NoteError), isinstance(third, Result)) == (True, True, True)
    with pytest.raises(NoteError):
        list(deidentifier.pipe(["a", "bad", "b"]))
    with pytest.raises(ValueError, match="'raise' or 'yield'"):
        deidentifier.pipe([], errors="ignore")  # type: ignore[call-overload]


def test_a_pipeline_is_a_name_a_path_or_an_object(repository: Path) -> None:
    path = repository / "conf" / "pipelines" / "baseline.yaml"
    pipelines = ["baseline", str(path), path, load_pipeline("baseline")]
    assert {Deidentifier.load(pipeline).fingerprint for pipeline in pipelines} == {
        Deidentifier.load("baseline").fingerprint
    }
    assert Deidentifier.load("baseline").pipeline.name == "baseline"
    with pytest.raises(TypeError, match="not int"):
        Deidentifier.load(5)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="there are: baseline, careful, default"):
        Deidentifier.load("basline")


def test_settings_are_a_path_or_an_object(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("pipeline: baseline\nengine: {note_time_limit_s: 1.0e-9}\n")
    for given_settings in (path, str(path), load_settings(path)):
        deidentifier = Deidentifier.load(settings=given_settings)
        assert deidentifier.pipeline.name == "baseline"
        with pytest.raises(NoteError, match="engine_timeout"):
            deidentifier.redact(LETTER)
    assert Deidentifier.load("baseline", settings=Settings()).redact("am 1.2.2010").text == "am <DATE>"


def test_read_note_tells_why_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "brief.docx"
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(NoteError) as error:
        read_note(path)
    assert error.value.reason is Reason.CORRUPT
    with pytest.raises(ConfigurationError, match="there is no such file"):
        read_note(tmp_path / "absent.doc")


def test_a_result_shows_no_text_but_in_a_notebook() -> None:
    span = Span(3, 9, Label.PER, PhiType.PATIENT, "crf", "crf.PER", 0.987)
    result = Result("x <PER> & y", (span,), "<b>Muster & Co</b>")
    assert repr(result) == "Result(11 characters, 1 spans)"
    html = result._repr_html_()
    assert "&lt;b&gt;<mark" in html
    assert "Muster" in html
    assert " &amp; Co&lt;/b&gt;" in html
    assert "PER (patient), crf: crf.PER, score 0.987" in html
    assert ">PER 1</span>" in html
    assert "no spans" in Result("", (), "")._repr_html_()


def test_importing_the_package_loads_neither_numba_nor_numpy() -> None:
    program = (
        "import sys, deid_core; loaded = {m.split('.')[0] for m in sys.modules}; "
        "assert not loaded & {'numba', 'numpy', 'pydantic', 'pyspark'}, loaded; "
        "from deid_core import Deidentifier; assert 'numba' not in sys.modules; print(dir(deid_core))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Deidentifier" in done.stdout


def test_the_package_names_what_it_has_and_is_typed() -> None:
    assert all(hasattr(deid_core, name) for name in deid_core.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Redactor'"):
        deid_core.Redactor  # noqa: B018
    assert Path(deid_core.__file__).with_name("py.typed").is_file()
