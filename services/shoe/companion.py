"""What the shoe service keeps beside its log: the sealed orders that `decide` may look into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Event
from services.shoe.commands import LoadShoe
from services.shoe.domain import NO_CARDS, Cards, ShoeState, decide
from services.shoe.sealing import Vault


class ShoeCompanion:
    """Binds `decide` to the order of the shoe in question."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def decider(self, tx: Any, table_id: str, command: Command, state: ShoeState) -> Decide:
        """`decide` with the cards that it may look at."""
        del table_id
        cards = await self._cards(tx.connection, command, state)

        def bound(command: Command, state: ShoeState) -> Sequence[Event]:
            return decide(command, state, cards)

        return bound

    async def _cards(self, connection: Any, command: Command, state: ShoeState) -> Cards:
        if isinstance(command, LoadShoe):
            order_id = command.order_id
        else:
            order_id = state.shoe.order_id if state.shoe else ""
        if not order_id:
            return NO_CARDS
        return await self._vault.open(connection, order_id) or NO_CARDS

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Nothing follows inside the transaction."""
        del tx, staged
        return ()

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""
