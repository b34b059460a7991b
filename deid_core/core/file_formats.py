"""The formats of files that are read: their endings, and whether LibreOffice converts them. No large imports.

readers/formats.py tells a file's format from its bytes; its ending only says whether it is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Format(StrEnum):
    """The supported formats. The value is the file name extension that LibreOffice receives."""

    DOC = "doc"
    DOCX = "docx"
    RTF = "rtf"
    ODT = "odt"
    TEXT = "txt"


@dataclass(frozen=True, slots=True)
class FormatEntry:
    """A format and the endings of its files, in lower case, the usual one first.

    by_libreoffice: whether LibreOffice converts its files, or, of .doc, those that the direct reader refuses.
    """

    format: Format
    endings: tuple[str, ...]
    by_libreoffice: bool = False


FORMATS: dict[Format, FormatEntry] = {
    entry.format: entry
    for entry in (
        FormatEntry(Format.DOC, (".doc", ".dot"), by_libreoffice=True),
        FormatEntry(Format.DOCX, (".docx", ".docm", ".dotx", ".dotm")),
        FormatEntry(Format.RTF, (".rtf",), by_libreoffice=True),
        FormatEntry(Format.ODT, (".odt",), by_libreoffice=True),
        FormatEntry(Format.TEXT, (".txt",)),
    )
}
ENDINGS = tuple(sorted(ending for entry in FORMATS.values() for ending in entry.endings))
"""Of all files that are read, in lower case."""


def listed(endings: tuple[str, ...], last: str = "or") -> str:
    """Return endings as a text: ".rtf, .odt or .txt"."""
    return f"{', '.join(endings[:-1])} {last} {endings[-1]}"


USUAL_ENDINGS = tuple(entry.endings[0] for entry in FORMATS.values())
"""One of each format, for help texts."""
