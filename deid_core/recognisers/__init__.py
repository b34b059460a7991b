"""Recognisers: each proposes detections for a document."""
