"""Redaction: each span replaced as the policy says, everything else as it was, whatever the policy and the order."""

from __future__ import annotations

import hashlib
import random
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_notes import KEY, OTHER_KEY, note, outputs, policy, redacted, span

from deid_core.core.errors import SecretMissingError
from deid_core.core.labels import Label, PhiType
from deid_core.core.spans import Span
from deid_core.policies.key import PolicyKey
from deid_core.policies.redaction import Redactor
from deid_core.policies.settings import load_policy, policy_names

LETTERS = (
    "[salute Herrn] [patient Peter Müller], geb. [birth_date 1.12.1956], [street Gartenstr. 11a], [postcode 69120] "
    "[town Heidelberg], Tel. [phone 06221/56-1234], Fall [case_id 10-4711-B], versichert bei [organisation AOK Hessen]",
    "Die Frau des Pat., [relative Anna Müller], [age 57-jährige] [profession Lehrerin], rief am [date 3.4.2010] an",
    "[title Dr.] [clinician A. Schmidt], [hospital Theresienkrankenhaus Ulm], [department Station M 6], "
    "[email a.schmidt@theresien.de], [uri www.theresien.de/schmidt], [region Allgäu], [country Türkei], "
    "[place Bahnhof Ulm], [town Ulm], [fax -7096], [insurance_id A123456789], [clinician wi-zi]",
)
"""Parts of notes; together they have spans of all labels."""
ORIGINALS = (
    "Müller Peter Anna Schmidt schmidt theresien Theresien Garten 69120 56-1234 Ulm 4711 123456789 wi-zi 7096 1.12.1956"
).split()


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    alphabet = st.characters() | st.sampled_from("0123456789.-/ ,MüllerPt")
    text = draw(st.text(alphabet, min_size=1, max_size=200))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=20)))
    types = st.sampled_from(PhiType)
    return text, [span(a, b, draw(types)) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


@given(texts_with_spans())
def test_thesis_writes_the_label_of_each_span(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    done = Redactor(load_policy()).redact(text, spans)
    for s, (start, end) in zip(spans, done.outputs, strict=True):
        assert done.text[start:end] == ("<O>" if s.label is Label.OTHER else f"<{s.label}>")
    assert done.unparsed == {}


@pytest.mark.parametrize("name", policy_names())
@given(case=texts_with_spans())
def test_text_outside_spans_is_unchanged(name: str, case: tuple[str, list[Span]]) -> None:
    text, spans = case
    done = Redactor(load_policy(name), KEY).redact(text, spans)
    at_in = at_out = 0
    for s, (start, end) in zip(spans, done.outputs, strict=True):
        assert text[at_in : s.start] == done.text[at_out:start]
        at_in, at_out = s.end, end
    assert text[at_in:] == done.text[at_out:]


def test_the_seeds_figure_4() -> None:
    marked = (
        "Ihren Patienten [salute Herrn] [patient Mustermann], geboren am [birth_date 01.12.1956], "
        "wh. [street Musterstraße], [postcode 12345] [town Musterstadt] der"
    )
    expected = "Ihren Patienten <SALUTE> <PER>, geboren am <DATE>, wh. <LOC>, <PLZ> <LOC> der"
    assert redacted(marked, "thesis") == expected


def test_the_placeholder_of_unlabelled_words_is_the_callers() -> None:
    assert Redactor(load_policy()).redact("Anna", [span(0, 4, PhiType.OTHER)], unlabelled="X").text == "<X>"


def test_overlapping_spans_are_refused() -> None:
    redactor = Redactor(load_policy())
    with pytest.raises(ValueError, match="overlaps"):
        redactor.redact("Anna Stein", [span(0, 6), span(5, 10)])
    with pytest.raises(ValueError, match="leaves"):
        redactor.redact("Anna", [span(0, 5)])


def test_a_keyed_policy_wants_a_key() -> None:
    with pytest.raises(SecretMissingError, match="readable"):
        Redactor(load_policy("readable"))
    Redactor(load_policy("hipaa-safe-harbor"))


@pytest.mark.parametrize("name", ["readable", "research-gdpr"])
@given(seed=st.integers(0, 10_000))
def test_the_same_key_gives_the_same_output_in_any_order_of_notes(name: str, seed: int) -> None:
    redactor = Redactor(load_policy(name), KEY)
    notes = [(f"n{number}", *note(letter)) for number, letter in enumerate(LETTERS)]
    first = {i: redactor.redact(text, spans, note_id=i, patient="p") for i, text, spans in notes}
    random.Random(seed).shuffle(notes)
    other = Redactor(load_policy(name), KEY)
    assert {i: other.redact(text, spans, note_id=i, patient="p") for i, text, spans in notes} == first


def test_two_keys_give_unrelated_outputs() -> None:
    """Few outputs of two keys are equal, as chance has it: one of eight insurers, six countries, some dozen regions."""
    # Of professions there are five of a kind.
    letters = re.sub(r"\[profession ([^]]+)\]", r"\1", " ".join(LETTERS))
    kept = {"Herrn", "Dr.", "57-jährige", "AOK"}
    keys = [PolicyKey(hashlib.sha256(bytes([number])).digest()) for number in range(40)]
    shown = [outputs(letters, "readable", key, patient="p") for key in keys]
    pairs = [(a, b) for one, two in pairwise(shown) for a, b in zip(one, two, strict=True) if a not in kept]
    assert sum(a == b for a, b in pairs) < 0.04 * len(pairs)


@pytest.mark.parametrize("name", [name for name in policy_names() if name != "thesis"])
@pytest.mark.parametrize("key", [KEY, OTHER_KEY], ids=["one", "two"])
def test_no_original_name_or_number_is_in_the_output(name: str, key: PolicyKey) -> None:
    text = redacted(" ".join(LETTERS), name, key)
    for original in ORIGINALS:
        assert original not in text


def test_notes_of_a_patient_share_surrogates_and_shift_and_others_do_not() -> None:
    one, two, alone = (
        outputs(LETTERS[0], "readable", note_id=note_id, patient=patient)
        for note_id, patient in (("a", "p"), ("b", "p"), ("a", ""))
    )
    assert one == two
    assert one[1:3] != alone[1:3]


@pytest.mark.parametrize(
    ("consistency", "same_patient", "other_patient"),
    [("note", False, False), ("patient", True, False), ("corpus", True, True)],
)
def test_consistency_of_names(consistency: str, same_patient: bool, other_patient: bool) -> None:
    settings = policy(consistency=consistency, labels={"PER": "surrogate", "DATE": "shift"})
    marked = "[patient Peter Müller] am [date 3.4.2010]"
    first = outputs(marked, settings, note_id="a", patient="p")
    second = outputs(marked, settings, note_id="b", patient="p")
    third = outputs(marked, settings, note_id="c", patient="q")
    assert (first[0] == second[0]) is same_patient
    assert (first[0] == third[0]) is other_patient
    assert (first[1] == second[1]) is (consistency != "note")
    # One shift for all patients would be found out once for all.
    assert first[1] != third[1]


def test_without_an_id_the_text_stands_for_the_note() -> None:
    assert redacted(LETTERS[0]) == redacted(LETTERS[0])
    assert redacted(LETTERS[0])[:40] != redacted(LETTERS[0] + ".")[:40]


def test_random_surrogates_differ_from_mention_to_mention() -> None:
    marked = " ".join(["[patient Peter Müller]"] * 12)
    labels = {"PER": "surrogate"}
    assert len(set(outputs(marked, policy(labels=labels, repeat_surrogate=1.0)))) == 1
    assert len(set(outputs(marked, policy(labels=labels, repeat_surrogate=0.0)))) == 12
    chain = outputs(marked, policy(labels=labels, repeat_surrogate=0.5))
    assert 2 <= len(set(chain)) <= 11
    assert chain == outputs(marked, policy(labels=labels, repeat_surrogate=0.5))
