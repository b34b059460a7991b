"""What every other package uses: notes, spans, labels, errors, logs, settings, files. Imports nothing of deid_core."""
