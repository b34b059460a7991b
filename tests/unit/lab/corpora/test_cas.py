"""UIMA CAS as XMI and JSON through dkpro-cassis."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from corpus_strategies import XML_CRITICAL, annotated_texts
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.lab.corpora import AnnotatedText, LabelledSpan
from deid_core.lab.corpora.cas import read_cas, write_cas

pytest.importorskip("cassis", reason="needs the extra 'lab'")
TEXT = AnnotatedText("note", "Frau \U0001f600 Anna\n\tVogel", (LabelledSpan(7, 17, "PER"),))


@pytest.mark.parametrize("ending", [".xmi", ".json"])
@settings(max_examples=20)
@given(text=annotated_texts(XML_CRITICAL) | st.just(TEXT))
def test_writing_and_reading_round_trips(ending: str, text: AnnotatedText) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"note{ending}"
        write_cas(path, text)
        assert read_cas(path) == [text]


def test_offsets_in_the_file_count_utf16(tmp_path: Path) -> None:
    write_cas(tmp_path / "note.xmi", TEXT)
    assert 'begin="8" end="18" value="PER"' in (tmp_path / "note.xmi").read_text()


def test_xml_cannot_hold_control_characters_and_json_can(tmp_path: Path) -> None:
    text = AnnotatedText("note", "Ulm\x0c", (LabelledSpan(0, 3, "LOC"),))
    with pytest.raises(ConfigurationError, match="write JSON") as error:
        write_cas(tmp_path / "note.xmi", text)
    assert "Ulm" not in str(error.value)
    write_cas(tmp_path / "note.json", text)
    assert read_cas(tmp_path / "note.json") == [text]


def test_unknown_types_are_an_error(tmp_path: Path) -> None:
    write_cas(tmp_path / "note.xmi", TEXT)
    with pytest.raises(ConfigurationError, match=r"webanno.custom.Phi is not known; put .*TypeSystem.xml beside"):
        read_cas(tmp_path / "note.xmi", layer="webanno.custom.Phi")
    with pytest.raises(ConfigurationError, match=r"NamedEntity has no feature kind; there are: .*value"):
        read_cas(tmp_path / "note.xmi", feature="kind")
    source = (tmp_path / "note.xmi").read_text()
    (tmp_path / "note.xmi").write_text(source.replace("NamedEntity", "Phi"))
    with pytest.raises(ConfigurationError, match="is not known"):
        read_cas(tmp_path / "note.xmi")


def test_the_exports_type_system_is_used(tmp_path: Path) -> None:
    import cassis

    types = cassis.TypeSystem()
    phi = types.create_type("webanno.custom.Phi", supertypeName="uima.tcas.Annotation")
    types.create_feature(phi, "kind", "uima.cas.String")
    cas = cassis.Cas(types, sofa_string="Anna kam")
    cas.add_all([phi(begin=0, end=4, kind="PER"), phi(begin=5, end=8)])
    cas.to_xmi(tmp_path / "note.xmi")
    types.to_xml(tmp_path / "TypeSystem.xml")
    (text,) = read_cas(tmp_path / "note.xmi", layer="webanno.custom.Phi", feature="kind")
    assert text.spans == (LabelledSpan(0, 4, "PER"), LabelledSpan(5, 8, "*"))


def test_feature_names_that_are_no_identifiers_are_refused(tmp_path: Path) -> None:
    import cassis

    types = cassis.TypeSystem()
    phi = types.create_type("webanno.custom.Phi", supertypeName="uima.tcas.Annotation")
    types.create_feature(phi, "kind", "uima.cas.String")
    cas = cassis.Cas(types, sofa_string="Anna kam")
    cas.add(phi(begin=0, end=4, kind="PER"))
    types.to_xml(tmp_path / "TypeSystem.xml")
    cas.to_xmi(tmp_path / "note.xmi")
    cas.to_json(tmp_path / "note.json")
    for file in ("TypeSystem.xml", "note.json"):
        source = (tmp_path / file).read_text()
        assert "kind" in source
        (tmp_path / file).write_text(source.replace("kind", "x=print()"))
    for file in ("note.xmi", "note.json"):
        with pytest.raises(ConfigurationError, match="is not a UIMA CAS: ValueError"):
            read_cas(tmp_path / file, layer="webanno.custom.Phi", feature="kind")


@pytest.mark.parametrize(("name", "content"), [("a.xmi", "<Geheim"), ("a.xmi", "<Geheim/>"), ("a.json", "[Geheim")])
def test_an_invalid_cas_is_named_and_not_quoted(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigurationError, match=name) as error:
        read_cas(tmp_path / name)
    assert "Geheim" not in str(error.value)


def test_without_the_package_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cassis", None)
    with pytest.raises(ConfigurationError, match=r"need the extra 'cas': pip install .*\[cas\]'"):
        read_cas(tmp_path / "a.xmi")
