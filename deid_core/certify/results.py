"""What stays readable in a corpus, and of which years: rows of the dossier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from deid_core.certify import manifest
from deid_core.certify.bounds import PER, StratumCount, estimated_share, of_10_000, upper_bound
from deid_core.certify.outcomes import LEAKS, PATIENT, NoteOutcome, stratum_counts
from deid_core.certify.sampling_plan import SamplingPlan


def corpus_results(
    plan: SamplingPlan, found: Sequence[NoteOutcome], planned: manifest.Texts, covered: manifest.Texts
) -> dict[str, Any]:
    """Return which leaks stay readable and, for patients' names, by years.

    The plan's notes were `plan.notes`, of which those that changed or went are no longer covered. As many as before may
    leak of those that are left, so the bound of their share rises.
    """
    rows = []
    for name in LEAKS:
        counts = stratum_counts(plan, found, name)
        rows.append({"leak": name, **_figures(counts, plan.notes / covered.total())})
    by_year = notes_by_year(covered)
    years = []
    for (first, last), counts in _year_counts(plan, found, planned):
        left = sum(notes for year, notes in by_year.items() if first <= year <= last)
        scale = sum(count.notes for count in counts) / left if left else 1.0
        is_known = all(count.drawn == count.notes for count in counts)
        figures = {**_figures(counts, scale), "notes": left, "all_read": is_known}
        years.append({"first_year": first, "last_year": last, **figures})
    return {"leaks": rows, "years": years}


def _year_counts(
    plan: SamplingPlan, found: Sequence[NoteOutcome], planned: manifest.Texts
) -> Iterator[tuple[tuple[int, int], list[StratumCount]]]:
    """Yield the notes that show a patient's name by the years of strata; without strata by each year."""
    counts = stratum_counts(plan, found, PATIENT)
    if len(counts) > 1:
        for years in sorted({(stratum.first_year, stratum.last_year) for stratum in plan.strata}):
            of_years = [(s.first_year, s.last_year) == years for s in plan.strata]
            yield years, [count for count, is_of in zip(counts, of_years, strict=True) if is_of]
        return
    for year, notes in sorted(notes_by_year(planned).items()):
        of_year = [outcome for outcome in found if outcome.year == year]
        leaking = sum(PATIENT in outcome.readable for outcome in of_year)
        yield (year, year), [StratumCount(notes, len(of_year), leaking)]


def _figures(counts: Sequence[StratumCount], scale: float) -> dict[str, Any]:
    bound = min(1.0, upper_bound(counts) * scale)
    return {
        "read": sum(count.drawn for count in counts),
        "leaking": sum(count.leaking for count in counts),
        "estimate_of_10000": round(min(1.0, estimated_share(counts) * scale) * PER, 1),
        "at_most_of_10000": of_10_000(bound),
    }


def notes_by_year(texts: manifest.Texts) -> Counter[int]:
    """Return how many texts there are of each year."""
    years: Counter[int] = Counter()
    for (year, _), count in texts.items():
        years[year] += count
    return years
