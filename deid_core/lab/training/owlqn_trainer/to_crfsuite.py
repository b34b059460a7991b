"""Writes weights as a file of CRFsuite: CRFsuite writes the file, then its weights are replaced.

CRFsuite can only write models that it has trained. So it trains for one iteration on sequences that contain each pair
of attribute and label, and each pair of labels, that has a weight. The values of its weights do not matter, but none
may be zero, since CRFsuite omits zero weights.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pycrfsuite

from deid_core.crf.crfsuite_file import exchange_weights
from deid_core.crf.weights import CrfWeights

_SCALE = 0.03


def to_crfsuite(model: CrfWeights) -> bytes:
    """Return the model as the bytes of a CRFsuite file, without weights of zero.

    Raises ValueError for a label without any weight.
    """
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params={"c1": 0.0, "c2": 1.0, "max_iterations": 1}, verbose=False)
    attributes: defaultdict[int, dict[str, float]] = defaultdict(dict)
    used = np.flatnonzero(model.state_weights)
    for attribute, label in zip(model.state_attributes[used].tolist(), model.state_labels[used].tolist(), strict=True):
        # Values differ by label: with equal ones, an attribute of all labels would get weights of zero. With large ones
        # CRFsuite finds no first step for a model of a million weights, and all are zero.
        attributes[label][model.attributes[attribute]] = _SCALE * float(np.sqrt(label + 2))
    for label, shown in sorted(attributes.items()):
        trainer.append([shown], [model.labels[label]])
    pairs = np.argwhere(model.transitions).tolist()
    # Equally frequent pairs would get weights of zero if all pairs occur: repeat the first one.
    for before, after in pairs + pairs[: len(pairs) == model.transitions.size]:
        trainer.append([{}, {}], [model.labels[before], model.labels[after]])
    if lost := sorted({*model.labels} - {model.labels[number] for number in _named(model)}):
        raise ValueError(f"no weight names the labels {', '.join(lost)}")
    with tempfile.TemporaryDirectory(prefix="deid-train-") as folder:
        file = Path(folder, "model.crfsuite")
        trainer.train(str(file))
        return exchange_weights(file.read_bytes(), model)


def _named(model: CrfWeights) -> set[int]:
    """Return the numbers of labels that have a weight."""
    states = model.state_labels[model.state_weights != 0].tolist()
    return {*states, *(number for pair in np.argwhere(model.transitions).tolist() for number in pair)}
