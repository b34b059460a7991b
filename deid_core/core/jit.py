"""Compiles a function with numba when its module is imported, for one signature, and keeps the machine code if it can.

Loaded where a loop over characters or tokens first runs, not before: a command that reads no note never loads numba.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, InTreeCacheLocator
from numba.core.runtime import rtsys

Function = TypeVar("Function", bound=Callable[..., Any])


def jit(signature: str, *, nogil: bool = False) -> Callable[[Function], Function]:
    """A decorator that compiles for this signature; in place of the function stands the compiled one.

    nogil: whether threads may run it at once.

    The machine code is kept beside the module, or in NUMBA_CACHE_DIR, or in the user's cache folder; it is written to
    a file of its own and renamed, so processes may compile at once. What another account has kept beside the module (an
    image, a shared installation, an unpacked archive) is read by all. Where no folder can be written, or what is kept
    there is damaged or of another processor, each process compiles for itself. The cache is numba's own and its format
    a pickle: its folder has to be as safe as the code's.
    """

    def compile_function(function: Function) -> Function:
        try:
            dispatcher = numba.njit(nogil=nogil)(function)
            dispatcher._cache = _MachineCode(function)
            dispatcher.compile(signature)
            dispatcher.disable_compile()
            compiled: Function = dispatcher
        except Exception:
            # Whatever is wrong with the cache; a fault of the function comes up again here.
            compiled = numba.njit(signature, nogil=nogil)(function)
        return compiled

    return compile_function


@cache
def _log_compiling() -> None:
    """Say once in a process why the first start takes so long."""
    logging.getLogger(__name__).info(
        "compiling machine code: takes up to a minute, the first time only (kept if a cache folder can be written)"
    )


class _BesideModule(InTreeCacheLocator):  # type: ignore[misc]
    """The folder beside the module, also if it cannot be written."""

    def ensure_cache_path(self) -> None:
        """Demand nothing."""


class _KeptCode(CompileResultCacheImpl):  # type: ignore[misc]
    """What is kept of a function, without the environments of called functions that hold nothing.

    An environment is kept as the name of its module, which is imported when the code is loaded: of numba's own
    functions these are its implementations of Python and NumPy. Compiled code reads nothing of it but its constants.
    """

    _locator_classes = (*CompileResultCacheImpl._locator_classes, _BesideModule)

    def reduce(self, cres: Any) -> Any:
        *kept, environments = cres._reduce()
        return (*kept, tuple(environment for environment in environments if environment.consts))


class _MachineCode(FunctionCache):  # type: ignore[misc]
    """Numba's cache, but kept code is loaded without numba's implementations of Python and NumPy.

    Also, what is kept beside the module is read where this account keeps its own elsewhere. Numba has a folder only for
    whoever can write it.

    Numba imports them before it looks into the cache (0.4 s, 60 MB, and SciPy if there is one). Only compiling needs
    them, and imports them itself.
    """

    _impl_class = _KeptCode

    _cache_file: Any

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        kept = self._load_overload(sig, target_context)
        if kept is None:
            own = self._cache_file
            with suppress(OSError):
                beside = _BesideModule(self._py_func, inspect.getfile(self._py_func))
                stamp = beside.get_source_stamp()
                self._cache_file = IndexDataCacheFile(beside.get_cache_path(), self._impl.filename_base, stamp)
                kept = self._load_overload(sig, target_context)
            self._cache_file = own
        if kept is None:
            _log_compiling()
        return kept

    def save_overload(self, sig: Any, data: Any) -> None:
        # The folder may be another account's.
        with suppress(OSError):
            super().save_overload(sig, data)


def inlined(function: Function) -> Function:
    """A decorator for what compiled functions call: becomes part of them, and is not compiled by itself."""
    compiled: Function = numba.njit(inline="always")(function)
    return compiled
