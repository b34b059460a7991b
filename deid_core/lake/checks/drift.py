"""Whether the notes of a night differ from those of the nights before: shares of notes, compared one by one.

A share is that of the notes below a bound of a measure, as "notes with fewer than 5 names". Nights differ among each
other by more than chance, and each share by its own measure: the variance between earlier nights is estimated, with the
upper end of what they allow. Given this, the number of a night's notes below the bound has a beta-binomial
distribution (Skellam 1948; moments after Williams 1982). All shares are tested, with Holm's correction (1979), so a
night without drift gives an alarm with at most the probability ALARM_RATE.

The population stability index says how large a difference of a measure is. It is no test: it has the same size for
every night, while chance alone makes it large in a small one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from deid_core.lake.checks.night_profile import BOUNDS, Counts, Key, Measure, Profile, in_all_notes

NIGHTS = 30
"""Earlier nights that a night is compared with, at most."""
MIN_NIGHTS = 10
"""And at least: fewer do not tell how nights vary."""
WEEK = 7
"""Nights that are compared together with those before them. In small nights a few notes show nothing alone."""
ALARM_RATE = 0.01
"""Probability of an alarm in a night without drift, at most."""
_Z = 4.5
"""About so many standard deviations a share must differ to give an alarm, if some 450 shares are tested."""
_LEAST = 2.5
"""A share that differs by fewer is not computed exactly, since it cannot give an alarm."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ShareShift:
    """A share of notes that changed. `notes` of `of` notes are on one side of the bound; `expected` were to be.

    below: the side. p_value: with Holm's correction. psi: of the measure. nights: compared together, 1 or WEEK.
    """

    measure: str
    value: str
    bound: float
    below: bool
    notes: int
    of: int
    expected: float
    p_value: float
    psi: float
    nights: int

    def __str__(self) -> str:
        side = "below" if self.below else "from"
        what = f"{self.measure} {self.value}".strip()
        when = "" if self.nights == 1 else f" of the last {self.nights} runs"
        notes = f"{self.notes:,} of {self.of:,} notes{when}"
        return f"{what}: {notes} are {side} {self.bound:g}, expected {self.expected:,.1f}"


@dataclass(frozen=True, slots=True)
class NightComparison:
    """What changed. nights: earlier ones that were compared with. shares: that were tested."""

    nights: int
    shares: int
    shifts: tuple[ShareShift, ...]
    """The clearest of each measure and value that gives an alarm, the clearest first."""


def look_for_drift(profiles: Sequence[Profile]) -> list[NightComparison]:
    """Compare the last of the profiles, and those of the last week together, with those before.

    profiles: in the order of the nights. Return a comparison for each that has enough earlier nights.
    """
    found = []
    for nights in (1, WEEK):
        earlier = profiles[:-nights][-NIGHTS:]
        if len(earlier) >= MIN_NIGHTS:
            found.append(compare(_together(profiles[-nights:]), earlier, nights=nights, alarm_rate=ALARM_RATE / 2))
    return found


def alarms(comparisons: Sequence[NightComparison]) -> list[ShareShift]:
    """Return the shifts of all comparisons; of those that both name, that of the night."""
    found: dict[Key, ShareShift] = {}
    for comparison in comparisons:
        for shift in comparison.shifts:
            found.setdefault((shift.measure, shift.value), shift)
    return list(found.values())


def compare(
    night: Profile, earlier: Sequence[Profile], *, nights: int = 1, alarm_rate: float = ALARM_RATE
) -> NightComparison:
    """Return which shares of a night's notes differ from those of earlier nights. nights: that `night` consists of."""
    keys = sorted({key for profile in (night, *earlier) for key in profile})
    counts = [np.array([_counts(profile, key) for profile in (*earlier, night)]) for key in keys]
    below_bounds = [table.cumsum(axis=1)[:, :-1] for table in counts]
    places = [(key, place) for key, table in zip(keys, below_bounds, strict=True) for place in range(table.shape[1])]
    x = np.concatenate(below_bounds, axis=1).astype(float)
    n = np.concatenate([np.repeat(table.sum(axis=1, keepdims=True), table.shape[1] - 1, 1) for table in counts], 1)
    # A share that never was other than 0 or 1 tests nothing.
    tested = np.flatnonzero((x.sum(axis=0) > 0) & (x.sum(axis=0) < n.sum(axis=0)) & (n[:-1].sum(axis=0) > 0))
    x, n = x[:, tested], n[:, tested].astype(float)
    share, concentration = _predicted(x[:-1], n[:-1])
    p_values = np.array(
        [_two_sided(int(x[-1, i]), int(n[-1, i]), share[i], concentration[i]) for i in range(len(tested))]
    )
    adjusted = _holm(p_values)
    shifts: dict[Key, ShareShift] = {}
    for i in np.argsort(p_values, kind="stable"):
        key, place = places[tested[i]]
        if adjusted[i] <= alarm_rate and key not in shifts:
            observed, total, expected = x[-1, i], n[-1, i], n[-1, i] * share[i]
            below = bool(observed > expected)
            table = counts[keys.index(key)]
            shifts[key] = ShareShift(
                measure=key[0],
                value=key[1],
                bound=float(BOUNDS[key[0]][place + 1]),
                below=below,
                notes=int(observed if below else total - observed),
                of=int(total),
                expected=float(expected if below else total - expected),
                p_value=float(adjusted[i]),
                psi=population_stability_index(table[:-1].sum(axis=0), table[-1]),
                nights=nights,
            )
    return NightComparison(len(earlier), len(tested), tuple(shifts.values()))


