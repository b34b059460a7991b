"""The data card of a release: Croissant 1.0 (JSON-LD), which catalogues and loaders of data sets read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

_CONTEXT = Path(__file__).parent / "templates" / "croissant-context.json"
_TYPES = {
    pa.string(): "sc:Text",
    pa.int32(): "sc:Integer",
    pa.int64(): "sc:Integer",
    pa.float64(): "sc:Float",
    pa.date32(): "sc:Date",
}


class CardText(NamedTuple):
    """What a person says of a release. day: of the release, ISO 8601."""

    name: str
    description: str
    licence: str
    creator: str
    url: str
    day: str


class DataFile(NamedTuple):
    """A file of a release: its path below the release, size and SHA-256."""

    path: str
    size_bytes: int
    sha256: str


def data_card(text: CardText, file: DataFile, columns: pa.Schema, comments: Mapping[str, str]) -> bytes:
    """Return croissant.json. file: Parquet, with these columns. comments: what a column holds."""
    card: dict[str, Any] = {
        "@context": json.loads(_CONTEXT.read_bytes()),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"deid-corpus-{text.name}",
        "version": text.name,
        "description": text.description,
        "license": text.licence,
        "creator": {"@type": "Organization", "name": text.creator},
        "url": text.url,
        "datePublished": text.day,
        "citeAs": f"{text.creator}: de-identified clinical letters, release {text.name}, {text.day}",
        "isLiveDataset": False,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.path,
                "name": Path(file.path).stem,
                "contentUrl": file.path,
                "contentSize": f"{file.size_bytes} B",
                "encodingFormat": "application/x-parquet",
                "sha256": file.sha256,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "notes",
                "name": "notes",
                "description": "A row for each note.",
                "key": {"@id": "notes/note_id"},
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"notes/{column.name}",
                        "name": column.name,
                        "description": comments.get(column.name, ""),
                        "dataType": _TYPES[column.type],
                        "source": {"fileObject": {"@id": file.path}, "extract": {"column": column.name}},
                    }
                    for column in columns
                ],
            }
        ],
    }
    return (json.dumps(card, ensure_ascii=False, indent=2) + "\n").encode()
