"""Recogniser `institution`: hospitals, departments, wards, organisations and places by name.

recogniser.py asks one module for each form that such names have; words.py, head_words.py and lists.py hold what they
are made of, as the bits of flags.py.
"""

from deid_core.recognisers.institution.recogniser import InstitutionRecogniser

__all__ = ["InstitutionRecogniser"]
