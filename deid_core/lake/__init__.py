"""The lake's folders and Delta tables, read and written without a JVM. Imports no pyspark.

What lies here serves every sub-package and imports none of them. In this order each sub-package imports only those
before it: tables, notes, inputs, checks, runs, patients, outputs, inspection.
"""
