"""Readers turn files into notes: one reader per format, the canonical text, and limits against hostile files.

reader.py chooses the reader of each file. sources.py lists files and reads their bytes. formats.py detects the format.
docx/ reads .docx, msdoc/ reads .doc, plain.py reads plain text. libreoffice.py converts .rtf, .odt, and .doc files that
msdoc/ refuses, to .docx; freeze_fields.py prepares them and scratch.py holds the temporary files. canonical.py builds
the text of the note, properties.py selects document properties, settings.py holds the limits, deadline.py the time.
"""

from deid_core.readers.reader import NoteReader
from deid_core.readers.sources import ENDINGS, OTHER, SourceFile, list_files, source_files

__all__ = ["ENDINGS", "OTHER", "NoteReader", "SourceFile", "list_files", "source_files"]
