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
