"""Recogniser `author`: blocks that name a person by definition, whatever their text is ("kh-user7", "Sekretariat 2").

Every engine has it, whatever the pipeline. Its detections come before all others. Nothing drops them but `keep: [PER]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from deid_core.core.labels import Label, PhiType
from deid_core.core.note import BlockKind
from deid_core.core.spans import Detection
from deid_core.text.document import Document


class AuthorRecogniser:
    """Finds authors of the document, of its comments and of its changes."""

    kind = "author"

    def recognise(self, document: Document) -> Iterator[Detection]:
        """Yield a detection for each block of the kind AUTHOR that has text."""
        note = document.note
        for block in note.blocks_of(BlockKind.AUTHOR):
            text = note.block_text(block)
            start = block.start + len(text) - len(text.lstrip())
            end = block.start + len(text.rstrip())
            if start < end:
                yield Detection(start, end, Label.PER, PhiType.CLINICIAN, self.kind, "block")
