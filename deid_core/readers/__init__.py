"""Readers turn files into notes: one reader per format, the canonical text, and limits against hostile files.

source_listing.py lists files and reads their bytes. note_reader.py chooses the reader of each file, by the format that
formats.py detects. docx/ reads .docx, msdoc/ reads .doc, plain.py reads plain text. libreoffice.py converts .rtf, .odt,
and .doc files that msdoc/ refuses, to .docx; freeze_fields.py prepares them and scratch.py holds the temporary files.
canonical.py builds the text of the note, properties.py selects document properties, settings.py holds the limits,
deadline.py the time.
"""

from deid_core.core.file_formats import ENDINGS
from deid_core.readers.note_reader import NoteReader
from deid_core.readers.source_listing import OTHER, SourceFile, list_files, source_files

__all__ = ["ENDINGS", "OTHER", "NoteReader", "SourceFile", "list_files", "source_files"]
