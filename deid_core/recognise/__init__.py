"""Recognisers, one a file: each proposes detections for a document."""
