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
    zero_credits: Annotated[
        bool, Field(description="true: the wallet is told of a lost wager by a credit of zero")
    ] = False


class SettlementSettings(Settings):
    """What the settlement service is told."""

    wallet: WalletSettings = WalletSettings()
