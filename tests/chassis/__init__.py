"""Tests of the edge: calls, identities, configuration, health, lifecycle, logs and telemetry."""
