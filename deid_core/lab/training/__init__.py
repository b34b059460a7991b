"""Training of the shipped models (recipes.py, `deid train`); nothing here is needed to use them."""
