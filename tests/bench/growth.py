"""What a wager, a coup and a start cost as the logs grow, and as tables open: `make bench-growth`.

First few events are stored and a table of each kind is open, then many events are stored, then many tables are
open as well. One side comes after the other, so that costs are CPU: of bench, services and PostgreSQL. Every
side ends when nothing is left to do.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import asyncpg
import grpc
from msgspec import Struct

from sabot.settlement.v1 import settlement_service_pb2 as money_pb
from sabot.wager.v1 import wager_service_pb2_grpc as pb_grpc
from services.chassis import postgres
from services.devstack.stack import Stack
from services.settlement import domain
from services.tablelog.calls import ServiceFailed, Services
from tests.bench import alone, filling
from tests.bench.calling import CREDENTIALS, DEALERS, player_of, wager
from tests.bench.coups import WAGERS, Heard, Table, fund, opened, paced
from tests.bench.figures import Goal, Row, cpu_s
from tests.bench.opening import prepare
from tests.bench.settling import published

SEEDS: Final = ("coups-0", "shoe-0")
"""Tables whose rows are copied: one that is played here, and a recorded shoe in settlement's log."""

SEED_COUPS: Final = 4
CALLERS: Final = 64
PLACED: Final = 1_000
COUPS: Final = 8
EVERY_S: Final = 1.0
LOOK_S: Final = 0.1
STILL_S: Final = 0.5
STILL_S_MAX: Final = 120.0

GROWS: Final = Goal(1.25, 1.25, 1.1, less=True)
"""What a thing may cost at most of what it cost when everything was small."""


class Side(Struct):
    """Figures of one state of the logs, one a round."""

    events: int
    size: int
    wager_us: list[float]
    coup_ms: list[float]
    rebuilt_ms: list[float]
    shoe_ms: list[float]
    rebuilt_cpu_ms: list[float]
    start_s: list[float]


async def measure(
    stack: Stack, rounds: int, events: int, tables: int, say: Callable[[str], None]
) -> list[Row]:
    """Three sides, one after the other."""
    async with Services(stack.targets) as services:
        grown = Growth(stack, services, rounds, say)
        kept = await grown.seed()
        await grown.open(1)
        few = await grown.side("few events, a table")
        await grown.fill(kept, events)
        many = await grown.side("many events, a table")
        await grown.open(tables)
        spread = await grown.side("many events, many tables", starts=False)
    return _rows(few, many, spread, tables)


