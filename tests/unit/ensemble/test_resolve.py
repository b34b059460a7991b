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


@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("Karl-\nFriedrich", (4, 6), ["Karl-\nFriedrich"]),
        ("Karl-\nFriedrich", (5, 6), ["Karl-\nFriedrich"]),
        ("Karl\nFriedrich", (4, 5), ["Karl", "Friedrich"]),
        ("Karl -\nFriedrich", (4, 7), ["Karl", "Friedrich"]),
        ("Karl-  \n    Friedrich", (4, 12), ["Karl-  \n    Friedrich"]),
        ("Karl\u2011 \nFriedrich", (5, 7), ["Karl\u2011 \nFriedrich"]),
        ("Karl-\n\nFriedrich", (4, 7), ["Karl", "Friedrich"]),
    ],
)
def test_a_name_that_a_hyphen_divides_at_a_line_end_is_one_span(
    text: str, ends: tuple[int, int], expected: list[str]
) -> None:
    end, start = ends
    parts = [
        Detection(*of, Label.PER, PhiType.PERSON, "gazetteer", "surname", 1.0) for of in ((0, end), (start, len(text)))
    ]
    assert [text[span.start : span.end] for span in SEED.resolve(text, parts)] == expected


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


FORMS = {
    "anna.stein@klinik-ulm.example": ("email.address", PhiType.EMAIL),
    "www.anna-stein.example/praxis/team": ("uri.www", PhiType.URI),
    "0621 / 44 17 - 203": ("phone.national", PhiType.PHONE),
    "DE89 3704 0044 0532 0130 00": ("id.iban", PhiType.ID),
    "A123456780": ("id.health_insurance", PhiType.INSURANCE_ID),
    "12. März 2010": ("date.named", PhiType.DATE),
}


@given(st.sampled_from(list(FORMS)), st.booleans(), st.data())
def test_nothing_cuts_what_is_certain_by_its_form(form: str, unlabelled: bool, data: st.DataObject) -> None:
    """Whatever names the stacking model and the recognisers see in it or across its edges.

    unlabelled: whether the note has a word of the letterhead without a label.
    """
    text = f"Kontakt Frau Stein {form} Anna Muster"
    rule, phi = FORMS[form]
    start, end = 19, 19 + len(form)
    whole = Detection(start, end, TYPES[phi].label, phi, "pattern", rule, 1.0)
    cuts = sorted(data.draw(st.sets(st.integers(8, len(text)), min_size=2, max_size=6)))
    name = TYPES[PhiType.PERSON].label
    entities = [Detection(a, b, name, PhiType.PERSON, "stacking", "person", 0.9) for a, b in pairwise(cuts)][::2]
    others = data.draw(st.lists(st.builds(
        lambda a, n: Detection(a, min(a + n, len(text)), name, PhiType.PERSON, "gazetteer", "surname", 1.0),
        st.integers(0, len(text) - 1), st.integers(1, 20),
    ), max_size=5))  # fmt: skip
    if unlabelled:
        others.append(Detection(0, 7, Label.OTHER, PhiType.OTHER, "letterhead", "variant", 1.0))
    resolver = Resolver(("pattern", "letterhead", "gazetteer"), labels_from=("pattern", "gazetteer"))
    spans = resolver.resolve(text, [whole, *others], entities)
    of_form = [span for span in spans if span.start < end and start < span.end]
    assert len(of_form) == 1
    assert of_form[0].start <= start and end <= of_form[0].end
    covers = any(entity.start <= start and end <= entity.end for entity in entities)
    assert covers or (of_form[0].start, of_form[0].end, of_form[0].label) == (start, end, whole.label)


def test_where_the_model_sees_other_numbers_it_counts() -> None:
    text = "Pat.-ID / Fall 0044871 / 14003362"
    number = Detection(15, 33, Label.PHONE, PhiType.PHONE, "pattern", "phone.international", 1.0)
    ids = [Detection(a, b, Label.ID, PhiType.ID, "stacking", "id", 0.9) for a, b in ((15, 22), (25, 33))]
    spans = Resolver(("pattern",)).resolve(text, [number], ids)
    assert [(s.start, s.end, s.label) for s in spans] == [(15, 22, Label.ID), (25, 33, Label.ID)]


def test_a_place_that_ends_as_none_does_goes_on() -> None:
    text = "Klinik St. Veit an der Glan, Musterberg Glan"
    hospital = Detection(0, 22, Label.LOC, PhiType.HOSPITAL, "stacking", "hospital", 0.9)
    glan = Detection(23, 27, Label.LOC, PhiType.TOWN, "stacking", "town", 0.9)
    mount = Detection(29, 39, Label.LOC, PhiType.PLACE, "stacking", "town", 0.9)
    town = Detection(40, 44, Label.LOC, PhiType.TOWN, "stacking", "town", 0.9)
    spans = Resolver(()).resolve(text, [], [hospital, glan, mount, town])
    assert [text[s.start : s.end] for s in spans] == ["Klinik St. Veit an der Glan", "Musterberg", "Glan"]


@pytest.mark.parametrize(
    ("text", "places", "spans"),
    [
        ("Frankfurt (Oder), Lübeck", ["Frankfurt", "Oder", "Lübeck"], ["Frankfurt (Oder)", "Lübeck"]),
        ("Klinik Musterberg(Opf.) hier", ["Klinik Musterberg", "Opf."], ["Klinik Musterberg(Opf.)"]),
        ("Frankfurt (Oder und", ["Frankfurt", "Oder"], ["Frankfurt", "Oder"]),
        ("Meran (Italien)", ["Meran", "Italien"], ["Meran", "Italien"]),
        ("Wulften am Harz", ["Wulften", "am", "Harz"], ["Wulften am Harz"]),
        ("Neustadt an der Donau", ["Neustadt", "an der", "Donau"], ["Neustadt an der Donau"]),
    ],
)
def test_a_river_or_landscape_belongs_to_its_town(text: str, places: list[str], spans: list[str]) -> None:
    kinds = (PhiType.TOWN, PhiType.PLACE, PhiType.REGION)
    starts = [text.index(place) for place in places]
    detections = [
        Detection(start, start + len(place), Label.LOC, phi, "gazetteer", "town", 0.9)
        for place, start, phi in zip(places, starts, kinds, strict=False)
    ]
    assert [text[s.start : s.end] for s in Resolver(("gazetteer",)).resolve(text, detections)] == spans
