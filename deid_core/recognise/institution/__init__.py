"""Recogniser `institution`: hospitals, departments, wards, organisations and places by name.

recogniser.py asks one module for each form that such names have; words.py and lists.py hold what they are made of.
"""

from deid_core.recognise.institution.recogniser import InstitutionRecogniser

__all__ = ["InstitutionRecogniser"]
