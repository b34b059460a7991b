"""Bootstrap intervals: held against a plain loop over resampled notes and against what must hold of any interval."""

from __future__ import annotations

import numpy as np
import pytest

from deid_core.lab.evaluate import bootstrap
from deid_core.lab.evaluate.bootstrap import difference_interval, interval, resampled
from deid_core.lab.evaluate.scores import f_score, precision

COUNTS = np.random.default_rng(7).integers(0, 20, size=(40, 3))


def test_resamples_are_those_of_a_plain_loop() -> None:
    random = np.random.default_rng(3)
    expected = [float(f_score(2)(COUNTS[random.integers(40, size=40)].sum(0))) for _ in range(50)]
    assert resampled(COUNTS, f_score(2), resamples=50, seed=3).tolist() == pytest.approx(expected)


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resampled(COUNTS, f_score(2), resamples=50, seed=3)
    monkeypatch.setattr(bootstrap, "_CHUNK_CELLS", 7 * len(COUNTS))
    assert resampled(COUNTS, f_score(2), resamples=50, seed=3).tolist() == whole.tolist()


def test_the_interval_is_made_of_percentiles_around_the_score() -> None:
    found = interval(COUNTS, precision, resamples=500)
    scores = resampled(COUNTS, precision, resamples=500, seed=bootstrap.SEED)
    assert found.value == pytest.approx(float(precision(COUNTS.sum(0))))
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(scores, (2.5, 97.5))))
    narrow = interval(COUNTS, precision, resamples=500, confidence=0.5)
    assert found.low < narrow.low < found.value < narrow.high < found.high


def test_notes_that_are_all_alike_leave_no_doubt() -> None:
    same = np.tile([8, 2, 1], (10, 1))
    found = interval(same, f_score(1), resamples=100)
    assert found.low == found.value == found.high


def test_counts_by_label_keep_their_shape() -> None:
    by_label = np.stack([COUNTS, COUNTS], axis=1)
    macro_f1 = resampled(by_label, lambda counts: f_score(1)(counts).mean(-1), resamples=20, seed=1)
    assert macro_f1.tolist() == pytest.approx(resampled(COUNTS, f_score(1), resamples=20, seed=1).tolist())


def test_differences_are_paired_by_note() -> None:
    better = COUNTS + np.array([1, 0, 0])
    found = difference_interval(better, COUNTS, f_score(1), resamples=500)
    assert 0 < found.low < found.value < found.high
    assert difference_interval(COUNTS, COUNTS, f_score(1), resamples=50).high == 0.0


def test_what_cannot_be_resampled_is_refused() -> None:
    with pytest.raises(ValueError, match="no notes"):
        interval(np.zeros((0, 3), np.int64), precision)
    with pytest.raises(ValueError, match="not the same notes"):
        difference_interval(COUNTS, COUNTS[1:], precision)
