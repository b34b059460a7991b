"""Lists of names: where they come from, how they are compiled, and matching them against tokens."""
