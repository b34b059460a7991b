"""Recogniser `institution`: hospitals, departments, wards and organisations by name.

recogniser.py calls one module per form of name. compute_flags.py and head_words.py compute the flags (flags.py) of a
word from the lists in gazetteers/lists/institution: to add a keyword, add a line to one of them.
"""

from deid_core.recognisers.institution.recogniser import InstitutionRecogniser

__all__ = ["InstitutionRecogniser"]
