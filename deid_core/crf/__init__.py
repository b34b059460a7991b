"""Features, files, compiling and decoding of the CRF; `model.py` is the way in, `tagger.py` what it is for.

features.py and families.py say what a model looks at, lexicon.py what it knows of words; crfsuite_file.py reads what
CRFsuite wrote, compiled.py turns it into tables by word type, emissions.py and decode.py run over tokens;
note_sequence.py makes a note's sequence. Nothing is imported here: what reads a model's files needs no numba.
"""
