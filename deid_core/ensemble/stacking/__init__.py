"""The stacking model (Wolpert 1992): a CRF over the words and over what the recognisers found."""
