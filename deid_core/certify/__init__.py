"""The sign-off: which notes people must read, what follows from what they found, and the signed dossier.

sampling_plan.py draws the notes, outcomes.py says what readers found, bounds.py what that means for all notes,
dossier.py gathers everything, page.py renders it, signed_folder.py signs and verifies. release.py makes a numbered
copy of the corpus.
"""
