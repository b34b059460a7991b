"""A pipeline: its configuration, how it is built, and the engine that runs it over notes."""
