"""The version of the project."""

__version__ = "0.5.0.dev0"
