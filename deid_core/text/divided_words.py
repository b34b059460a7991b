"""Words that a line end divides, as "Nord-" and "walde": what stands between their two parts.

That is a hyphen, blanks, one line end, and the indent of the next line. A blank line divides no word, and no blank is
before the hyphen. Which parts a place joins differs. Normalisation joins small letters alone, since "Karl-" and
"Friedrich" keep their hyphen, and not before a word that begins a clause ("seit"). Spans that are one name may have
capitals. Annotations of letters may be parts of a number. A surrogate is divided between letters alone.
"""

from __future__ import annotations

import re

HYPHENS = "-\u2010\u2011\u00ad"
"""For a character class: the hyphen, the non-breaking one too, and Word's soft hyphen. A dash divides no word."""
LINE_BREAK = r"[^\S\n]*\n[^\S\n]*"
"""One line end and the blanks around it."""
LINE_HYPHEN = re.compile(rf"[{HYPHENS}]{LINE_BREAK}")
BETWEEN_PARTS = re.compile(rf"(?<=\S){LINE_HYPHEN.pattern}|(?<=\S[{HYPHENS}]){LINE_BREAK}")
"""Between two spans that are the parts of one word; the hyphen may belong to the first."""
