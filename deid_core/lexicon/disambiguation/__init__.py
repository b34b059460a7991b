"""Whether a word that is both a name and a common or medical word is a name where it stands."""
