"""Settings of the shoe service."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from services.chassis.config import FileName, Piece, Settings


class SealingSettings(Piece):
    """SABOT_SEALING_*: how orders of shoes are kept from everybody."""

    key_file: Annotated[
        FileName, Field(description="file of 32 secret bytes; not needed in development")
    ] = ""


class ShoeSettings(Settings):
    """What the shoe service is told."""

    sealing: SealingSettings = SealingSettings()
