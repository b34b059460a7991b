"""A patient's id as an argument: `--patient -` reads it from standard input, where `ps` cannot see it."""

from __future__ import annotations

import sys

from deid_core.core.errors import ConfigurationError

STDIN = "-"


def patient_id(given: str) -> str:
    """Return the id, or for - the only line of standard input, without the white space around it.

    On a terminal it asks for the line. Raises ConfigurationError if there is no line or more than one, so that a list
    given by mistake withdraws nobody.
    """
    if given != STDIN:
        return given
    is_asked = sys.stdin.isatty()
    if is_asked:
        print("the patient's id: ", end="", file=sys.stderr, flush=True)
    try:
        text = sys.stdin.readline() if is_asked else sys.stdin.read()
    except UnicodeDecodeError:
        raise ConfigurationError("--patient -: standard input is not UTF-8") from None
    ids = [line.strip() for line in text.splitlines() if line.strip()]
    if len(ids) != 1:
        raise ConfigurationError(f"--patient -: standard input has {len(ids)} lines; give one, the patient's id")
    return ids[0]
