"""The optional libraries of statistics: imported when used, and their absence names the extra to install.

Token, entity and leak counts, bootstrap, randomisation and McNemar's chi² need numpy alone. Bounds and exact
tests of many tokens (scipy), the z-test (statsmodels) and Krippendorff's alpha (krippendorff) need the extra.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from deid_core.core.errors import ConfigurationError
from deid_core.core.extras import how_to_install

NEEDED = ("krippendorff", "scipy", "statsmodels")


def missing_libraries() -> list[str]:
    """Which of the extra's modules are not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def statistics_library(name: str) -> Any:
    """The module of this dotted name.

    Raises ConfigurationError if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ConfigurationError(
            f"this measure needs the extra 'evaluate': {how_to_install('evaluate')} ({error.name})"
        ) from None
