"""The same work on the same PostgreSQL in the same rounds, by the log and by other libraries."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from services.chassis import migrations, postgres
from services.chassis.decider import Entry
from services.chassis.projection import OwnLog, Projector
from services.chassis.registry import decode_meta
from services.devstack.stack import Stack
from services.wager import domain
from services.wager.main import DEFINITION
from tests.bench import databases, growing, pure
from tests.bench.figures import Goal, Row
from tests.bench.growing import READ_ROWS, REGISTRY, WRITERS, append
from tests.bench.peers.installing import HERE, PINNED, Peer, installed

STREAMS: Final = 600
STREAM_EVENTS: Final = 5
TOGETHER: Final = 100
LOADS: Final = 800
COMMITS: Final = 150
"""By each writer of G12b: a reader that misses some misses few of them."""

SHOES: Final = 600
WORKS: Final = {
    "append": f"events appended, {STREAM_EVENTS} a commit, one commit after the other",
    "load": f"streams of {STREAM_EVENTS} events loaded and folded",
    "replay": "events of the whole log read as objects",
    "project": "events projected to a table, with the checkpoint in the same transaction",
    "together": f"events appended by many callers at once, {TOGETHER} of them a commit where it can do that",
}
GOAL: Final = Goal(2, 4, 8)


async def measure(stack: Stack, rounds: int, say: Callable[[str], None]) -> list[Row]:
    """Ours and theirs in turn, each round on new databases."""
    found = {name: peer for name in PINNED if (peer := installed(name, say)) is not None}
    coups = found.pop("pybaccarat", None)
    ours: list[dict[str, float]] = []
    theirs: dict[str, list[dict[str, float]]] = {name: [] for name in found}
    for number in range(rounds):
        ours.append(await _ours(stack))
        for name, peer in found.items():
            theirs[name].append(await _theirs(stack, name, peer))
        if coups is not None:
            ours[-1]["coups"] = pure.rate(partial(pure._played, number))
            theirs.setdefault("pybaccarat", []).append(await asyncio.to_thread(_coups, coups))
    beside = {name: Beside(_version(name), ours, figures) for name, figures in theirs.items()}
    rows = [_bare(name, ours, figures) for name, figures in theirs.items() if name in found]
    rows += [
        beside[name].row("G12", what, work, GOAL) for name in found for work, what in WORKS.items()
    ]
    if "emmett" in found:
        rows += _missed(ours, theirs["emmett"])
    if coups is not None:
        what = "shoes from a seed, dealt by the tableau, with pairs"
        rows.append(beside["pybaccarat"].row("G10", what, "coups"))
    return rows


class Beside(Struct, frozen=True):
    """The figures of all rounds, ours and a library's."""

    library: str
    ours: Sequence[dict[str, float]]
    theirs: Sequence[dict[str, float]]

    def row(self, name: str, what: str, work: str, goal: Goal | None = None) -> Row:
        """What became of one of the works."""
        return Row(
            name=name,
            what=what,
            unit="coups/s" if work == "coups" else "/s",
            rates=tuple(each[work] for each in self.ours),
            beside=f"{self.library}, the same work",
            beside_rates=tuple(each[work] for each in self.theirs),
            goal=goal,
        )


def _bare(peer: str, ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]) -> Row:
    """What nobody who syncs every commit can reach."""
    return Row(
        name="G12 limit",
        what=f"{STREAM_EVENTS} rows of bytes inserted by one statement, which is the commit",
        unit="/s",
        rates=tuple(each["bare"] for each in ours),
        beside=f"events appended by {_version(peer)}, one commit after the other",
        beside_rates=tuple(each["append"] for each in theirs),
    )


def _version(peer: str) -> str:
    """A library with its version, as peers.toml pins it."""
    pinned = PINNED[peer]
    if "node" in pinned:
        return f"{peer} {pinned['node'][pinned['package']]}"
    return str(pinned["python"][0]).replace("==", " ").replace("[postgres]", "")


def _missed(ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]]) -> list[Row]:
    """Counts of which one may be nothing have no ratio: a row each."""
    unit = f"of {WRITERS * COMMITS:,}"
    return [
        Row(
            name="G12b",
            what=f"events missed or read twice behind {WRITERS} writers at once",
            unit=unit,
            rates=tuple(each["missed"] for each in ours),
            goal=Goal(0, 0, 0, less=True),
        ),
        Row(
            name="G12b",
            what="the same by emmett's consumer, once all is written",
            unit=unit,
            rates=tuple(each["missed"] for each in theirs),
        ),
    ]


# Ours


@asynccontextmanager
async def _log(stack: Stack) -> AsyncIterator[postgres.PostgresStore]:
    dsn = await databases.new(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=WRITERS + 2)
    try:
        yield postgres.PostgresStore(domain.SERVICE, pool)
    finally:
        await pool.close()


