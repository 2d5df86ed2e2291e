"""Odd input for everything that takes input: calls, events, rulebooks, table logs."""
