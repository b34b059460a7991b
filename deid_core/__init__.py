"""De-identification of German clinical notes.

    from deid_core import Deidentifier

    Deidentifier.load("default").redact("Herr Peter Muster kam am 1.2.2010.").text

`deid_core.api` documents the names below. They are loaded when first used, so `import deid_core` itself is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from deid_core.core.version import __version__

if TYPE_CHECKING:
    from deid_core.api import Deidentifier, Dropped, Note, Result, Span, note_from_text, read_note, register_recogniser

__all__ = [
    "Deidentifier",
    "Dropped",
    "Note",
    "Result",
    "Span",
    "__version__",
    "note_from_text",
    "read_note",
    "register_recogniser",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module("deid_core.api"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
