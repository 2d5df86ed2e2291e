"""The running stack under odd calls, and what has to be true of it afterwards."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import asyncpg
import grpc
from google.protobuf.message import Message

from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, PIT, Desk
from tests.e2e.support import until
from tests.fuzz.calls import SERVICES, Answered, Attempts, Sent, methods, run, send
from tests.fuzz.requests import PLAYERS, Table
from tests.fuzz.tally import Tally

SYSTEM = "the system after it"
GUEST = "guest"
"""A player of whom no odd call speaks: the others may rightly be barred, for ever and everywhere."""

ONCE_IN_A_WHILE = frozenset({"RebuildProjections"})
"""Calls that do much for one request."""


async def fuzz_system(
    stack: Stack,
    tally: Tally,
    *,
    seconds: float,
    seed: int,
    name: str,
    inputs_max: int | None = None,
) -> None:
    """Send odd calls about one table while it is played, then look at everything."""
    async with channels(stack) as ways, Services(stack.targets) as services:
        desk = Desk(services, name)
        await opened(desk, "s0")
        table = Table(name)
        calls = [method for method in methods() if method.name not in ONCE_IN_A_WHILE]
        attempts = Attempts(calls, table, seed)

        async def between() -> None:
            await _go_on(desk, attempts.dice.random())

        unchanged = await run(
            attempts, ways, tally, seconds=seconds, inputs_max=inputs_max, between=between
        )
        rest = [m for m in methods() if m.name in ONCE_IN_A_WHILE]
        last = Attempts(rest, table, seed)
        await run(last, ways, tally, seconds=seconds, inputs_max=8)
        surface = tally[SYSTEM]
        for check in (
            _alive(stack),
            _nothing_half_done(stack, unchanged),
            _ledger_balances(stack),
            _nothing_is_stuck(stack),
            plays_again(desk),
            plays_again(Desk(services, f"{name}-new")),
        ):
            surface.inputs += 1
            found = await check
            surface.seen["holds" if not found else "breach"] += 1
            surface.breaches += found


@contextlib.asynccontextmanager
async def channels(stack: Stack) -> AsyncIterator[dict[str, Any]]:
    ways = {
        name: grpc.aio.insecure_channel(stack.targets[process])
        for name, process in SERVICES.items()
    }
    try:
        yield ways
    finally:
        for channel in ways.values():
            await channel.close()


async def answer_of(
    ways: Mapping[str, Any], request: Message, metadata: tuple[tuple[str, str], ...]
) -> Answered:
    """What is answered to a request of whatever call it belongs to."""
    method = next(m for m in methods() if m.input_type is request.DESCRIPTOR)
    sent = Sent(method, request.SerializeToString(), "", "", metadata)
    return await send(ways[method.containing_service.full_name], sent)


async def opened(desk: Desk, shoe: str) -> None:
    """A table with players, a dealer and a shoe that the platform shuffled."""
    await desk.open("nsw-mini", mode="TEST", decks=8)
    await desk.act("round", "AssignDealer", PIT, dealer=DEALER.id)
    players = [*(f"p{number}" for number in range(1, PLAYERS + 1)), GUEST]
    for number, name in enumerate(players, start=1):
        await desk.fund(name, 1_000_000)
        await desk.act("round", "TakeSeat", PIT, seat=number, player=f"{desk.table_id}.{name}")

    async def loaded() -> bool:
        # The shoe service may not have heard yet that the table is open again.
        answer = await desk.ask(
            "shoe",
            "LoadShoe",
            DEALER,
            shoe_id=f"{desk.table_id}-{shoe}",
            source="GENERATED",
            stands_for_preparation=True,
        )
        return not answer.result.HasField("refusal")

    await until(loaded, what="a shoe")
    await desk.waits_for("")


async def _go_on(desk: Desk, chance: float) -> None:
    """The table's next step, now and then: so that odd calls meet every phase of a coup."""
    if chance > 0.3:
        return
    with contextlib.suppress(grpc.aio.AioRpcError):
        state = await desk.look("round", "GetTable")
        if state.phase == "":
            await desk.ask("round", "OpenBetting", DEALER)
        elif state.phase == "BETTING" and chance < 0.1:
            await desk.ask("round", "CallNoMoreBets", DEALER)
        elif state.phase == "BETTING":
            await desk.wager(f"g{chance}", "p1", "BANKER", 1_000)
        else:
            await desk.ask("round", "DealCoup", DEALER)


# What has to be true


async def _alive(stack: Stack) -> list[str]:
    """No process has ended."""
    return [
        f"{name} is gone"
        for name, service in stack.services.items()
        if service.process is None or not service.process.running()
    ]


async def _nothing_half_done(stack: Stack, unchanged: Sequence[Sent]) -> list[str]:
    """What was refused or failed left no event under its command id."""
    found: list[str] = []
    for process in set(SERVICES.values()):
        ids = {
            sent.command_id
            for sent in unchanged
            if SERVICES[sent.method.containing_service.full_name] == process
            and "\0" not in sent.command_id
        }
        rows = await _rows(
            stack,
            process,
            "select command_id, type from events where command_id = any($1) and type <> 'noted'",
            sorted(ids),
        )
        found += [f"{process} stored {row[1]} for {row[0]}, which was refused" for row in rows]
    return found


async def _ledger_balances(stack: Stack) -> list[str]:
    """Every account holds what its movements say, none is below zero, and every total is so, too."""
    rows = await _rows(
        stack,
        "wager",
        "select a.player, a.currency, a.balance_minor, "
        "coalesce((select sum(m.amount_minor) from movements m "
        "where m.player = a.player and m.currency = a.currency), 0) from accounts a",
    )
    return [
        f"{row[0]} has {row[2]} {row[1]}, and movements of {row[3]}"
        for row in rows
        if row[2] != row[3] or row[2] < 0
    ]


async def _nothing_is_stuck(stack: Stack) -> list[str]:
    """No event was too much for a service that heard it."""
    found: list[str] = []
    for name in stack.services:
        for what in ("parked", "dead_letters"):
            rows = await _rows(stack, name, f"select * from {what} limit 3")
            found += [f"{name}: {what}: {str(dict(row))[:300]}" for row in rows]
    return found


async def plays_again(desk: Desk) -> list[str]:
    """The table, given up and opened again, plays a coup to its end; so does a new one."""
    try:
        async with asyncio.timeout(120):
            await desk.ask("round", "AbandonTable", PIT)
            for service in ("shoe", "round", "wager", "settlement"):
                await desk.look(service, "GetTableProgress")
            # What was staked on a coup that is void comes back first.
            await desk.until("round", "GetTable", lambda table: not table.open, "the table's end")
            await opened(desk, "again")
            await desk.act("round", "OpenBetting", DEALER)
            await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
            answer = await desk.wager("again", GUEST, "BANKER", 1_000)
            await desk.act("round", "CallNoMoreBets", DEALER)
            await desk.until("wager", "GetBook", lambda book: book.phase != "OPEN", "the close")
            await desk.act("round", "DealCoup", DEALER)
            await desk.coup_over()
            return [] if answer.status == "ACCEPTED" else [f"no wager is taken: {answer}"]
    except (AssertionError, TimeoutError, grpc.aio.AioRpcError) as error:
        return [f"{desk.table_id} plays no more: {str(error)[:300]}"]


async def _rows(stack: Stack, service: str, query: str, *arguments: Any) -> list[Any]:
    connection = await asyncpg.connect(stack.database_url(service))
    try:
        return list(await connection.fetch(query, *arguments))
    finally:
        await connection.close()
