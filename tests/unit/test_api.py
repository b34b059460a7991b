"""The Python interface as a caller sees it."""

from __future__ import annotations

import math
import multiprocessing
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deid_core
from deid_core import Deidentifier, Dropped, Note, Result, api, note_from_text, read_note
from deid_core.core.errors import ConfigurationError, NoteError, Reason
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import DropReason, Span
from deid_core.pipeline.config import load_pipeline
from deid_core.pipeline.settings_file import Settings, load_settings
from deid_core.policies.key import KEY_VARIABLE, load_key

SECRET = "0123456789abcdef" * 4
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
    text = "Befund: Operation nach Billroth, Stein im linken Ureter."
    result = deidentifier.redact(text)
    assert result.dropped and {type(item) for item in result.dropped} == {Dropped}
    for item in result.dropped:
        assert item.reason is DropReason.DROP_ABOVE
        assert text[item.start : item.end] in result.text
    assert [result.dropped] == [other.dropped for other in deidentifier.pipe([text])]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("Herrn", "\x00\x07Herrn"),
        ("Sehr", "\ufeffSehr"),
        ("Peter", "\U000e0041Pe\x1fter"),
        ("Xylander", "Mu\u0308ller"),
    ],
)
def test_spans_refer_to_the_text_as_it_was_given(deidentifier: Deidentifier, old: str, new: str) -> None:
    text = LETTER.replace(old, new) + "Befund: Operation nach Billroth, Stein im linken Ureter."
    result = deidentifier.redact(text)
    name = "Peter Xylander".replace(old, new).removeprefix("\U000e0041")
    assert result.source_text == text
    assert [text[span.start : span.end] for span in result.spans] == ["Herrn", name, "1.2.1950"]
    assert {text[item.start : item.end] for item in result.dropped} == {"Stein"}
    assert deidentifier.annotate(text) == result.spans
    assert [result.text[start:end] for start, end in result.placeholders] == ["<SALUTE>", "<PER>", "<DATE>"]
    assert not {"\r", "\x00", "\U000e0041"} & set(result.text)


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


@pytest.mark.parametrize("wrong", [None, math.nan, 5, b"Herr Muster"])
def test_pipe_goes_on_after_what_is_no_text(wrong: Any) -> None:
    deidentifier = Deidentifier.load("baseline")
    texts = ["am 1.2.2010", wrong, "am 3.4.2010"]
    first, error, third = deidentifier.pipe(texts, errors="yield")
    assert isinstance(first, Result) and first.text == "am <DATE>"
    assert isinstance(third, Result) and third.text == "am <DATE>"
    assert isinstance(error, NoteError) and error.reason is Reason.UNSUPPORTED
    told = f"text 1, counted from 0: a text is a str or a Note, not {type(wrong).__name__}"
    assert told in str(error)
    results = deidentifier.pipe(texts)
    assert next(results).text == "am <DATE>"
    with pytest.raises(TypeError, match=told):
        next(results)


def test_pipe_gives_what_belongs_to_a_text_with_its_result() -> None:
    deidentifier = Deidentifier.load("baseline")
    pairs = deidentifier.pipe(iter([("am 1.2.2010", 7), (None, "x"), ("EF 55 %", 9)]), as_tuples=True, errors="yield")
    (first, seven), (error, x), (third, nine) = pairs  # type: ignore[misc]
    assert (seven, x, nine) == (7, "x", 9)
    assert isinstance(first, Result) and isinstance(third, Result)
    assert (first.text, type(error), third.text) == ("am <DATE>", NoteError, "EF 55 %")


@pytest.mark.parametrize("wrong", [("am 1.2.2010",), ("am 1.2.2010", 7, 8), "Dr", None, note_from_text("am 1.2.2010")])
def test_pipe_tells_where_something_is_no_pair(wrong: Any) -> None:
    deidentifier = Deidentifier.load("baseline")
    pairs = [("am 3.4.2010", "x"), wrong, ("EF 55 %", "z")]
    told = "text 1, counted from 0: as_tuples takes pairs of a text and anything; "
    told += f"this {type(wrong).__name__} is none"
    results = deidentifier.pipe(pairs, as_tuples=True)
    assert next(results)[0].text == "am <DATE>"
    with pytest.raises(TypeError) as raised:
        next(results)
    assert str(raised.value) == told
    (_, x), (error, nothing), (_, z) = deidentifier.pipe(pairs, as_tuples=True, errors="yield")
    assert (x, nothing, z) == ("x", None, "z")
    assert isinstance(error, NoteError) and error.reason is Reason.UNSUPPORTED
    assert told in str(error) and "1.2.2010" not in str(error)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "policy.key"
    file.write_text(SECRET)
    file.chmod(0o600)
    return file


def elsewhere(pickled: bytes, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Load a pickle as a process does that has not loaded it before."""
    monkeypatch.setattr(api, "_LOADED", threading.local())
    return pickle.loads(pickled)  # noqa: S301


def test_a_pickle_loads_what_was_loaded_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("pipeline: baseline\nengine: {max_note_tokens: 1000}\n")
    deidentifier = Deidentifier.load(settings=path, overrides={"keep": ["DATE"]})
    text = "Herr Peter Müller am 1.2.2010"
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [result] = pool.map(deidentifier.redact, [text])
        with pytest.raises(NoteError) as error:
            pool.map(deidentifier.redact, ["Wort " * 1001])
    assert result == deidentifier.redact(text)
    assert result.text.endswith("am 1.2.2010") and "Müller" not in result.text
    assert error.value.reason is Reason.TOO_LARGE


def test_a_thread_loads_a_pickle_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pickled = pickle.dumps(Deidentifier.load("baseline"))
    first = elsewhere(pickled, monkeypatch)
    assert pickle.loads(pickled) is first  # noqa: S301
    others: list[Deidentifier] = []
    thread = threading.Thread(target=lambda: others.append(pickle.loads(pickled)))  # noqa: S301
    thread.start()
    thread.join()
    assert others[0] is not first


def test_a_pickle_has_no_key(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the file, or nothing for the variable; a key that was given as an object cannot be pickled."""
    text = "Herr Peter Müller am 1.2.2010"
    by_file = Deidentifier.load("baseline", policy="readable", key=key)
    pickled = pickle.dumps(by_file)
    assert SECRET.encode() not in pickled
    assert elsewhere(pickled, monkeypatch).redact(text, "p") == by_file.redact(text, "p")
    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    by_variable = pickle.dumps(Deidentifier.load("baseline", policy="readable"))
    assert SECRET.encode() not in by_variable
    assert elsewhere(by_variable, monkeypatch).redact(text, "p") == by_file.redact(text, "p")
    with pytest.raises(pickle.PicklingError, match="would hold the key in the clear"):
        pickle.dumps(Deidentifier.load("baseline", policy="readable", key=load_key(key)))
    # A policy that draws nothing needs none.
    assert elsewhere(pickle.dumps(Deidentifier.load("baseline", key=load_key(key))), monkeypatch).redact("EF 55 %")
    key.write_text(SECRET[::-1])
    with pytest.raises(ConfigurationError, match="the policy's key differ here"):
        elsewhere(pickled, monkeypatch)


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
