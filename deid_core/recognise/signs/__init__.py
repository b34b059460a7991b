"""The signs of staff, two to four letters by which nurses and doctors sign an entry; part of recogniser `context`."""

from deid_core.recognise.signs.dictation import behind_dictation, is_sign
from deid_core.recognise.signs.finder import SignFinder

__all__ = ["SignFinder", "behind_dictation", "is_sign"]
