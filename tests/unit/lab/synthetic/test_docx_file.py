"""A letter as .docx: the same bytes each time, and the text that the gold spans refer to."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid_core.core.note import Note
from deid_core.lab.synthetic import iter_notes
from deid_core.lab.synthetic.docx_file import docx_bytes
from deid_core.pipeline.settings_file import load_settings
from deid_core.readers import NoteReader, source_files


@pytest.mark.parametrize("split", ["train", "test"])
def test_read_again_it_is_the_same_note(split: str, tmp_path: Path) -> None:
    made = {item.note.note_id: item for item in iter_notes(25, seed=11, split=split)}
    for identifier, item in made.items():
        (tmp_path / f"{identifier}.docx").write_bytes(docx_bytes(item.letter))
    with NoteReader(load_settings().reading) as reader:
        results = list(reader.read(source_files(tmp_path)))
    assert len(results) == len(made)
    for source, note in results:
        assert isinstance(note, Note)
        assert note.text == made[source.note_id].note.text
        assert note.blocks == made[source.note_id].note.blocks


def test_the_same_letter_gives_the_same_bytes() -> None:
    first, second = ([docx_bytes(item.letter) for item in iter_notes(5, seed=2, split="test")] for _ in range(2))
    assert first == second
