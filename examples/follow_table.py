"""Follow a table: what it waits for, cards as they come, results. Ends after so many coups.

    make up
    eval "$(make env)"
    .venv/bin/python examples/follow_table.py T1 --coups 3

The feed sends the table as it is, at once and again with every change; where it breaks it is taken up by
itself. A token in SABOT_TOKEN says who looks; without one it is an auditor of a developer's machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import aclosing

from sabot.query.v1.watch_service_pb2 import WatchTableRequest, WatchTableResponse
from sabot_client import Addresses, CallFailed, Client, Person, Tls, bearer, development

OVER = {"SETTLED", "NO_BET", "BACKFILLED", "VOID", "TERMINATED", "INVALIDATED"}


def line(seen: WatchTableResponse) -> str:
    """The table in one line."""
    table, coup = seen.table, seen.coup
    words = [table.id, table.phase if table.status == "OPEN" else table.status]
    if table.held:
        words.append(f"held by {table.held}")
    if coup.id:
        words.append(f"{coup.id} {coup.status}")
    if coup.player or coup.banker:
        words.append(f"player {' '.join(coup.player)}, banker {' '.join(coup.banker)}")
    if coup.winner:
        words.append(f"{coup.winner} {coup.player_points}:{coup.banker_points}")
    return " | ".join(words)


async def follow(client: Client, table_id: str, coups: int) -> None:
    """Print the table whenever something about it changed."""
    over: set[str] = set()
    last = ""
    request = WatchTableRequest(table_id=table_id)
    async with aclosing(client.stream(client.watch.WatchTable, request)) as feed:
        async for seen in feed:
            told = line(seen)
            if told != last:
                print(told, flush=True)
                last = told
            if seen.coup.status in OVER:
                over.add(seen.coup.id)
            if len(over) >= coups:
                return


async def main() -> None:
    """Follow the table of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("--coups", type=int, default=10)
    options = parser.parse_args()
    token = os.environ.get("SABOT_TOKEN")
    who = bearer(token) if token else development(Person("aurora", "AUDITOR"))
    try:
        async with Client.connect(
            Addresses.from_environment(), who, tls=Tls.from_environment()
        ) as client:
            await follow(client, options.table, options.coups)
    except (ValueError, CallFailed) as error:
        hint = (
            ""
            if getattr(error, "reason", "")
            else '\nDoes a stack run (make up)? Then eval "$(make env)"'
        )
        sys.exit(f"{error}{hint}")


if __name__ == "__main__":
    asyncio.run(main())
