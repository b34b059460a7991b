"""The heading that each token of a letter stands below: of a section, or of a field as "Tel.:".

Seeds 001 (section 6.5.3) and 004 (feature set) take the section headings of discharge summaries. In German letters a
heading is what begins a line or cell and ends with a colon, or a section heading of the project's list.
"""

from __future__ import annotations

import re

import numpy as np

from deid_core.core.word_lists import alternatives
from deid_core.text.tokens import Tokens

_HEADING = re.compile(
    rf"(?:^|(?<=\t))[ ]*([^\W\d][^\n\t:]{{0,39}}(?=:)|(?:{alternatives('letterhead/section-headings')})\b)",
    re.IGNORECASE | re.MULTILINE,
)


def token_headings(text: str, tokens: Tokens) -> list[str]:
    """Return for each token the nearest heading at or before it, in lower case, "" before the first one."""
    found = list(_HEADING.finditer(text))
    names = ["", *(match.group(1).strip().lower() for match in found)]
    starts = np.array([match.start() for match in found], np.int64)
    return [names[at] for at in np.searchsorted(starts, tokens.starts, side="right").tolist()]
