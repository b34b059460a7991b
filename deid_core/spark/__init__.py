"""The Spark jobs, and `deidentify` for DataFrames and SQL: the only package that imports pyspark."""

from deid_core.spark.functions import deidentify, register

__all__ = ["deidentify", "register"]
