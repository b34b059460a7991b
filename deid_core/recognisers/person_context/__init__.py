"""Recogniser `context`: names of people by what stands around them.

recogniser.py finds the triggers of a note and asks the module that knows each kind; name_walk.py reads the names. The
signs of staff have a folder of their own, signs/.
"""

from deid_core.recognisers.person_context.recogniser import PersonContextRecogniser

__all__ = ["PersonContextRecogniser"]
