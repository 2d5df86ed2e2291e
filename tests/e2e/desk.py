"""A table as those who work and play at it reach it: calls under somebody's name, one at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from sabot.round.v1 import round_service_pb2
from sabot.settlement.v1 import settlement_service_pb2
from sabot.shoe.v1 import shoe_service_pb2
from sabot.wager.v1 import wager_service_pb2, wallet_service_pb2
from services.chassis.auth import Credentials, development_credentials
from services.contracts.core import Actor
from services.tablelog.calls import Services
from tests.e2e.support import until

DEALER: Final = Actor("dealer-1", "DEALER")
DECKS: Final = 8
PIT: Final = Actor("pit-1", "CASINO_SUPERVISOR")

_MODULES: Final[dict[str, ModuleType]] = {
    "shoe": shoe_service_pb2,
    "round": round_service_pb2,
    "wager": wager_service_pb2,
    "settlement": settlement_service_pb2,
}


def player(name: str) -> Actor:
    return Actor(name, "PLAYER")


class Desk:
    """One table. Its players are its own: the same name at another table is somebody else."""

    def __init__(
        self,
        services: Services,
        table_id: str,
        credentials: Callable[[Actor], Credentials] = development_credentials,
    ) -> None:
        self.table_id = table_id
        self._services = services
        self._credentials = credentials
        self._numbers = itertools.count(1)

    async def ask(
        self,
        service: str,
        name: str,
        by: Actor,
        *,
        metadata: tuple[tuple[str, str], ...] = (),
        command_id: str = "",
        **fields: Any,
    ) -> Any:
        """Send a command once; the answer, be it a refusal or not."""
        request = getattr(_MODULES[service], f"{name}Request")(table_id=self.table_id, **fields)
        request.meta.command_id = command_id or f"{self.table_id}:{next(self._numbers)}"
        called = getattr(self._services.stub(service), name)
        return await called(request, metadata=(*self._credentials(by)(), *metadata))

    async def act(self, service: str, name: str, by: Actor, **fields: Any) -> Any:
        """Send a command that the rules allow."""
        answer = await self.ask(service, name, by, **fields)
        assert not answer.result.HasField("refusal"), f"{name}: {answer.result.refusal}"
        return answer

    async def look(
        self,
        service: str,
        name: str,
        by: Actor = DEALER,
        *,
        metadata: tuple[tuple[str, str], ...] = (),
    ) -> Any:
        """A query about the table."""
        request = getattr(_MODULES[service], f"{name}Request")(table_id=self.table_id)
        called = getattr(self._services.stub(service), name)
        return await called(request, metadata=(*self._credentials(by)(), *metadata))

    async def fund(self, name: str, amount_minor: int) -> None:
        request = wallet_service_pb2.FundAccountRequest(
            movement_id=f"{self.table_id}/{name}/{next(self._numbers)}",
            player=f"{self.table_id}.{name}",
            currency="EUR",
            amount_minor=amount_minor,
        )
        await self._services.stub("wallet").FundAccount(request, metadata=self._credentials(PIT)())

    async def balance(self, name: str) -> int:
        request = wallet_service_pb2.GetBalanceRequest(
            player=f"{self.table_id}.{name}", currency="EUR"
        )
        answer = await self._services.stub("wallet").GetBalance(
            request, metadata=self._credentials(PIT)()
        )
        return int(answer.balance_minor)

    async def wager(self, wager_id: str, name: str, area: str, amount_minor: int) -> Any:
        """Stake; the answer, be it a rejection or not."""
        return await self.ask(
            "wager",
            "PlaceWager",
            player(f"{self.table_id}.{name}"),
            wager_id=wager_id,
            player=f"{self.table_id}.{name}",
            area=area,
            amount_minor=amount_minor,
        )

    async def open(self, rulebook_id: str, *, mode: str = "LIVE", **fields: Any) -> None:
        """Open the table with limits of 1 to 10,000 EUR, and wait until wager has published them."""
        areas = {"*": {"min_minor": 100, "max_minor": 1_000_000}}
        await self.act(
            "round",
            "OpenTable",
            PIT,
            rulebook_id=rulebook_id,
            mode=mode,
            currency="EUR",
            limits={"EUR": {"areas": areas}},
            **fields,
        )
        for service, query in (("wager", "GetBook"), ("shoe", "GetTableProgress")):
            await self.until(service, query, _knows_the_table, "the table to be known")

    async def until(self, service: str, query: str, so: Any, what: str) -> Any:
        """Ask until the answer is as wanted."""
        answer: Any = None

        async def asked() -> bool:
            nonlocal answer
            answer = await self.look(service, query)
            return bool(so(answer))

        await until(asked, what=what)
        return answer

    async def waits_for(self, words: str) -> Any:
        """Wait until the table waits for this; empty: for nothing."""
        return await self.until(
            "round",
            "GetTable",
            lambda table: table.waits_for == words,
            f"{self.table_id} to wait for {words!r}",
        )

    async def coup_over(self) -> None:
        """Wait until the first coup, or a later one, is closed."""
        await self.until(
            "round",
            "GetTable",
            lambda table: table.coups > 0 and not table.coup_id,
            "the coup to be closed",
        )

    async def in_phase(self, phase: str) -> Any:
        """Wait until the coup is in this phase."""
        return await self.until(
            "round", "GetTable", lambda table: table.phase == phase, f"the phase {phase}"
        )


def _knows_the_table(answer: Any) -> bool:
    if hasattr(answer, "limits_version"):
        return bool(answer.limits_version > 0)
    return bool(answer.progress.own_position > 0)


async def prepared(desk: Desk) -> None:
    """The cards looked at, shuffled, cut and marked: all that comes before a shoe is loaded."""
    await desk.act("round", "AssignDealer", PIT, dealer=DEALER.id)
    await desk.act("shoe", "InspectCards", DEALER, witness=PIT.id, video="camera-1", stage="PRE")
    await desk.act("shoe", "ShuffleCards", DEALER, procedure="MANUAL")
    await desk.act("shoe", "CutCards", DEALER, position=DECKS * 26)
    await desk.act("shoe", "PlaceCutCard", DEALER, from_back=52)


async def betting(desk: Desk) -> None:
    """Open betting, and wait until wagers are taken."""
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")


async def dealt(desk: Desk, *cards: str) -> None:
    """Draw the cards as a scanner reads them."""
    await desk.in_phase("DEALING")
    for number, card in enumerate(cards, start=1):
        await desk.act("shoe", "DrawCard", DEALER, card=card)
        await desk.until(
            "round",
            "GetTable",
            lambda table, n=number: len(table.player) + len(table.banker) >= n,
            f"card {number}",
        )
