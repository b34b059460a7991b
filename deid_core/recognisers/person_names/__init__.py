"""Where a person's name begins and ends in a line of tokens, for recognisers that find names by their context."""
