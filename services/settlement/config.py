"""Settings of the settlement service."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from services.chassis.config import Piece, Settings


class WalletSettings(Piece):
    """SABOT_WALLET_*: where credits are delivered."""

    target: Annotated[
        str, Field(description="host:port of the wager service; not needed in the role query")
    ] = ""


class SettlementSettings(Settings):
    """What the settlement service is told."""

    wallet: WalletSettings = WalletSettings()
