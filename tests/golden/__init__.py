"""Event logs recorded by released versions, which today's code has to read and go on from."""
