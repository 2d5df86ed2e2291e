"""Waiting for the services: until a call is answered, and until nothing moves any more at a table."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from typing import Any, Final, TypeVar

import grpc
from msgspec import Struct

from services.chassis.parking import HEALING, why_of
from services.tablelog.calls import Reading, ServiceFailed, Services
from services.tablelog.inprocess import CORES
from services.tablelog.render import SERVICES, Told

PAUSE_S_MIN: Final = 0.01
PAUSE_S_MAX: Final = 0.1
"""Pause between two readings while something is on its way, longer and longer while nothing moves."""

PAUSE_GROWTH: Final = 1.5
AWAY_PAUSE_S: Final = 0.2
REPORT_S: Final = 5.0
"""How long is waited in silence; then, and every so often from then, somebody is told for what."""

STALL_S_MAX: Final = 120.0
"""How long is waited while nothing moves at all."""

HEALING_S_MAX: Final = 20.0
"""How long a table may be parked for what passes by itself, such as a predecessor still to come."""

HEARS: Final = {name: tuple(core.HEARS) for name, core in CORES.items()}

T = TypeVar("T")


class Stalled(Exception):
    """The services do not come to rest, a table is parked, or a call cannot be made."""


class Open(Struct, frozen=True):
    """Something that is on its way to a service, or open in it."""

    service: str
    what: str


class Patience:
    """Pauses, says what is waited for, and gives up in the end."""

    def __init__(self, say: Callable[[str], Any]) -> None:
        self._say = say
        self.moved()

    def moved(self) -> None:
        """Something has changed: the waiting begins anew."""
        self._began_s = self._said_s = time.monotonic()
        self._pause_s = PAUSE_S_MIN

    async def wait(self, what: str, *, pause_s: float | None = None) -> None:
        """Pause once. Raises `Stalled` where this goes on for too long."""
        now_s = time.monotonic()
        if now_s - self._began_s > STALL_S_MAX:
            raise Stalled(what)
        if now_s - self._said_s > REPORT_S:
            self._said_s = now_s
            self._say(f"waiting: {what}")
        await asyncio.sleep(self._pause_s if pause_s is None else pause_s)
        self._pause_s = min(self._pause_s * PAUSE_GROWTH, PAUSE_S_MAX)


async def insist(call: Callable[[], Awaitable[T]], say: Callable[[str], Any]) -> T:
    """Call again while the service is away. Only for calls that may be repeated."""
    patience = Patience(say)
    while True:
        try:
            return await call()
        except ServiceFailed as error:
            # A call that had arrived when its server closed ends as cancelled; we cancel none.
            if not error.failed.may_retry and error.failed.code is not grpc.StatusCode.CANCELLED:
                raise Stalled(str(error)) from error
            await patience.wait(str(error), pause_s=AWAY_PAUSE_S)


class Watch:
    """One table as the four services have it."""

    def __init__(self, services: Services, table_id: str, say: Callable[[str], Any]) -> None:
        self._services = services
        self._table_id = table_id
        self._say = say

    async def told(self, command_id: str, names: Collection[str] = SERVICES) -> list[Told]:
        """What a command has led to in these services by now."""
        return await insist(
            lambda: self._services.told(self._table_id, [command_id], names), self._say
        )

    async def rest(self, command_id: str) -> list[Told]:
        """Wait until nothing moves any more, and return all that the command led to.

        That is so when two successive readings of every service are equal, all has been handled and
        nothing is open. Positions only rise: what is the same in both was so at every instant
        between them, in all services at once. So it does not matter that the readings of one round
        are of different instants, nor that a service which had caught up is not asked again before
        the second round.
        """
        patience = Patience(self._say)
        parked_s = time.monotonic()
        before = await self._read(SERVICES)
        while True:
            if parked := list(_parked(before)):
                _give_up_unless_healing(before, parked_s)
                await patience.wait("; ".join(parked))
                before = await self._read(SERVICES)
                continue
            parked_s = time.monotonic()
            if still := unrest(before):
                await patience.wait("; ".join(each.what for each in still))
                now = {**before, **await self._read({each.service for each in still})}
            else:
                now, told = await asyncio.gather(self._read(SERVICES), self.told(command_id))
                if now == before:
                    return told
            if now != before:
                patience.moved()
            before = now

    async def _read(self, names: Collection[str]) -> dict[str, Reading]:
        return await insist(lambda: self._services.progress(self._table_id, names), self._say)


def unrest(readings: Mapping[str, Reading]) -> list[Open]:
    """What is still on its way; empty when all have caught up."""
    found: list[Open] = []
    for name, upstreams in HEARS.items():
        for upstream in upstreams:
            published = readings[upstream].published_position
            handled = readings[name].handled.get(upstream, 0)
            if handled < published:
                what = (
                    f"{name} has handled {upstream} up to {handled} of {published}"
                    f" (does the relay of {upstream} run, does {name} hear?)"
                )
                found.append(Open(name, what))
        movements = readings[name].open_wallet_movements
        if movements:
            found.append(Open(name, f"{name} has {movements} open wallet movements"))
    return found


def _parked(readings: Mapping[str, Reading]) -> Iterator[str]:
    for name in SERVICES:
        for each in readings[name].parked:
            yield f"the table is parked in {name} at {each.event_id}: {each.reason}"


def _give_up_unless_healing(readings: Mapping[str, Reading], since_s: float) -> None:
    parked = [each for reading in readings.values() for each in reading.parked]
    heals = all(why_of(each.reason) in HEALING for each in parked)
    if not heals or time.monotonic() - since_s > HEALING_S_MAX:
        raise Stalled("; ".join(_parked(readings)))