class Growth:
    """A stack that grows."""

    def __init__(
        self, stack: Stack, services: Services, rounds: int, say: Callable[[str], None]
    ) -> None:
        self._stack = stack
        self._services = services
        self._rounds = rounds
        self._say = say
        self._ids: Iterator[int] = itertools.count()
        self._coup_tables: list[Table] = []
        self._wager_tables = 0
        self._spread = 1
        self._rebuilt: list[str] = []

    async def seed(self) -> dict[str, filling.Kept]:
        """Play what is copied later, with all services, and stop them."""
        async with Heard.at(self._stack.bootstrap_servers) as heard:
            await fund(self._services)
            await prepare(self._services, range(0))
            played = await opened(self._services, [0])
            await paced(played, heard, coups=SEED_COUPS, every_s=EVERY_S)
            await self._still()
        await self._each_service(self._stack.stop_service)
        await self._hear_a_shoe()
        # Projections fold it while settlement is at work alone.
        await asyncio.to_thread(self._stack.start_service, "settlement")
        await self._folded()
        await asyncio.to_thread(self._stack.stop_service, "settlement")
        kept = await filling.keep(self._stack, SEEDS)
        await self._each_service(self._stack.start_service)
        await self._answered()
        return kept

    async def open(self, tables: int) -> None:
        """Have so many tables for coups, and as many for wagers."""
        self._say(f"opening {tables} tables of each kind")
        numbers = range(len(self._coup_tables) + 1, tables + 1)
        self._coup_tables += await opened(self._services, numbers)
        self._spread = tables

    async def _open_for_wagers(self, tables: int) -> list[int]:
        """So many more, on which nobody has staked."""
        before, self._wager_tables = self._wager_tables, self._wager_tables + tables
        numbers = range(before, self._wager_tables)
        await prepare(self._services, numbers, fund=False)
        return list(numbers)

    async def fill(self, kept: dict[str, filling.Kept], events: int) -> None:
        """Many events in all logs, with what queries read of them."""
        self._say(f"filling the logs with {events:,} events")
        await self._each_service(self._stack.stop_service)
        await filling.fill(self._stack, kept, events)
        await self._each_service(self._stack.start_service)

    async def side(self, what: str, *, starts: bool = True) -> Side:
        """All figures of what there is now."""
        self._say(what)
        told = Side(*await filling.stored(self._stack), [], [], [], [], [], [])
        if starts:
            told.start_s += [await self._slowest_start_s() for _ in range(self._rounds)]
            await self._answered()
        async with Heard.at(self._stack.bootstrap_servers) as heard:
            tables = await self._open_for_wagers(self._spread)
            # Not measured: what processes load once.
            await self._placed(tables)
            for each in self._rebuilt:
                await self._rebuild_ms(each)
            for _ in range(self._rounds):
                if self._spread == 1:
                    # What a wager costs depends on how many there are of its coup.
                    tables = await self._open_for_wagers(1)
                await self._still()
                told.wager_us.append(await self._cpu_s(self._placed(tables)) / PLACED * 1e6)
                coups = paced(self._turned(), heard, coups=COUPS, every_s=EVERY_S)
                told.coup_ms.append(await self._cpu_s(coups) / COUPS * 1e3)
                before_s = self._settlement_s()
                times = [await self._rebuild_ms(each) for each in self._rebuilt]
                told.rebuilt_cpu_ms.append((self._settlement_s() - before_s) / len(times) * 1e3)
                told.rebuilt_ms.append(statistics.median(times))
                told.shoe_ms.append(sum(times))
        return told

    # What is measured

    async def _placed(self, tables: Sequence[int]) -> None:
        """Single wagers at these tables in turn, as fast as they are answered."""
        numbers = itertools.islice(self._ids, PLACED)
        async with grpc.aio.insecure_channel(self._stack.targets["wager"]) as channel:
            stub = pb_grpc.WagerServiceStub(channel)

            async def caller() -> None:
                for number in numbers:
                    player = player_of(number)
                    request = wager(number, tables[number % len(tables)], f"p{player}")
                    response = await stub.PlaceWager(request, metadata=CREDENTIALS[player])
                    assert response.status == "ACCEPTED", response

            await asyncio.gather(*(caller() for _ in range(CALLERS)))

    def _turned(self) -> list[Table]:
        """The tables for coups, the ones that have waited longest first."""
        tables = self._coup_tables
        turned = [*tables[COUPS:], *tables[:COUPS]] if len(tables) > COUPS else tables
        self._coup_tables = turned
        return turned

    async def _rebuild_ms(self, coup_id: str) -> float:
        request = money_pb.RebuildCoupRequest(coup_id=coup_id)
        began = time.perf_counter()
        response = await self._services.stub("settlement").RebuildCoup(request, metadata=DEALERS)
        took_s = time.perf_counter() - began
        assert response.matches, response.differences
        return took_s * 1e3

    async def _slowest_start_s(self) -> float:
        times = []
        for name in self._stack.services:
            await asyncio.to_thread(self._stack.stop_service, name)
            began = time.perf_counter()
            await asyncio.to_thread(self._stack.start_service, name)
            times.append(time.perf_counter() - began)
        return max(times)

    async def _cpu_s(self, work: Any) -> float:
        """CPU of everything but the broker, until there is nothing left of the work."""
        before_s = self._all_s()
        await work
        await self._still()
        return self._all_s() - before_s

    def _all_s(self) -> float:
        # The embedded broker uses more the more messages it has, whoever sent them.
        process = self._stack.broker.process
        return cpu_s() - (cpu_s(process.pid) if process else 0.0)

    def _settlement_s(self) -> float:
        process = self._stack.services["settlement"].process
        assert process is not None
        return cpu_s(process.pid)

    # How it comes about

    async def _each_service(self, action: Callable[[str], object]) -> None:
        for name in self._stack.services:
            await asyncio.to_thread(action, name)

    async def _answered(self) -> None:
        """Wait until all services answer: a channel does not look at once for one that was away."""
        async with asyncio.timeout(STILL_S_MAX):
            while True:
                try:
                    await self._services.progress(SEEDS[0])
                except ServiceFailed:
                    await asyncio.sleep(LOOK_S)
                else:
                    return

    async def _hear_a_shoe(self) -> None:
        """The log of settlement hears a recorded shoe; its money is not delivered."""
        pool = await postgres.open_pool(self._stack.database_url("settlement"), connections_max=4)
        try:
            store = postgres.PostgresStore(domain.SERVICE, pool)
            async with alone.settlement(store) as executor:
                await alone.hear(executor, await published([SEEDS[1]]))
            head = await store.head_position()
            await pool.execute(
                "update checkpoints set position = $1 where name = 'subscription:credits'", head
            )
            found = await pool.fetch(
                "select coup_id from events where stream_id = $1 and coup_id <> '' "
                "group by coup_id order by min(position)",
                SEEDS[1],
            )
            self._rebuilt = [row[0] for row in found]
        finally:
            await pool.close()

    async def _folded(self) -> None:
        """Wait until all projections have reached the end of settlement's log."""
        connection = await asyncpg.connect(self._stack.database_url("settlement"))
        behind = (
            "select count(*) from checkpoints, log_head "
            "where name like 'projection:%' and checkpoints.position < log_head.position"
        )
        try:
            async with asyncio.timeout(STILL_S_MAX):
                while await connection.fetchval(behind):
                    await asyncio.sleep(LOOK_S)
        finally:
            await connection.close()

    async def _still(self) -> None:
        """Wait until no log has grown for a while, and all of settlement's is folded."""
        connections = [
            await asyncpg.connect(self._stack.database_url(name)) for name in self._stack.services
        ]
        try:
            async with asyncio.timeout(STILL_S_MAX):
                last: Sequence[int] = ()
                since = time.perf_counter()
                while time.perf_counter() - since < STILL_S:
                    query = "select position from log_head"
                    heads = [await each.fetchval(query) for each in connections]
                    if heads != last:
                        last, since = heads, time.perf_counter()
                    await asyncio.sleep(LOOK_S)
        finally:
            for each in connections:
                await each.close()
        await self._folded()


