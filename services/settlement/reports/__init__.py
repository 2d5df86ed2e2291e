"""Reports: facts folded from the log, and one engine that reads them as of a position."""
