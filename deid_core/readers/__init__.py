"""From files to notes: one reader a format, the canonical text, and the limits that keep a bad file from doing harm.

sources.py lists files and reads their bytes; formats.py says what they are; archive.py, package.py, wordml.py,
properties.py and docx.py read Word's .docx; libreoffice.py, saved_fields.py and scratch.py make .docx of .doc and .rtf;
doc/ reads Word's .doc directly, and where it refuses one, LibreOffice has its turn; plain.py reads text; reader.py puts
it together.
"""

from deid_core.readers.reader import NoteReader
from deid_core.readers.sources import ENDINGS, SourceFile, source_files

__all__ = ["ENDINGS", "NoteReader", "SourceFile", "source_files"]
