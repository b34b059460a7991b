"""The letter's header: which cell says what, and spelling variants of its words in the text."""
