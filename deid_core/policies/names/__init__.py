"""The names of people: their parts, which of a note's mentions are one name, and surrogates for them."""