async def _ours(stack: Stack) -> dict[str, float]:
    told: dict[str, float] = {}
    async with _log(stack) as store:
        streams = [f"peer-{number}" for number in range(STREAMS)]
        told["bare"] = await _inserted(store)
        began = time.perf_counter()
        for stream in streams:
            await append(store, [stream], STREAM_EVENTS)
        told["append"] = STREAMS * STREAM_EVENTS / (time.perf_counter() - began)
        began = time.perf_counter()
        for number in range(LOADS):
            await _load(store, streams[number % STREAMS])
        told["load"] = LOADS / (time.perf_counter() - began)
        began = time.perf_counter()
        events = await _replayed(store)
        told["replay"] = events / (time.perf_counter() - began)
        began = time.perf_counter()
        await _projected(store, events)
        told["project"] = events / (time.perf_counter() - began)
        began = time.perf_counter()
        for number in range(0, STREAMS, TOGETHER):
            group = [f"group-{each}" for each in range(number, number + TOGETHER)]
            await append(store, group, STREAM_EVENTS)
        told["together"] = STREAMS * STREAM_EVENTS / (time.perf_counter() - began)
        told["missed"] = float(await growing.wrong(store, COMMITS))
    return told


async def _inserted(store: postgres.PostgresStore) -> float:
    """Rows a second of a table without an index, of the size of the events."""
    rows = [b"".join(growing.event("bare"))] * STREAM_EVENTS
    async with store.pool.acquire() as connection:
        await connection.execute("create table bare (body bytea not null)")
        insert = await connection.prepare("insert into bare select unnest($1::bytea[])")
        began = time.perf_counter()
        for _ in range(STREAMS):
            await insert.fetch(rows)
        return STREAMS * STREAM_EVENTS / (time.perf_counter() - began)


async def _load(store: postgres.PostgresStore, stream: str) -> None:
    """As `Core.load` reads, on a connection that is asked for at each load."""
    state = domain.initial_state()
    async with store.pool.acquire() as connection:
        tx = postgres.PostgresTx(domain.SERVICE, connection)  # type: ignore[arg-type]
        bodies = await tx.read_bodies(stream, after_version=0, limit=STREAM_EVENTS)
    assert len(bodies) == STREAM_EVENTS
    for body in bodies:
        state = domain.evolve(state, REGISTRY.decode(body.type, body.schema_version, body.body))


async def _replayed(store: postgres.PostgresStore) -> int:
    """Every event of the log with its envelope, as objects, read as projections read."""
    # A new store has nothing of the log in its memory.
    reader = postgres.PostgresStore(domain.SERVICE, store.pool)
    count, after = 0, 0
    while records := await reader.read_entries(after_position=after, limit=READ_ROWS):
        for record in records:
            decode_meta(record.meta)
            REGISTRY.decode(record.type, record.schema_version, record.body)
        count += len(records)
        after = records[-1].position
    return count


async def _projected(store: postgres.PostgresStore, events: int) -> None:
    """The log in a table of refunds."""
    reader = postgres.PostgresStore(domain.SERVICE, store.pool)
    projector = Projector(Refunds(), OwnLog(reader), store.pool)
    live = await projector.prepare()
    while await projector.step():
        pass
    query = f'select sum(cancelled) from "{live.schema}".refunds'
    async with store.pool.acquire() as connection:
        assert await connection.fetchval(query) == events


class Refunds:
    """Refunds by stream in a table: what the other libraries project, too."""

    name: str = "refunds"
    version: int = 1

    async def create(self, connection: Any, schema: str) -> None:
        await connection.execute(
            f'create table "{schema}".refunds '
            "(stream text primary key, cancelled int not null, minor bigint not null)"
        )

    def told(self, records: Sequence[Entry]) -> Sequence[Entry]:
        return records

    async def apply(self, connection: Any, told: Sequence[Entry], schema: str) -> None:
        sums: dict[str, tuple[int, int]] = {}
        for record in told:
            event: Any = REGISTRY.decode(record.type, record.schema_version, record.body)
            cancelled, minor = sums.get(record.stream, (0, 0))
            sums[record.stream] = cancelled + 1, minor + event.refund_minor
        await connection.execute(
            f'insert into "{schema}".refunds as old select * from unnest($1::text[], $2::int[], '
            "$3::bigint[]) on conflict (stream) do update set "
            "cancelled = old.cancelled + excluded.cancelled, minor = old.minor + excluded.minor",
            list(sums),
            [cancelled for cancelled, _ in sums.values()],
            [minor for _, minor in sums.values()],
        )

    async def publish(self, connection: Any, schema: str) -> None:
        """Nobody looks for it."""


# Theirs


async def _theirs(stack: Stack, name: str, peer: Peer) -> dict[str, float]:
    dsn = await databases.new(stack)
    if name == "emmett":
        return await asyncio.to_thread(peer, STREAMS, LOADS, WRITERS, COMMITS, dsn)
    return await asyncio.to_thread(peer, STREAMS, LOADS, TOGETHER, **_variables(dsn))


def _coups(peer: Peer) -> dict[str, float]:
    return peer(SHOES, PYTHONPATH=str(HERE / "windows"))


def _variables(dsn: str) -> dict[str, str]:
    """What the library eventsourcing wants to know of a database."""
    address = urlsplit(dsn)
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": address.path.removeprefix("/"),
        "POSTGRES_HOST": address.hostname or "",
        "POSTGRES_PORT": str(address.port),
        "POSTGRES_USER": address.username or "",
        "POSTGRES_PASSWORD": address.password or "none",
    }
