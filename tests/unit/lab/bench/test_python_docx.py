"""The bench compares like with like: python-docx's stage gives the words that the reader gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from deid_core.core.note import BlockKind, Note
from deid_core.lab.bench.python_docx import python_docx_texts
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.synthetic.note_files import write_notes
from deid_core.pipeline.settings_file import load_settings
from deid_core.readers import NoteReader, source_files

ASIDE = (BlockKind.PROPERTY, BlockKind.AUTHOR)


def test_python_docx_gives_the_words_of_the_reader(tmp_path: Path) -> None:
    write_notes(list(iter_notes(6, seed=3, split="test")), tmp_path, "docx")
    files = source_files(tmp_path / "notes")
    assert len(files) == 6
    with NoteReader(load_settings().reading) as reader:
        for source, note in reader.read(files):
            assert isinstance(note, Note)
            ours = [note.block_text(block) for block in note.blocks if block.kind not in ASIDE]
            assert words(python_docx_texts(source.path)) == words(ours)


def words(texts: Iterable[str]) -> Counter[str]:
    return Counter(" ".join(texts).split())
