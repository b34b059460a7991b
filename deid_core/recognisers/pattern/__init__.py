"""Recogniser `pattern`: dates, telephone numbers, postcodes and other PHI that has a form of its own."""