def _rows(few: Side, many: Side, spread: Side, tables: int) -> list[Row]:
    stored = f"{many.events:,} events stored ({many.size / 1e9:.1f} GB)"
    before = f"{few.events:,} stored"
    opened_now, one = f"{tables} tables of its kind open, {spread.events:,} events stored", "1 open"
    said: list[tuple[str, str, Sequence[float], str, Sequence[float]]] = [
        (f"CPU of an accepted wager, {stored}", "µs", many.wager_us, before, few.wager_us),
        (f"CPU of a settled coup with {WAGERS} wagers, {stored}", "ms", many.coup_ms, before,
         few.coup_ms),
        (f"CPU of settlement for a coup rebuilt and compared, {stored}", "ms", many.rebuilt_cpu_ms, before,
         few.rebuilt_cpu_ms),
        (f"a coup rebuilt and compared, {stored}", "ms", many.rebuilt_ms, before, few.rebuilt_ms),
        (f"all coups of a shoe, {stored}", "ms", many.shoe_ms, before, few.shoe_ms),
        (f"the slowest of the services ready after its start, {stored}", "s", many.start_s, before,
         few.start_s),
        (f"CPU of an accepted wager, {opened_now}", "µs", spread.wager_us, one, many.wager_us),
        (f"CPU of a settled coup with {WAGERS} wagers, {opened_now}", "ms", spread.coup_ms, one,
         many.coup_ms),
        (f"CPU of settlement for a coup rebuilt and compared, {opened_now}", "ms", spread.rebuilt_cpu_ms, one,
         many.rebuilt_cpu_ms),
    ]  # fmt: skip
    rows = [
        Row(name="growth", what=what, unit=unit, rates=tuple(rates), beside=beside,
            beside_rates=tuple(others), goal=GROWS)
        for what, unit, rates, beside, others in said
    ]  # fmt: skip
    limits: list[tuple[str, str, Sequence[float], float]] = [
        ("the coup rebuilt, against its limit", "ms", many.rebuilt_ms, 50),
        ("the shoe, against its limit", "ms", many.shoe_ms, 500),
        ("the start, against its limit", "s", many.start_s, 3),
    ]
    return rows + [
        Row(name="growth", what=what, unit=unit, rates=tuple(rates),
            goal=Goal(limit, limit, limit / 2, less=True))
        for what, unit, rates, limit in limits
    ]  # fmt: skip
