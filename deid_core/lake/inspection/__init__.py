"""What a person asks of a lake, which changes nothing: a forecast, a check of the ledger, lists and single notes."""
