"""Settings of the wager service."""

from __future__ import annotations

from services.chassis.config import Settings


class WagerSettings(Settings):
    """What the wager service is told: nothing beyond what every service is."""
