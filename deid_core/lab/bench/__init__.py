"""What `deid bench` measures.

Every stage runs several times over the same generated notes, in turns (A B C A B C …), so that a machine whose speed
drifts drifts for all; tables give the median with minimum and maximum, and ratios are of one round, then the median.
Rates are by token, so that stages over few and over many of the notes can be compared.

`speed.py` collects the stages, `profile.py` takes the engine apart, `report.py` writes Markdown. Nothing is imported
here: `memory.py` counts this package's imports as a worker's.
"""
