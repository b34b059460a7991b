"""How to install an extra of the package. PyPI's `deid` is another project, so the command names a folder or a file."""

from __future__ import annotations

from pathlib import Path

from deid_core.core.version import __version__

_ROOT = Path(__file__).resolve().parents[2]


def how_to_install(*extras: str) -> str:
    """Return the command: for the checkout that this code lies in, else for the wheel's file."""
    extra = ",".join(extras)
    if (_ROOT / "pyproject.toml").is_file():
        return f"pip install -e '{_ROOT}[{extra}]'"
    return f"pip install './deid-{__version__}-py3-none-any.whl[{extra}]'"
