"""Decide whether a word that is both a name and a common or medical word is a name in its context."""
