"""The query API: what is on record as resources, folded from the log and read in one way."""
