"""The auditor of the real system: what callers were told, against logs, accounts and projections.

Cards, books and payments are those of the simulation's auditor, which imports nothing of the
services. What callers were told is kept on their side, and compared with what is stored.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import asyncpg
from msgspec import Struct, field

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.audit import verify as verifying
from services.audit.logs import PostgresLog
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.chaos.calls import Breach, Callers
from tests.simulation.auditor.auditor import Auditor
from tests.simulation.auditor.log import Entry

REST_S_MAX = 120.0
REST_POLL_S = 0.1
REPEATED = 4
"""Answered commands that are sent once more at every check."""

SHOWN = 5
"""Of each kind of finding, in one line."""

DEPOSIT = "/"
"""What the accounts write before the name of a deposit."""

_EVENTS = """
select stream_id, version, position, previous, type, schema_version, meta, body, previous_digest,
       digest, published, recorded_at, command_id
from events where position > $1 order by position
"""

_MOVEMENTS = "select movement_id, player, currency, amount_minor, kind from movements"


class Findings(Struct):
    """What a check found: each list is empty where all is well."""

    losses: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [*self.losses, *self.duplicates, *self.others]


class Listing(Auditor):
    """The auditor, who goes on after a breach and lists them all."""

    def __init__(self) -> None:
        self.found: list[str] = []
        super().__init__()

    def breach(self, what: str) -> None:
        self.found.append(what)

    def safely(self, check: Callable[..., None], *what: Any) -> None:
        """What follows from a breach may make no sense any more."""
        try:
            check(*what)
        except Exception as error:  # noqa: BLE001 - it is a finding
            self.found.append(f"{what}: {error!r}")


class Books:
    """Everything that is known from outside."""

    def __init__(self, stack: Stack, callers: Callers, random: Random) -> None:
        self.auditor = Listing()
        self.events = 0
        self._stack = stack
        self._callers = callers
        self._random = random
        self._read: dict[str, int] = dict.fromkeys(stack.services, 0)
        self._waiting: dict[str, list[tuple[float, Entry, str]]] = {
            name: [] for name in stack.services
        }
        self._movements: dict[str, tuple[str, str, int, str]] = {}
        self._carried_out: set[tuple[str, str]] = set()
        self._heard: Counter[tuple[str, str]] = Counter()
        self._accepted: Counter[tuple[str, str]] = Counter()
        self._rebuilt: set[str] = set()

    # --- reading ----------------------------------------------------------------------------------

    async def read(self) -> None:
        """Take in what is new. Money first: whatever moved it is in a log that is read later."""
        rows = await _rows(self._stack, "wager", _MOVEMENTS)
        new = [row for row in rows if row[0] not in self._movements]
        # Who hears others first: what it heard is in a log that is read later.
        for name in ("settlement", "wager", "round", "shoe"):
            for row in await _rows(self._stack, name, _EVENTS, self._read[name]):
                self._waiting[name].append(self._entry(name, row))
                self._read[name] = row[2]
        self._tell()
        for key, player, currency, amount, kind in new:
            self._movements[key] = player, currency, amount, kind
            self.auditor.safely(self.auditor.movement, key, player, currency, amount, kind)

    def _entry(self, service: str, row: Any) -> tuple[float, Entry, str]:
        entry = Entry(
            service, row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7],
            row[8].hex(), row[9].hex(), row[10],
        )  # fmt: skip
        source = ""
        if entry.kind == "noted":
            source = json.loads(entry.body)["event_id"]
            self._heard[service, source] += 1
        else:
            self._carried_out.add((service, row[12]))
        if entry.kind == "wager-accepted":
            self._accepted[entry.table, json.loads(entry.body)["wager_id"]] += 1
        return row[11].timestamp(), entry, source

    def _tell(self) -> None:
        """Tell the auditor in an order in which nobody hears what was not said yet."""
        known = self.auditor.logs.entries
        while True:
            heads = [
                (waiting[0][0], name)
                for name, waiting in self._waiting.items()
                if waiting and (not waiting[0][2] or waiting[0][2] in known)
            ]
            if not heads:
                return
            _, entry, _ = self._waiting[min(heads)[1]].pop(0)
            self.events += 1
            self.auditor.safely(self.auditor.event, entry)

    # --- rest -------------------------------------------------------------------------------------

    async def at_rest(self) -> list[str]:
        """Wait until nothing is under way; what still is where that takes too long."""
        deadline = time.monotonic() + REST_S_MAX
        while True:
            unrest = await self.under_way()
            if not unrest or time.monotonic() > deadline:
                return unrest
            await asyncio.sleep(REST_POLL_S)

    async def under_way(self) -> list[str]:
        """What is not at rest just now."""
        await self.read()
        return await self._unrest()

    async def _unrest(self) -> list[str]:
        found: list[str] = []
        for name in self._stack.services:
            behind = await _rows(
                self._stack,
                name,
                "select name, position from checkpoints where position <> "
                "(select position from log_head)",
            )
            found += [f"{name}: {row[0]} is at {row[1]}" for row in behind]
            for row in await _rows(self._stack, name, "select table_id, reason from parked"):
                found.append(f"{name} has {row[0]} parked: {row[1]}")
            if waiting := self._waiting[name]:
                found.append(f"{name} heard {waiting[0][2]}, which nobody said")
        for row in await _rows(self._stack, "settlement", "select problem from waiting_movements"):
            found.append(f"a movement waits: {row[0]}")
        logs, books = self.auditor.logs, self.auditor.books
        for table in logs.tables():
            for upstream in ("shoe", "round", "wager"):
                heard = logs.heard_by_settlement(upstream, table)
                if heard != logs.last_published(upstream, table):
                    found.append(f"settlement has heard {upstream} of {table} to {heard}")
        due = [k for k in books.due if k not in books.moved and k not in books.outstanding]
        return [*found, *(f"{key} is due" for key in due)]

    # --- the check --------------------------------------------------------------------------------

    async def check(self, services: Services) -> Findings:
        """Hold everything against everything; call it at rest."""
        found = Findings(others=await self.at_rest())
        self._losses(found)
        self._duplicates(found)
        self.auditor.safely(self.auditor.at_the_end)
        found.others += self.auditor.found
        self.auditor.found = []
        await self._accounts(found)
        await self._answers(found)
        found.others += await self._projections(services)
        found.others += await self._verified()
        return found

    def _losses(self, found: Findings) -> None:
        for told in self._callers.acknowledged.values():
            if told.done and (told.service, told.command_id) not in self._carried_out:
                found.losses.append(f"{told.name} {told.command_id} was acknowledged and is gone")
            if told.done and told.name == "PlaceWager":
                name = told.table_id, told.fields["wager_id"]
                if not self._accepted[name]:
                    found.losses.append(f"the accepted wager {name} is in no book")
        for movement, (player, amount) in self._callers.funded.items():
            if self._movements.get(f"{DEPOSIT}{movement}") != (player, "EUR", amount, "FUND"):
                found.losses.append(f"the acknowledged deposit {movement} is gone")
        books = self.auditor.books
        for name, wager in books.wagers.items():
            if not wager.ended and not wager.decided:
                found.losses.append(f"{name} was accepted and has no end")
        for key in books.due:
            if key not in books.moved and key not in books.outstanding:
                found.losses.append(f"{key} was due and never moved")

    def _duplicates(self, found: Findings) -> None:
        for (service, event), times in self._heard.items():
            if times > 1:
                found.duplicates.append(f"{service} heard {event} {times} times")
        for name, times in self._accepted.items():
            if times > 1:
                found.duplicates.append(f"{name} was accepted {times} times")
        books = self.auditor.books
        for key, (player, currency, amount) in books.moved.items():
            fund = self._movements[key][3] == "FUND"
            known = (
                key.removeprefix(DEPOSIT) in self._callers.funded
                if fund
                else key in books.due or key in books.asked
            )
            if not known:
                found.duplicates.append(f"{amount} {currency} of {player} moved by {key}, undue")
        for name, wager in books.wagers.items():
            if wager.decisions > wager.reversed + 1:
                found.duplicates.append(f"{name} was settled {wager.decisions} times")

    async def _accounts(self, found: Findings) -> None:
        """Deposits less stakes, and what came back for them, to the minor unit."""
        own: Counter[str] = Counter()
        for player, amount in self._callers.funded.values():
            own[player] += amount
        for wager in self.auditor.books.wagers.values():
            own[wager.player] += wager.received - wager.cash
        rows = await _rows(self._stack, "wager", "select player, balance_minor from accounts")
        there = {row[0]: row[1] for row in rows}
        for player in sorted(own.keys() | there.keys()):
            if own[player] != there.get(player, 0):
                found.others.append(
                    f"{player} has {there.get(player, 0)}, should have {own[player]}"
                )

    async def _answers(self, found: Findings) -> None:
        """Some answered commands, sent once more, get the answer that they had."""
        told = list(self._callers.acknowledged.values())
        for each in self._random.sample(told, min(REPEATED, len(told))):
            try:
                if await self._callers.again(each) != each.answer:
                    found.others.append(f"{each.command_id} is answered otherwise than before")
            except Breach as breach:
                found.duplicates.append(str(breach))

    async def _projections(self, services: Services) -> list[str]:
        """Every coup rebuilt from the log equals its projection, which is then folded again."""
        found: list[str] = []
        coups = [
            coup_id for coup_id, coup in self.auditor.books.coups.items()
            if coup.settled and coup_id not in self._rebuilt
        ]  # fmt: skip
        for coup_id in coups:
            answer = await services.stub("settlement").RebuildCoup(
                pb.RebuildCoupRequest(coup_id=coup_id), timeout=60
            )
            if not answer.matches:
                found.append(f"{coup_id} differs from its rebuild: {list(answer.differences)}")
            self._rebuilt.add(coup_id)
        before = await self._stories()
        async for _ in services.stub("settlement").RebuildProjections(
            pb.RebuildProjectionsRequest(), timeout=120
        ):
            pass
        if await self._stories() != before:
            found.append("the projections, folded again, are others than before")
        return found

    async def _stories(self) -> list[Any]:
        (schema,) = await _rows(
            self._stack, "settlement", "select schema_name from projections where name = 'coups'"
        )
        query = f'select coup_id, story from "{schema[0]}".coups order by coup_id'
        return await _rows(self._stack, "settlement", query)

    async def _verified(self) -> list[str]:
        """What `sabot verify` finds."""
        logs = {
            name: await PostgresLog.open(name, self._stack.database_url(name))
            for name in self._stack.services
        }
        try:
            return [
                f"sabot verify: {each}"
                async for each in verifying.verify(logs, (), progress=lambda *_: None)
                if not isinstance(each, verifying.Summary)
            ]
        finally:
            for log in logs.values():
                await log.close()


async def _rows(stack: Stack, service: str, query: str, *arguments: Any) -> list[Any]:
    connection = await asyncpg.connect(stack.database_url(service))
    try:
        return list(await connection.fetch(query, *arguments))
    finally:
        await connection.close()
