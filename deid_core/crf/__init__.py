"""The linear-chain CRF: features, weights, inference. It neither trains nor reads notes.

model.py reads a model folder; tagger.py tags sequences of words with it. features/ computes the features of words.
weights.py and crfsuite_file.py read weights. inference_model.py joins weights and features; emission_cache.py holds the
emissions of word types, emissions.py sums them over tokens, viterbi.py decodes. Nothing is imported here, so that
reading a model's files needs no numba.
"""
