"""Export the coups and wagers of a gaming day into an SQLite database; run again, it goes on.

    make up
    eval "$(make env)"
    .venv/bin/python examples/export_day.py 2026-11-30 day.sqlite

Each message of an export is written in one transaction with the cursor behind it: however the program ends,
nothing is missing and nothing is there twice. What changed since the last run comes again, as it is now.
A token in SABOT_TOKEN says who asks; without one it is an auditor of a developer's machine.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import aclosing, closing
from typing import Any

from google.protobuf.json_format import MessageToJson

from sabot.query.v1.query_service_pb2 import ExportCoupsRequest, ExportWagersRequest
from sabot.query.v1.resources_pb2 import Coup, Wager
from sabot_client import Addresses, CallFailed, Client, Person, Tls, bearer, development

KINDS: dict[str, tuple[str, Any, Any]] = {
    "coups": ("ExportCoups", ExportCoupsRequest, Coup),
    "wagers": ("ExportWagers", ExportWagersRequest, Wager),
}


def columns(message: Any) -> list[str]:
    """The fields that hold one value each; what holds several is in `document`."""
    fields = message.DESCRIPTOR.fields
    return [field.name for field in fields if not field.is_repeated and not field.message_type]


def prepare(database: sqlite3.Connection) -> None:
    """Tables for each kind, and one for how far their exports are."""
    for name, (_, _, kind) in KINDS.items():
        others = ", ".join(each for each in columns(kind) if each != "id")
        database.execute(
            f"create table if not exists {name} (id text primary key, {others}, document)"
        )
    database.execute(
        "create table if not exists exports (day, kind, cursor, primary key (day, kind))"
    )


def rows(items: Any, kind: Any) -> Iterator[list[Any]]:
    """Values in the order of the columns."""
    for item in items:
        yield [*(getattr(item, name) for name in columns(kind)), MessageToJson(item, indent=None)]


async def export(client: Client, database: sqlite3.Connection, day: str, name: str) -> int:
    """Bring one kind up to date; returns how many items came."""
    method, make, kind = KINDS[name]
    known = database.execute(
        "select cursor from exports where day = ? and kind = ?", (day, name)
    ).fetchone()
    request = make(gaming_day=day, resume_cursor=known[0] if known else "")
    places = ", ".join("?" * (len(columns(kind)) + 1))
    names = ", ".join([*columns(kind), "document"])
    count = 0
    async with aclosing(client.stream(getattr(client.query, method), request)) as batches:
        async for batch in batches:
            with database:
                database.executemany(
                    f"insert or replace into {name} ({names}) values ({places})",
                    rows(batch.items, kind),
                )
                database.execute(
                    "insert or replace into exports values (?, ?, ?)",
                    (day, name, batch.resume_cursor),
                )
            count += len(batch.items)
    return count


async def main() -> None:
    """Export the day of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("day", type=dt.date.fromisoformat, help="gaming day, YYYY-MM-DD")
    parser.add_argument("database")
    options = parser.parse_args()
    token = os.environ.get("SABOT_TOKEN")
    who = bearer(token) if token else development(Person("aurora", "AUDITOR"))
    try:
        with closing(sqlite3.connect(options.database)) as database:
            prepare(database)
            async with Client.connect(
                Addresses.from_environment(), who, tls=Tls.from_environment()
            ) as client:
                for name in KINDS:
                    count = await export(client, database, options.day.isoformat(), name)
                    (total,) = database.execute(f"select count(*) from {name}").fetchone()
                    print(f"{name}: {count} came, {total} are there")
    except sqlite3.Error as error:
        sys.exit(f"{options.database}: {error}")
    except (ValueError, CallFailed) as error:
        hint = (
            ""
            if getattr(error, "reason", "")
            else '\nDoes a stack run (make up)? Then eval "$(make env)"'
        )
        sys.exit(f"{error}{hint}")


if __name__ == "__main__":
    asyncio.run(main())
