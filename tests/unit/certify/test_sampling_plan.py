"""The sampling plan: what is drawn, and whether the bound holds for simulated archives with known leaks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

pytest.importorskip("scipy", reason="needs the extra sign")

from deid_core.certify.bounds import StratumCount, upper_bound
from deid_core.certify.sampling_plan import PlanChoices, SamplingPlan, draw
from deid_core.core.errors import ConfigurationError
from deid_core.review.doubt import NoteDoubt

CHOICES = PlanChoices(at_most=300, allowed=0, seed="a")


def archive(notes: int, years: int = 5) -> list[NoteDoubt]:
    """Return notes of some years, most without doubt, in the order of their ids."""
    chance = random.Random(1)
    rows = [
        NoteDoubt(f"{n:032x}", 2004 + chance.randrange(years), chance.choice((0, 0, 0, 1, 5))) for n in range(notes)
    ]
    return sorted(rows)


def planned(notes: list[NoteDoubt], choices: PlanChoices = CHOICES) -> SamplingPlan:
    return draw(notes, {note.note_id: "0" * 64 for note in notes}, choices)


def test_strata_are_years_and_their_most_doubtful_tenth() -> None:
    notes = archive(4000)
    plan = planned(notes)
    assert sum(stratum.notes for stratum in plan.strata) == plan.notes == 4000
    assert [(s.first_year, s.last_year, s.doubtful) for s in plan.strata] == [
        (year, year, doubtful) for year in range(2004, 2009) for doubtful in (True, False)
    ]
    by_id = {note.note_id: note for note in notes}
    for index, stratum in enumerate(plan.strata):
        drawn = [by_id[note.note_id] for note in plan.sample if note.stratum == index]
        assert len(drawn) == stratum.drawn
        assert {note.year for note in drawn} == {stratum.first_year}
        if stratum.doubtful:
            assert {note.points for note in drawn} == {5}
    # Doubtful notes are drawn three times as often as others, which reach the wanted bound.
    assert upper_bound(plan.best_bound()) <= 0.03
    for doubtful, others in zip(plan.strata[::2], plan.strata[1::2], strict=True):
        assert 2.5 < (doubtful.drawn / doubtful.notes) / (others.drawn / others.notes) < 4


def test_the_order_of_notes_changes_nothing_and_the_seed_does() -> None:
    notes = archive(500)
    assert planned(notes[::-1]) == planned(notes)
    other = planned(notes, CHOICES._replace(seed="b"))
    assert {note.note_id for note in other.sample} != {note.note_id for note in planned(notes).sample}


def test_every_note_of_a_stratum_is_drawn_equally_often() -> None:
    notes = archive(60, years=1)
    simple = CHOICES._replace(at_most=3000, simple=True)
    times = Counter(
        note.note_id for seed in range(600) for note in planned(notes, simple._replace(seed=str(seed))).sample
    )
    expected = times.total() / 60
    assert len(times) == 60
    # Chi squared with 59 degrees of freedom exceeds 110 once in 20,000 draws; drawing without replacement varies less.
    assert sum((count - expected) ** 2 / expected for count in times.values()) < 110


def test_years_with_few_notes_are_joined() -> None:
    plan = planned([*archive(3000), NoteDoubt("f" * 32, 2020, 0)])
    assert {(stratum.first_year, stratum.last_year) for stratum in plan.strata[-2:]} == {(2008, 2020)}


def test_a_small_archive_is_read_as_a_whole() -> None:
    plan = planned(archive(40))
    assert len(plan.sample) == 40 and upper_bound(plan.best_bound()) == 0


def test_simple_sampling_has_one_stratum() -> None:
    plan = planned(archive(5000), CHOICES._replace(simple=True))
    assert [(stratum.notes, stratum.drawn) for stratum in plan.strata] == [(5000, 100)]


def test_nothing_to_draw_from() -> None:
    with pytest.raises(ConfigurationError, match="no de-identified notes"):
        planned([])


@pytest.mark.parametrize("simple", [False, True])
@pytest.mark.parametrize(("leaks", "in_doubt"), [(1, 0.0), (4, 1.0), (15, 0.5), (100, 0.2)])
def test_in_95_of_100_plans_the_true_share_is_below_the_bound(leaks: int, in_doubt: float, *, simple: bool) -> None:
    """Simulated archives of 1,500 notes, of which 1 to 100 leak, doubtful ones more often; 100 plans of each."""
    notes = archive(1500)
    chance = random.Random(leaks)
    doubtful = [note.note_id for note in notes if note.points == 5]
    others = [note.note_id for note in notes if note.points < 5]
    leaking = {
        *chance.sample(doubtful, round(leaks * in_doubt)),
        *chance.sample(others, leaks - round(leaks * in_doubt)),
    }
    below = 0
    for seed in range(100):
        plan = planned(notes, CHOICES._replace(at_most=600, seed=f"{leaks} {seed}", simple=simple))
        found = [0] * len(plan.strata)
        for note in plan.sample:
            found[note.stratum] += note.note_id in leaking
        counts = [StratumCount(s.notes, s.drawn, x) for s, x in zip(plan.strata, found, strict=True)]
        below += upper_bound(counts) >= leaks / 1500
    assert below >= 95
