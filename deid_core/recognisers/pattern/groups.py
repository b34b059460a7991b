"""The groups of pattern rules; a pipeline's settings name the groups it wants.

A group is the module of its name. The rules of a large group are spread over modules that begin with its name, such as
date_in_words.py. Groups share fragments.py, next_token.py, ocr.py, numerals.py and document_style.py.

Source of the groups: seed 000, section 6.1 (postcodes, URIs, e-mail addresses, dates, telephone and fax numbers,
salutations and titles) and Table 8. Seed 000 lacks `id` and `age`.
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
"""Group name → its rules in order of precedence: of two matches at one position the earlier rule wins."""
