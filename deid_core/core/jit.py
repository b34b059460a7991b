"""Compiles a function with numba when its module is imported, for one signature, and keeps the machine code if it can.

Loaded where a loop over characters or tokens first runs, not before: a command that reads no note never loads numba.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime import rtsys

Function = TypeVar("Function", bound=Callable[..., Any])


def jit(signature: str, *, nogil: bool = False) -> Callable[[Function], Function]:
    """A decorator that compiles for this signature; in place of the function stands the compiled one.

    nogil: whether threads may run it at once.

    The machine code is kept beside the module, or in NUMBA_CACHE_DIR, or in the user's cache folder; it is written to
    a file of its own and renamed, so processes may compile at once. Where no folder can be written (a read-only
    image without a home folder, a module inside a zip), or what is kept there is damaged, each process compiles for
    itself. The cache is numba's own and its format a pickle: its folder has to be as safe as the code's.
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


class _KeptCode(CompileResultCacheImpl):  # type: ignore[misc]
    """What is kept of a function, without the environments of called functions that hold nothing.

    An environment is kept as the name of its module, which is imported when the code is loaded: of numba's own
    functions these are its implementations of Python and NumPy. Compiled code reads nothing of it but its constants.
    """

    def reduce(self, cres: Any) -> Any:
        *kept, environments = cres._reduce()
        return (*kept, tuple(environment for environment in environments if environment.consts))


class _MachineCode(FunctionCache):  # type: ignore[misc]
    """Numba's cache, but kept code is loaded without numba's implementations of Python and NumPy.

    Numba imports them before it looks into the cache (0.4 s, 60 MB, and SciPy if there is one). Only compiling needs
    them, and imports them itself.
    """

    _impl_class = _KeptCode

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)


def inlined(function: Function) -> Function:
    """A decorator for what compiled functions call: becomes part of them, and is not compiled by itself."""
    compiled: Function = numba.njit(inline="always")(function)
    return compiled
