"""Recogniser `profession`: what somebody does or did for a living.

recogniser.py has the table of rules, reading.py weighs the words around; words.py and heads.py know professions.
"""

from deid_core.recognisers.profession.recogniser import ProfessionRecogniser

__all__ = ["ProfessionRecogniser"]
