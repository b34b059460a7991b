"""The piece table, property pages and lists of .doc: laws that hold however a text is cut."""

from __future__ import annotations

import struct
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_binary import DELETED, IN_TABLE, ROW_END, plc, prls, row_definition

from deid_core.core.errors import NoteError, Reason
from deid_core.readers.msdoc.budget import Budget
from deid_core.readers.msdoc.characters import character_properties
from deid_core.readers.msdoc.paragraphs import paragraph_properties
from deid_core.readers.msdoc.pieces import Piece, read_pieces
from deid_core.readers.msdoc.refused import DocRefused
from deid_core.readers.msdoc.runs import Runs
from deid_core.readers.msdoc.sprms import modifiers

COMPRESSED = 1 << 30
WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8), min_size=1, max_size=8)


def pcd(offset: int, prm: int = 0) -> bytes:
    return struct.pack("<HIH", 0, offset, prm)


def clx(positions: list[int], pieces: list[bytes], before: bytes = b"") -> bytes:
    table = plc(positions, pieces)
    return before + b"\x02" + struct.pack("<I", len(table)) + table


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(words=WORDS, order=st.randoms(use_true_random=False))
def test_pieces_in_any_order_and_width_give_the_text(words: list[str], order: object) -> None:
    stream, places = b"??", {}
    numbers = list(range(len(words)))
    order.shuffle(numbers)  # type: ignore[attr-defined]
    for number in numbers:
        narrow = all(ord(c) < 0x80 for c in words[number])
        places[number] = 2 * len(stream) | COMPRESSED if narrow else len(stream)
        stream += words[number].encode("ascii" if narrow else "utf-16-le")
    positions = [0, *accumulate(map(units, words))]
    table = read_pieces(clx(positions, [pcd(places[n]) for n in range(len(words))]), stream, positions[-1], 1000)
    assert len(table.text) == positions[-1], "a character for each position"
    fillers = "".join(c + "\0" if ord(c) > 0xFFFF else c for word in words for c in word)
    assert table.text == fillers


def test_bytes_are_cp1252_and_what_it_leaves_open_stays() -> None:
    data = bytes(range(0x80, 0x100))
    table = read_pieces(clx([0, 128], [pcd(COMPRESSED)]), data, 128, 1000)
    assert table.text[:5] == "€\x81‚ƒ„"
    assert table.text[0x1F:] == data[0x1F:].decode("cp1252")
    assert {c for c in table.text if ord(c) < 0xA0} == set("\x81\x8d\x8f\x90\x9d")


def test_modifiers_of_a_piece_hold_besides_those_of_its_runs() -> None:
    before = b"\x01" + struct.pack("<H", 3) + prls(DELETED)
    short, named = 1 << 8 | 0x41 << 1, 0 << 1 | 1
    table = read_pieces(clx([0, 2, 4, 6], [pcd(0, short), pcd(4, named), pcd(8)], before), b"abcdefghijkl", 6, 10)
    found = list(Runs([0, 12], [b""]).over(table.pieces, character_properties, Budget(lambda: None)))
    assert [(start, end) for start, end, properties in found if properties.deleted] == [(0, 2), (2, 4)]


@pytest.mark.parametrize(
    "table",
    [
        b"",
        b"\x02\0\0\0\0",
        clx([0, 5], [pcd(100)]),
        clx([0, 5], [pcd(2 * 100 | COMPRESSED)]),
        clx([0, 3, 2], [pcd(0), pcd(0)]),
        clx([1, 5], [pcd(0)]),
        clx([0, 4], [pcd(0)]),
        clx([0, 5], [pcd(0, 3)]),
        clx([0, 5], [pcd(0)])[:-1],
        b"\x01\xff\xff" + clx([0, 5], [pcd(0)]),
    ],
)
def test_a_broken_piece_table_is_refused(table: bytes) -> None:
    with pytest.raises(DocRefused, match="piece table"):
        read_pieces(table, b"a\0b\0c\0d\0e\0", 5, 1000)


def test_a_text_over_the_limit_is_no_note_and_is_not_built() -> None:
    # A thousand pieces that name the same two megabytes.
    table = clx([1_000_000 * n for n in range(1001)], [pcd(0)] * 1000)
    with pytest.raises(NoteError) as raised:
        read_pieces(table, bytes(2_000_000), 10**9, 5_000_000)
    assert raised.value.reason is Reason.TOO_LARGE


@given(
    cuts=st.lists(st.integers(0, 60), min_size=1, max_size=12, unique=True).map(sorted),
    lists=st.lists(st.sampled_from([b"", prls(IN_TABLE), prls(IN_TABLE, ROW_END)]), min_size=13, max_size=13),
    order=st.permutations(range(6)),
)
def test_every_character_has_the_properties_of_its_place(cuts: list[int], lists: list[bytes], order: list[int]) -> None:
    # Six pieces of five characters of two bytes each, in any order; runs end between characters or do not.
    limits = [0, *(cut for cut in cuts if cut), 61]
    runs = Runs(limits, lists[: len(limits) - 1])
    pieces = [Piece(5 * n, 5 * n + 5, 10 * place, 2, b"") for n, place in enumerate(order)]

    def meaning(content: bytes) -> bytes | None:
        return content or None

    found = list(runs.over(pieces, meaning, Budget(lambda: None)))
    assert all(first[1] <= second[0] for first, second in pairwise(found)), "ascending and apart"
    for piece in pieces:
        for number in range(5):
            at = piece.offset + 2 * number
            run = next(n for n in range(len(limits) - 1) if limits[n] <= at < limits[n + 1])
            even = limits[run + 1] > at + 1 and (limits[run] < at or limits[run] % 2 == 0)
            covering = [m for start, end, m in found if start <= piece.start + number < end]
            if even:
                assert covering[:1] == ([lists[run]] if lists[run] else []), "the run that holds both bytes"


def test_operands_of_every_size() -> None:
    tabs = bytes([255, 1, 0, 0, 0, 0, 1, 0, 0, 0])
    content = prls(
        (0x2416, b"\1"), (0x4600, b"\2\0"), (0x6649, b"\3\0\0\0"), (0x7629, b"\4\0\0\0"), (0xCA57, b"\2\5\6"),
        (0xC615, tabs), row_definition(0, 0), (0xF614, b"\7\0\0"),
    )  # fmt: skip
    assert [(hex(sprm), len(operand)) for sprm, operand in modifiers(content + b"\0")] == [
        ("0x2416", 1), ("0x4600", 2), ("0x6649", 4), ("0x7629", 4), ("0xca57", 2), ("0xc615", 9), ("0xd608", 47),
        ("0xf614", 3),
    ]  # fmt: skip


@given(st.binary(max_size=80))
def test_any_bytes_are_a_property_list_or_refused(content: bytes) -> None:
    for meaning in (paragraph_properties, character_properties):
        try:
            meaning(content)
        except DocRefused as refusal:
            assert str(refusal).startswith("properties: ")
