"""Group `email`: addresses in the dot-atom form of RFC 5322, and obfuscated ones ("name (at) klinik.de").

A rule starts at the "@", which is rare, and captures the local part in a look-behind. Quoted local parts are not found.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.fragments import B
from deid_core.recognisers.pattern.rule import PatternRule

_LOCAL = r"[\p{L}\p{N}_][\p{L}\p{N}_.%+'&=-]{0,63}"
_LABEL = r"[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,62}+)"
_DOMAIN = rf"{_LABEL}(?:\.{_LABEL}){{1,6}}+"
_DOT = rf"(?:\.|{B}?[(\[{{]{B}?(?i:dot|punkt|\.){B}?[)\]}}]{B}?)"

RULES = (
    PatternRule("email.address", PhiType.EMAIL, token_regex="@", pattern=rf"(?<=(?P<head>{_LOCAL}{B}?))@{B}?{_DOMAIN}"),
    PatternRule(
        "email.no_domain_ending",  # addresses of a hospital's own network: muster@klinik
        PhiType.EMAIL,
        token_regex="@",
        pattern=rf"(?<=(?P<head>[\p{{L}}_][\p{{L}}\p{{N}}_.-]{{1,63}}))@[\p{{L}}]{_LABEL}",
        score=0.7,
    ),
    PatternRule(
        "email.obfuscated",
        PhiType.EMAIL,
        token_regex=r"(?i:[aä]t)",
        pattern=rf"(?<=(?P<head>{_LOCAL}{B}?[(\[{{]{B}?))(?i:[aä]t){B}?[)\]}}]{B}?{_LABEL}(?:{_DOT}{_LABEL}){{1,6}}+",
    ),
)
