"""Words that a line end divides, as "Nord-" and "walde": what stands between their two parts.

That is a hyphen, blanks, one line end, and the indent of the next line. A blank line divides no word, and no blank is
before the hyphen. What the parts must be depends on what the word is read for, so each user says it: names may go on in
capitals ("Karl-", "Friedrich"), a mark may be a number, a surrogate can only be divided between letters.
"""

from __future__ import annotations

import re

from deid_core.text.tokens import DASHES

HYPHENS = f"-{DASHES}\u00ad"
"""For a character class: the hyphen, what the tokeniser reads as one, and Word's soft hyphen."""
LINE_BREAK = r"[^\S\n]*\n[^\S\n]*"
"""One line end and the blanks around it."""
LINE_HYPHEN = re.compile(rf"[{HYPHENS}]{LINE_BREAK}")
BETWEEN_PARTS = re.compile(rf"{LINE_HYPHEN.pattern}|(?<=[{HYPHENS}]){LINE_BREAK}")
"""Between two spans that are the parts of one word; the hyphen may belong to the first."""
