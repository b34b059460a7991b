"""Whose note it is: matching of notes to patients, what is known of these, withdrawal, and new keys."""
