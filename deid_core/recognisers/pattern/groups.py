"""Patterns in groups; a pipeline's settings name the groups it wants.

A group is the module of its name; the rules of a large group stand in modules that begin with its name (date_words.py),
what groups share in fragments.py, following.py, scans.py, numerals.py and habits.py.

Source of the groups: seed 000, section 6.1 (postcodes, URIs, e-mail addresses, dates, telephone and fax numbers,
salutations and titles) and Table 8; `id` and `age` are what the seed left out.
"""

from __future__ import annotations

from deid_core.recognisers.pattern import age, date, email, id, phone, plz, salute, title, uri
from deid_core.recognisers.pattern.rule import PatternRule

GROUPS: dict[str, tuple[PatternRule, ...]] = {
    "email": email.RULES,
    "uri": uri.RULES,
    "id": id.RULES,
    "date": date.RULES,
    "phone": phone.RULES,
    "plz": plz.RULES,
    "age": age.RULES,
    "salute": salute.RULES,
    "title": title.RULES,
}
"""Group name → its rules, in order of precedence: of two matches at one place the earlier rule's stands."""
