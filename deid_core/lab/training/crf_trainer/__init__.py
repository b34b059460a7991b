"""Trains a linear-chain CRF as CRFsuite does, for features of word types, in a tenth of the time.

CRFsuite adds up the weights of every attribute of every token in each step of its training. But a feature of
`Templates` depends on one word type (or on two), and letters repeat their words, most of all letters that are trained
on several times, written again: so what a word type adds to the scores around it is added up once a step, as it is for
tagging (sequence/compiled.py), and the gradient is collected for each type before it is handed to its attributes.

    streams.py       sequences of words, and the attributes that templates make of their types
    examples.py      both laid out side by side, with labels
    objective.py     the likelihood of labels and its gradient at some weights, and the model of these weights
    passes.py        the loops: rows of types, forward and backward, the gradient
    minimise.py      OWL-QN
    to_crfsuite.py   the weights as a file of CRFsuite
    train.py         all of it in one call
"""
