"""Tables of positions: n + 1 ascending positions, then n items of one size (MS-DOC 2.2.2 Plc)."""

from __future__ import annotations

import struct
from itertools import pairwise
from typing import NamedTuple

from deid_core.readers.msdoc.refused import DocRefused

_MAX_ITEMS = 1_000_000


class Plc(NamedTuple):
    """Positions, one more than items, and the items' bytes."""

    positions: tuple[int, ...]
    items: tuple[bytes, ...]


def plc(data: bytes, size: int) -> Plc:
    """The table in these bytes, its items of `size` bytes each; an empty one for b"".

    Raises DocRefused if the length does not fit or positions descend.
    """
    if not data:
        return Plc((0,), ())
    count, rest = divmod(len(data) - 4, 4 + size)
    if rest or not 0 <= count <= _MAX_ITEMS:
        raise DocRefused("table of positions: of another length")
    positions = struct.unpack_from(f"<{count + 1}I", data)
    if any(a > b for a, b in pairwise(positions)):
        raise DocRefused("table of positions: not ascending")
    start = 4 * (count + 1)
    return Plc(positions, tuple(data[start + size * n : start + size * (n + 1)] for n in range(count)))
