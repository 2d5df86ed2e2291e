"""What a person on duty does about parked tables, by flags of the service's own program.

    python -m services.wager --parked
    python -m services.wager --retry TABLE
    python -m services.wager --skip TABLE --event ID --reason TEXT --by NAME

It works on the service's database beside the running service, which goes on with the table by itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TextIO

from services.chassis.clock import rfc3339
from services.chassis.hearing import NotParkedThere
from services.chassis.parking import Parking, Released

EXIT_DONE = 0
EXIT_STILL_PARKED = 1
WAITING_SHOWN_MAX = 100

Duty = Callable[[Parking, TextIO], Awaitable[int]]


def add_flags(parser: argparse.ArgumentParser, what: argparse._MutuallyExclusiveGroup) -> None:
    """Add the flags; those of `what` exclude each other and what else the program can do."""
    what.add_argument("--parked", action="store_true", help="list the parked tables, and end")
    what.add_argument(
        "--retry", metavar="TABLE", help="handle what waits for a parked table again, and end"
    )
    what.add_argument(
        "--skip", metavar="TABLE", help="pass over the event in the way of a parked table, and end"
    )
    parser.add_argument(
        "--event", metavar="ID", help="with --skip: the event, as --parked names it"
    )
    parser.add_argument("--reason", metavar="TEXT", help="with --skip: why; it is kept")
    parser.add_argument("--by", metavar="NAME", help="with --skip: who you are; it is kept")


def asked_for(parser: argparse.ArgumentParser, flags: argparse.Namespace) -> Duty | None:
    """What the flags ask for; None where it is nothing of this. Wrong use ends the program."""
    details = (flags.event, flags.reason, flags.by)
    if flags.skip is None and any(each is not None for each in details):
        parser.error("--event, --reason and --by go with --skip")
    if flags.parked:
        return show
    if flags.retry is not None:
        return partial(retry, table_id=flags.retry)
    if flags.skip is not None:
        if not all(each and each.strip() for each in details):
            parser.error("--skip takes --event, --reason and --by")
        event, reason, by = details
        return partial(skip, table_id=flags.skip, event_id=event, reason=reason, by=by)
    return None


async def show(parking: Parking, out: TextIO) -> int:
    """One block a table: since when, at which event, why, and how many wait behind it."""
    tables = await parking.tables()
    for table in tables:
        waiting = await parking.waiting(table.table_id, limit=WAITING_SHOWN_MAX)
        many = f"{len(waiting)}" + (" or more" if len(waiting) == WAITING_SHOWN_MAX else "")
        out.write(
            f"{table.table_id}\n"
            f"  since  {rfc3339(table.since_us)}\n"
            f"  at     {table.event_id}\n"
            f"  why    {table.why.value}: {table.reason}\n"
            f"  waits  {many} events\n"
        )
    out.write(f"{len(tables)} parked tables\n")
    return EXIT_STILL_PARKED if tables else EXIT_DONE


async def retry(parking: Parking, out: TextIO, *, table_id: str) -> int:
    """Handle what waits, in order, until an event fails again or none is left."""
    if table_id not in {table.table_id for table in await parking.tables()}:
        out.write(f"{table_id} is not parked\n")
        return EXIT_DONE
    return _told(await parking.retry(table_id), table_id, out)


async def skip(
    parking: Parking, out: TextIO, *, table_id: str, event_id: str, reason: str, by: str
) -> int:
    """Pass over the event in the way for ever, and go on with those behind it."""
    try:
        released = await parking.skip(table_id, event_id=event_id, reason=reason, by=by)
    except NotParkedThere as error:
        out.write(f"{error}\n")
        return EXIT_STILL_PARKED
    return _told(released, table_id, out)


def _told(released: Released, table_id: str, out: TextIO) -> int:
    out.write(f"{table_id}: {released.handled} events handled\n")
    if released.free:
        out.write(f"{table_id} is not parked any more\n")
        return EXIT_DONE
    out.write(f"still parked at {released.blocked_by}: {released.error}\n")
    return EXIT_STILL_PARKED
