"""Bits of a word in the search for staff initials; all of them may be set together in one number."""

from __future__ import annotations

ENTRY, BRACKET, HEAD, INNER, TAIL = 1, 2, 4, 8, 16
STRONG = ENTRY | BRACKET | HEAD

JOINS, COMMA, STOP, OPENS, CLOSES, COLON, ENDS_SENTENCE = 1024, 32768, 65536, 131072, 262144, 524288, 1048576
"""Bits of marks: joins signers; ends a clause; ends a sentence; opens a bracket; closes one; a colon; may stand where a
sentence ends."""
DIGIT, LETTER, SHORT, DATING = 2097152, 4194304, 8388608, 16777216
"""Bits of words: begins with a digit; with a letter; a sentence may end with it, as with "o.k.", "i.v.", not with
"St."; may be of a date or time."""
LINK, LABEL, SEVERAL, LEADS, AFTER, JOINT = 4, 8, 256, 512, 16384, 33554432
"""Bits of words: may be a part of a chain; announces a reference; is a chain by itself, "pa-sb"; joins a sign to what
stands before it, or dates it; may stand behind a chain; stands between its parts."""
