"""Group `uri`: web addresses with a scheme or "www.", and bare domains of common endings ("klinik-muster.de").

A bare domain is found from its ending, with the labels before it in a look-behind: every word could start a domain,
few can end one.
"""

from __future__ import annotations

from deid_core.labels import PhiType
from deid_core.recognise.patterns.rule import PatternRule

_TAIL = r"""(?:[^\s<>"'()\[\]{}|,;.:!?]|[,;.:!?](?=[^\s<>"'()\[\]{}|,;.:!?]))"""
"""A character of an address; a mark only if more of the address follows, so that a sentence's full stop stays."""

_BEFORE_ENDING = r"(?<=(?<![\p{L}\p{N}_@.-])(?P<head>(?:[\p{L}\p{N}][\p{L}\p{N}_-]{0,62}\.){1,5}))"

RULES = (
    PatternRule("uri.scheme", PhiType.URI, r"(?i:https?|ftp|sftp)", rf"(?i:https?|s?ftp)://{_TAIL}++"),
    PatternRule("uri.www", PhiType.URI, r"(?i:www\d?)", rf"(?i:www\d?)\.[\p{{L}}\p{{N}}]{_TAIL}*+"),
    PatternRule(
        "uri.domain",
        PhiType.URI,
        r"de|com|org|net|at|ch|eu|info|DE|COM",
        rf"{_BEFORE_ENDING}(?:de|com|org|net|at|ch|eu|info|DE|COM)(?![\p{{L}}\p{{N}}_@-]|\.[\p{{L}}\p{{N}}])"
        rf"(?::\d{{2,5}})?+(?:[/?\#]{_TAIL}*+)?+",
        score=0.9,
    ),
)
