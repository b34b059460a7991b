"""All steps of training in one call: from labelled sequences to the weights of a CRF."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deid_core.crf.weights import CrfWeights
from deid_core.lab.training.owlqn_trainer.dataset import AllowedLabels, Examples
from deid_core.lab.training.owlqn_trainer.objective import Objective
from deid_core.lab.training.owlqn_trainer.owlqn import Progress, minimise
from deid_core.lab.training.owlqn_trainer.token_streams import Stream


def fit_crf(
    streams: Sequence[Stream],
    labels: Sequence[Sequence[AllowedLabels]],
    *,
    c1: float,
    c2: float,
    steps: int,
    progress: Callable[[Progress], object] = lambda progress: None,
) -> CrfWeights:
    """Return the weights of a model, rounded to the grid. c1, c2: weights of the L1 and squared L2 norm.

    streams, labels: as for Examples. Raises its errors.
    """
    objective = Objective(Examples(streams, labels), c2)
    weights = minimise(objective, objective.start, c1=c1, steps=steps, progress=progress)
    return objective.model(weights).rounded().pruned()
