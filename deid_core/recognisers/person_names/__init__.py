"""How far a person's name extends: shared by the recognisers that find names by their context."""
