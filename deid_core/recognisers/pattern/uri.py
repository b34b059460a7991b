"""Group `uri`: web addresses with a scheme or "www.", and bare domains with common endings ("klinik-muster.de").

A bare domain is found from its ending, with the labels before it in a look-behind: every word could start a domain, few
can end one.
"""

from __future__ import annotations

from deid_core.core.labels import PhiType
from deid_core.recognisers.pattern.rule import PatternRule

_SCHEME = "(?i:https?|s?ftp)"
_WWW = r"(?i:www\d?)"
_TAIL = r"""(?:[^\s<>"'()\[\]{}|,;.:!?]|[,;.:!?](?=[^\s<>"'()\[\]{}|,;.:!?]))"""
"""A character of an address; punctuation only if more of the address follows, so a final full stop is excluded."""

_ENDING = "(?:de|com|org|net|at|ch|eu|info|DE|COM)"
_BEFORE_ENDING = r"(?<=(?<![\p{L}\p{N}_@.-])(?P<head>(?:[\p{L}\p{N}][\p{L}\p{N}_-]{0,62}\.){1,5}))"

RULES = (
    PatternRule("uri.scheme", PhiType.URI, token_regex=_SCHEME, pattern=rf"{_SCHEME}://{_TAIL}++"),
    PatternRule("uri.www", PhiType.URI, token_regex=_WWW, pattern=rf"{_WWW}\.[\p{{L}}\p{{N}}]{_TAIL}*+"),
    PatternRule(
        "uri.domain",
        PhiType.URI,
        token_regex=_ENDING,
        pattern=rf"{_BEFORE_ENDING}{_ENDING}(?![\p{{L}}\p{{N}}_@-]|\.[\p{{L}}\p{{N}}])"
        rf"(?::\d{{2,5}})?+(?:[/?\#]{_TAIL}*+)?+",
        score=0.9,
    ),
)
