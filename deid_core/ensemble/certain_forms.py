"""Two sets of detections, mostly of recogniser `pattern`: those that are never cut, and those never dropped.

- *Whole by its form, never cut* (`is_whole`): an e-mail address, web address, telephone number or date with a score of
  at least 0.9, and what is certain. An entity of the stacking model does not cut it in two (resolve.py).
- *Certain by its form, never dropped* (`is_never_dropped`): an IBAN, an insurance number, a full date, a birth and
  more; and, found by propagation, a certain name in a compound ("Muster-Konsil"). The stacking model does not drop
  them, nor the labels of the pipeline's `stacking.never_drop`.

The second set is part of the first. A season or the name of a feast is whole, and yet may be dropped.
"""

from __future__ import annotations

from deid_core.core.labels import LABELS
from deid_core.core.spans import Detection
from deid_core.ensemble.propagation import COMPOUND
from deid_core.ensemble.propagation import KIND as PROPAGATION

_KIND = "pattern"
"""The recogniser of forms."""
_MIN_SCORE = 0.9
_CERTAIN_RULES = frozenset(
    "id.iban id.health_insurance id.health_insurance_spaced id.pension_insurance id.swiss_insurance"
    " id.swiss_insurance_dotted age.foreign age.foreign_at id.user_sign".split()
)
"""Rules for numbers with a check digit or groups that no other number has (other identifiers need their context), for
ages in languages that the stacking model does not know, and for user names in a log of signatures."""
_CERTAIN_DATE_RULES = frozenset(
    "date.numeric date.iso date.named date.month_name_year date.birth date.birth_sign date.scanned_birth date.range"
    " date.foreign date.foreign_month_first date.slashed date.device date.roman".split()
)
"""Rules for births, dates in numbers ("12.3.2010", "12/03/2010", "2010-03-12", "13-06-2014"), dates with the name of a
month or a Roman month, and ranges.

Some of them also find less than day, month and year: "geb. 1956", "2010-03", "3. März", "März 2010", "3.-5.4.".
Other rules for dates are not here. A year alone may be that of a publication, "10/10" a score, and "20140612" a number
of something else."""
_NEVER_DROPPED = _CERTAIN_RULES | _CERTAIN_DATE_RULES
_WHOLE_RULES = _NEVER_DROPPED | {"date.decade"}
"""Rules for what would be cut in two otherwise: "1970" and "er"."""


def is_never_dropped(recogniser: str, rule: str) -> bool:
    """Return whether what a rule finds is certain: the stacking model never drops it."""
    return rule in _NEVER_DROPPED if recogniser == _KIND else (recogniser, rule) == (PROPAGATION, COMPOUND)


def is_whole(detection: Detection) -> bool:
    """Return whether a detection is whole by its form: no entity cuts it. The stacking model may drop it."""
    if detection.recogniser != _KIND:
        return False
    return (LABELS[detection.label].is_whole and detection.score >= _MIN_SCORE) or detection.rule in _WHOLE_RULES
