"""BIO tags: spans to one tag a token and back, in memory; conll.py reads and writes files of tags.

The scheme is BIO2 (CoNLL-2002): B- opens a span, I- continues it, O is outside. Reading is more lenient: an I- that
does not follow a tag of its label opens a span. This repairs invalid tags as seed 003, section 4.4 does, and reads IOB1
(CoNLL-2003) correctly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.text.tokens import Tokens

OUTSIDE = "O"


def tags(tokens: Tokens, spans: Iterable[LabelledSpan]) -> list[str]:
    """Return one BIO2 tag a token.

    A token that a span touches belongs to it as a whole. Where spans overlap, the one that starts first gets the token,
    then the longer one, then the one whose label sorts first; the rest of the other opens with its own B-. A span that
    touches no token gets no tag.
    """
    found = [OUTSIDE] * len(tokens)
    first_free = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end, s.label)):
        start_token = max(first_free, int(np.searchsorted(tokens.ends, span.start, side="right")))
        end_token = int(np.searchsorted(tokens.starts, span.end, side="left"))
        if start_token < end_token:
            found[start_token:end_token] = [f"B-{span.label}", *[f"I-{span.label}"] * (end_token - start_token - 1)]
            first_free = end_token
    return found


def spans_of(tokens: Tokens, tags: Sequence[str]) -> tuple[LabelledSpan, ...]:
    """Return the spans of a tag sequence, ascending and disjoint.

    Raises ValueError if the numbers of tags and tokens differ, or for an invalid tag (see `chunks`).
    """
    if len(tags) != len(tokens):
        raise ValueError(f"{len(tags)} tags for {len(tokens)} tokens")
    return tuple(
        LabelledSpan(int(tokens.starts[start_token]), int(tokens.ends[end_token - 1]), label)
        for start_token, end_token, label in chunks(tags)
    )


def chunks(tags: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the entities of a tag sequence as (start_token, end_token, label).

    Reads BIO2, IOB1 and BIOES, whose S- and E- add nothing to B- and I-.
    Raises ValueError for a tag that is neither O nor a letter of BIES, a hyphen and a label; it does not quote the tag.
    """
    start_token, open_label, position = 0, "", -1
    for position, tag in enumerate(tags):
        prefix, label = split_tag(tag)
        if prefix in "IE" and label == open_label:
            continue
        if open_label:
            yield start_token, position, open_label
        start_token, open_label = position, label
    if open_label:
        yield start_token, position + 1, open_label


def split_tag(tag: str) -> tuple[str, str]:
    """Return prefix and label of a tag, ("O", "") outside. Raises ValueError for an invalid tag."""
    if not is_tag(tag):
        raise ValueError("a tag is neither O nor B-, I-, E- or S- and a label")
    return tag[0], tag[2:]


def is_tag(tag: str) -> bool:
    """Return whether `split_tag` can read a tag."""
    return tag == OUTSIDE or (len(tag) > 2 and tag[0] in "BIES" and tag[1] == "-")
