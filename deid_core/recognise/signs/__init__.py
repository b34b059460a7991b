"""The signs of staff, two to four letters by which nurses and doctors sign an entry; part of recogniser `context`."""

from deid_core.recognise.signs.finder import SignFinder, behind_clue, is_sign

__all__ = ["SignFinder", "behind_clue", "is_sign"]
