"""Challenge corpora: only names, places and hospitals change, the same ones the same way, and as the corpus says."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from deid_core.core.errors import ConfigurationError
from deid_core.core.labels import PhiType
from deid_core.lab.synthetic import SyntheticNote, generate_note
from deid_core.lab.synthetic.letter import Letter, Phi
from deid_core.lab.synthetic.lists import data_dir, lists_of, read_rows
from deid_core.lab.synthetic.rendering import render
from deid_core.lab.synthetic.surrogates import CORPORA, challenge_note, inject, iter_challenge
from deid_core.lab.synthetic.surrogates.forms import folded
from deid_core.lab.synthetic.surrogates.mixes import CATEGORIES
from deid_core.lab.synthetic.surrogates.words import surrogate_lists

SPLITS = st.sampled_from(["train", "test"])
ANY_CORPUS = st.sampled_from(sorted(CORPORA))
WITHOUT_TYPOS = st.sampled_from(["random", "ambiguous", "oov"])
NUMBERS = st.integers(0, 10**6)
WORD = re.compile(r"[^\W\d_]+")


def outside(item: SyntheticNote) -> list[str]:
    """What stands before, between and after the gold spans."""
    starts = [span.start for span in item.gold] + [len(item.note.text)]
    ends = [0] + [span.end for span in item.gold]
    return [item.note.text[end:start] for end, start in zip(ends, starts, strict=True)]


def replaced(before: SyntheticNote, after: SyntheticNote) -> Iterator[tuple[str, str, PhiType]]:
    for old, new in zip(before.gold, after.gold, strict=True):
        if old.type in CATEGORIES:
            yield before.note.text[old.start : old.end], after.note.text[new.start : new.end], old.type


def injected(*paragraphs: tuple[str | Phi, ...], corpus: str = "random", split: str = "train") -> list[str]:
    """The replaced names of a letter of these paragraphs."""
    letter = Letter(dt.date(2010, 5, 1), paragraphs)
    note, gold = render(letter, "n", 2010)
    after = inject(SyntheticNote(note, gold, letter), corpus, split)
    return [after.note.text[span.start : span.end] for span in after.gold]


def patient(*names: str) -> tuple[str | Phi, ...]:
    return tuple(piece for name in names for piece in (Phi(name, PhiType.PATIENT), " "))


@given(ANY_CORPUS, SPLITS, NUMBERS, NUMBERS)
@settings(max_examples=60)
def test_what_stands_outside_the_names_stays(corpus: str, split: str, seed: int, index: int) -> None:
    before, after = generate_note(seed, split, index), challenge_note(corpus, seed, split, index)
    assert outside(after) == outside(before)
    assert [(s.label, s.type) for s in after.gold] == [(s.label, s.type) for s in before.gold]
    assert [block.kind for block in after.note.blocks] == [block.kind for block in before.note.blocks]
    for old, new in zip(before.gold, after.gold, strict=True):
        surface = after.note.text[new.start : new.end]
        assert surface == surface.strip() != ""
        if old.type not in CATEGORIES:
            assert surface == before.note.text[old.start : old.end]


@given(WITHOUT_TYPOS, SPLITS, NUMBERS, NUMBERS)
@example("ambiguous", "train", 254, 254)
@settings(max_examples=60)
def test_the_same_name_becomes_the_same_and_two_names_become_two(
    corpus: str, split: str, seed: int, index: int
) -> None:
    before, after = generate_note(seed, split, index), challenge_note(corpus, seed, split, index)
    for kind in (PhiType.TOWN, PhiType.HOSPITAL, PhiType.STREET):
        surrogates = defaultdict(set)
        for old, new, found in replaced(before, after):
            if found is kind:
                surrogates[old].add(new)
        assert all(len(found) == 1 for found in surrogates.values())
        for one, other in combinations(surrogates, 2):
            # A name that the note itself misspells, or has in capitals, is the same name.
            assert surrogates[one] != surrogates[other] or OSA.distance(one.lower(), other.lower()) <= 1
    people = {(old, new) for old, new, found in replaced(before, after) if found is PhiType.CLINICIAN}
    assert len(people) == len({old for old, _ in people})


@given(WITHOUT_TYPOS, SPLITS, NUMBERS)
@settings(max_examples=40)
def test_the_surname_alone_is_part_of_the_full_name(corpus: str, split: str, index: int) -> None:
    before, after = generate_note(3, split, index), challenge_note(corpus, 3, split, index)
    people = [(old, new) for old, new, kind in replaced(before, after) if kind is PhiType.CLINICIAN]
    full = {old.split(" ")[-1]: new for old, new in people if old.count(" ") == 1 and "." not in old}
    for old, new in people:
        if old in full:
            assert full[old].endswith(f" {new}")


@given(WITHOUT_TYPOS, SPLITS, NUMBERS)
@example("random", "train", 169)  # A street with a hyphen.
@settings(max_examples=40)
def test_nobody_keeps_a_name_or_gets_one_of_the_letter(corpus: str, split: str, index: int) -> None:
    pairs = list(replaced(generate_note(9, split, index), challenge_note(corpus, 9, split, index)))
    kinds = (PhiType.PATIENT, PhiType.CLINICIAN, PhiType.RELATIVE, PhiType.TOWN, PhiType.STREET)
    names = {old for old, _, kind in pairs if kind in kinds and "." not in old}
    assert not names & {new for _, new, kind in pairs if kind in kinds}


def test_parts_and_forms_of_a_name_follow_it() -> None:
    full, listed, genitive, capitals, initial, initials, family = injected(
        patient("Peter Müller", "Müller, Peter", "Müllers", "MÜLLER, Peter", "P. Müller", "P.M.", "Erika Müller")
    )
    given_name, surname = full.split(" ")
    assert given_name != "Peter" and surname != "Müller"
    assert listed == f"{surname}, {given_name}"
    assert genitive in (f"{surname}s", f"{surname}'")
    assert capitals == f"{surname.upper()}, {given_name}"
    assert initial == f"{given_name[0]}. {surname}"
    assert initials == f"{given_name[0]}.{surname[0]}."
    assert family.split(" ")[1] == surname and family.split(" ")[0] in lists_of("train").given_female


def test_a_misspelt_name_becomes_the_surrogate_misspelt() -> None:
    full, wrong, again = injected(patient("Peter Zimmermann", "Zimermann", "Zimermann"))
    surname = full.split(" ")[1]
    assert wrong == again
    assert wrong[0] == surname[0] and abs(len(wrong) - len(surname)) <= 1


def test_particles_and_hyphens_stay() -> None:
    noble, double = injected(patient("Karl-Heinz von der Berg", "Freiherr von Stein-Sommer"))
    assert re.fullmatch(r"\w+-\w+ von der \w+", noble)
    assert re.fullmatch(r"Freiherr von \w+-\w+", double)


def test_a_given_name_alone_is_known_from_the_full_name() -> None:
    full, alone = injected(patient("Walter Koch", "Walter"))
    assert full.split(" ")[0] == alone


def test_places_keep_number_and_abbreviation_and_a_hospital_its_town() -> None:
    clinic, town, short, long = injected(
        (Phi("Klinikum Ulm", PhiType.HOSPITAL), " ", Phi("Ulm", PhiType.TOWN)),
        (Phi("Schulstr. 5a", PhiType.STREET), " ", Phi("Schulstraße 5a", PhiType.STREET)),
        corpus="ambiguous",
    )
    assert town in surrogate_lists("train").places
    assert town in clinic or clinic in surrogate_lists("train").hospitals
    assert short == long and short.endswith(" 5a")
    short, long = injected(
        (Phi("Schulstr. 5a", PhiType.STREET), " ", Phi("Schulstraße 5a", PhiType.STREET)), corpus="oov"
    )
    assert short.replace("str.", "straße") == long


def test_a_department_keeps_what_is_no_name() -> None:
    named, numbered = injected(
        (Phi("Station Wagner", PhiType.DEPARTMENT), " ", Phi("Intensivmedizin", PhiType.DEPARTMENT))
    )
    assert numbered == "Intensivmedizin"
    assert named.startswith("Station ") and named != "Station Wagner"


@pytest.mark.parametrize("split", ["train", "test"])
def test_random_names_are_those_of_the_half(split: str) -> None:
    lists = lists_of(split)
    listed = {
        folded(word)
        for name in (*lists.surnames, *lists.given_male, *lists.given_female)
        for word in WORD.findall(name)
    }
    for index in range(20):
        before, after = generate_note(1, split, index), challenge_note("random", 1, split, index)
        for old, new, kind in replaced(before, after):
            if kind is PhiType.CLINICIAN and " " in old and old.isalpha():
                assert {folded(word) for word in WORD.findall(new)} <= listed
            if kind is PhiType.STREET:
                assert new.rpartition(" ")[2][0].isdigit() or new[-1].isalpha()


@pytest.mark.parametrize("split", ["train", "test"])
def test_ambiguous_shares_of_tokens_are_near_the_seed_s(split: str) -> None:
    extra = surrogate_lists(split)
    ambiguous = {folded(word) for words in (extra.surnames, extra.places, extra.hospitals) for word in words}
    total: dict[str, int] = defaultdict(int)
    found: dict[str, int] = defaultdict(int)
    for item in iter_challenge("ambiguous", 150, seed=2, split=split):
        for span in item.gold:
            if span.type in CATEGORIES:
                for word in WORD.findall(item.note.text[span.start : span.end]):
                    if len(word) > 1:
                        total[CATEGORIES[span.type]] += 1
                        found[CATEGORIES[span.type]] += folded(word) in ambiguous
    shares = {category: found[category] / total[category] for category in total}
    assert shares["patient"] == pytest.approx(0.49, abs=0.06)
    assert shares["doctor"] == pytest.approx(0.57, abs=0.06)
    assert shares["location"] > 0.98
    assert shares["hospital"] == pytest.approx(0.18, abs=0.08)


@pytest.mark.parametrize("split", ["train", "test"])
def test_unknown_names_stand_in_no_list_of_either_half(split: str) -> None:
    known = set()
    for half in ("train", "test"):
        lists, extra = lists_of(half), surrogate_lists(half)
        for names in (
            lists.surnames,
            lists.given_male,
            lists.given_female,
            lists.streets,
            extra.surnames,
            extra.places,
        ):
            known |= {folded(name) for name in names}
        known |= {folded(town.name) for town in lists.towns}
    names = set()
    for index in range(30):
        before, after = generate_note(1, split, index), challenge_note("oov", 1, split, index)
        for old, new, kind in replaced(before, after):
            if kind in (PhiType.TOWN, PhiType.PATIENT, PhiType.CLINICIAN) and "." not in old and old.istitle():
                names.add(folded(new))
    assert len(names) > 100
    assert not names & known


def test_made_names_of_the_halves_cannot_be_the_same() -> None:
    firsts = [{syllable[0] for syllable in surrogate_lists(split).syllables} for split in ("train", "test")]
    assert not firsts[0] & firsts[1]


@pytest.mark.parametrize("split", ["train", "test"])
def test_ambiguous_words_are_no_names_of_the_other_half(split: str) -> None:
    other = lists_of("test" if split == "train" else "train")
    names = {*other.surnames, *other.given_male, *other.given_female, *(town.name for town in other.towns)}
    for name in ("surnames", "places", "hospitals"):
        words = [row[0] for row in read_rows(data_dir("lists", split) / f"ambiguous-{name}.txt", 1)]
        assert 60 <= len(words) <= 100
        assert all(word[0].isupper() and word.isalpha() for word in words)
        assert not set(words) & names


def test_the_challenge_corpus_has_all_kinds_and_misspellings() -> None:
    extra = surrogate_lists("train")
    lists = lists_of("train")
    listed = {town.name for town in lists.towns}
    kinds: dict[str, int] = defaultdict(int)
    varied = 0
    for index in range(80):
        before, after = generate_note(4, "train", index), challenge_note("challenge", 4, "train", index)
        surrogates = defaultdict(set)
        for old, new, kind in replaced(before, after):
            if kind is PhiType.TOWN:
                kinds["ambiguous" if new in extra.places else "listed" if new in listed else "other"] += 1
                surrogates[old].add(new)
        varied += any(len(found) > 1 for found in surrogates.values())
    assert kinds["other"] > kinds["listed"] > kinds["ambiguous"] > 0
    assert varied > 5


@given(ANY_CORPUS, SPLITS, NUMBERS, NUMBERS)
@settings(max_examples=15)
def test_a_note_depends_on_its_arguments_alone(corpus: str, split: str, seed: int, index: int) -> None:
    first = challenge_note(corpus, seed, split, index)
    challenge_note("random", seed + 1, split, index)
    assert list(iter_challenge(corpus, 1, seed=seed, split=split, start=index)) == [first]
    assert first.note.note_id == f"{corpus}-{split}-{seed}-{index:06}"


def test_notes_are_the_same_in_every_process() -> None:
    program = (
        "from deid_core.lab.synthetic.surrogates import iter_challenge\n"
        "for c in ('random', 'ambiguous', 'oov', 'challenge'): print(repr(list(iter_challenge(c, 4, seed=1))))"
    )
    digests = {
        hashlib.sha256(
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "PYTHONHASHSEED": hash_seed},
                check=True,
                capture_output=True,
            ).stdout
        ).hexdigest()
        for hash_seed in ("1", "2")
    }
    assert len(digests) == 1


def test_an_unknown_corpus_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="random, ambiguous, oov, challenge"):
        challenge_note("authentic", 1, "train", 0)
    with pytest.raises(ConfigurationError, match="train and test"):
        challenge_note("oov", 1, "dev", 0)
