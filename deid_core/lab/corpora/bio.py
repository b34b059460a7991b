"""BIO tags: spans to one tag a token and back, in memory; files of tags are conll.py's.

The scheme is BIO2 (CoNLL-2002): B- opens a span, I- goes on with it, O is outside. What is read may be looser: an I-
that nothing of its label precedes opens a span itself. This makes invalid I- a B-, as seed 003, section 4.4 does, and
reads IOB1 (CoNLL-2003) as it is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deid_core.lab.corpora.annotated import LabelledSpan
from deid_core.text.tokens import Tokens

OUTSIDE = "O"


def tags(tokens: Tokens, spans: Iterable[LabelledSpan]) -> list[str]:
    """One BIO2 tag a token, shape (tokens,).

    A token that a span touches belongs to it as a whole: half a name is a name. Where spans overlap, the one that
    starts first has the token, then the longer one, then the one whose label comes first; what is left of the other
    opens with its own B-. A span that touches no token gets no tag.
    """
    found = [OUTSIDE] * len(tokens)
    free = 0
    for span in sorted(spans, key=lambda s: (s.start, -s.end, s.label)):
        first = max(free, int(np.searchsorted(tokens.ends, span.start, side="right")))
        behind = int(np.searchsorted(tokens.starts, span.end, side="left"))
        if first < behind:
            found[first:behind] = [f"B-{span.label}", *[f"I-{span.label}"] * (behind - first - 1)]
            free = behind
    return found


def spans_of(tokens: Tokens, tags: Sequence[str]) -> tuple[LabelledSpan, ...]:
    """The spans that the tags say, ascending and disjoint, each from its first token's start to its last one's end.

    Raises ValueError if there is not one tag a token, or a tag is none (see `chunks`).
    """
    if len(tags) != len(tokens):
        raise ValueError(f"{len(tags)} tags for {len(tokens)} tokens")
    return tuple(
        LabelledSpan(int(tokens.starts[first]), int(tokens.ends[behind - 1]), label)
        for first, behind, label in chunks(tags)
    )


def chunks(tags: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """The entities of a tag sequence, as (first token, token behind the last, label).

    Reads BIO2, IOB1 and, since its S- and E- say no more than B- and I-, BIOES.
    Raises ValueError for a tag that is neither O nor a letter of BIES, a hyphen and a label; it does not quote it.
    """
    first, open_label, position = 0, "", -1
    for position, tag in enumerate(tags):
        prefix, label = split_tag(tag)
        if prefix in "IE" and label == open_label:
            continue
        if open_label:
            yield first, position, open_label
        first, open_label = position, label
    if open_label:
        yield first, position + 1, open_label


def split_tag(tag: str) -> tuple[str, str]:
    """Prefix and label of a tag; ("O", "") outside. Raises ValueError if it is none."""
    if not is_tag(tag):
        raise ValueError("a tag is neither O nor B-, I-, E- or S- and a label")
    return tag[0], tag[2:]


def is_tag(tag: str) -> bool:
    """Whether `split_tag` can read it."""
    return tag == OUTSIDE or (len(tag) > 2 and tag[0] in "BIES" and tag[1] == "-")
