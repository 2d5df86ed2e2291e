"""Settings of the round service."""

from __future__ import annotations

from services.chassis.config import Settings


class RoundSettings(Settings):
    """What the round service is told: nothing beyond what every service is."""
