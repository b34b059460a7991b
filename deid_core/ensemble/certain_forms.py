"""Two sets of detections, mostly of recogniser `pattern`: those that are never cut, and those never dropped.

- *Whole by its form, never cut* (`is_whole`): an e-mail address, web address, telephone number or date with a score of
  at least 0.9, what is certain, and what a rule says is whole. An entity of the stacking model does not cut it in two
  (resolve.py).
- *Certain by its form, never dropped* (`is_never_dropped`): an IBAN, an insurance number, a full date, a birth and
  more; found by propagation, a certain name in a compound ("Muster-Konsil"); and a town in brackets with its date. The
  stacking model does not drop them, nor the labels of the pipeline's `stacking.never_drop`.

Rules say which they are: `certain` and `whole` of PatternRule. The second set is part of the first. A season or the
name of a feast is whole, and yet may be dropped.
"""

from __future__ import annotations

from deid_core.core.labels import LABELS
from deid_core.core.spans import Detection
from deid_core.ensemble.propagation import COMPOUND
from deid_core.ensemble.propagation import KIND as PROPAGATION
from deid_core.recognisers.gazetteer import DATE_OF_TOWN, DATED_TOWN, GazetteerRecogniser
from deid_core.recognisers.pattern.groups import GROUPS
from deid_core.recognisers.pattern.recogniser import PatternRecogniser

_MIN_SCORE = 0.9
_RULES = [rule for rules in GROUPS.values() for rule in rules]
_OTHERS_CERTAIN = frozenset(
    {
        (PROPAGATION, COMPOUND),
        (GazetteerRecogniser.kind, DATED_TOWN),
        (GazetteerRecogniser.kind, DATE_OF_TOWN),
    }
)
_CERTAIN = frozenset(rule.name for rule in _RULES if rule.certain)
_WHOLE = frozenset(rule.name for rule in _RULES if rule.certain or rule.whole)


def is_never_dropped(recogniser: str, rule: str) -> bool:
    """Return whether what a rule finds is certain: the stacking model never drops it."""
    return rule in _CERTAIN if recogniser == PatternRecogniser.kind else (recogniser, rule) in _OTHERS_CERTAIN


def is_whole(detection: Detection) -> bool:
    """Return whether a detection is whole by its form: no entity cuts it. The stacking model may drop it."""
    if detection.recogniser != PatternRecogniser.kind:
        return False
    return (LABELS[detection.label].is_whole and detection.score >= _MIN_SCORE) or detection.rule in _WHOLE
