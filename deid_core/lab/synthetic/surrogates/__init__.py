"""Challenge corpora by surrogate injection (seed 001, section 5): synthetic notes whose names and places are replaced.

mixes.py says which corpus has which kinds of surrogates, words.py draws them, forms.py tells the forms of a name,
people.py and places.py replace it the same way wherever and in whatever form it stands in a note, inject.py puts it
into the letter. Only persons, places and hospitals are replaced, as in the seed; e-mail and web addresses, signatures
and organisations stay as they were.
"""

from deid_core.lab.synthetic.surrogates.inject import challenge_note, inject, iter_challenge
from deid_core.lab.synthetic.surrogates.mixes import CORPORA

__all__ = ["CORPORA", "challenge_note", "inject", "iter_challenge"]
