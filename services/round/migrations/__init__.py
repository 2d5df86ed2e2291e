"""Migrations of the round service; numbered, forward only."""
