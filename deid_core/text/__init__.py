"""Text as the recognisers read it: tokens, word types, lines, and where a letter's header ends."""
