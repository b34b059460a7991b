"""The signs of staff, two to four letters by which nurses and doctors sign an entry; part of recogniser `context`."""

from deid_core.recognisers.staff_initials.dictation import behind_dictation, is_sign
from deid_core.recognisers.staff_initials.finder import StaffInitialsFinder

__all__ = ["StaffInitialsFinder", "behind_dictation", "is_sign"]