def population_stability_index(before: Counts, after: Counts) -> float:
    """Return the sum of (q - p) ln(q / p) over the bins, p and q their shares before and after.

    It is 0 if these are equal, else more. Half a note is added to each bin, so that an empty one has a logarithm.
    """
    p, q = (before + 0.5) / (before + 0.5).sum(), (after + 0.5) / (after + 0.5).sum()
    return float(((q - p) * np.log(q / p)).sum())


def _counts(profile: Profile, key: Key) -> Counts:
    """Return the notes by bin. A value that a profile lacks is 0 for all its notes."""
    if key in profile:
        return profile[key]
    of_measure = next((counts for (measure, _), counts in profile.items() if measure == key[0]), None)
    # Of a night whose notes all went into quarantine nothing else is known.
    notes = profile.get((Measure.NOTE_TOKENS.value, "")) if of_measure is None else of_measure
    return in_all_notes(np.zeros(len(BOUNDS[key[0]]), np.int64), 0 if notes is None else int(notes.sum()))


def _together(profiles: Sequence[Profile]) -> Profile:
    keys = {key for profile in profiles for key in profile}
    return {key: np.sum([_counts(profile, key) for profile in profiles], axis=0) for key in keys}


def _predicted(x: Numbers, n: Numbers) -> tuple[Numbers, Numbers]:
    """Return mean and concentration (alpha + beta) of the beta distribution of each share in the next night.

    x, n: notes below the bound and all notes, a row for each earlier night, a column for each share.
    """
    # Of a night whose notes all went into quarantine nothing is known but that.
    nights, all_notes = (n > 0).sum(axis=0), n.sum(axis=0)
    mean = x.sum(axis=0) / all_notes
    variance = np.maximum(mean * (1 - mean), 1e-300)
    # Pearson's chi-square over the nights: nights - 1 if they differ by chance alone.
    chi_square = ((x - n * mean) ** 2 / np.maximum(n * variance, 1e-300)).sum(axis=0)
    degrees = nights - 1
    between = (_upper(np.maximum(degrees, 1)) * chi_square - degrees) / np.maximum(
        all_notes - (n**2).sum(axis=0) / all_notes - degrees, 1.0
    )
    between = np.clip(between, 0.0, 0.9)
    # A large night says little more of what the next will be like than a small one, if nights differ.
    weight = 1 / (1 + (n - 1) * between)
    effective = (n * weight).sum(axis=0)
    share = ((x * weight).sum(axis=0) + 0.5) / (effective + 1)
    return share, 1 / (between + 1 / (effective + 1))


def _upper(degrees: Counts) -> Numbers:
    """Return by which factor to raise a variance that is estimated with so few degrees of freedom.

    It makes of a limit of _Z standard deviations that of Student's distribution (approximated by Wallace 1959).
    """
    z = _Z * (8 * degrees + 3) / (8 * degrees + 1)
    return np.asarray(degrees * (np.exp(z * z / degrees) - 1) / _Z**2)


def _two_sided(x: int, n: int, share: float, concentration: float) -> float:
    """Return the probability of a count that is at least as far out as x, in a beta-binomial distribution of n notes.

    1.0 if x is near what is expected.
    """
    variance = n * share * (1 - share) * (1 + (n - 1) / (concentration + 1))
    if abs(x - n * share) <= _LEAST * sqrt(variance):
        return 1.0
    k = np.arange(n)
    alpha, beta = share * concentration, (1 - share) * concentration
    ratios = (n - k) * (k + alpha) / ((k + 1) * (n - k - 1 + beta))
    logs = np.concatenate([[0.0], np.log(ratios).cumsum()])
    probabilities = np.exp(logs - logs.max())
    tail = probabilities[: x + 1].sum() if x < n * share else probabilities[x:].sum()
    return min(1.0, float(2 * tail / probabilities.sum()))


def _holm(p_values: Numbers) -> Numbers:
    """Return the p-values with Holm's correction for their number."""
    order = np.argsort(p_values)
    raised = np.maximum.accumulate(p_values[order] * (len(p_values) - np.arange(len(p_values))))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
