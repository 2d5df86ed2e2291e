"""Migrations of the wager service; numbered, forward only."""
