"""The local stack for development, tests and the demonstration; never part of a deployed image.

`Stack` (in `services.devstack.stack`) starts an embedded PostgreSQL, a Kafka broker and the four
services as processes on the loopback address. `python -m services.devstack` does it from a shell.
"""
