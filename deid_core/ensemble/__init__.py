"""The ensemble: turns the overlapping detections of all recognisers into the spans of a note."""
