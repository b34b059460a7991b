"""The laboratory: corpora, evaluation, synthetic notes, training, benchmarks.

De-identifying a note needs none of it.
"""
