"""Tables that are dealt at a steady pace, and somebody who hears what it led to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Self

import msgspec
from aiokafka import AIOKafkaConsumer

from sabot.wager.v1 import wager_service_pb2 as pb
from services.chassis import bus, topics
from services.chassis.envelope import decode
from services.contracts.settlement import WagerSettled
from services.contracts.shoe import CardDrawn
from services.tablelog.calls import Services
from tests.bench.calling import DEALERS
from tests.e2e.desk import DEALER, DECKS, Desk, betting

WAGERS: Final = 20
"""At every coup, each of a player of its own."""

STAKE_MINOR: Final = 100
FUNDS_MINOR: Final = 10**12
PLAYERS_OF: Final = 10
"""Tables with the same number in it have the same players."""

OPENING_AT_ONCE: Final = 8
COUP_S_MAX: Final = 30.0


class Coup(msgspec.Struct, frozen=True):
    """The part of an event that tells its coup."""

    coup_id: str


CARD_PAUSE_S = 0.01
"""Between two looks for a card that is not read yet."""


class Heard:
    """What a subscriber to the topics of shoe and settlement hears, coup by coup."""

    def __init__(self) -> None:
        self._coup_of = msgspec.json.Decoder(Coup).decode
        self._last_card_us: dict[str, int] = {}
        self._left: dict[str, int] = {}
        self._settled: dict[str, asyncio.Future[int]] = {}
        self.seen_us: dict[str, int] = {}
        """When the last wager of each coup was seen settled, in microseconds of the epoch."""

    @classmethod
    @asynccontextmanager
    async def at(cls, servers: str) -> AsyncIterator[Self]:
        """Listen from now on."""
        heard = cls()
        async with subscribed(
            servers, topics.topic("shoe"), topics.topic("settlement")
        ) as consumer:
            task = asyncio.create_task(heard.listen(consumer))
            try:
                yield heard
            finally:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def listen(self, consumer: AIOKafkaConsumer) -> None:
        """Until cancelled."""
        async for message in consumer:
            record = decode(message.key, message.value, message.headers).record
            if record.type == CardDrawn.type:
                coup_id = self._coup_of(record.body).coup_id
                drawn_us = max(self._last_card_us.get(coup_id, 0), record.recorded_at_us)
                self._last_card_us[coup_id] = drawn_us
            elif record.type == WagerSettled.type:
                self._one_settled(self._coup_of(record.body).coup_id)

    async def settled_ms(self, coup_id: str) -> float:
        """From the coup's last card, as the log has it, to the last of its wagers."""
        async with asyncio.timeout(COUP_S_MAX):
            settled_us = await self._future(coup_id)
            while coup_id not in self._last_card_us:  # topics are read in any order
                await asyncio.sleep(CARD_PAUSE_S)
        return (settled_us - self._last_card_us[coup_id]) / 1_000

    def _one_settled(self, coup_id: str) -> None:
        now_us = time.time_ns() // 1_000
        left = self._left[coup_id] = self._left.get(coup_id, WAGERS) - 1
        if not left:
            self.seen_us[coup_id] = now_us
            self._future(coup_id).set_result(now_us)

    def _future(self, coup_id: str) -> asyncio.Future[int]:
        if coup_id not in self._settled:
            self._settled[coup_id] = asyncio.get_running_loop().create_future()
        return self._settled[coup_id]


@asynccontextmanager
async def subscribed(servers: str, *names: str) -> AsyncIterator[AIOKafkaConsumer]:
    """A consumer of these topics from now on, as patient as those of the services."""
    consumer = AIOKafkaConsumer(
        *names,
        bootstrap_servers=servers,
        group_id=None,
        auto_offset_reset="latest",
        fetch_max_wait_ms=bus.FETCH_WAIT_MS_MAX,
    )
    await consumer.start()
    try:
        bus.pace(consumer, lambda: None)
        # It knows its offsets only now: "latest" is otherwise what a first answer says later.
        for partition in consumer.assignment():
            await consumer.position(partition)
        yield consumer
    finally:
        await consumer.stop()


class Table:
    """One table and its players."""

    def __init__(self, services: Services, number: int) -> None:
        self.desk = Desk(services, f"coups-{number}")
        self._services = services
        self._players = [f"p{number % PLAYERS_OF}.{each}" for each in range(WAGERS)]
        self._coups = 0

    async def open(self) -> None:
        """Open it and load a shoe."""
        await self.desk.open("nsw-mini", mode="TEST", decks=DECKS)
        await self.desk.act(
            "shoe",
            "LoadShoe",
            DEALER,
            shoe_id=f"{self.desk.table_id}-1",
            source="GENERATED",
            stands_for_preparation=True,
        )
        await self.desk.waits_for("")

    async def coup(self, heard: Heard) -> float:
        """Play one from open betting to its payment; gives what `Heard.settled_ms` does."""
        self._coups += 1
        await self.desk.until("round", "GetTable", lambda table: not table.coup_id, "a free table")
        await betting(self.desk)
        table = await self.desk.look("round", "GetTable")
        request = pb.PlaceWagersRequest(wagers=[self._wager(each) for each in self._players])
        response = await self._services.stub("wager").PlaceWagers(request, metadata=DEALERS)
        assert {each.status for each in response.responses} == {"ACCEPTED"}, response
        await self.desk.act("round", "CallNoMoreBets", DEALER)
        await self.desk.act("round", "DealCoup", DEALER)
        return await heard.settled_ms(table.coup_id)

    def _wager(self, player: str) -> pb.PlaceWagerRequest:
        request = pb.PlaceWagerRequest(
            table_id=self.desk.table_id,
            wager_id=f"w{self._coups}-{player}",
            player=player,
            area="BANKER",
            amount_minor=STAKE_MINOR,
        )
        request.meta.command_id = f"{self.desk.table_id}:{request.wager_id}"
        return request


async def fund(services: Services) -> None:
    """Give all players what they will stake."""
    for group in range(PLAYERS_OF):
        for each in range(WAGERS):
            player = f"p{group}.{each}"
            await services.fund(f"coups/{player}", player, "EUR", FUNDS_MINOR)


async def opened(services: Services, numbers: Sequence[int]) -> list[Table]:
    """These tables, open."""
    tables = [Table(services, number) for number in numbers]
    few = asyncio.Semaphore(OPENING_AT_ONCE)

    async def open_one(table: Table) -> None:
        async with few:
            await table.open()

    await asyncio.gather(*map(open_one, tables))
    return tables


async def paced(
    tables: Sequence[Table], heard: Heard, *, coups: int, every_s: float
) -> list[float]:
    """Coups at the tables in turn, one begun every so often; a table that is late is waited for."""
    busy = [asyncio.Lock() for _ in tables]

    async def one(number: int) -> float:
        await asyncio.sleep(number * every_s)
        async with busy[number % len(tables)]:
            return await tables[number % len(tables)].coup(heard)

    return list(await asyncio.gather(*map(one, range(coups))))
