"""How good a pipeline is against gold spans, and whether one is better than another.

`evaluation.Evaluation` takes notes and gives every score; `comparison.compare` takes two of them. Below them, one
subject a file: scores of tokens and entities, leaks, intervals, significance, agreement, kinds of errors.
"""

from deid_core.lab.evaluate.comparison import Comparison, compare
from deid_core.lab.evaluate.evaluation import Evaluation, Level

__all__ = ["Comparison", "Evaluation", "Level", "compare"]
