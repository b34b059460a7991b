"""Dates of letters: read in every usual form, moved by days, written back in the form found."""
