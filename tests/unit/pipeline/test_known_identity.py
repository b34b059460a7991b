"""Known identities: values become search terms, and the engine finds what only they tell."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.errors import ConfigurationError
from deid_core.core.note import Note
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.identity_terms import KINDS, identity_terms, terms_of_values
from deid_core.pipeline.known_terms import Term, TermKind, TermSource
from deid_core.pipeline.loading import engine_spec


@pytest.mark.parametrize(
    ("kind", "value", "terms"),
    [
        ("name", "Eva Muster", ["name Eva Muster"]),
        ("name", "Muster, Eva", ["name Eva Muster"]),
        ("name", "Frau Prof. Dr. med. Eva von Muster", ["name Eva von Muster"]),
        ("name", "Dr. Muster, Eva, geb. Beispiel", ["name Eva geb. Beispiel Muster"]),
        ("name", "muster-maier, eva von", ["name Eva von Muster-Maier"]),
        ("name", "MUSTER", ["name Muster"]),
        ("name", "M.", []),
        ("name", "VON DER AUE, MAX", ["name Max von der Aue"]),
        ("address", "Ahornweg 3, 69120 Heidelberg", ["address Ahornweg 3, Heidelberg", "postcode 69120"]),
        ("address", "Ahornweg 3\nA-6020 Innsbruck", ["address Ahornweg 3 Innsbruck", "postcode 6020"]),
        ("address", "ahornweg 3", ["address Ahornweg 3"]),
        ("address", "Ahornweg 1234", ["address Ahornweg", "postcode 1234"]),
        ("birth_date", "1956-12-01", ["birth_date 1956-12-01"]),
        ("birth_date", "1.12.56", ["birth_date 1.12.56"]),
        ("birth_date", "1956", []),
        ("birth_date", "31.2.1956 oder später", []),
        ("number", "06221/56-1234", ["number 06221/56-1234"]),
        ("number", "4711", []),
        ("postcode", "69120", ["postcode 69120"]),
        ("postcode", "691", []),
        ("electronic", "e.muster@beispiel.de", ["electronic e.muster@beispiel.de"]),
        ("electronic", "muster", []),
        ("name", "  ", []),
    ],
)
def test_a_value_becomes_terms(kind: str, value: str, terms: list[str]) -> None:
    assert [f"{term.kind} {term.text}" for term in identity_terms(TermKind(kind), value)] == terms


@given(st.sampled_from(KINDS), st.text())
def test_no_text_stops_it(kind: TermKind, value: str) -> None:
    assert all(term.text.strip() for term in identity_terms(kind, value))


def test_values_by_kind_and_all_their_mistakes() -> None:
    assert terms_of_values({"name": ["Eva Muster", "Eva Muster"], "number": "123456"}) == (
        Term(TermKind.NAME, "Eva Muster", TermSource.HOSPITAL),
        Term(TermKind.NUMBER, "123456", TermSource.HOSPITAL),
    )
    with pytest.raises(ConfigurationError) as error:
        terms_of_values({"names": "Zqx", "birth_date": "Zqx", "number": ["Zqx", "123456"]})
    assert len(error.value.problems) == 3
    assert "Zqx" not in str(error.value)
    assert "there is no kind 'names'; there are: name, address" in error.value.problems[0]


@cache
def engine(pipeline: str = "default") -> Engine:
    return Engine(engine_spec(pipeline))


TEXT = (
    "Sommer stellte sich vor. Im Sommer Sturz. Quendelins Werte gut, Quendlin kommt wieder. Q. S. hat 17 24 56-3. "
    "Geboren ist er am 12.3.51 beim Ahornweg."
)
KNOWN = {
    "name": ["Sommer, Quentin", "Quendelin"],
    "address": "Ahornweg 3, 69120 Heidelberg",
    "birth_date": "1951-03-12",
    "number": "1724563",
}


@pytest.mark.parametrize("pipeline", ["default", "variants", "baseline"])
def test_what_is_known_is_removed_whichever_pipeline_reads_the_note(pipeline: str) -> None:
    known = terms_of_values(KNOWN)
    done = engine(pipeline).deidentify(Note("n", TEXT), known=known)
    for word in ("Quend", "Q. S.", "17 24", "12.3.51", "Ahornweg"):
        assert word not in done.text, word
    assert "stellte sich vor" in done.text


def test_a_name_that_is_a_common_word_is_weighed_as_one_of_the_letterhead() -> None:
    note = Note("n", "Aufnahme heute.\nRückruf an Licht wegen Termin.\nKontrolle mit Licht in der Pupille.")
    after = engine().deidentify(note, known=terms_of_values({"name": "Licht, Quentin"}))
    assert engine().deidentify(note).text == note.text
    assert after.text == "Aufnahme heute.\nRückruf an <PER> wegen Termin.\nKontrolle mit Licht in der Pupille."


def test_nothing_known_changes_nothing() -> None:
    note = Note("n", TEXT)
    assert engine().deidentify(note, known=()) == engine().deidentify(note)


@given(st.sampled_from(["Quendelin", "Zqxkanari", "Brzechwa"]), st.sampled_from(["{}", "{}s", "{}.", "({})", "F. {}"]))
def test_a_known_name_is_not_left_in_any_form(name: str, form: str) -> None:
    written = form.format(name)
    done = engine("baseline").deidentify(
        Note("n", f"Befund von gestern unverändert,\n{written} wird entlassen."), known=terms_of_values({"name": name})
    )
    assert name not in done.text
    assert "Befund von gestern unverändert" in done.text
