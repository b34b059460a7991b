"""Features of the conditional random field: what a word, its neighbours and the word lists contribute."""
