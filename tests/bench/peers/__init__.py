"""The log and the rules beside other libraries that do the same work: `make bench ARGS='--only peers'`."""
