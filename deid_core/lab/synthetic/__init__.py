"""Makes German cardiology admission notes with known PHI, in the form of seed 000's figures 1, 2 and 4.

draw.py, years.py and case.py draw the facts of a letter; people.py, places.py, dates.py and typos.py write names,
addresses, telephone numbers and dates in the forms of life; lists/ and templates/ hold the words, in two halves that
share nothing; template_language.py, slots.py, letter_layout.py, compose.py and laboratory.py put a letter together;
rendering.py makes a note with gold spans of it, docx_file.py and word97.py Word files; generate.py and
note_files.py are what others call.
"""

from deid_core.lab.synthetic.generate import SyntheticNote, generate_note, iter_notes

__all__ = ["SyntheticNote", "generate_note", "iter_notes"]
