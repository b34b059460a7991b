"""Text as recognisers read it: tokens, word types, lines, and the end of a letter's header."""
