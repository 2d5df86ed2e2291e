"""CPU of a wager in the wager service without servers: the part that its own code is to blame for.

Everything from the bytes of the call to those of the answer is there, and the two messages for the
broker; gRPC, PostgreSQL's driver and Kafka's client are not.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import statistics
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any, Final

import uvloop
from msgspec.structs import replace

from sabot.wager.v1 import wager_service_pb2 as pb
from services.chassis import auth, envelope
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.decider import Record
from services.chassis.executor import Executor, Limits
from services.chassis.measures import Measures
from services.chassis.registry import Registry
from services.chassis.runtime import Runtime
from services.chassis.store import EMPTY_HEAD, Batch, Head, Hooks, StoredAnswer
from services.chassis.work import Loaded
from services.contracts.common import Limit
from services.wager import domain
from services.wager.api import WagerService
from services.wager.companion import WagerCompanion
from services.wager.domain.facts import Stop
from services.wager.main import DEFINITION
from tests.bench.calling import BATCH_WAGERS, numbered
from tests.bench.figures import Row
from tests.bench.opening import DEALER, START_US, TABLES
from tests.bench.variant import Unbounded
from tests.support.spec import spec
from tests.support.tables import betting, opened, sign

GROUPS: Final = 40
"""Of books with few wagers."""

GROUPS_HALF: Final = 320
"""After so many each table has 500 wagers on its coup, after as many more a thousand."""

LARGEST_MINOR: Final = 10**12


class Nobody(Unbounded):
    """A ledger that says yes, and a register that holds nobody back."""

    async def hold(self, *_: object, **__: object) -> None:
        """Nobody is beside the transaction."""

    async def among(self, _players: object) -> frozenset[str]:
        """Nobody is barred."""
        return frozenset()

    async def stops(self, *_: object) -> set[Stop]:
        """Nothing is stopped."""
        return set()


class Forgetful:
    """A store that gives events their places and forgets them, and its only transaction."""

    service = domain.SERVICE
    connection = None

    def __init__(self) -> None:
        """A log without events."""
        self.hooks = Hooks()
        self.last: Sequence[Record] = ()
        self._heads: dict[str, Head] = {}
        self._position = 0

    @asynccontextmanager
    async def transaction(self, *, lock: object = ()) -> AsyncIterator[Forgetful]:
        """Begin, and commit at the end."""
        self.hooks = Hooks()
        yield self
        self.hooks.committed()

    async def lock(self, _streams: object) -> None:
        """Nobody is beside."""

    async def heads(self, streams: Iterable[str]) -> dict[str, Head]:
        """Where the streams end."""
        return {stream: self._heads.get(stream, EMPTY_HEAD) for stream in streams}

    async def answers(self, _keys: object) -> dict[str, StoredAnswer]:
        """No command was known before."""
        return {}

    async def put_answers(self, _answers: Mapping[str, StoredAnswer]) -> None:
        """Forget them."""

    async def save_snapshot(self, _snapshot: object) -> None:
        """Forget it."""

    async def append(self, batch: Batch, *, handled: object = ()) -> Sequence[Record]:
        """Give the events their places."""
        self.last = batch.records(start=self._position, recorded_at_us=START_US)
        self._position += len(self.last)
        for each in self.last:
            self._heads[each.stream] = Head(each.version, each.position, each.position, each.digest)
        return self.last


def measure(rounds: int) -> list[Row]:
    """The least of many groups in every round: more is what other work did to the caches."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        rates = [runner.run(_measured()) for _ in range(rounds)]
    decided, published, grown = zip(*rates, strict=True)
    what = f"CPU of a wager in a call of {BATCH_WAGERS}, without servers and their drivers"
    return [
        Row(name="core", what=what, unit="µs", rates=decided),
        Row(
            name="core",
            what="the same in books of 500 to 1,000 wagers, snapshots included",
            unit="µs",
            rates=grown,
        ),
        Row(
            name="core",
            what="CPU of its two messages, without a broker",
            unit="µs",
            rates=published,
        ),
    ]


def served(store: Any) -> tuple[Executor, WagerService]:
    """The wager service on this store, with its tables open."""
    executor = Executor(
        domain,
        store,
        WagerCompanion(Nobody, bars=Nobody),
        Registry(domain.SERVICE, domain.EVENTS),
        limits=Limits(),
        jitter=random.Random(1),
        committed=Measures(domain.SERVICE, SYSTEM_CLOCK).committed,
    )
    _open(executor)
    settings: Any = SimpleNamespace(role="all", allow_test_tables=True, health=None)
    return executor, WagerService(_runtime(settings, executor))


async def _measured() -> tuple[float, float, float]:
    store = Forgetful()
    executor, service = served(store)
    auth.set_identity(auth.Identity(DEALER, frozenset(), None))
    ids = itertools.count()
    decided: list[float] = []
    published: list[float] = []
    async with executor:
        for _ in range(2 * GROUPS_HALF):
            wagers = [numbered(next(ids)) for _ in range(BATCH_WAGERS)]
            request = pb.PlaceWagersRequest(wagers=wagers).SerializeToString()
            began_s = time.process_time()
            response = await service.PlaceWagers(pb.PlaceWagersRequest.FromString(request), None)
            response.SerializeToString()
            answered_s = time.process_time()
            for record in store.last:
                envelope.encode(record, envelope.meta_of(record), hop="")
            done_s = time.process_time()
            assert {each.status for each in response.responses} == {"ACCEPTED"}, response
            decided.append((answered_s - began_s) / BATCH_WAGERS * 1e6)
            published.append((done_s - answered_s) / BATCH_WAGERS * 1e6)
    return min(decided[:GROUPS]), min(published[:GROUPS]), statistics.fmean(decided[GROUPS_HALF:])


def _runtime(settings: Any, executor: Executor) -> Runtime:
    """A service of which nothing runs but its executor."""
    runtime = Runtime.__new__(Runtime)
    runtime.definition, runtime.settings, runtime.clock = DEFINITION, settings, SYSTEM_CLOCK
    runtime._made = {"executor": executor}
    return runtime


def _open(executor: Executor) -> None:
    """Let the executor know tables that take wagers, as if it had heard of them."""
    limits = {"*": Limit(1, LARGEST_MINOR)}
    state = spec(domain).given(opened("nsw-mini"), sign(limits), betting(closes_at_us=None)).state
    cache = executor._core.cache
    for number in range(TABLES):
        table_id = f"bench-{number}"
        own = replace(state.settings, table_id=table_id, mode="TEST")
        cache.put(table_id, Loaded(0, replace(state, settings=own)))
