"""Migrations of the shoe service; numbered, forward only."""
