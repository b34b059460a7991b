"""Group `id`: numbers of patients, cases, insurances and devices, plates, user names and what else computers give.

Rules in order of precedence: what a court, an ambulance or a word tells, then what offices and registers give, then
plates and user names, and bare shapes last.
"""

from __future__ import annotations

from deid_core.recognisers.pattern.id_announced import ANNOUNCED_RULES
from deid_core.recognisers.pattern.id_call_sign import CALL_SIGN_RULES
from deid_core.recognisers.pattern.id_court import COURT_RULES
from deid_core.recognisers.pattern.id_lettered import LETTERED_RULES
from deid_core.recognisers.pattern.id_office import OFFICE_RULES
from deid_core.recognisers.pattern.id_plate import PLATE_RULES
from deid_core.recognisers.pattern.id_shape import SHAPE_RULES
from deid_core.recognisers.pattern.id_user import USER_RULES

RULES = (
    *COURT_RULES,
    *CALL_SIGN_RULES,
    *ANNOUNCED_RULES,
    *OFFICE_RULES,
    *LETTERED_RULES,
    *PLATE_RULES,
    *USER_RULES,
    *SHAPE_RULES,
)
