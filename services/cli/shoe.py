"""`sabot shoe`: hand out the proof of a generated shoe, and check one without anything else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final, TextIO

import msgspec

from services.audit import shoes
from services.audit.logs import PostgresLog
from services.cli.errors import CommandFailed, WrongInput, WrongUse
from services.cli.local import database_url, use_local_stack

DATABASE: Final = "SABOT_SHOE_DATABASE_URL"
FAULTS_SHOWN_MAX: Final = 20


def proof(table_id: str, shoe_id: str, out: TextIO) -> int:
    """Write what was published of a shoe, an event a line."""
    use_local_stack()
    address = database_url(DATABASE)
    if not address:
        raise WrongUse(f"no log of shoes: {DATABASE} is not set and no local stack runs (make up)")
    events = asyncio.run(_published(address, table_id))
    lines = [event for event in events if event.shoe_id == shoe_id]
    if not lines:
        known = sorted({event.shoe_id for event in events} - {""})
        has = f"it had {', '.join(known)}" if known else "nothing is known of the table"
        raise CommandFailed(f"table {table_id} had no shoe {shoe_id}; {has}")
    out.writelines(msgspec.json.encode(event).decode() + "\n" for event in lines)
    return 0


def check(file: Path, out: TextIO) -> int:
    """Check a proof; 1 where it does not hold."""
    try:
        checked = shoes.check(shoes.read(file.read_bytes().splitlines(), str(file)))
    except shoes.Malformed as malformed:
        raise WrongInput(str(malformed)) from None
    out.write(
        f"shoe       {checked.shoe_id} of table {checked.table_id}, its generated shoe number {checked.number}\n"
        f"commitment {checked.commitment or '-'}\n"
        f"order      {checked.cards} cards, {checked.decks} decks\n"
        f"dealt      {checked.compared} cards held against it\n"
    )
    out.writelines(f"FAULT      {fault}\n" for fault in checked.faults[:FAULTS_SHOWN_MAX])
    if len(checked.faults) > FAULTS_SHOWN_MAX:
        out.write(f"FAULT      and {len(checked.faults) - FAULTS_SHOWN_MAX} more\n")
    if not checked.faults:
        out.write("the shoe was fixed before it was dealt, and dealt as it was fixed\n")
    return 1 if checked.faults else 0


async def _published(address: str, table_id: str) -> list[shoes.Published]:
    log = await PostgresLog.open("shoe", address)
    try:
        rows = await log.published(table_id)
    finally:
        await log.close()
    return [
        shoes.Published(kind, table_id, event_id, msgspec.json.decode(body))
        for event_id, kind, body in rows
    ]
