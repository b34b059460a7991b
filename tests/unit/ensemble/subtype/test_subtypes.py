"""The finer types: roles as a reader gives them, labels and places untouched, a model that does not fit refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_core.cli import main
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType, label_of
from deid_core.core.note import Note
from deid_core.ensemble.subtype.subtype_features import SLOTS, TYPES
from deid_core.ensemble.subtype.subtype_model import MODEL_FILE, SubtypeModel, load_subtype_model
from deid_core.lab.corpora.letters import AnnotatedLetter, parse_letter
from deid_core.lexicon.gazetteer.automaton import compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import spec_with_lists

LETTER = """Betr.: Frau Hedwig Zorbinski, geb. 3.4.1951, Hauptstraße 5, 69120 Heidelberg

Sehr geehrter Herr Kollege Quandrath,
wir berichten über Frau Zorbinski, die am 5.6.2010 aus Italien kam.
Ihr Sohn Torben Zorbinski und der Nachbar, Herr Kriwoschek, brachten sie.
Tel. 06221/56-1234, Fax 06221/56-1235

Dr. med. Wendelin Obrigkeit
Oberarzt"""


@cache
def engine(*, typed: bool = True) -> Engine:
    pipeline = load_pipeline("default")
    if not typed:
        pipeline = pipeline.model_copy(update={"subtypes": None})
    return Engine(spec_with_lists(pipeline, EngineSettings(), compile_lists({ListKind.COUNTRY: ["Italien"]})))


def types(text: str) -> dict[str, PhiType]:
    """Of each span's words the type of their first place."""
    spans = reversed(engine().annotate(Note("n", text)))
    return {text[span.start : span.end]: span.type for span in spans}


def test_roles_dates_and_numbers_as_a_reader_gives_them() -> None:
    expected = {
        "Hedwig Zorbinski": PhiType.PATIENT, "3.4.1951": PhiType.BIRTH_DATE, "Heidelberg": PhiType.TOWN,
        "Quandrath": PhiType.CLINICIAN, "Zorbinski": PhiType.PATIENT, "5.6.2010": PhiType.DATE,
        "Italien": PhiType.COUNTRY, "Torben Zorbinski": PhiType.RELATIVE, "Kriwoschek": PhiType.PERSON,
        "06221/56-1234": PhiType.PHONE, "06221/56-1235": PhiType.FAX, "Wendelin Obrigkeit": PhiType.CLINICIAN,
    }  # fmt: skip
    found = types(LETTER)
    assert {words: found.get(words) for words in expected} == expected


def test_a_name_takes_the_role_of_the_place_where_it_is_clear() -> None:
    """Without the first line nothing says who the second one is."""
    unclear = "Anruf von Hedwig Zorbinski, sie kommt morgen."
    patient, clinician = "Patientin: Hedwig Zorbinski\n", "\n\nDr. med. Hedwig Zorbinski\nOberärztin\n"
    assert types(patient + unclear)["Hedwig Zorbinski"] is PhiType.PATIENT
    assert types(unclear + clinician)["Hedwig Zorbinski"] is PhiType.CLINICIAN


def test_a_copy_for_the_patient_is_no_relatives() -> None:
    copy = "Nachrichtlich: Frau Hedwig Zorbinski, Hauptstraße 5, 69120 Heidelberg\n\n"
    surname_alone = LETTER.replace("Frau Hedwig Zorbinski, geb. 3.4.1951, Hauptstraße 5, 69120 Heidelberg", "Befund")
    assert types(copy + surname_alone)["Hedwig Zorbinski"] is PhiType.PATIENT


LINES = [*LETTER.split("\n"), "Muster, Jan", "12345", "geb. Xanten in Xanten", ""]


@settings(max_examples=40)
@given(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))
def test_only_types_change_and_stay_with_their_label(text: str) -> None:
    plain, typed = (engine(typed=typed).annotate(Note("n", text)) for typed in (False, True))
    assert [span._replace(type=PhiType.OTHER) for span in plain] == [s._replace(type=PhiType.OTHER) for s in typed]
    for before, after in zip(plain, typed, strict=True):
        assert label_of(after.type) is label_of(before.type)
        assert after.type is before.type or {after.type, before.type} <= set(TYPES)


