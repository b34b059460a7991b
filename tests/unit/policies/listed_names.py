"""The names that surrogates are drawn from: of German and of other origin."""

from __future__ import annotations

from deid_core.policies.names.name_parts import given_names, surnames

WOMEN = {name for other in (False, True) for name in given_names(female=True, other=other)}
MEN = {name for other in (False, True) for name in given_names(female=False, other=other)}
SURNAMES = {name for other in (False, True) for name in surnames(other=other)}
