"""Recogniser `person_context`: names of people by the words around them.

recogniser.py finds the cue words of a note (lexicon/cue_words.py) and calls the module for each kind of cue. In a
line of tokens (name_line.py) name_reader.py says where a name begins and ends, by what its words can be
(spelling_flags.py).
"""

from deid_core.recognisers.person_context.recogniser import PersonContextRecogniser

__all__ = ["PersonContextRecogniser"]
