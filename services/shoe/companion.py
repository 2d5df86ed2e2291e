"""What the shoe service keeps beside its log: the sealed orders that `decide` may look into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Decided
from services.shoe.commands import LoadShoe, ResumeCoup
from services.shoe.domain import NO_CARDS, Cards, ShoeState, decide
from services.shoe.sealing import Vault


class ShoeCompanion:
    """Binds `decide` to the order of the shoe in question."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Nothing is looked up for several commands at once."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: ShoeState) -> Decide:
        """`decide` with the cards that it may look at."""
        del table_id
        before = await self._cards(tx.connection, state.shoe.order_id if state.shoe else "")
        cards = before
        if isinstance(command, LoadShoe) or (isinstance(command, ResumeCoup) and command.new_order):
            cards = await self._cards(tx.connection, command.order_id)

        def bound(command: Command, state: ShoeState) -> Decided:
            return decide(command, state, cards, before)

        return bound

    async def _cards(self, connection: Any, order_id: str) -> Cards:
        if not order_id:
            return NO_CARDS
        return await self._vault.open(connection, order_id) or NO_CARDS

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Nothing follows inside the transaction."""
        del tx, staged
        return ()

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""
