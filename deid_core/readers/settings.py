"""Limits of the readers, who reads which format, and where a note's year comes from."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, field_validator

from deid_core.core.settings import FrozenSettings


class ReadingSettings(FrozenSettings):
    """Limits of reading; a file beyond one is quarantined, never truncated."""

    max_file_bytes: Annotated[int, Field(gt=0)] = 50_000_000
    max_unpacked_bytes: Annotated[int, Field(gt=0)] = 200_000_000
    """Of all parts of a .docx together, as the archive's directory declares them and as they turn out."""
    max_compression_ratio: Annotated[float, Field(gt=1)] = 200.0
    """Unpacked to packed size of one part over 1 MB; beyond it the file is a zip bomb."""
    max_xml_bytes: Annotated[int, Field(gt=0)] = 40_000_000
    """Of the parts of a .docx that hold text, together."""
    max_xml_nodes: Annotated[int, Field(gt=0)] = 1_500_000
    """Tags, texts and, twice, attributes of these parts. Parsed, a node takes some 120 bytes, however short it is."""
    max_text_chars: Annotated[int, Field(gt=0)] = 5_000_000
    max_blocks: Annotated[int, Field(gt=0)] = 100_000
    """Paragraphs and table cells of a note: empty ones cost time and memory and no characters."""
    file_time_limit_s: Annotated[float, Field(gt=0)] = 8.0
    """CPU time for reading one file, without LibreOffice. Letters take milliseconds, the largest files some seconds."""
    doc_reader: Literal["direct", "libreoffice"] = "direct"
    """Who reads .doc files. direct: the reader of this project, LibreOffice those that it refuses; libreoffice: all."""
    docx_reader: Literal["direct", "python-docx"] = "direct"
    """Who reads .docx files. direct: the reader of this project; python-docx: that library, which gives less text."""
    libreoffice: str | None = None
    """Path of soffice; None looks on PATH."""
    libreoffice_batch: Annotated[int, Field(gt=0)] = 50
    libreoffice_start_s: Annotated[float, Field(gt=0)] = 30.0
    libreoffice_file_s: Annotated[float, Field(gt=0)] = 10.0
    """A batch may take start + files times this; a file retried alone as much as a batch of one."""


class YearSettings(FrozenSettings):
    """Where a note's year comes from: the path, else the header's date, else the file's date."""

    path_pattern: str = r"(?:^|/)(?P<year>(?:19|20)\d{2})(?:/|$)"
    earliest: int = 1980
    latest: int = 2100

    @field_validator("path_pattern")
    @classmethod
    def _has_year(cls, value: str) -> str:
        try:
            groups = re.compile(value).groupindex
        except re.error as error:
            raise ValueError(f"is not a regular expression: {error}") from None
        if "year" not in groups:
            raise ValueError("needs a group named 'year', e.g. (?P<year>20\\d{2})")
        return value
