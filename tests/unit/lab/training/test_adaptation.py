"""Adaptation: weights near the shipped ones, features of several letters alone, and what unmarked labels mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from deid_core.core.data_folders import letters_dir
from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import Label, PhiType, Scheme, label_of
from deid_core.core.note import Note
from deid_core.ensemble.stacking.type_groups import OUTSIDE, TYPE_GROUPS
from deid_core.ensemble.subtype.repeat_features import MARKS, PARTS
from deid_core.ensemble.subtype.subtype_features import SLOTS, TYPES
from deid_core.lab.corpora import AnnotatedText, LabelledSpan, write_corpus
from deid_core.lab.corpora.letters import AnnotatedLetter, read_letter
from deid_core.lab.corpora.marked_letters import MarkedFormat, MarkedLetter, MarkedSpan, read_marked_letters
from deid_core.lab.evaluate.evaluation import Level
from deid_core.lab.training.adaptation import (
    AdaptationExamples,
    allowed_labels,
    labels_of_model,
    outside_labels,
)
from deid_core.lab.training.adaptation_simulation import as_one_hospital, letters_of, simulated
from deid_core.lab.training.adaptation_trial import (
    FACTORS,
    AdaptationTrial,
    MarkedReader,
    _candidate,
    adaptation_trial,
    letter_folds,
    with_factor,
    with_weights,
)
from deid_core.lab.training.adapted_subtypes import adapt_subtypes
from deid_core.pipeline.engine_spec import EngineSpec
from deid_core.pipeline.loading import engine_spec

CODE = "kolibri"
"""What a hospital calls an institution that nobody else would take for one."""
WORDS = ("Lunge", "Abdomen", "Herz", "Pupillen", "Reflexe", "Haut", "Gang", "Stimmung", "Appetit", "Schlaf")


@cache
def spec() -> EngineSpec:
    return engine_spec("default")


def letter(number: int, text: str, *marks: tuple[str, PhiType]) -> MarkedLetter:
    found = []
    for word, phi in marks:
        start = text.index(word)
        found.append(MarkedSpan(start, start + len(word), label_of(phi), (phi,)))
    return MarkedLetter(Note(f"letter {number}", text), tuple(found))


def hospital(count: int = 20, code: str = CODE) -> list[MarkedLetter]:
    letters = []
    for number in range(count):
        one, other = WORDS[number % len(WORDS)], WORDS[(number + 3) % len(WORDS)]
        text = f"Aufnahme am {number + 1}.4.2010.\n{one} ohne Befund. Nach {code} verlegt, dort {other} prüfen.\n"
        letters.append(letter(number, text, (f"{number + 1}.4.2010", PhiType.DATE), (code, PhiType.ORGANISATION)))
    return letters


@cache
def of_hospital() -> tuple[list[MarkedLetter], AdaptationExamples]:
    letters = hospital()
    return letters, AdaptationExamples(spec(), letters)


def found_in(read_with: EngineSpec, letters: Sequence[MarkedLetter], word: str) -> int:
    found = MarkedReader(letters).read(read_with, range(len(letters)))
    return sum(
        letters[number].note.text[span.start : span.end] == word for number, spans in found.items() for span in spans
    )


def test_a_word_of_the_hospital_is_learned_and_all_else_stays() -> None:
    letters, examples = of_hospital()
    assert found_in(spec(), letters, CODE) == 0
    weights = examples.adapted(range(15))
    rest = letters[15:]
    assert found_in(with_weights(spec(), weights), rest, CODE) == len(rest)
    assert spec().stacking is not None
    shipped, whole = spec().stacking.weights(), examples.whole(weights)  # type: ignore[union-attr]
    assert whole.labels == shipped.labels and whole.on_grid
    assert {*shipped.attributes} - {*whole.attributes} == set()
    unread = [a for a in ("word[0]:Fellbach", "word[0]:Gärtnerin") if a in shipped.attributes]
    for attribute in unread or [next(a for a in shipped.attributes if a.startswith("word[0]:X"))]:
        assert of_attribute(whole, attribute) == of_attribute(shipped, attribute)
    assert found_in(with_weights(spec(), whole), rest, CODE) == len(rest)


def of_attribute(weights: object, attribute: str) -> dict[str, float]:
    number = weights.attributes.index(attribute)  # type: ignore[attr-defined]
    rows = np.flatnonzero(weights.state_attributes == number)  # type: ignore[attr-defined]
    return {weights.labels[weights.state_labels[row]]: float(weights.state_weights[row]) for row in rows}  # type: ignore[attr-defined]


def test_a_name_of_two_letters_is_not_in_the_model() -> None:
    letters = hospital(6)
    letters += [letter(90 + n, f"Frau Zqxkanari kam {n}x.\n", ("Zqxkanari", PhiType.PATIENT)) for n in range(2)]
    attributes = AdaptationExamples(spec(), letters).adapted(range(len(letters))).attributes
    assert any(CODE in attribute for attribute in attributes)
    assert not any("zqxka" in attribute.lower() for attribute in attributes)


def test_a_label_that_nobody_marked_may_be_anywhere() -> None:
    assert outside_labels(hospital()) == (
        OUTSIDE,
        *(name for name in TYPE_GROUPS if name not in ("organisation", "date")),
    )
    everything = [letter(0, str(phi), (str(phi), phi)) for phi in PhiType]
    assert outside_labels(everything) == (OUTSIDE,)


def test_an_older_model_leaves_the_labels_it_lacks_to_rules() -> None:
    assert labels_of_model(("postcode",), {OUTSIDE, "person"}) == (OUTSIDE,)
    assert labels_of_model(("person", "postcode", OUTSIDE), {OUTSIDE, "person"}) == ("person", OUTSIDE)


def test_a_mark_allows_the_labels_of_its_types() -> None:
    def allowed(*types: PhiType, text: str = "Ulm") -> tuple[str, ...]:
        return allowed_labels(MarkedSpan(0, 1, Label.LOC, types), text)

    assert allowed(PhiType.TOWN) == ("town",)
    assert allowed(PhiType.STREET, PhiType.TOWN, PhiType.REGION) == ("street", "town")
    assert allowed(PhiType.HOSPITAL, PhiType.URI) == ("hospital", OUTSIDE)
    assert allowed(PhiType.URI, PhiType.HOSPITAL) == ("hospital", OUTSIDE)
    assert allowed(PhiType.EMAIL) == (OUTSIDE,)
    assert allowed(PhiType.OTHER, text="HD-EM 123") == ("id",)
    assert allowed(PhiType.OTHER) == (*TYPE_GROUPS, OUTSIDE)


@pytest.mark.parametrize("form", ["jsonl", "webanno", "brat"])
def test_marks_of_a_scheme_have_its_types(tmp_path: Path, form: str) -> None:
    path = tmp_path / ("letters.jsonl" if form == "jsonl" else "letters")
    scheme = Scheme.OWN if form == "jsonl" else Scheme.GEMTEX
    names = ("PER", "LOC") if scheme is Scheme.OWN else ("NAME_DOCTOR", "LOCATION_HOSPITAL")
    spans = (LabelledSpan(0, 7, names[0]), LabelledSpan(11, 14, names[1]))
    write_corpus(path, [AnnotatedText("a", "Quandt aus Ulm.", spans)], form)
    [read] = read_marked_letters(path, MarkedFormat(form, scheme))
    assert read.note.text == "Quandt aus Ulm."
    assert [mark.label for mark in read.marks] == [Label.PER, Label.LOC]
    types = [mark.types for mark in read.marks]
    if scheme is Scheme.GEMTEX:
        assert types == [(PhiType.CLINICIAN,), (PhiType.HOSPITAL, PhiType.DEPARTMENT)] or types[0] == (
            PhiType.CLINICIAN,
        )
    else:
        assert PhiType.PATIENT in types[0] and PhiType.TOWN in types[1] and PhiType.HOSPITAL in types[1]


def test_a_trial_reads_each_letter_with_what_did_not_learn_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    letters, examples = of_hospital()
    learned_from = []
    adapted = examples.adapted
    monkeypatch.setattr(examples, "adapted", lambda numbers: learned_from.append(set(numbers)) or adapted(numbers))
    trial = adaptation_trial(spec(), letters, examples)
    folds = letter_folds(range(len(letters)))
    assert sorted(number for fold in folds for number in fold) == list(range(20))
    assert learned_from == [set(range(20)) - set(fold) for fold in folds]
    assert trial.best is trial.adapted
    assert trial.before.score(Level.WORD, "recall") < 0.6 < 0.95 < trial.adapted.evaluation.score(Level.WORD, "recall")
    assert trial.adapted.gain.low > 0.1


def test_the_factor_of_a_fold_is_chosen_on_the_others() -> None:
    letters = hospital(20)
    reader, folds = MarkedReader(letters), letter_folds(range(20))
    right = {n: [LabelledSpan(m.start, m.end, m.label) for m in letters[n].marks] for n in range(20)}
    nothing: dict[int, list[LabelledSpan]] = {n: [] for n in range(20)}
    # 0.5 is right for the letters of the first fold alone, 0.7 for those of all others.
    found = dict.fromkeys(FACTORS, nothing)
    found |= {0.5: nothing | {n: right[n] for n in folds[0]}, 0.7: right | {n: [] for n in folds[0]}}
    candidate = _candidate("c", reader, found, folds, reader.evaluation(nothing))
    assert candidate.factor == 0.7
    recalled = candidate.evaluation.counts(Level.WORD)[:, 0] > 0
    assert [n for n in range(20) if not recalled[n]] == sorted(folds[0])


def test_no_factor_is_chosen_that_costs_precision() -> None:
    letters = hospital(20)
    reader, folds = MarkedReader(letters), letter_folds(range(20))
    right = {n: [LabelledSpan(m.start, m.end, m.label) for m in letters[n].marks] for n in range(20)}
    half = right | {n: right[n][:1] for n in range(0, 20, 2)}
    too_much = {n: [*marks, LabelledSpan(25, 30, Label.PER)] for n, marks in right.items()}
    found = dict.fromkeys(FACTORS, half) | {0.5: too_much}
    assert _candidate("c", reader, found, folds, reader.evaluation(half)).factor == 1.0
    # If all cost some, the one that costs least.
    more = {n: [*marks, LabelledSpan(31, 35, Label.PER)] for n, marks in too_much.items()}
    found = dict.fromkeys(FACTORS, more) | {0.7: too_much}
    assert _candidate("c", reader, found, folds, reader.evaluation(half)).factor == 0.7


def test_nothing_is_best_if_nothing_is_better_by_more_than_chance() -> None:
    letters = hospital(20)
    reader, folds = MarkedReader(letters), letter_folds(range(20))
    right = {n: [LabelledSpan(m.start, m.end, m.label) for m in letters[n].marks] for n in range(20)}
    once = right | {3: right[3][:1]}
    before = reader.evaluation(once)
    chance = _candidate("c", reader, dict.fromkeys(FACTORS, right), folds, before)
    assert chance.gain.value > 0 and AdaptationTrial(before, chance, chance).best is None
    same = _candidate("c", reader, dict.fromkeys(FACTORS, once), folds, before)
    assert (same.gain.value, same.factor, AdaptationTrial(before, same, same).best) == (0.0, 1.0, None)


def test_thresholds_are_multiplied_and_models_shared() -> None:
    other = with_factor(spec(), 0.5)
    before, after = spec().pipeline.stacking, other.pipeline.stacking
    assert before is not None and after is not None
    assert (after.promote_above, after.drop_above) == (before.promote_above / 2, before.drop_above)
    assert with_factor(spec(), 100.0).pipeline.stacking.promote_above_numbers == 1.0  # type: ignore[union-attr]
    assert other.compiled is spec().compiled and other.fingerprint != spec().fingerprint


def test_subtypes_learn_whose_names_a_hospital_writes_where() -> None:
    letters = []
    for number, name in enumerate(("Quandt", "Ranzler", "Brzechwa", "Odenthal", "Wegmann") * 4):
        text = f"Befund unauffällig.\nBotengang: Herr {name}{'er' * (number // 5)}, Termin {number + 1}.4.2010\n"
        name += "er" * (number // 5)
        letters.append(letter(number, text, (name, PhiType.RELATIVE), (f"{number + 1}.4.2010", PhiType.DATE)))
    trial = adapt_subtypes(spec(), letters, letter_folds(range(20)))
    assert trial is not None
    assert trial.spans >= 30 and trial.before < 0.8 < 0.95 < trial.after and trial.is_better
    trial.model.check(SLOTS, TYPES, PARTS * len(TYPES) + MARKS)
    assert spec().subtypes is not None
    assert trial.model.number_of("<clinician>") == spec().subtypes.number_of("<clinician>") > 0  # type: ignore[union-attr]
    assert trial.model.number_of("ranzler") == spec().subtypes.number_of("ranzler")  # type: ignore[union-attr]


def test_marks_without_types_say_nothing_of_subtypes() -> None:
    types = (PhiType.PATIENT, PhiType.CLINICIAN)
    letters = [MarkedLetter(Note("a", "Herr Quandt"), (MarkedSpan(5, 11, Label.PER, types),))]
    assert adapt_subtypes(spec(), letters, letter_folds([0])) is None


def test_letters_of_a_writer_become_those_of_one_hospital() -> None:
    files = sorted((letters_dir() / "dev/dense").glob("m*.txt"))
    before, after = list(map(read_letter, files)), as_one_hospital(files, "+m")
    assert [[g.type for g in letter.gold] for letter in after] == [[g.type for g in letter.gold] for letter in before]
    texts = {phi: {text for letter in after for text in annotated(letter, phi)} for phi in PhiType}
    assert len(texts[PhiType.HOSPITAL]) <= 3 and len(texts[PhiType.DEPARTMENT]) <= 8
    words = Counter(word for letter in after for text in annotated(letter, PhiType.CLINICIAN) for word in text.split())
    assert words.most_common(1)[0][1] > 5
    assert as_one_hospital(files, "+m") == after
    for was, now in zip(before, after, strict=True):
        assert annotated(was, PhiType.DATE) == annotated(now, PhiType.DATE)
    with pytest.raises(ConfigurationError, match="there is no letter of zz"):
        letters_of("m,zz", letters_dir() / "dev")
    assert len(letters_of("m", letters_dir() / "dev")) == len(files)


def annotated(letter: AnnotatedLetter, phi: PhiType) -> list[str]:
    return [letter.note.text[g.start : g.end] for g in letter.gold if g.type is phi]


def test_a_simulation_measures_on_letters_that_were_not_given() -> None:
    [draw] = simulated(spec(), hospital(24), 20, 1, "seed")
    assert draw.trial.before.notes == 20
    assert {evaluation.notes for evaluation in draw.measured.values()} == {4}
    assert draw.measured["what is written"] is draw.measured["model and thresholds"]
    assert draw.measured["shipped"].score(Level.WORD, "recall") < draw.measured["model and thresholds"].score(
        Level.WORD, "recall"
    )
