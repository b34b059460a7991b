"""The Spark jobs, and `deidentify` for DataFrames and SQL: the only package that imports pyspark.

The names below are loaded when first used: processes that fork others must not load pyarrow (worker_daemon.py).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deid_core.spark.functions import deidentify, register

__all__ = ["deidentify", "register"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from deid_core.spark import functions

    value = globals()[name] = getattr(functions, name)
    return value
