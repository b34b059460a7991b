"""The linear-chain CRF: features, weights, inference. It neither trains nor reads notes.

model_folder.py reads a model folder; tagger.py tags sequences of words with it. features/ computes the features of
words. weights.py and crfsuite_file.py read weights. compiled_crf.py joins weights and features; emission_cache.py holds
the emissions of word types, emissions.py sums them over tokens, inference.py decodes. Nothing is imported here, so that
reading a model's files needs no numba.
"""
