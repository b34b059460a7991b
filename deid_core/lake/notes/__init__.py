"""The notes of a lake: their ids, years and raw texts, the ledger with the state of each, and readers' reviews."""
