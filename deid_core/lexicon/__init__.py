"""Word lists as flags of words, and the disambiguation of names from common words."""
