"""The rehearsal of a disaster: the database is gone, and play goes on from its backup.

A base backup and the archived log bring PostgreSQL back to an instant between two coups of different
tables, and to the middle of a third. What docs/operations/backup.md tells an operator to do is done
here, with the same programs.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from services.devstack.ports import LOOPBACK
from services.devstack.postgres import find_binaries, reachable_binaries, server_account
from services.devstack.services import ServiceProcess
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, Desk
from tests.e2e.support import (
    STATIC_MEMBER,
    balances,
    event_counts,
    fresh,
    played,
    replayed,
    sabot,
    short_table,
    until,
    value,
    written,
)
from tests.support.broker import chosen_kind

pytestmark = [pytest.mark.once, pytest.mark.timeout(300)]

ARCHIVE: Final = {
    "archive_mode": "on",
    "archive_command": "mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f",
}
"""Relative to the data directory, as PostgreSQL runs it."""

RECOVERY: Final = """\
restore_command = 'cp ../archive/%f %p'
recovery_target_time = '{at}'
recovery_target_action = 'promote'
"""
COMMAND_S: Final = 60.0


@pytest.fixture(scope="module")
def archiving() -> Iterator[Stack]:
    """A stack whose PostgreSQL archives its log."""
    if chosen_kind() != "embedded":
        pytest.skip("a disaster of the database is the same with every broker")
    environment = {"SABOT_KAFKA_GROUP_INSTANCE_ID": STATIC_MEMBER}
    with Stack(broker=chosen_kind(), environment=environment, postgres_settings=ARCHIVE) as running:
        yield running


def back_up(stack: Stack) -> None:
    """Take a base backup beside the data directory, without the log: that is in the archive."""
    server = stack.postgres
    where = ("-d", server.dsn(), "-D", str(server.root / "base"))
    program("pg_basebackup", *where, "--wal-method=none", "--checkpoint=fast", "--no-sync")


def program(name: str, *words: str, told: bytes = b"") -> bytes:
    """What a program of PostgreSQL prints, run under the server's account."""
    account = server_account()
    binaries = reachable_binaries(find_binaries(), account)
    done = subprocess.run(
        [str(binaries / name), *words],
        check=False,
        capture_output=True,
        input=told,
        cwd="/",
        timeout=COMMAND_S,
        **({} if account is None else account.options()),
    )
    assert done.returncode == 0, done.stderr.decode()
    printed: bytes = done.stdout
    return printed


async def archived(stack: Stack) -> datetime:
    """Close the present segment of the log and wait until it is archived; the instant before it."""
    archive = stack.postgres.root / "archive"
    connection = await asyncpg.connect(stack.postgres.dsn())
    try:
        at: datetime = await connection.fetchval("select clock_timestamp()")
        segment: str = await connection.fetchval("select pg_walfile_name(pg_switch_wal())")

        async def there() -> bool:
            return await asyncio.to_thread(archive.joinpath(segment).is_file)

        await until(there, what=f"{segment} in the archive")
    finally:
        await connection.close()
    return at


async def restore(stack: Stack, at: datetime) -> None:
    """Bring the base backup to an instant by the archive, and wait until the server takes writes."""
    server = stack.postgres
    (server.root / "base").rename(server.data)
    for name, text in (("recovery.signal", ""), ("postgresql.auto.conf", RECOVERY)):
        with (server.data / name).open("a") as file:
            file.write(text.format(at=at.isoformat()))
        shutil.chown(server.data / name, server.data.stat().st_uid, server.data.stat().st_gid)
    await asyncio.to_thread(stack.start_postgres)

    async def promoted() -> bool:
        connection = await asyncpg.connect(server.dsn())
        try:
            recovering: bool = await connection.fetchval("select pg_is_in_recovery()")
            return not recovering
        finally:
            await connection.close()

    await until(promoted, what="the end of the recovery")


async def quiet(stack: Stack) -> None:
    """Wait until every service has published and heard everything, and nobody is owed anything."""

    async def still() -> bool:
        before = await event_counts(stack, "")
        await asyncio.sleep(0.5)
        return before == await event_counts(stack, "")

    await until(still, what="no more events")


async def kept_in_files(stack: Stack, folder: Path) -> dict[str, str]:
    """Dump the four databases to files, and restore those into empty ones; their addresses."""
    server = stack.postgres
    await server.create_databases(f"archive_{name}" for name in stack.services)
    addresses = {}
    for name in stack.services:
        file, into = folder / f"{name}.dump", server.dsn(f"archive_{name}")
        file.write_bytes(program("pg_dump", "--format=custom", stack.database_url(name)))
        words = ("--no-owner", "--no-privileges", "--exit-on-error", f"--dbname={into}")
        program("pg_restore", *words, told=file.read_bytes())
        addresses[f"SABOT_{name.upper()}_DATABASE_URL"] = into
    return addresses


