"""A note's blocks lie within its text."""

from __future__ import annotations

import pytest

from deid_core.core.note import Block, BlockKind, Note


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 5)])
def test_a_block_that_is_no_range_of_the_text_is_refused(start: int, end: int) -> None:
    sound = Block(BlockKind.PARAGRAPH, 0, 4)
    with pytest.raises(ValueError, match=r"is no range of the text"):
        Note("n", "Text", blocks=(sound, Block(BlockKind.PARAGRAPH, start, end), sound))
