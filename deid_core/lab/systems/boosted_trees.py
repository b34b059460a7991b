"""AdaBoost over decision trees with entropy splits (seed 004, "Classifiers"), as plain arrays.

Trained by scikit-learn, where C4.5 and AdaBoost.M1 were Weka's. C4.5's pruning has no counterpart there: trees are
bounded by the tokens of a leaf. A token's features include the classes that were forecast for the tokens before it, so
tokens are classified one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from deid_core.core.jit import jit

_Array = npt.NDArray[Any]
FORECASTS = 3
"""The last columns of a table of features: classes of the token before, and of the two before that."""


class BoostedTrees(NamedTuple):
    """Trees as arrays over all their nodes.

    features: column that a node splits, -1 for a leaf; thresholds: up to which the left node is next; classes: of a
    leaf; roots: first node of each tree; weights: of each tree's vote.
    """

    features: _Array
    thresholds: _Array
    left: _Array
    right: _Array
    classes: _Array
    roots: _Array
    weights: _Array

    @staticmethod
    def from_arrays(arrays: Mapping[str, _Array], name: str) -> BoostedTrees:
        """Return the trees that `to_arrays` gave under this name."""
        return BoostedTrees(*(arrays[f"{name}.{field}"] for field in BoostedTrees._fields))

    def to_arrays(self, name: str) -> dict[str, _Array]:
        """Return the arrays by name."""
        return {f"{name}.{field}": array for field, array in self._asdict().items()}

    def predict(self, table: _Array, classes: int) -> npt.NDArray[np.int64]:
        """Return the class of each token of one text; table: float32 (tokens, columns), the last ones to be filled."""
        codes = np.zeros(len(table), np.int64)
        _predict(np.concatenate([table, np.zeros((len(table), FORECASTS), np.float32)], 1), classes, *self, codes)
        return codes


def with_forecasts(table: _Array, codes: npt.NDArray[np.int64]) -> _Array:
    """Return a text's table with the true classes of the tokens before each token, for training."""
    before = [np.concatenate([np.zeros(back, np.int64), codes])[: len(codes)] for back in range(1, FORECASTS + 1)]
    return np.concatenate([table, np.stack(before, 1).astype(np.float32)], 1)


def train_boosted_trees(table: _Array, codes: npt.NDArray[np.int64], rounds: int, leaf: int) -> BoostedTrees:
    """Return trees for a table with forecasts. rounds: of boosting; leaf: least tokens of a leaf."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=leaf)
    fitted = AdaBoostClassifier(tree, n_estimators=rounds, random_state=0).fit(table, codes)
    trees = [of.tree_ for of in fitted.estimators_]
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
    return BoostedTrees(
        np.concatenate([tree.feature for tree in trees]).clip(-1).astype(np.int32),
        np.concatenate([tree.threshold for tree in trees]),
        np.concatenate([tree.children_left + root for tree, root in zip(trees, roots, strict=True)]).astype(np.int32),
        np.concatenate([tree.children_right + root for tree, root in zip(trees, roots, strict=True)]).astype(np.int32),
        fitted.classes_[np.concatenate([tree.value[:, 0].argmax(1) for tree in trees])].astype(np.int32),
        roots.astype(np.int32),
        fitted.estimator_weights_[: len(trees)].astype(np.float64),
    )


@jit("void(f4[:, ::1], i8, i4[::1], f8[::1], i4[::1], i4[::1], i4[::1], i4[::1], f8[::1], i8[::1])")
def _predict(
    table: _Array,
    total: int,
    features: _Array,
    thresholds: _Array,
    left: _Array,
    right: _Array,
    classes: _Array,
    roots: _Array,
    weights: _Array,
    codes: _Array,
) -> None:
    first = table.shape[1] - FORECASTS
    votes = np.empty(total)
    for token in range(len(table)):
        for back in range(1, FORECASTS + 1):
            table[token, first + back - 1] = codes[token - back] if token >= back else 0
        votes[:] = 0
        for tree in range(len(roots)):
            node = roots[tree]
            while features[node] >= 0:
                node = left[node] if table[token, features[node]] <= thresholds[node] else right[node]
            votes[classes[node]] += weights[tree]
        codes[token] = np.argmax(votes)