def toy(slots: tuple[str, ...] = SLOTS) -> SubtypeModel:
    rows, weights = np.array([[0, 1]]), np.ones((1, len(TYPES)))
    return SubtypeModel.from_arrays(
        "toy", slots, TYPES, ["herr"], rows, weights, np.zeros((6 * len(TYPES) + 3, len(TYPES)))
    )


def test_the_same_weights_are_the_same_bytes_and_are_found_again(tmp_path: Path) -> None:
    assert toy().data == toy().data
    toy().save(tmp_path / "toy", "card")
    loaded = load_subtype_model(str(tmp_path / "toy"))
    assert loaded.digest == toy().digest
    assert (loaded.number_of("herr"), loaded.number_of("frau")) == (1, 0)
    assert loaded.weights[loaded.table[0, 1]].tolist() == [1.0] * len(TYPES)
    assert not loaded.weights[loaded.table[1, 1]].any()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"no archive", "is damaged"),
        (toy().data[:-30], "is damaged"),
        (toy(("found by",)).data, "was made for other features or types"),
        (toy().data.replace(b"rows", b"raws"), "is damaged"),
    ],
)
def test_a_model_that_does_not_fit_is_refused_before_any_note(data: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / MODEL_FILE).write_bytes(data)
    pipeline = load_pipeline("default").model_copy(update={"subtypes": str(tmp_path / "toy")})
    with pytest.raises(ConfigurationError) as caught:
        spec_with_lists(pipeline, EngineSettings(), compile_lists({}))
    assert problem in str(caught.value)


def test_a_model_that_is_not_there_ends_the_command(
    tmp_path: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (repository / "conf/pipelines/default.yaml").read_text(encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(source.replace("subtypes-de", "types-xx"), encoding="utf-8")
    (tmp_path / "note.txt").write_text("Herr Muster", encoding="utf-8")
    code = main(["text", str(tmp_path / "note.txt"), "--pipeline", str(tmp_path / "mine.yaml")])
    assert code == 64
    assert "there is no model 'types-xx'; there are: subtypes-de" in capsys.readouterr().err


def _letters(texts: list[str]) -> list[AnnotatedLetter]:
    head = "kind: Arztbrief\nspeciality: Chirurgie\ncountry: DE\nyear: 2010\n---\n"
    return [parse_letter(Path(f"a-{n}.txt"), (head + text).split("\n")) for n, text in enumerate(texts)]


def test_training_learns_a_role_that_no_rule_knows_and_carries_it_to_other_places() -> None:
    pytest.importorskip("sklearn")
    from deid_core.lab.training.settings import load_training
    from deid_core.lab.training.subtypes import train_subtypes

    names = ["Zorbinski", "Kriwoschek", "Quandrath", "Obrigkeit", "Wolperding", "Hintermoser", "Xaverle", "Jubelzahn"]
    texts = [
        f"Bei uns war <salute>Herr</salute> <{role}>{name}</{role}>, {word}.\n\nSpäter kam <salute>Herr</salute> "
        f"<{role}>{name}</{role}> wieder."
        for role, word in (("patient", "leidend"), ("relative", "besorgt"))
        for name in names
    ]
    settings = load_training().subtypes.model_copy(update={"min_count": 2, "c": 10.0, "folds": 2})
    of = engine(typed=False)
    model, card = train_subtypes(settings, of, _letters(texts))
    assert model.data == train_subtypes(settings, of, _letters(texts))[0].data
    hyphenated = [text.replace("uns war", "un\u00ads w\u00ada\u00adr") for text in texts]
    assert model.data == train_subtypes(settings, of, _letters(hyphenated))[0].data
    assert "| patient | 16 |" in card and "after 2 'leidend'" in card
    spec = EngineSpec(
        load_pipeline("default"), EngineSettings(), of.spec.gazetteer, of.spec.model, of.spec.stacking, model
    )
    for role, word in ((PhiType.PATIENT, "leidend"), (PhiType.RELATIVE, "besorgt")):
        text = f"Bei uns war Herr Grubenhauer, {word}.\n\nSpäter kam Herr Grubenhauer wieder."
        spans = Engine(spec).annotate(Note("n", text))
        found = [s.type for s in spans if text[s.start : s.end] == "Grubenhauer"]
        assert found == [role, role]
