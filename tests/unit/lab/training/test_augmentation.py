"""Augmented letters: the same annotations on other names and institutions, and on noisy text."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import PhiType
from deid_core.lab.corpora.letters import AnnotatedLetter, join_annotations, read_letter, split_annotations
from deid_core.lab.synthetic.draw import Draw
from deid_core.lab.training.augmentation import (
    Surrogates,
    augmented_letters,
    with_noise,
    with_other_mentions,
    with_other_names,
    with_phrases,
)

HEAD = "kind: Arztbrief\nspeciality: Innere\ncountry: DE\nyear: 2009\n---\n"
BODY = """\
<hospital>Klinik Bergheimer Tal</hospital>, <town>Bergheim</town>
| Patient: | <patient>MUSTER, Eva-Maria</patient> |
wir sahen <salute>Frau</salute> <patient>Muster</patient> am <date>3.4.2009</date>. Das Muster der Atmung war normal.
<patient>Musters</patient> Sohn <relative>Ole</relative>
<title>Dr.</title> <clinician>von der Au</clinician>/<clinician>kb</clinician>
"""
PEOPLE = (PhiType.PATIENT, PhiType.RELATIVE, PhiType.CLINICIAN)


def rewritten(folder: Path, seed: int = 3) -> tuple[AnnotatedLetter, list[AnnotatedLetter]]:
    (folder / "a01-1.txt").write_text(HEAD + BODY, encoding="utf-8")
    (folder / "a02-1.txt").write_text(
        HEAD + "<patient>Ida Quast</patient> aus <town>Ulm</town>, <hospital>Spital Thun</hospital>\n", encoding="utf-8"
    )
    return read_letter(folder / "a01-1.txt"), list(augmented_letters(folder, seed))


def texts(letter: AnnotatedLetter, *types: PhiType) -> list[str]:
    return [letter.note.text[g.start : g.end] for g in letter.gold if g.type in types]


def test_each_letter_yields_three_letters_with_its_annotations(tmp_path: Path) -> None:
    original, all_rewritten = rewritten(tmp_path)
    assert [letter.note.note_id for letter in all_rewritten] == 3 * ["a01-1"] + 3 * ["a02-1"]
    for letter in all_rewritten[:3]:
        assert [g.type for g in letter.gold] == [g.type for g in original.gold]
        assert letter.note.text != original.note.text


def test_the_same_seed_gives_the_same_letters(tmp_path: Path) -> None:
    assert rewritten(tmp_path)[1] == rewritten(tmp_path)[1]
    assert rewritten(tmp_path)[1] != rewritten(tmp_path, seed=4)[1]


def test_half_of_the_letters_with_other_names_get_another_layout(tmp_path: Path) -> None:
    drawn = [rewritten(tmp_path, seed)[1] for seed in range(30)]
    laid_out = [[not letter.note.blocks for letter in letters[:3]] for letters in drawn]
    assert 8 <= sum(renamed for renamed, _, _ in laid_out) <= 22
    assert not any(exchanged or noisy for _, exchanged, noisy in laid_out)


def test_a_name_is_replaced_consistently_in_all_its_forms_and_nothing_else_changes() -> None:
    class Always(Surrogates):
        def __init__(self, word: str) -> None:
            self._word = word

        def draw(self, draw: Draw) -> str:
            return self._word

    surrogates = {"family": Always("Neumann"), "given": Always("Lea"), "place": Always("Neustadt")}
    lines = with_other_names([split_annotations(line) for line in BODY.splitlines()], surrogates, Draw("1"))
    assert "\n".join(map(join_annotations, lines)) + "\n" == (
        BODY.replace("MUSTER, Eva-Maria", "NEUMANN, Lea-Lea")
        .replace("<patient>Muster", "<patient>Neumann")
        .replace("Ole", "Lea")
        .replace("Bergheim", "Neustadt")
    )


def test_an_institution_is_replaced_consistently_as_a_whole_and_nothing_else_changes() -> None:
    text = (
        "<hospital>Klinik Au</hospital>, <profession>Maurer</profession> im <hospital>Klinik Au</hospital> und "
        "Klinik Au, <patient>Ida Quast</patient>, <organisation>Quast GmbH</organisation>"
    )
    mentions = {PhiType.HOSPITAL: ["Spital Thun"], PhiType.PROFESSION: ["Lehrer"], PhiType.PATIENT: ["Lea Neu"]}
    (line,) = with_other_mentions([split_annotations(text)], {**mentions, PhiType.PATIENT: []}, Draw("1"))
    assert join_annotations(line) == text.replace(">Klinik Au<", ">Spital Thun<").replace("Maurer", "Lehrer")


def test_institutions_are_drawn_from_all_letters_and_people_keep_their_kind(tmp_path: Path) -> None:
    drawn = {text for seed in range(9) for text in texts(rewritten(tmp_path, seed)[1][1], PhiType.HOSPITAL)}
    assert drawn == {"Klinik Bergheimer Tal", "Spital Thun"}
    assert len(set(texts(rewritten(tmp_path)[1][1], PhiType.PATIENT))) > 1


def test_surrogates_are_words_of_their_kind_or_resemble_them() -> None:
    words = ["Bachmeier", "Obermeier", "Bachhuber", "Oberhuber"]
    surrogates, draw = Surrogates(words), Draw("5")
    drawn = {surrogates.draw(draw) for _ in range(200)}
    assert set(words) < drawn
    letters = set("".join(words).lower())
    assert all(set(word.lower()) <= letters and word[0].isupper() for word in drawn)
    assert Surrogates([]).draw(draw) == ""


@given(st.integers())
def test_phrases_stand_between_the_lines_and_away_from_the_letterhead_and_from_tables(seed: int) -> None:
    lines = [split_annotations(line) for line in BODY.splitlines()]
    phrases = ["Riss der Sehne", "Verlust der Milz"]  # without a long noun, no line changes
    changed = with_phrases(lines, phrases, Draw(str(seed)))
    new = [number for number, line in enumerate(changed) if line not in lines]
    assert [line for line in changed if line in lines] == lines
    assert new
    assert min(new) > len(lines) // 3
    assert all(any(phrase in join_annotations(changed[number]) for phrase in phrases) for number in new)
    assert not {changed.index(lines[1]) + 1, changed.index(lines[1]) - 1} & set(new)


def test_a_name_before_a_blank_and_nothing_else_may_get_a_long_noun() -> None:
    line = "<patient>Eva</patient> kam, <relative>Ole</relative>, <town>Ulm</town> am"
    changed = {
        join_annotations(changed)
        for seed in range(2000)
        for changed in with_phrases([split_annotations(line)], ["Exzision"], Draw(str(seed)))
    }
    adjectives = {f"Eva{mark}{ending}</patient> Exzision" for mark in ("", "'", "’") for ending in ("sche", "schen")}
    names = {"Eva</patient>", "Eva</patient> Exzision", "Eva</patient>-Exzision"} | adjectives
    assert {text for text in changed if "kam" in text} == {line.replace("Eva</patient>", name) for name in names}


def test_a_few_letters_with_other_names_end_with_a_ward_list(tmp_path: Path) -> None:
    rewritten(tmp_path)
    counts = [
        [len(texts(letter, PhiType.PATIENT)) for letter in letters[:3]]
        for letters in (list(augmented_letters(tmp_path, seed, ["Riss der Sehne"])) for seed in range(60))
    ]
    renamed, exchanged, noisy = zip(*counts, strict=True)
    assert set(exchanged) == set(noisy) == {3}
    assert 1 <= sum(count > 3 for count in renamed) <= 15


def test_most_letters_with_other_names_or_noise_get_phrases(tmp_path: Path) -> None:
    rewritten(tmp_path)
    found = [
        ["warze" in letter.note.text.lower() for letter in letters[:3]]
        for letters in (list(augmented_letters(tmp_path, seed, ["Exzision einer Warze"])) for seed in range(30))
    ]
    renamed, exchanged, noisy = (sum(of) for of in zip(*found, strict=True))
    assert 14 <= renamed <= 28
    assert not exchanged
    assert 8 <= noisy <= 28


@given(st.integers())
def test_noise_keeps_all_annotations(seed: int) -> None:
    lines = [split_annotations(line) for line in BODY.splitlines()]
    noisy = with_noise(lines, Draw(str(seed)))
    assert [[phi for phi, _ in line] for line in noisy] == [[phi for phi, _ in line] for line in lines]
    assert all(text.strip() for line in noisy for phi, text in line if phi)


@given(
    st.lists(st.tuples(st.sampled_from([None, *PEOPLE]), st.text("abc äß.,", min_size=1)), max_size=6).filter(
        lambda pieces: all(a[0] or b[0] for a, b in pairwise(pieces))
    )
)
def test_joining_reverses_splitting_of_annotations(pieces: list[tuple[PhiType | None, str]]) -> None:
    assert split_annotations(join_annotations(pieces)) == pieces
