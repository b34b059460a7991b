"""The Spark jobs: the only package that imports pyspark."""
