"""Spark jobs: a folder of notes becomes a de-identified lake, incrementally. No recognition is done here.

run.py is one night: plan.py says what changed, convert.py reads files, deidentify.py runs the engine, audit.py counts.
worker.py is what executors run. lake.py names the folders, tables.py the Delta tables and how they are written,
delta_reader.py reads them without a JVM, ledger.py has the ledger's rows as objects.
"""
