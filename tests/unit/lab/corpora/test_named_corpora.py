"""conf/corpora.yaml: label maps, sources, and the corpora of the data folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType, label_of
from deid_core.lab.corpora import load_corpora, read_named
from deid_core.lab.corpora.named import SyntheticSource

CORPORA = load_corpora()

SETTINGS = """
label_maps:
  two: {PER: PER, CITY: LOC, DAY: O}
corpora:
  mine:
    description: made for this test
    licence: none
    use: train
    labels: two
    source: {format: conll, files: [mine.conll]}
"""


def test_the_projects_types_map_to_the_labels_of_the_label_table() -> None:
    mine = {kind.value: label_of(kind).value for kind in PhiType}
    assert CORPORA.label_maps["notes"] == mine, "conf/corpora.yaml: map `notes` has the label of each type"
    assert CORPORA.label_maps["notes_as_newswire"] == {**mine, "hospital": "ORG", "department": "ORG"}


def test_nothing_trains_on_the_generators_test_half() -> None:
    made = [corpus for corpus in CORPORA.corpora.values() if isinstance(corpus.source, SyntheticSource)]
    assert {corpus.source.split for corpus in made if corpus.use == "train"} == {"train"}
    assert len({corpus.source.seed for corpus in made}) == len(made)


def test_no_file_is_used_for_training_and_development() -> None:
    files: dict[str, set[str]] = {"train": set(), "dev": set()}
    for corpus in CORPORA.corpora.values():
        if corpus.source.format != "phrases":  # whose files are divided phrase by phrase (test_medical_phrases.py)
            files[corpus.use] |= set(getattr(corpus.source, "files", []))
    assert not files["train"] & files["dev"]


def test_every_file_of_a_corpus_has_a_checksum(repository: Path) -> None:
    lines = (repository / "conf/corpora.sha256").read_text(encoding="utf-8").splitlines()
    named = {str(file) for corpus in CORPORA.corpora.values() for file in getattr(corpus.source, "files", [])}
    assert {line.split()[1] for line in lines} == named


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("dev/dense", "letters of part dev/dense must not be used to train"),
        ("dev/long", "letters of part dev/long must not be used to train"),
        ("test/dense", "should be 'train/dense', 'train/long', 'dev/dense' or 'dev/long'"),
    ],
)
def test_dev_and_test_letters_are_refused_for_training(tmp_path: Path, part: str, problem: str) -> None:
    path = tmp_path / "corpora.yaml"
    letters = f"{{format: letters, part: {part}}}"
    path.write_text(SETTINGS.replace("{format: conll, files: [mine.conll]}", letters))
    with pytest.raises(ConfigurationError, match=problem):
        load_corpora(path)


def test_labels_are_mapped_dropped_and_selected(tmp_path: Path) -> None:
    (tmp_path / "corpora.yaml").write_text(SETTINGS)
    (tmp_path / "mine.conll").write_text("Anna B-PER\nUlm B-CITY\nMontag B-DAY\n\nOtto B-PER\n")
    corpora = load_corpora(tmp_path / "corpora.yaml")
    (joined,) = read_named("mine", tmp_path, corpora=corpora)
    assert joined.text == "Anna Ulm Montag Otto"
    assert [span.label for span in joined.spans] == ["PER", "LOC", "PER"]
    alone = read_named("mine", tmp_path, {"LOC"}, text_tokens=None, corpora=corpora)
    assert [[span.label for span in text.spans] for text in alone] == [["LOC"], []]


def test_unmapped_labels_are_counted_and_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "corpora.yaml").write_text(SETTINGS)
    (tmp_path / "mine.conll").write_text("PER B-Anna\nO B-geht\n")
    with pytest.raises(ConfigurationError, match=r"label_maps.two: lacks 2 labels of mine; ") as error:
        read_named("mine", tmp_path, corpora=load_corpora(tmp_path / "corpora.yaml"))
    assert "Anna" not in str(error.value) and "geht" not in str(error.value)


def test_a_repeated_id_in_files_of_a_corpus_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "corpora.yaml").write_text(SETTINGS.replace("[mine.conll]", "[a/mine.conll, b/mine.conll]"))
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.conll").write_text("Anna B-PER\n")
    with pytest.raises(ConfigurationError, match=r"corpora.mine: 1 texts have the id of an earlier one"):
        read_named("mine", tmp_path, corpora=load_corpora(tmp_path / "corpora.yaml"))


def test_errors_of_the_file_name_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "corpora.yaml"
    path.write_text(SETTINGS.replace("DAY: O", "DAY: TAG").replace("files:", "file:"))
    with pytest.raises(ConfigurationError) as error:
        load_corpora(path)
    assert [problem.split(":")[1] for problem in error.value.problems] == ["3", "10", "10"]
    path.write_text(SETTINGS.replace("labels: two", "labels: three"))
    with pytest.raises(ConfigurationError, match="there is no label map 'three'; there are: two"):
        load_corpora(path)


def test_unknown_names_are_answered_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no corpus 'conll'; there are: germeval-test, "):
        read_named("conll", tmp_path)
    with pytest.raises(ConfigurationError, match="no labels: TOWN; there are: PER, LOC"):
        read_named("ler-dev", tmp_path, {"TOWN", "PER"})
    with pytest.raises(ConfigurationError) as error:
        read_named("europeana", tmp_path)
    assert len(error.value.problems) == 2


def test_synthetic_notes_are_not_split_and_have_all_kinds_of_labels() -> None:
    few = CORPORA.model_copy(
        update={
            "corpora": {
                "few": CORPORA.corpora["synthetic-train"].model_copy(
                    update={"source": SyntheticSource(format="synthetic", seed=1, notes=3)}
                )
            }
        }
    )
    texts = read_named("few", Path(), corpora=few)
    assert [text.id for text in texts] == [f"train-1-{index:06}" for index in range(3)]
    assert all("\n" in text.text for text in texts)
    assert {"PER", "LOC", "DATE", "SALUTE"} <= {span.label for text in texts for span in text.spans}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "texts", "tokens", "entities"),
    [
        ("germeval-dev", 2200, 41653, {"PER": 711, "LOC": 763, "ORG": 496}),
        ("uner-pud", 1000, 21331, {"PER": 418, "LOC": 429, "ORG": 192}),
        ("mobie-dev", 1082, 13209, {"PER": 23, "LOC": 897, "ORG": 395}),
    ],
)
def test_corpora_of_the_data_folder(
    shared_dir: Path, name: str, texts: int, tokens: int, entities: dict[str, int]
) -> None:
    alone = read_named(name, shared_dir, text_tokens=None)
    assert len(alone) == texts
    assert sum(len(text.text.split(" ")) for text in alone) == tokens
    assert Counter(span.label for text in alone for span in text.spans) == entities
    joined = read_named(name, shared_dir)
    assert " ".join(text.text for text in joined) == " ".join(text.text for text in alone)
