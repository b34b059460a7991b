"""Weights as a file that CRFsuite reads: its own library writes the file, and the weights in it are exchanged.

CRFsuite has no way to write a model but to train one. So it trains for one step on sequences that show it each
attribute beside each label that has a weight for it, and each pair of labels that has one; what weights it comes to
does not matter, as long as none of them is zero, since such a one would be left out.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pycrfsuite

from deid_core.crf.crfsuite_file import exchange_weights
from deid_core.crf.weights import CrfWeights


def to_crfsuite(model: CrfWeights) -> bytes:
    """The model as the bytes of a CRFsuite file; what has a weight of zero is left out.

    Raises ValueError if that is all that there is of a label.
    """
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params={"c1": 0.0, "c2": 1.0, "max_iterations": 1}, verbose=False)
    attributes: defaultdict[int, dict[str, float]] = defaultdict(dict)
    used = np.flatnonzero(model.state_weights)
    for attribute, label in zip(model.state_attributes[used].tolist(), model.state_labels[used].tolist(), strict=True):
        # A value of its own for each label: with equal ones an attribute that all labels have would get zero weights.
        attributes[label][model.attributes[attribute]] = float(np.sqrt(label + 2))
    for label, shown in sorted(attributes.items()):
        trainer.append([shown], [model.labels[label]])
    pairs = np.argwhere(model.transitions).tolist()
    # If all pairs were seen equally often they would get zero weights: then the first is seen once more.
    for before, behind in pairs + pairs[: len(pairs) == model.transitions.size]:
        trainer.append([{}, {}], [model.labels[before], model.labels[behind]])
    if lost := sorted({*model.labels} - {model.labels[number] for number in _named(model)}):
        raise ValueError(f"no weight names the labels {', '.join(lost)}")
    with tempfile.TemporaryDirectory(prefix="deid-train-") as folder:
        file = Path(folder, "model.crfsuite")
        trainer.train(str(file))
        return exchange_weights(file.read_bytes(), model)


def _named(model: CrfWeights) -> set[int]:
    """The numbers of labels that a weight names."""
    states = model.state_labels[model.state_weights != 0].tolist()
    return {*states, *(number for pair in np.argwhere(model.transitions).tolist() for number in pair)}
