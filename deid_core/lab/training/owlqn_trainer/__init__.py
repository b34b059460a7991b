"""Trains a linear-chain CRF with the objective of CRFsuite, in a tenth of its time.

CRFsuite adds the weights of every attribute of every token in each iteration. But features depend on one word type (or
two), and letters repeat their words, above all augmented ones. So the scores of a word type are summed once an
iteration, as in inference (crf/compiled_crf.py), and the gradient is summed for each type before it is distributed
to its attributes.

    token_streams.py     sequences of words as numbers, and the attributes of their word types
    dataset.py           streams and labels laid out in arrays
    objective.py         negative log-likelihood and gradient at given weights
    forward_backward.py  its loops in numba
    owlqn.py             OWL-QN, the minimiser
    train.py             all of it in one call
"""
