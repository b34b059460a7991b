"""Reads a model file of CRFsuite 0.12 into arrays, and rounds the weights in it.

The model of recogniser `crf` is stored as the file that CRFsuite wrote, so that every tool that knows CRFsuite can use
it. Source of the format: CRFsuite's crf1d_model.c and cqdb.c. All numbers are little-endian:

    header   "lCRF" size "FOMC" version(100) features labels attributes, then the offsets of the five chunks
    FEAT     "FEAT" size number, then per feature: type (0 state, 1 transition), source, target, float64 weight
    CQDB     "CQDB" size flag byteorder capacity backlinks, 256 hash tables; two of these: labels and attributes.
             backlinks: per number the offset, from the start of the chunk, of its record: number, length, string, NUL
    LFRF     per label the offset, from the start of the file, of the list of the transition features that leave it
    AFRF     the same per attribute, of its state features

The reader checks what CRFsuite trusts (offsets, counts, agreement of FEAT and the lists): a damaged file gives an
error, never a wrong score.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from deid_core.core.errors import ConfigurationError
from deid_core.crf.weights import MAX_LABELS, CrfWeights, rounded

_HEADER = struct.Struct("<4sI4sI3I5I")
_CHUNK = struct.Struct("<4sII")
_CQDB = struct.Struct("<4sIIIII")
_CQDB_TABLES_SIZE = 256 * 8
_CQDB_BYTE_ORDER = 0x62445371
_VERSION = 100
_NAME = "model"
"""What errors call a file without a name."""
_STATE, _TRANSITION = 0, 1
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])

_Bytes = npt.NDArray[np.uint8]
_Counts = npt.NDArray[np.int64]


def read_crfsuite(data: bytes, name: str = _NAME) -> CrfWeights:
    """Return the weights in the bytes of a CRFsuite file.

    name: what errors call the file. Raises ConfigurationError, with the byte offset, if the file is of another format
    or version, is cut short, or contradicts itself.
    """
    return _CrfsuiteReader(data, name).model()


def round_weights(data: bytes) -> bytes:
    """Return the CRFsuite file with all weights rounded to multiples of 2^-GRID_BITS, and without uninitialised bytes.

    CRFsuite writes a word of uninitialised memory into each of its dictionaries. It becomes 0, so that another training
    gives the same file. Raises ConfigurationError as `read_crfsuite` does.
    """
    reader = _CrfsuiteReader(data)
    reader.model()
    changed = bytearray(data)
    features = np.frombuffer(changed, _FEATURE, reader.feature_count, reader.feature_start)
    features["weight"] = rounded(features["weight"])
    for start in reader.dictionaries:
        changed[start + 8 : start + 12] = bytes(4)
    return bytes(changed)


class _CrfsuiteReader:
    """The file's bytes and the numbers of its header; every read checks its bounds."""

    def __init__(self, data: bytes, name: str = _NAME) -> None:
        self._data = data
        self._bytes: _Bytes = np.frombuffer(data, np.uint8)
        self._name = name
        if len(data) < _HEADER.size:
            raise self._error(0, f"has {len(data)} bytes, a header {_HEADER.size}")
        magic, size, kind, version, *numbers = _HEADER.unpack_from(data)
        if magic != b"lCRF" or kind != b"FOMC":
            raise self._error(0, "is not a model file of CRFsuite")
        if version != _VERSION:
            raise self._error(12, f"is of format version {version}; only {_VERSION} is known")
        if size != len(data):
            raise self._error(4, f"should have {size} bytes and has {len(data)}")
        _, self._labels, self._attributes = numbers[:3]
        off_features, off_labels, off_attributes, self._off_label_refs, self._off_attribute_refs = numbers[3:]
        self.dictionaries = (off_labels, off_attributes)
        # CRFsuite leaves the header's number of features 0; the chunk has it.
        self.feature_count = self._chunk(off_features, b"FEAT")
        self.feature_start = off_features + _CHUNK.size

    def model(self) -> CrfWeights:
        """Return all of it, checked."""
        if not 0 < self._labels <= MAX_LABELS:
            raise self._error(20, f"has {self._labels} labels; 1 to {MAX_LABELS} are possible")
        labels = self._strings(self.dictionaries[0], self._labels)
        attributes = self._strings(self.dictionaries[1], self._attributes)
        self._need(self.feature_start, self.feature_count * _FEATURE.itemsize)
        features = np.frombuffer(self._data, _FEATURE, self.feature_count, self.feature_start)
        if not np.isfinite(features["weight"]).all():
            raise self._error(self.feature_start, "has a weight that is no finite number")
        if (features["target"] >= self._labels).any():
            raise self._error(self.feature_start, "has a feature of a label that does not exist")
        self._check_references(features, _STATE, self._off_attribute_refs, b"AFRF", self._attributes)
        self._check_references(features, _TRANSITION, self._off_label_refs, b"LFRF", self._labels)
        state, transition = features[features["type"] == _STATE], features[features["type"] == _TRANSITION]
        transitions = np.zeros((self._labels, self._labels))
        transitions[transition["source"], transition["target"]] = transition["weight"]
        return CrfWeights(
            labels,
            attributes,
            state["source"].astype(np.int32),
            state["target"].astype(np.int32),
            state["weight"].astype(np.float64),
            transitions,
        )

    def _strings(self, start: int, count: int) -> tuple[str, ...]:
        """Return the strings 0 to count - 1 of the dictionary at `start`."""
        self._need(start, _CQDB.size + _CQDB_TABLES_SIZE)
        kind, size, _flag, byte_order, _capacity, backlinks = _CQDB.unpack_from(self._data, start)
        if kind != b"CQDB" or byte_order != _CQDB_BYTE_ORDER:
            raise self._error(start, "has no dictionary where the header says")
        if not count:
            return ()
        self._need(start, size)
        if not 0 < backlinks <= size - 4 * count:
            raise self._error(start, "has a dictionary with fewer entries than the header says")
        records = self._numbers(start + backlinks + 4 * np.arange(count)) + start
        if (records <= start).any() or (records + 8 > start + size).any():
            raise self._error(start, "has a dictionary entry outside its dictionary")
        numbers, ends = self._numbers(records), records + 8 + self._numbers(records + 4)
        if not np.array_equal(numbers, np.arange(count)) or (ends <= records + 8).any() or (ends > start + size).any():
            raise self._error(start, "has a dictionary entry that contradicts itself")
        if self._bytes[ends - 1].any():
            raise self._error(start, "has a string without an end")
        try:
            strings = [
                self._data[a:b].decode() for a, b in zip((records + 8).tolist(), (ends - 1).tolist(), strict=True)
            ]
        except UnicodeDecodeError:
            raise self._error(start, "has a string that is not UTF-8") from None
        if len(set(strings)) < count:
            raise self._error(start, "has a string twice")
        return tuple(strings)

    def _check_references(
        self, features: npt.NDArray[np.void], kind: int, start: int, chunk: bytes, owners: int
    ) -> None:
        """Check that the lists of features by owner name every feature of the kind once, at its own source."""
        # CRFsuite leaves room for two more labels, the sequence's start and end, and does not use it.
        if self._chunk(start, chunk) < owners:
            raise self._error(start, f"has fewer than {owners} lists of features")
        self._need(start + _CHUNK.size, 4 * owners)
        lists = self._numbers(start + _CHUNK.size + 4 * np.arange(owners))
        if (lists + 4 > len(self._data)).any():
            raise self._error(start, "has a list of features outside the file")
        counts = self._numbers(lists)
        if (lists + 4 + 4 * counts > len(self._data)).any() or counts.sum() != (features["type"] == kind).sum():
            raise self._error(start, "has lists of features that are too long or too short")
        ends = np.cumsum(counts)
        places = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
        named = self._numbers(np.repeat(lists + 4, counts) + 4 * places)
        if (named >= len(features)).any() or len(np.unique(named)) < len(named):
            raise self._error(start, "has lists of features that name one twice or one that does not exist")
        found = features[named]
        if (found["type"] != kind).any() or not np.array_equal(found["source"], np.repeat(np.arange(owners), counts)):
            raise self._error(start, "has lists of features that contradict the features")

    def _chunk(self, start: int, kind: bytes) -> int:
        """Return the number of items of the chunk at `start`."""
        self._need(start, _CHUNK.size)
        found, _size, number = _CHUNK.unpack_from(self._data, start)
        if found != kind:
            raise self._error(start, f"has no chunk {kind.decode()} where the header says")
        return int(number)

    def _numbers(self, offsets: _Counts) -> _Counts:
        """Return the uint32 at each of these offsets, which are inside the file, aligned or not."""
        four: _Bytes = self._bytes[np.asarray(offsets, np.int64)[:, None] + np.arange(4)]
        return four.view("<u4")[:, 0].astype(np.int64)

    def _need(self, start: int, size: int) -> None:
        if start + size > len(self._data):
            raise self._error(start, f"ends {start + size - len(self._data)} bytes too early")

    def _error(self, at: int, problem: str) -> ConfigurationError:
        return ConfigurationError(f"{self._name}: byte {at}: {problem}; train the model again or restore its file")
