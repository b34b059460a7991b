"""The decision: coverage, precedence, the seed's order, and independence of the order of detections."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_core.core.labels import TYPES, Label, PhiType
from deid_core.core.spans import Detection, check_ranges
from deid_core.ensemble.resolve import Resolver

KINDS = ("header", "pattern", "gazetteer", "suffix")
TEXT = "Frau Anna-Maria Stein, Berliner Str. 12, 69120 Heidelberg am 1.2.2010 "
SEED = Resolver(KINDS, labels_from=("pattern", "gazetteer"))


def found(text: str, kind: str, phi: PhiType, rule: str = "r", score: float = 1.0) -> Detection:
    start = TEXT.index(text)
    return Detection(start, start + len(text), TYPES[phi].label, phi, kind, rule, score)


def decided(*detections: Detection, resolver: Resolver = SEED) -> list[tuple[str, str, str]]:
    return [(TEXT[s.start : s.end], s.label.value, s.recogniser) for s in resolver.resolve(TEXT, detections)]


detections = st.builds(
    lambda start, length, phi, kind, rule, score: Detection(
        start, min(start + length, len(TEXT)), TYPES[phi].label, phi, kind, rule, score
    ),
    st.integers(0, len(TEXT) - 1),
    st.integers(1, 25),
    st.sampled_from(PhiType),
    st.sampled_from(KINDS),
    st.sampled_from("abc"),
    st.sampled_from([0.5, 1.0]),
)


@given(st.lists(detections, max_size=12), st.booleans())
def test_spans_cover_every_letter_and_digit_found_and_nothing_unfound(found: list[Detection], merge: bool) -> None:
    spans = Resolver(KINDS, labels_from=("pattern", "gazetteer"), merge=merge).resolve(TEXT, found)
    covered = {at for s in spans for at in range(s.start, s.end)}
    claimed = {at for d in found for at in range(d.start, d.end)}
    assert {at for at in claimed if TEXT[at].isalnum()} <= covered
    assert {at for at in covered if TEXT[at].isalnum()} <= claimed
    assert all(a.end <= b.start for a, b in pairwise(spans))


@given(st.lists(detections, max_size=12), st.randoms())
def test_the_order_of_detections_does_not_matter(found: list[Detection], rng: random.Random) -> None:
    shuffled = found[:]
    rng.shuffle(shuffled)
    assert SEED.resolve(TEXT, found) == SEED.resolve(TEXT, shuffled)


def test_a_header_variant_takes_the_label_it_was_given() -> None:
    header = found("Stein", "header", PhiType.OTHER, "variant")
    assert decided(header, found("Stein", "gazetteer", PhiType.PERSON, "surname")) == [("Stein", "PER", "header")]
    [span] = SEED.resolve(TEXT, [header, found("Stein", "gazetteer", PhiType.PERSON, "surname")])
    assert span.rule == "variant/surname"


def test_a_header_variant_without_label_goes_before_a_suffix() -> None:
    header, suffix = found("Heidelberg", "header", PhiType.OTHER), found("Heidelberg", "suffix", PhiType.TOWN)
    assert decided(header, suffix) == [("Heidelberg", "OTHER", "header")]
    assert decided(suffix) == [("Heidelberg", "LOC", "suffix")]


def test_what_a_stronger_recogniser_leaves_of_a_detection_stays_a_span() -> None:
    street = found("Berliner Str. 12", "gazetteer", PhiType.STREET)
    town = found("Berliner", "pattern", PhiType.PERSON)
    assert decided(town, street) == [("Berliner", "PER", "pattern"), ("Str. 12", "LOC", "gazetteer")]


def test_neighbours_of_one_label_become_one_span_if_asked() -> None:
    names = found("Anna-Maria", "gazetteer", PhiType.PERSON), found("Stein", "gazetteer", PhiType.PERSON)
    assert decided(*names) == [("Anna-Maria Stein", "PER", "gazetteer")]
    assert len(decided(*names, resolver=Resolver(KINDS, merge=False))) == 2


def test_neighbours_of_other_labels_or_over_a_comma_stay_apart() -> None:
    street, plz = found("Berliner Str. 12", "gazetteer", PhiType.STREET), found("69120", "pattern", PhiType.POSTCODE)
    town = found("Heidelberg", "gazetteer", PhiType.TOWN)
    assert [t for t, _, _ in decided(street, plz, town)] == ["Berliner Str. 12", "69120", "Heidelberg"]


def test_an_unknown_recogniser_is_an_error() -> None:
    with pytest.raises(KeyError, match="crf"):
        SEED.resolve(TEXT, [found("Stein", "crf", PhiType.PERSON)])


def test_a_detection_without_text_is_refused() -> None:
    sound = found("Stein", "crf", PhiType.PERSON)
    check_ranges([sound])
    for start, end in ((3, 3), (4, 3), (-1, 3)):
        with pytest.raises(ValueError, match="range"):
            check_ranges([sound, Detection(start, end, Label.PER, PhiType.PERSON, "crf", "r")])
