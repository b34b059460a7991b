"""The audit page: what was received, removed, dropped and quarantined, for whoever signs that a corpus may leave.

figures.py gathers the figures from the lake's tables, without Spark; page.py makes HTML of them, export.py CSV and
JSON, pdf.py a PDF. Nothing here reads a note's text, but corpus.py, which counts its lines. No path leaves it.
"""
