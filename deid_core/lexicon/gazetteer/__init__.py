"""Lists of names: their sources, their compilation, and matching them against tokens.

The rest of the project calls `load_gazetteer`; `deid gazetteers build` reports what it does.
"""

from __future__ import annotations

from deid_core.lexicon.gazetteer.automaton import Gazetteer
from deid_core.lexicon.gazetteer.settings import GazetteerSettings


def load_gazetteer(settings: GazetteerSettings) -> Gazetteer:
    """Return the compiled lists, from the cache, or compiled if a list, package or setting changed.

    Raises ConfigurationError: a source, list or package is missing or malformed; every problem at once.
    """
    # Imported here: compiling needs packages that a worker with compiled lists does not need.
    from deid_core.lexicon.gazetteer.cache import load

    return load(settings)
