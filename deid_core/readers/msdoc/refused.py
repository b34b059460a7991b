"""What the direct reader says instead of guessing: the file goes to LibreOffice."""

from __future__ import annotations


class DocRefused(Exception):
    """The direct reader does not read this .doc; the message is a fixed phrase of this package and quotes no note."""
