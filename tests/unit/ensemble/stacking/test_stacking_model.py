"""The stacking model: its emissions, what its thresholds do, who gets the credit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import chain

import numpy as np
import pytest

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, label_of
from deid_core.core.note import Note
from deid_core.core.spans import Detection, Dropped, DropReason
from deid_core.crf.features.families import FeatureSettings
from deid_core.crf.model_folder import CrfModel, load_model
from deid_core.ensemble.settings import StackingSettings
from deid_core.ensemble.stacking.detection_features import StackingFeatures
from deid_core.ensemble.stacking.stacking_model import KIND, StackingModel
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUP_OF, TYPE_GROUPS
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letters
from deid_core.lab.training.settings import StackingTrainingSettings
from deid_core.lab.training.stacking import LabelledSequence, annotations_of, labels, letter_sequences, train_stacking
from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind
from deid_core.pipeline.config import EngineSettings, PipelineSettings, load_pipeline
from deid_core.pipeline.engine import Engine
from deid_core.pipeline.loading import spec_with_lists
from deid_core.text.document import Document

LETTER = """Sehr geehrte Kollegen,
wir berichten über Herrn Zorbinski, der am 3.4.2010 aus Hintertupf kam.
Herr Zorbinski arbeitet als Maurer. Zorbinskis Befund: Morbus Zorbinski.
Mit freundlichen Grüßen
Dr. Quandrath"""
GAZETTEER = compile_lists({})


def pipeline(**settings: object) -> PipelineSettings:
    """`default` with other settings of the stacking model; nothing is cut from what it decides."""
    default = load_pipeline("default")
    assert default.stacking is not None
    return default.model_copy(
        update={"stacking": default.stacking.model_copy(update=settings), "boundary_trimming": None}
    )


@cache
def engine(**settings: object) -> Engine:
    return Engine(spec_with_lists(pipeline(**settings), EngineSettings(), GAZETTEER))


def covered(text: str, **settings: object) -> set[int]:
    """Places of letters and digits that a span covers; what stands between them follows from the merging of spans."""
    spans = engine(**settings).annotate(Note("n", text))
    return {at for span in spans for at in range(span.start, span.end) if text[at].isalnum()}


@cache
def develop() -> list[AnnotatedLetter]:
    return read_letters(letters_dir() / "dev/dense")


def stacking_of(of: Engine) -> StackingModel:
    assert of._parts is not None
    assert of._parts.stacking is not None
    return of._parts.stacking


def test_every_group_is_of_one_label_and_every_type_of_one_group() -> None:
    for types in TYPE_GROUPS.values():
        assert len({label_of(phi) for phi in types}) == 1
    assert len(TYPE_GROUP_OF) == sum(map(len, TYPE_GROUPS.values()))


@pytest.mark.parametrize(
    ("setting", "few", "many"),
    [
        ("promote_above", 1.0, 0.01),
        ("promote_above_others", 1.0, 0.01),
        ("promote_above_numbers", 1.0, 0.01),
        ("drop_above", 0.5, 1.0),
        ("cut_above", 0.5, 1.0),
    ],
)
def test_lower_thresholds_for_adding_and_higher_ones_for_dropping_cover_more(
    setting: str, few: float, many: float
) -> None:
    texts = [letter.note.text for letter in develop()[:8]]
    less, more = ([covered(text, **{setting: value}) for text in texts] for value in (few, many))
    assert all(fewer <= all_of_them for fewer, all_of_them in zip(less, more, strict=True))
    assert sum(map(len, less)) < sum(map(len, more))


def test_a_name_that_is_sure_elsewhere_is_taken_on_less_doubt() -> None:
    found = [
        (
            len(covered(letter.note.text, promote_above_repeated=None)),
            len(covered(letter.note.text, promote_above_repeated=0.001)),
        )
        for letter in develop()
    ]
    assert all(less <= more for less, more in found)
    assert sum(less for less, _ in found) < sum(more for _, more in found)


@pytest.mark.parametrize(
    ("word", "is_found"),
    [
        ("zorbinsky", True),
        ("zorbinki", True),
        ("sorbynski", False),  # two letters
        ("erbinski", False),
    ],
)
def test_a_name_with_one_letter_wrong_counts_as_repeated(word: str, is_found: bool) -> None:
    text = f"Wir berichten über Herrn Zorbinski.\nlabor {word} normal"
    # With these thresholds only what repeats a name is found.
    found = covered(text, promote_above=1.0, promote_above_others=1.0, promote_above_repeated=1e-9)
    assert (text.index(word) in found) is is_found
    unrepeated = covered(text, promote_above=1.0, promote_above_others=1.0, promote_above_repeated=None)
    assert text.index(word) not in unrepeated


def test_a_listed_word_is_no_misspelt_name() -> None:
    text = "Wir berichten über Herrn Kontroll.\nlabor kontrolle normal"
    lists = compile_lists({ListKind.COMMON_WORD: ["kontrolle"]})
    settings = {"promote_above": 1.0, "promote_above_others": 1.0, "promote_above_repeated": 1e-9}
    ours = Engine(spec_with_lists(pipeline(**settings), EngineSettings(), lists))
    assert all(span.end < text.index("kontrolle") for span in ours.annotate(Note("n", text)))
    assert text.index("kontrolle") in covered(text, **settings)


def test_a_veto_of_one_drops_nothing_that_a_recogniser_found() -> None:
    undecided = Engine(spec_with_lists(pipeline().model_copy(update={"stacking": None}), EngineSettings(), GAZETTEER))
    for letter in develop()[:4]:
        text = letter.note.text
        without = {at for span in undecided.annotate(letter.note) for at in range(span.start, span.end)}
        letters = {at for at in without if text[at].isalnum()}
        assert letters <= covered(text, drop_above=1.0, cut_above=1.0)


def test_labels_that_are_kept_are_never_dropped() -> None:
    document = engine().document(Note("n", LETTER))
    stacking = stacking_of(engine())
    nonsense = Detection(0, 4, Label.PHONE, PhiType.PHONE, "pattern", "nonsense", 0.1)
    doubtful = Detection(5, 12, Label.PER, PhiType.PERSON, "gazetteer", "nonsense", 0.1)
    unknown = Detection(5, 12, Label.URI, PhiType.URI, "pattern", "nonsense", 0.1)  # the model has no such label
    _, kept, dropped = stacking.decide(document, [nonsense, unknown, doubtful])
    assert kept == [nonsense, unknown]
    assert dropped == [Dropped.from_detection(doubtful, DropReason.DROP_ABOVE)]


@pytest.mark.parametrize(("rule", "is_kept"), [("date.numeric", True), ("date.birth", True), ("date.year", False)])
def test_a_full_date_is_never_dropped_and_a_year_may_be(rule: str, is_kept: bool) -> None:
    document = engine().document(Note("n", LETTER))
    doubtful = Detection(0, 4, Label.DATE, PhiType.DATE, "pattern", rule, 0.1)
    _, kept, dropped = stacking_of(engine()).decide(document, [doubtful])
    assert kept == [doubtful] * is_kept
    assert dropped == [Dropped.from_detection(doubtful, DropReason.DROP_ABOVE)] * (not is_kept)


def test_words_that_are_surely_outside_are_cut_from_the_edges_of_names_alone() -> None:
    start, end = LETTER.index("berichten"), LETTER.index(", der")
    wide = Detection(start, end, Label.PER, PhiType.PERSON, "crf", "nonsense", 0.1)
    number = wide._replace(label=Label.ID, type=PhiType.ID)
    name = wide._replace(start=LETTER.index("Herrn"))
    cut = wide._replace(end=name.start - 1)
    for of, left, gone in ((engine(), [name, number], [cut]), (engine(cut_above=1.0), [wide, number], [])):
        _, kept, dropped = stacking_of(of).decide(of.document(Note("n", LETTER)), [wide, number])
        assert kept == left
        assert dropped == [Dropped.from_detection(part, DropReason.CUT_ABOVE) for part in gone]


def test_what_a_recogniser_found_just_so_stays_its_own() -> None:
    spans = {LETTER[s.start : s.end]: s for s in engine().annotate(Note("n", LETTER))}
    assert spans["3.4.2010"].recogniser == "pattern"
    assert spans["3.4.2010"].rule.startswith("date.")
    assert spans["Zorbinski"].label is Label.PER
    assert spans["Zorbinski"].recogniser != KIND


def test_without_layers_emissions_are_the_weights_of_the_attributes_of_words_and_detections() -> None:
    settings = pipeline()
    assert settings.stacking and settings.crf
    model = load_model(settings.stacking.model).with_word_knowledge_of(load_model(settings.crf.model))
    weights = model.weights()
    numbers = {attribute: number for number, attribute in enumerate(weights.attributes)}
    of_attributes = np.zeros((len(numbers), len(weights.labels)))
    of_attributes[weights.state_attributes, weights.state_labels] = weights.state_weights
    both_templates = model.templates(GAZETTEER), model.detection_templates()
    of_words, of_detections, _ = model.compiled_stacking(GAZETTEER)
    assert of_words.labels == weights.labels and np.array_equal(of_words.transitions, weights.transitions)
    vocabulary = engine().document(Note("n", "")).vocabulary
    stacking = StackingModel(settings.stacking, of_words, of_detections, None, GAZETTEER, vocabulary)
    for letter in develop()[:6]:
        [sequence] = letter_sequences([letter], engine(), _toy([]))
        streams = zip(both_templates, (sequence.words, sequence.detections), strict=True)
        both = zip(*(templates.attributes(words) for templates, words in streams), strict=True)
        expected = [
            of_attributes[[numbers[name] for name in chain(*names) if name in numbers]].sum(0) for names in both
        ]
        document = engine().document(letter.note)
        detections = engine().detections(document)
        emissions, _ = stacking._emissions(document, stacking._features.arrays(document, detections))
        # The weights are on a grid, so that sums are exact.
        assert np.array_equal(emissions[:, : len(weights.labels)], expected)


def test_the_layers_of_the_model_count() -> None:
    settings = pipeline().stacking
    assert settings
    document = engine().document(develop()[0].note)
    detections = engine().detections(document)
    parts = load_model(settings.model).with_word_knowledge_of(load_model("crf-de")).compiled_stacking(GAZETTEER)
    assert parts.convolution is not None
    alone = StackingModel(settings, *parts._replace(convolution=None), GAZETTEER, document.vocabulary)
    whole = stacking_of(engine()).probabilities(document, detections).outside
    assert np.abs(whole - alone.probabilities(document, detections).outside).max() > 0.1
    surely = replace(parts.convolution, share=1 - 1e-9)
    layers = StackingModel(settings, *parts._replace(convolution=surely), GAZETTEER, document.vocabulary)
    likeliest = layers.probabilities(document, detections).likeliest
    assert "person" in likeliest and "date" in likeliest


def test_a_share_of_detections_can_be_left_out_of_what_is_trained_on() -> None:
    def said(forget: float) -> int:
        settings = _toy([]).model_copy(update={"detection_dropout": forget})
        sequences = letter_sequences(develop()[:3], engine(), settings)
        return sum(len(of_word.split(" ")) for sequence in sequences for of_word in sequence.detections)

    assert said(1.0) < said(0.5) < said(0.0)


def test_a_model_of_other_labels_is_refused() -> None:
    words = load_model("crf-de").compiled()
    settings = StackingSettings(model="crf-de", promote_above_repeated=0.1)
    with pytest.raises(ConfigurationError) as error:
        StackingModel(settings, words, words, None, GAZETTEER, engine().document(Note("n", "")).vocabulary)
    told = "\n".join(error.value.problems)
    assert "'B-PER' is no type group" in told
    assert "no label 'person'" in told


def test_detection_features_say_who_what_where_and_how_surely() -> None:
    document = engine().document(Note("n", LETTER))
    start = LETTER.index("Zorbinski")
    found = Detection(start, start + 9, Label.PER, PhiType.PATIENT, "crf", "salute/x", 0.95)
    unsure = Detection(start, start + 9, Label.LOC, PhiType.TOWN, "gazetteer", "town", 0.3)
    reader = StackingFeatures(GAZETTEER)
    types = reader.types(document, reader.arrays(document, [found, unsure]))
    said = [reader.vocabulary.words[number].split(" ") for number in types.tolist()]
    index = document.tokens.starts.tolist().index(start)
    assert set(said[index]) == {
        "in:body",
        *("Bcrf:PER", "B:patient", "crf.salute", "crf:PER+"),
        *("Bgazetteer:LOC", "B:town", "gazetteer.town", "gazetteer:LOC-"),
    }
    assert said[0] == ["in:header", "nothing"] or said[0] == ["in:body", "nothing"]
    assert said[-1] == ["in:closing", "nothing"]
    assert len(said) == len(document.tokens)


def test_detection_features_say_where_a_column_or_cell_begins() -> None:
    document = engine().document(Note("n", "Leuko\t5,2   4,8 mg\nHb"))
    reader = StackingFeatures(GAZETTEER)
    types = reader.types(document, reader.arrays(document, []))
    values = [reader.vocabulary.words[number].split(" ") for number in types.tolist()]
    assert [[value for value in of_token if value.startswith("begins:")] for of_token in values] == [
        *([], ["begins:cell"], ["begins:column"], [], []),
    ]


def test_detection_features_say_which_words_are_abbreviated() -> None:
    words = compile_lists({ListKind.COMMON_WORD: ["eltern", "angerufen", "lang"], ListKind.SURNAME: ["Lang"]})
    text = "Elt. angeruf. (Lang.) El. nein Zorb. nein\nElt. Zorb Elt.\nnein Elt. 3 Elt"
    document = engine().document(Note("n", text))
    reader = StackingFeatures(words)
    types = reader.types(document, reader.arrays(document, []))
    marked = [
        (document.word(token), int(document.tokens.starts[token]))
        for token, number in enumerate(types.tolist())
        if "at:abbreviation" in reader.vocabulary.words[number].split(" ")
    ]
    # The second and third "Elt" end a sentence or a line, the last one has no full stop.
    assert marked == [("Elt", 0), ("angeruf", 5), ("Lang", 15), ("Elt", text.rindex("Elt."))]


@pytest.mark.parametrize(("gap", "names"), [("          ", 2), ("\n", 2), (" ", 1), ("  ", 1)])
def test_names_in_two_columns_are_two(gap: str, names: int) -> None:
    """Signatures stand beside each other, without a title in the second column, too."""
    text = f"Mit freundlichen Grüßen\n\nDr. med. Ludger Zorbinski{gap}Quirin Quandrath\n"
    stacking = stacking_of(engine())
    document = engine().document(Note("n", text))
    entities, *_ = stacking.decide(document, engine().detections(document))
    found = [text[e.start : e.end] for e in entities if e.label is Label.PER]
    assert len(found) == names
    assert {"Ludger Zorbinski", "Quirin Quandrath"} <= set(found) or names == 1


def test_training_learns_what_recognisers_cannot_know() -> None:
    """On a few letters the model learns the words before a profession for which there is no rule."""
    text = "Der Patient, seit jeher {job} hier. Der Patient, noch nie {no} hier."
    pairs = [("Maurer", "Gesunder"), ("Lehrer", "Kranker"), ("Schreiner", "Alter"), ("Bäcker", "Müder")]
    letters = [_letter(text.format(job=job, no=no), job) for job, no in pairs]
    settings = _toy([FeatureSettings(family="word", window=[-2, -1, 0])])
    engine = Engine(spec_with_lists(_undecided(), EngineSettings(), GAZETTEER))
    trained = train_stacking(settings, CrfModel("none", ()), [_sequences(engine, letters, settings)])
    document = _document(text.format(job="Töpfer", no="Blasser"))
    compiled = trained.compiled_stacking()
    # The model has neither names nor numbers: thresholds of 0 for them add nothing.
    toy = StackingSettings(model="toy", promote_above=0.0, promote_above_others=0.5, promote_above_numbers=0.0)
    stacking = StackingModel(toy, *compiled, GAZETTEER, document.vocabulary)
    entities, *_ = stacking.decide(document, [])
    assert [(document.text[e.start : e.end], e.type) for e in entities] == [("Töpfer", PhiType.PROFESSION)]


def test_training_looks_words_up_in_the_lists_of_the_engine() -> None:
    """Two engines with other lists: of the same letter one list has a word, the other has others."""
    letter = _letter("Er ist Maurer", "Maurer")
    settings = _toy([FeatureSettings(family="listed", window=[0])]).model_copy(update={"c1": 0.0})
    engines = [
        Engine(spec_with_lists(_undecided(), EngineSettings(), compile_lists({ListKind.PROFESSION: professions})))
        for professions in (["maurer"], ["er", "ist"])
    ]
    sequences = [_sequences(engine, [letter], settings) for engine in engines]
    trained = train_stacking(settings, CrfModel("none", ()), sequences)
    model = trained.weights()
    listed = model.attributes.index("listed[0]:profession")
    labels_of = {model.labels[label] for label in model.state_labels[model.state_attributes == listed].tolist()}
    assert labels_of == {"profession", OUTSIDE}


def test_a_letters_labels_are_the_type_groups_of_its_marks() -> None:
    letter = _letter("Er ist Maurer, 12345", "Maurer")
    found = labels(_document(letter.note.text), annotations_of(letter), (OUTSIDE,))
    assert found == [(OUTSIDE,), (OUTSIDE,), ("profession",), (OUTSIDE,), (OUTSIDE,)]


def _sequences(
    engine: Engine, letters: list[AnnotatedLetter], settings: StackingTrainingSettings
) -> tuple[Gazetteer, Iterable[LabelledSequence]]:
    return engine.spec.gazetteer, letter_sequences(letters, engine, settings)


def _undecided() -> PipelineSettings:
    return pipeline().model_copy(update={"stacking": None, "subtypes": None})


def _toy(features: list[FeatureSettings]) -> StackingTrainingSettings:
    return StackingTrainingSettings(
        model="toy",
        pipeline="default",
        letters=[],
        medical_phrases="medical-phrases-train",
        seed=1,
        augmentations=1,
        detection_dropout=0.0,
        partially_annotated=["news"],
        folds=2,
        features=features,
        detections=[FeatureSettings(family="detections", window=[0])],
        c1=0.01,
        c2=0.01,
        iterations=50,
    )


def _document(text: str) -> Document:
    return Engine(spec_with_lists(load_pipeline("baseline"), EngineSettings(), GAZETTEER)).document(Note("n", text))


def _letter(text: str, job: str) -> AnnotatedLetter:
    from deid_core.core.spans import GoldSpan
    from deid_core.lab.corpora.letters import LetterHead

    start = text.index(job)
    gold = (GoldSpan(start, start + len(job), Label.PROFESSION, PhiType.PROFESSION),)
    return AnnotatedLetter(Note("n", text), gold, LetterHead("Brief", "Innere", "DE", 2010))


def test_detection_features_are_the_same_however_many_steps_its_table_has() -> None:
    reader, documents = StackingFeatures(GAZETTEER), [engine().document(letter.note) for letter in develop()]
    found = []
    for document in documents:
        detections = engine().detections(document)
        types = reader.types(document, reader.arrays(document, detections))
        found.append([reader.vocabulary.words[n] for n in types.tolist()])
        alone = StackingFeatures(GAZETTEER)
        types = alone.types(document, alone.arrays(document, detections))
        assert found[-1] == [alone.vocabulary.words[n] for n in types.tolist()]
    assert len(reader) > 512
