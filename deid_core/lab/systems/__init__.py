"""Systems of the papers that the project builds on, by name, to be measured beside the pipelines.

    stat-deid    seed 001: a linear support vector machine for each token, on its local context
    crfd, hmm    its rivals: a CRF with the same features, a hidden Markov model
    dome         seed 002: two transformers
    crf-liu      seed 003: a CRF with the features of Liu et al.
    bilstm-crf   seed 003: a BiLSTM with a CRF layer
    iterative    seed 004: boosted decision trees, in three phases
    vote         any of these and pipelines together

`deid train system NAME` trains one, `deid compare --systems NAME` measures it, `deid train study NAME` makes a paper's
table with the texts at hand (docs/systems.md). They serve comparison: `deid run` uses none of them.
"""