async def test_a_coup_is_rebuilt_from_an_archive(archiving: Stack, tmp_path: Path) -> None:
    """Dumps in files, empty databases, one query server; no broker, and none of the other services."""
    stack = archiving
    run = fresh("archive")
    await played(stack, written(tmp_path, "table", short_table()), run)
    await quiet(stack)
    rebuild = ("rebuild", f"{run}.1.T1:1:1")
    then = sabot(stack, *rebuild)
    assert then.returncode == 0, then.stderr
    key, book = str(tmp_path / "anchor.pem"), str(tmp_path / "book")
    assert sabot(stack, "anchor", "new-key", key).returncode == 0
    assert sabot(stack, "anchor", "write", "--key", key, "--book", book).returncode == 0
    archive = await kept_in_files(stack, tmp_path)
    verify = ("verify", "--book", book, "--key", f"{key}.pub")
    done = sabot(stack, *verify, more=archive)
    assert done.returncode == 0, done.stdout + done.stderr
    address = archive["SABOT_SETTLEMENT_DATABASE_URL"]
    server = ServiceProcess(
        "settlement",
        database_url=address,
        bootstrap_servers=f"{LOOPBACK}:1",
        log=tmp_path / "query.log",
        environment={"SABOT_ROLE": "query"},
    )
    process = server.launch()
    try:
        await asyncio.to_thread(server.wait_until_ready)
        now = sabot(stack, *rebuild, more={**archive, "SABOT_SETTLEMENT_TARGET": server.target})
        assert (now.returncode, now.stdout) == (0, then.stdout), now.stderr
    finally:
        await asyncio.to_thread(process.stop, COMMAND_S)
    connection = await asyncpg.connect(address)
    await connection.execute("alter table events disable trigger events_are_final")
    await connection.execute("delete from events where type = 'coup-settled'")
    await connection.close()
    assert sabot(stack, *verify, more=archive).returncode == 1


async def test_play_goes_on_from_a_backup(archiving: Stack, tmp_path: Path) -> None:
    """Base backup, more play, the disaster, the instant; the logs hold, and the open coup ends."""
    stack = archiving
    path = written(tmp_path, "table", short_table())
    kept, lost = fresh("kept"), fresh("lost")
    async with Services(stack.targets) as services:
        desk = Desk(services, fresh("open"))
        await desk.open("nsw-mini", mode="TEST")
        await asyncio.to_thread(back_up, stack)
        await played(stack, path, kept)
        await _staked(desk)
        await quiet(stack)
        counts, money = await event_counts(stack, ""), await balances(stack, kept)
        at = await archived(stack)
        await played(stack, path, lost)
        await desk.wager("w2", "a", "TIE", 500)
        await archived(stack)

    for name in stack.services:
        stack.kill_service(name)
    stack.crash_postgres()
    shutil.rmtree(stack.postgres.data)
    await restore(stack, at)
    await asyncio.to_thread(stack.wipe_broker)
    for name in stack.services:
        await asyncio.to_thread(stack.start_service, name)

    assert await event_counts(stack, "") == counts
    assert await balances(stack, kept) == money
    assert not any((await event_counts(stack, lost)).values())
    for command in (("verify",), ("rebuild", "--all")):
        done = await asyncio.to_thread(sabot, stack, *command)
        assert done.returncode == 0, done.stdout + done.stderr

    async with Services(stack.targets) as services:
        desk = Desk(services, desk.table_id)
        await desk.act("round", "CallNoMoreBets", DEALER, command_id=fresh("after"))
        await desk.act("round", "DealCoup", DEALER, command_id=fresh("after"))
        await desk.coup_over()
    settled = "select count(*) from events where stream_id = $1 and type = 'wager-settled'"
    assert await value(stack, "settlement", settled, desk.table_id) == 1
    assert await played(stack, path, lost) == replayed(path)


async def _staked(desk: Desk) -> None:
    """A coup with betting open and one wager in its book."""
    order = ["2S", "7H", "4C", "3D", "KH", "2D", "4S", "5C", "9D", "JC", "6S", "8H"]
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=f"{desk.table_id}-1",
        source="PRESET",
        order=order,
        partial=True,
        stands_for_preparation=True,
    )
    await desk.waits_for("")
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
    await desk.fund("a", 10_000)
    answer = await desk.wager("w1", "a", "BANKER", 2_000)
    assert answer.status == "ACCEPTED"
