"""The service chassis: storage, messaging, calls and telemetry. Knows no word of the game."""
