"""Recogniser `profession`: what somebody does or did for a living.

recogniser.py has the table of rules. context_rules.py applies them to the words around a profession. word_flags.py,
word_forms.py and context_words.py compute the flags (flags.py) of a word from gazetteers/lists/profession.
"""

from deid_core.recognisers.profession.recogniser import ProfessionRecogniser

__all__ = ["ProfessionRecogniser"]
