"""Faults that other systems had, and the tests that show their cure here."""
