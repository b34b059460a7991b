"""Group `id`: numbers of patients, cases, insurances and devices, plates, user names and other identifiers.

Rules are in order of precedence: court files, call signs and announced numbers, then numbers of public offices and
registers, then plates and user names, and bare shapes last.
"""

from __future__ import annotations

from deid_core.recognisers.pattern.id_announced import ANNOUNCED_RULES
from deid_core.recognisers.pattern.id_call_sign import CALL_SIGN_RULES
from deid_core.recognisers.pattern.id_court import COURT_RULES
from deid_core.recognisers.pattern.id_office import OFFICE_RULES
from deid_core.recognisers.pattern.id_plate import PLATE_RULES
from deid_core.recognisers.pattern.id_shape import SHAPE_RULES
from deid_core.recognisers.pattern.id_user import USER_RULES

RULES = (
    *COURT_RULES,
    *CALL_SIGN_RULES,
    *ANNOUNCED_RULES,
    *OFFICE_RULES,
    *PLATE_RULES,
    *USER_RULES,
    *SHAPE_RULES,
)
