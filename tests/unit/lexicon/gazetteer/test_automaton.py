"""Compiled lists: the automaton against a plain search, and equal lists giving equal bytes."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.lexicon.gazetteer.automaton import Gazetteer, compile_lists
from deid_core.lexicon.gazetteer.kinds import ListKind, bit
from deid_core.lexicon.gazetteer.matcher import Matcher
from deid_core.text.vocabulary import Vocabulary

WORD = st.sampled_from(["Bad", "Homburg", "am", "Main", "Frankfurt", "Neu", "Berg", "x"])
ENTRY = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
LISTS = st.fixed_dictionaries(
    {kind: st.lists(ENTRY, max_size=6) for kind in (ListKind.TOWN, ListKind.SURNAME, ListKind.FIRST_NAME)}
)


def matches_of(gazetteer: Gazetteer, text: str, *, variants: bool = False) -> list[tuple[int, int, int]]:
    vocabulary = Vocabulary()
    tokens = vocabulary.tokenise(text)
    found = Matcher(gazetteer, vocabulary, variants=variants).match(tokens)
    return list(zip(found.start_token.tolist(), found.end_token.tolist(), found.lists.tolist(), strict=True))


@given(LISTS, st.lists(WORD, max_size=12))
def test_matches_are_those_of_a_plain_search(lists: dict[ListKind, list[str]], words: list[str]) -> None:
    masks: dict[tuple[str, ...], int] = {}
    for kind, entries in lists.items():
        for entry in entries:
            key = tuple(entry.split(" "))
            masks[key] = masks.get(key, 0) | bit(kind)
    expected = []
    for first in range(len(words)):
        ends = [last for last in range(first + 1, len(words) + 1) if tuple(words[first:last]) in masks]
        if ends:
            expected.append((first, ends[-1], masks[tuple(words[first : ends[-1]])]))
    assert matches_of(compile_lists(lists), " ".join(words)) == expected


@given(LISTS, st.randoms())
def test_order_and_repetition_do_not_matter(lists: dict[ListKind, list[str]], random: object) -> None:
    shuffled = {kind: entries * 2 for kind, entries in reversed(lists.items())}
    for entries in shuffled.values():
        random.shuffle(entries)  # type: ignore[attr-defined]
    assert compile_lists(shuffled).to_bytes() == compile_lists(lists).to_bytes()
    assert compile_lists(shuffled).digest == compile_lists(lists).digest


@given(LISTS)
def test_bytes_and_back(lists: dict[ListKind, list[str]]) -> None:
    gazetteer = compile_lists({**lists, ListKind.STOP_WORD: ["die", "und"]})
    for again in (Gazetteer.from_bytes(gazetteer.to_bytes()), pickle.loads(pickle.dumps(gazetteer))):  # noqa: S301
        assert again.digest == gazetteer.digest
        assert again.lists == gazetteer.lists
        assert again.words("stop_word") == {"die", "und"}


def test_another_entry_gives_another_digest() -> None:
    assert compile_lists({ListKind.TOWN: ["Ulm"]}).digest != compile_lists({ListKind.TOWN: ["Köln"]}).digest
    assert compile_lists({ListKind.TOWN: ["Ulm"]}).digest != compile_lists({ListKind.SURNAME: ["Ulm"]}).digest
    assert compile_lists({ListKind.EPONYM: ["Crohn"]}).digest != compile_lists({}).digest


def test_damaged_bytes_are_refused() -> None:
    data = compile_lists({ListKind.TOWN: ["Ulm"]}).to_bytes()
    for damaged in (b"", b"no archive", data[: len(data) // 2]):
        with pytest.raises(ValueError, match="damaged"):
            Gazetteer.from_bytes(damaged)


def test_words_of_a_list() -> None:
    gazetteer = compile_lists({ListKind.TOWN: ["Ulm", "Bad Homburg"], ListKind.TITLE: ["Dr. med."]})
    assert gazetteer.words("town") == {"Ulm"}
    assert gazetteer.words("title") == {"Dr. med."}
    assert gazetteer.words("surname") == frozenset()
    assert gazetteer.lists == ("town", "title")
    with pytest.raises(ValueError, match="no list 'towns'"):
        gazetteer.words("towns")


@given(st.dictionaries(st.sampled_from(ListKind), st.lists(st.sampled_from(["Ulm", "ULM", "Bad Ems", "groß", "GROẞ"]))))
def test_lowered_entries_are_the_words_of_the_lists_in_lower_case(lists: dict[ListKind, list[str]]) -> None:
    gazetteer = Gazetteer.from_bytes(compile_lists(lists).to_bytes())
    for kinds in ([kind] for kind in ListKind), [[ListKind.TOWN, ListKind.TITLE], [*ListKind], []]:
        for names in kinds:
            expected = {word.lower() for name in names for word in gazetteer.words(name)}
            lowered = gazetteer.lowered(*names)
            assert expected == {word for word in ["ulm", "Ulm", "bad ems", "groß", "", "ems"] if word in lowered}
    with pytest.raises(ValueError, match="no list 'towns'"):
        gazetteer.lowered("towns")


def test_empty_lists_match_nothing() -> None:
    assert matches_of(compile_lists({}), "Bad Homburg", variants=True) == []


def test_only_wanted_lists_are_matched() -> None:
    gazetteer = compile_lists({ListKind.TOWN: ["Bad Homburg"], ListKind.SURNAME: ["Bad"]})
    vocabulary = Vocabulary()
    found = Matcher(gazetteer, vocabulary, ["surname"]).match(vocabulary.tokenise("Bad Homburg"))
    assert (found.start_token.tolist(), found.end_token.tolist()) == ([0], [1])


def test_contained_matches_are_left_out() -> None:
    gazetteer = compile_lists({ListKind.TOWN: ["Bad Homburg am Main", "Homburg am", "Main Berg"]})
    vocabulary = Vocabulary()
    found = Matcher(gazetteer, vocabulary).match(vocabulary.tokenise("Bad Homburg am Main Berg")).outermost()
    assert list(zip(found.start_token.tolist(), found.end_token.tolist(), strict=True)) == [(0, 4), (3, 5)]


@pytest.mark.parametrize(
    ("text", "count"),
    [("Müllers", 1), ("MUELLER", 1), ("Müller-Schmidt", 1), ("Müller-Test", 0), ("Berlinerstr.", 1), ("Ulm-Mitte", 0)],
)
def test_variants_are_found_on_demand_only(text: str, count: int) -> None:
    gazetteer = compile_lists({ListKind.SURNAME: ["Müller", "Schmidt"], ListKind.STREET: ["Berliner Straße"]})
    assert len(matches_of(gazetteer, text, variants=True)) == count
    assert matches_of(gazetteer, text) == []


def test_types_seen_later_are_matched_too() -> None:
    gazetteer = compile_lists({ListKind.TOWN: ["Ulm"]})
    vocabulary = Vocabulary()
    matcher = Matcher(gazetteer, vocabulary)
    assert len(matcher.match(vocabulary.tokenise("nichts davon"))) == 0
    assert len(matcher.match(vocabulary.tokenise("nichts aus Ulm"))) == 1
