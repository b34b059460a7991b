"""Word lists: what they say of a word, and how names are told from common words."""
