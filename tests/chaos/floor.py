"""Tables that play coups with wagers through calls, until they are told to rest."""

from __future__ import annotations

import asyncio
import time
from random import Random
from typing import Any

from services.contracts.core import Actor
from tests.chaos.calls import PATIENCE_S, Breach, Callers, stands
from tests.e2e.desk import DEALER, PIT, player

RULEBOOKS = ("nsw-mini", "super-six", "live-lobby")
AREAS = ("PLAYER", "BANKER", "TIE")
STAKES = (100, 101, 250, 333, 1_000, 2_525)
PLAYERS = ("ada", "ben", "cleo")
DEPOSIT = 50_000_000
POLL_S = 0.03
RECOVERY_S_MAX = 120.0


class Table:
    """One table with its dealer and players. It plays what comes next, whatever became of the rest."""

    def __init__(self, floor: Floor, number: int, name: str) -> None:
        self.table_id = f"{name}-T{number}"
        self.rulebook = RULEBOOKS[number % len(RULEBOOKS)]
        self.resting = asyncio.Event()
        self.coups: list[tuple[float, float]] = []
        """When each coup began and ended."""

        self._floor = floor
        self._random: Random = floor.random
        self._shoes = 0
        self._wagers = 0

    def players(self) -> list[str]:
        return [f"{self.table_id}.{name}" for name in PLAYERS]

    async def play(self) -> None:
        """Open the table, and play coups for as long as the floor plays."""
        await self._open()
        while True:
            self.resting.set()
            await self._floor.playing.wait()
            self.resting.clear()
            await self._coup()

    async def act(self, service: str, name: str, by: Actor = DEALER, **fields: Any) -> Any:
        return await self._floor.callers.act(self.table_id, service, name, by, **fields)

    async def look(self, service: str, query: str) -> Any:
        return await self._floor.callers.look(self.table_id, service, query)

    async def _until(self, service: str, query: str, so: Any, what: str) -> Any:
        deadline = time.monotonic() + PATIENCE_S
        while not so(answer := await self.look(service, query)):
            if time.monotonic() > deadline:
                raise Breach(f"{self.table_id} waits for {what} without end: {answer}")
            await asyncio.sleep(POLL_S)
        return answer

    async def _open(self) -> None:
        limits = {"EUR": {"areas": {"*": {"min_minor": 100, "max_minor": 1_000_000}}}}
        await self.act(
            "round", "OpenTable", PIT, rulebook_id=self.rulebook, mode="TEST", currency="EUR",
            limits=limits, decks=8,
        )  # fmt: skip
        await self.act("round", "AssignDealer", PIT, dealer=DEALER.id)
        for name in self.players():
            await self._floor.callers.fund(name, DEPOSIT)
        await self._until("wager", "GetBook", lambda book: book.limits_version > 0, "its limits")

    async def _betting(self) -> str:
        """Do what is due until betting is open, be it a shoe or a burn; returns the coup."""
        deadline = time.monotonic() + PATIENCE_S
        while not (state := await self.look("round", "GetTable")).coup_id:
            if state.waits_for == "a shoe":
                self._shoes += 1
                await self.act(
                    "shoe", "LoadShoe", shoe_id=f"{self.table_id}-S{self._shoes}",
                    source="GENERATED", stands_for_preparation=True,
                )  # fmt: skip
            elif not state.waits_for or state.waits_for.startswith("the burns that are owed"):
                await self.act("round", "OpenBetting")
            if time.monotonic() > deadline:
                raise Breach(f"{self.table_id} waits for {state.waits_for} without end")
            await asyncio.sleep(POLL_S)
        return str(state.coup_id)

    async def _coup(self) -> None:
        began = time.monotonic()
        coup_id = await self._betting()
        await self._until(
            "wager",
            "GetBook",
            lambda book: (book.coup_id, book.phase) == (coup_id, "OPEN"),
            "an open book",
        )
        await asyncio.gather(*(self._stake(name) for name in self._seated()))
        await self.act("round", "CallNoMoreBets")
        await self._until("wager", "GetBook", lambda book: book.phase != "OPEN", "the close")
        dealt = False
        while (state := await self.look("round", "GetTable")).coup_id == coup_id:
            if not dealt and state.phase in {"CLOSED", "DEALING"}:
                dealt = stands(await self.act("round", "DealCoup"))
            await asyncio.sleep(POLL_S)
            if time.monotonic() - began > PATIENCE_S * 2:
                raise Breach(f"{coup_id} does not end: it waits for {state.waits_for}")
        self.coups.append((began, time.monotonic()))

    def _seated(self) -> list[str]:
        return self._random.sample(self.players(), self._random.randint(1, len(PLAYERS)))

    async def _stake(self, name: str) -> None:
        """A wager or two, and now and then a change of mind."""
        for _ in range(self._random.choice((1, 1, 2))):
            self._wagers += 1
            wager_id = f"w{self._wagers}"
            placed = await self.act(
                "wager", "PlaceWager", player(name), wager_id=wager_id, player=name,
                area=self._random.choice(AREAS), amount_minor=self._random.choice(STAKES),
            )  # fmt: skip
            if placed.status != "ACCEPTED":
                continue
            chance = self._random.random()
            if chance < 0.1:
                await self.act("wager", "CancelWager", player(name), wager_id=wager_id)
            elif chance < 0.2:
                amount = self._random.choice(STAKES)
                await self.act(
                    "wager", "ChangeWager", player(name), wager_id=wager_id, amount_minor=amount
                )


class Floor:
    """All tables of a run."""

    def __init__(self, callers: Callers, random: Random, *, tables: int, name: str) -> None:
        self.callers = callers
        self.random = random
        self.playing = asyncio.Event()
        self.tables = [Table(self, number, name) for number in range(1, tables + 1)]
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        self._tasks = [
            asyncio.create_task(table.play(), name=table.table_id) for table in self.tables
        ]

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def fallen(self) -> None:
        """Raise what ended a table's play."""
        for task in self._tasks:
            if task.cancelled():
                raise Breach(f"{task.get_name()} was cancelled")
            if task.done():
                task.result()

    async def rest(self) -> None:
        """Let every table finish its coup."""
        self.playing.clear()
        await self._all(lambda table: table.resting.is_set(), "a coup to end", PATIENCE_S * 3)

    async def recovered(self, since: float) -> float:
        """Seconds until every table had ended a coup that began after an instant."""
        await self._all(lambda table: _first(table, since) is not None, "a coup", RECOVERY_S_MAX)
        return max(_first(table, since) or since for table in self.tables) - since

    async def coups(self, count: int) -> None:
        """Wait until so many more coups have ended, at whichever tables."""
        wanted = self.played() + count
        await self._all(lambda _: self.played() >= wanted, "a coup to end", RECOVERY_S_MAX)

    def played(self) -> int:
        return sum(len(table.coups) for table in self.tables)

    async def _all(self, so: Any, what: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not all(so(table) for table in self.tables):
            self.fallen()
            if time.monotonic() > deadline:
                late = ", ".join(table.table_id for table in self.tables if not so(table))
                raise Breach(f"not within {seconds:g} s: {what} at {late}")
            await asyncio.sleep(POLL_S)


def _first(table: Table, since: float) -> float | None:
    return next((ended for began, ended in table.coups if began >= since), None)
