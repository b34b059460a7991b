"""How good a pipeline is against gold spans."""
