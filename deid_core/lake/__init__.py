"""The lake's folders and Delta tables, read and written without a JVM. Imports no pyspark."""
