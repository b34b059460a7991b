"""Lists of names: where they come from, how they are compiled, and matching them against tokens.

`load_gazetteer` is all that the rest of the project needs; `deid gazetteers build` shows what it does.
"""

from __future__ import annotations

from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.settings import GazetteerSettings


def load_gazetteer(settings: GazetteerSettings) -> Gazetteer:
    """The compiled lists, read from the cache, or compiled if a list, package or setting changed since.

    Raises ConfigurationError: a source, list or package is missing or malformed; every problem at once.
    """
    # Only here, since compiling needs packages and modules that a worker with compiled lists does not.
    from deid_core.lexicon.gazetteer.cache import load

    return load(settings)
