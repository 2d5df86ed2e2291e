"""Sabot: the services, the rules they play by, and what runs them."""

import os

# Read by gRPC when it is first imported, so it is said here, before anybody can. gRPC can prepare
# for a fork that goes on using its channels; our processes only start programs, and where a call
# is under way gRPC writes a line about the handlers that it skips, at every start.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
