"""Callers that place wagers at one table as fast as they are answered: a process of its own.

It tells on its last line, as JSON, what became of every call, so that the measurement does not share a
loop with the table that a test plays beside it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack
from typing import Any

import grpc

from sabot.wager.v1 import wager_service_pb2 as pb
from sabot.wager.v1 import wager_service_pb2_grpc as pb_grpc
from services.chassis.auth import development_credentials
from services.contracts.core import Actor

CHANNELS = 8
STAKE_MINOR = 100
PLAYERS = 32


async def flood(
    target: str, table_id: str, word: str, *, callers: int, seconds: float, deadline_s: float
) -> Any:
    """`callers` at a time, each the next wager when the last one is answered."""
    codes: Counter[str] = Counter()
    longest_s: dict[str, float] = {}
    accepted: list[str] = []

    async def caller(stub: Any, name: int) -> None:
        player = f"{table_id}.p{name % PLAYERS}"
        credentials = development_credentials(Actor(player, "PLAYER"))()
        number = 0
        while (sent := time.perf_counter()) < until:
            number += 1
            request = pb.PlaceWagerRequest(
                table_id=table_id,
                wager_id=f"{word}{name}-{number}",
                player=player,
                area="PLAYER",
                amount_minor=STAKE_MINOR,
            )
            request.meta.command_id = f"{table_id}:{word}{name}-{number}"
            try:
                answer = await stub.PlaceWager(request, timeout=deadline_s, metadata=credentials)
                code = answer.status
                if code == "ACCEPTED":
                    accepted.append(request.wager_id)
            except grpc.aio.AioRpcError as error:
                code = error.code().name
            codes[code] += 1
            took_s = time.perf_counter() - sent
            longest_s[code] = max(took_s, longest_s.get(code, 0.0))

    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(
                grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
            )
            for _ in range(CHANNELS)
        ]
        for channel in channels:
            await channel.channel_ready()
        stubs = [pb_grpc.WagerServiceStub(channel) for channel in channels]
        began = time.perf_counter()
        until = began + seconds
        await asyncio.gather(*(caller(stubs[name % CHANNELS], name) for name in range(callers)))
        return {
            "codes": codes,
            "longest_s": longest_s,
            "seconds": time.perf_counter() - began,
            "accepted": accepted,
        }


if __name__ == "__main__":
    _, target, table_id, word, callers, seconds, deadline_s = sys.argv
    told = asyncio.run(
        flood(
            target,
            table_id,
            word,
            callers=int(callers),
            seconds=float(seconds),
            deadline_s=float(deadline_s),
        )
    )
    print(json.dumps(told))
