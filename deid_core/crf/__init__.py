"""The linear-chain CRF: features, weights, inference. It neither trains nor reads notes.

"CRF" is three things here: this package; recogniser `crf` (recognisers/crf.py), whose model finds names by words; and
the stacking model (ensemble/stacking/), a second CRF, whose features are words and detections. Both use this package.

How a token becomes a label, by module:

1. features/templates.py says which values of which words in the window are features of a token ("word[-1]:Herr").
2. compiled_crf.py joins the templates with a model's weights (weights.py, model_folder.py): each value of a word adds
   known weights to the score of each label, at each offset. Pairs of words are in pair_table.py.
3. emission_cache.py computes once for each word type what it adds to the labels of the tokens around it.
4. emissions.py sums these for each token: the emissions, the score of each label without its neighbours' labels.
5. inference.py takes the transitions into account: the best path, and the probability of each label at each token.
6. tagger.py (`CrfTagger`) does 4 and 5 for sequences of words. The stacking model has two taggers for 4, of words and
   of detections; it mixes their sum with the scores of two convolutional layers (convolution.py) before 5
   (`_emissions` in ensemble/stacking/stacking_model.py).
7. Tokens of one label become entities: those of recogniser `crf` in entities_from_labels.py, those of the stacking
   model in ensemble/stacking/thresholds.py.

Nothing is imported here, so that reading a model's files needs no numba.
"""
