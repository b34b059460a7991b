"""Makes German cardiology admission notes with known PHI."""
