"""Systems of the papers that the project builds on, by name, to be measured beside the pipelines.

    stat-deid    seed 001: a linear support vector machine for each token, on its local context
    iterative    seed 004: boosted decision trees, in three phases

`deid train system NAME` trains one, `deid compare --systems NAME` measures it (docs/systems.md). They serve comparison:
`deid run` uses none of them.
"""
