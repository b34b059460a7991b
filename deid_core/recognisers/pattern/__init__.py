"""Recogniser `pattern`: dates, telephone numbers, postcodes and what else has a form of its own."""
