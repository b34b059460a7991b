"""The engine that de-identifies German clinical notes: bytes → note → tokens → detections → spans → redacted text.

Pure Python and numpy; it never imports pyspark. `jobs` runs it on Spark, `deid_core.cli` from the shell.
"""

from deid_core.core.version import __version__

__all__ = ["__version__"]
