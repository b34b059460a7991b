"""From files to notes: one reader a format, the canonical text, and the limits that keep a bad file from doing harm."""
