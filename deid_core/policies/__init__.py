"""What stands in a span's place."""
