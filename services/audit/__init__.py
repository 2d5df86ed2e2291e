"""Proof that the logs are what they were: read from outside, with keys that no service has."""
