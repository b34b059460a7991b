"""Word's binary .doc, read directly (MS-DOC, Word 97 and later).

container.py opens the compound file; fib.py says where the tables lie; plc.py, strings.py and sprms.py read their
forms. pieces.py makes the text, stories.py cuts it, runs.py finds the properties of its parts, paragraphs.py and
characters.py know what they mean; fields.py, tables.py and shapes.py take codes, cells and drawings apart;
anchors_and_revisions.py collects what stands aside of the text; text.py and document.py put it together. What is
unsound anywhere is refused, never guessed: LibreOffice then has its turn.
"""

from deid_core.readers.msdoc.document import read_doc
from deid_core.readers.msdoc.refused import DocRefused

__all__ = ["DocRefused", "read_doc"]
