"""Settings of the settlement service."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from services.chassis.config import CommaSeparated, Piece, Settings


class WalletSettings(Piece):
    """SABOT_WALLET_*: where credits are delivered."""

    target: Annotated[
        str, Field(description="host:port of the wager service; not needed in the role query")
    ] = ""
    pause_s: Annotated[
        float,
        Field(ge=0.05, le=60, description="seconds before a movement is asked for again, doubled"),
    ] = 0.05
    pause_max_s: Annotated[
        float, Field(ge=5, le=3600, description="seconds that it comes to at most")
    ] = 60.0
    zero_credits: Annotated[
        CommaSeparated,
        Field(description="operators, or *: told of a lost wager by a credit of zero"),
    ] = ()
    coup_credits: Annotated[
        CommaSeparated,
        Field(description="operators, or *: one credit pays all wagers of a player in a coup"),
    ] = ()


class SettlementSettings(Settings):
    """What the settlement service is told."""

    wallet: WalletSettings = WalletSettings()
