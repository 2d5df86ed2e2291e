"""Migrations of the settlement service; numbered, forward only."""
