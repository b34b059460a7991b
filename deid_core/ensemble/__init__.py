"""Which detections become spans."""
