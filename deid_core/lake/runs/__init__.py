"""What the stages of a run share, and what a run does to tables and raw texts before, between and after them."""
