"""Staff initials: two to four letters by which nurses and doctors sign. Part of recogniser `context`."""

from deid_core.recognisers.staff_initials.dictation import initials_after_dictation
from deid_core.recognisers.staff_initials.finder import StaffInitialsFinder

__all__ = ["StaffInitialsFinder", "initials_after_dictation"]
