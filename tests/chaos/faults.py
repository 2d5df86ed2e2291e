"""The faults. Each strikes while tables play, and returns the instant from which recovery counts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import asyncpg

from services.chassis.topics import topic
from services.devstack.brokers import SERVICES, BrokerKind
from services.devstack.postgres import shared_temporary_directory
from services.tablelog.calls import Services
from tests.chaos.calls import Breach
from tests.chaos.floor import Floor
from tests.chaos.launched import CHANGED
from tests.chaos.stack import ChaosStack
from tests.e2e.forging import listening

RANDOM_MOMENT_S = 0.0, 0.6
LASTS_S = 2.0
"""How long what lasts lasts: a slow or a full database, a wrong clock."""

SLOW_S = 0.1
STEPS_S = 4.0, -6.0, 0.0
POINT_S_MAX = 20.0
POLL_S = 0.002
FROZEN_S, THAWED_S = 1.0, 0.05
SPARE_BYTES = 16 << 20
"""Room that a small disk has beside the log that is moved there."""


class NotHere(Exception):
    """This machine does not allow the fault; says why."""


@dataclass
class Scene:
    """What a fault works on."""

    stack: ChaosStack
    floor: Floor
    ways: list[Services]
    random: Random
    channels: contextlib.AsyncExitStack

    def service(self, *names: str) -> str:
        return self.random.choice(names or SERVICES)

    async def moment(self) -> None:
        """Let a random time pass."""
        await asyncio.sleep(self.random.uniform(*RANDOM_MOMENT_S))

    async def start(self, name: str) -> None:
        try:
            await asyncio.to_thread(self.stack.start_service, name)
        except (RuntimeError, TimeoutError) as error:
            raise Breach(f"{name} does not start: {error}") from error

    async def restart(self, name: str) -> None:
        """In order, as a deployment does; a service that does not end well is a breach."""
        in_order = await asyncio.to_thread(self.stack.stop_service, name)
        process = self.stack.services[name].process
        if not in_order or process is None or process.exit_code != 0:
            raise Breach(f"{name} does not stop in order: {self.stack.services[name].log_tail()}")
        await self.start(name)

    @contextlib.asynccontextmanager
    async def database(self, service: str) -> AsyncIterator[Any]:
        connection = await asyncpg.connect(self.stack.database_url(service))
        try:
            yield connection
        finally:
            await connection.close()

    async def until(self, so: Callable[[], Awaitable[bool]], what: str) -> None:
        deadline = time.monotonic() + POINT_S_MAX
        while not await so():
            self.floor.fallen()
            if time.monotonic() > deadline:
                raise Breach(f"not within {POINT_S_MAX:g} s: {what}")
            await asyncio.sleep(POLL_S)


async def nothing(_: Scene) -> float:
    """For comparison: what a coup takes when nothing happens."""
    return time.monotonic()


def killed(name: str) -> Fault:
    async def fault(scene: Scene) -> float:
        """`kill -9` at a random moment, and a start."""
        await scene.moment()
        struck = time.monotonic()
        scene.stack.kill_service(name)
        await scene.start(name)
        return struck

    return fault


async def killed_in_a_transaction(scene: Scene) -> float:
    """`kill -9` of a service whose transaction has begun and cannot go on: the log is held."""
    name = scene.service()
    async with scene.database(name) as holder, scene.database(name) as looker:
        waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and state = 'active'"

        async def waiting() -> bool:
            return bool(await looker.fetchval(f"{waits} and datname = current_database()"))

        async with holder.transaction():
            await holder.execute("select position from log_head for update")
            await scene.until(waiting, f"{name} to be in a transaction")
            struck = time.monotonic()
            scene.stack.kill_service(name)
    await scene.start(name)
    return struck


async def killed_before_it_hears_of_its_commit(scene: Scene) -> float:
    """`kill -9` of a service that has committed, and neither knows it nor has told anybody."""
    name = scene.service()
    proxy = scene.stack.proxy_of[name]
    async with scene.database(name) as looker:
        before = await looker.fetchval("select position from log_head")

        async def committed() -> bool:
            return bool(await looker.fetchval("select position from log_head") > before)

        await asyncio.to_thread(proxy.mute, silent=True)
        try:
            await _commits(scene, name, committed, proxy)
            struck = time.monotonic()
            scene.stack.kill_service(name)
            await asyncio.to_thread(proxy.cut)
        finally:
            await asyncio.to_thread(proxy.mute, silent=False)
    await scene.start(name)
    return struck


async def _commits(scene: Scene, name: str, committed: Any, proxy: Any) -> None:
    """Let single answers through until a commit has happened whose own answer has not."""

    async def nearer() -> bool:
        if await committed():
            return True
        await asyncio.to_thread(proxy.mute, silent=False)
        await asyncio.sleep(POLL_S)
        await asyncio.to_thread(proxy.mute, silent=True)
        await asyncio.sleep(POLL_S * 5)
        return False

    await scene.until(nearer, f"a commit of {name}")


async def killed_between_commit_and_publish(scene: Scene) -> float:
    """`kill -9` of a service whose events are committed and not published: the broker is frozen."""
    name = scene.service()
    broker = scene.stack.broker.process
    assert broker is not None, "it runs"
    async with scene.database(name) as looker:
        gap = "select (select position from log_head) - position from checkpoints where name = $1"

        async def unpublished() -> bool:
            return bool(await looker.fetchval(gap, f"relay:{topic(name)}"))

        async def nearer() -> bool:
            broker.send(signal.SIGSTOP)
            thaw = time.monotonic() + FROZEN_S
            while time.monotonic() < thaw:
                if await unpublished():
                    return True
                await asyncio.sleep(POLL_S)
            # Whoever would commit next waits for what others said: let them hear it.
            broker.send(signal.SIGCONT)
            await asyncio.sleep(THAWED_S)
            return False

        try:
            await scene.until(nearer, f"{name} to have something to publish")
            struck = time.monotonic()
            scene.stack.kill_service(name)
        finally:
            broker.send(signal.SIGCONT)
    await scene.start(name)
    return struck


async def postgres_killed(scene: Scene) -> float:
    """`kill -9` of PostgreSQL's first process, and a start that recovers from its log."""
    await scene.moment()
    struck = time.monotonic()
    await asyncio.to_thread(scene.stack.kill_postgres)
    await asyncio.to_thread(scene.stack.start_postgres)
    return struck


async def broker_killed(scene: Scene) -> float:
    """`kill -9` of the broker, and a start."""
    await scene.moment()
    struck = time.monotonic()
    await asyncio.to_thread(scene.stack.kill_broker)
    await asyncio.to_thread(scene.stack.start_broker)
    return struck


async def broker_emptied(scene: Scene) -> float:
    """The broker loses all records and offsets; the relays publish their logs again."""
    await scene.moment()
    struck = time.monotonic()
    await asyncio.to_thread(scene.stack.wipe_broker)
    return struck


async def second_process(scene: Scene) -> float:
    """A second process joins the consumer group, takes calls as well, and leaves in the middle."""
    if scene.stack.choice.kind is BrokerKind.EMBEDDED:
        raise NotHere("the embedded broker never gives up a member that is silent")
    name = scene.service()
    second = await asyncio.to_thread(scene.stack.second, name)
    assert second.process is not None, "it was started"
    # A channel that is closed would cancel who waits on it: it stays open to the end.
    way = await scene.channels.enter_async_context(
        Services({**scene.stack.targets, name: second.target})
    )
    try:
        scene.ways.append(way)
        await scene.floor.coups(len(scene.floor.tables))
        await scene.moment()
        struck = time.monotonic()
        scene.ways.remove(way)
        if scene.random.random() < 0.5:
            second.process.kill()
        elif not await asyncio.to_thread(second.process.stop):
            raise Breach(f"the second {name} does not stop: {second.log_tail()}")
    finally:
        second.process.kill()
    return struck


async def database_slow(scene: Scene) -> float:
    """Every packet between a service and its database takes a tenth of a second."""
    proxy = scene.stack.proxy_of[scene.service()]
    proxy.delay_s = SLOW_S
    try:
        await asyncio.sleep(LASTS_S)
    finally:
        proxy.delay_s = 0.0
    return time.monotonic()


async def database_cut(scene: Scene) -> float:
    """All connections of a service to its database break, whatever is under way on them."""
    await scene.moment()
    struck = time.monotonic()
    await asyncio.to_thread(scene.stack.proxy_of[scene.service()].cut)
    return struck


async def disk_full(scene: Scene) -> float:
    """The disk with a service's log has no byte left; then it has again.

    The log moves to a small file system for as long as it lasts. PostgreSQL's own log stays where
    it is: where that has no room, PostgreSQL ends, which is the fault `postgres killed`.
    """
    name = scene.service()
    async with scene.database(name) as owner:
        stored = await owner.fetchval("select pg_table_size('events')")
        with _small_disk(scene.stack, stored + SPARE_BYTES) as folder:
            await owner.execute(f"create tablespace small location '{folder}'")
            filler = folder / "filler"
            try:
                await _moved(owner, "small")
                _fill(filler)
                await asyncio.sleep(LASTS_S)
                freed = time.monotonic()
            finally:
                filler.unlink(missing_ok=True)
                await _moved(owner, "pg_default")
                await owner.execute("drop tablespace small")
    return freed


async def _moved(connection: Any, tablespace: str) -> None:
    """Move the log; its lock comes when a moment between two transactions is free."""
    await connection.execute("set lock_timeout = '10s'")
    await connection.execute(f"alter table events set tablespace {tablespace}")


@contextlib.contextmanager
def _small_disk(stack: ChaosStack, size: int) -> Any:
    """A file system of so many bytes, which takes an administrator of the machine."""
    if os.geteuid() != 0:
        raise NotHere("a small disk is mounted by root only")
    account = stack.postgres._account
    root = Path(tempfile.mkdtemp(prefix="sabot-disk-", dir=shared_temporary_directory(account)))
    mount = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(root)),
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if mount.returncode != 0:
        root.rmdir()
        raise NotHere(f"this machine mounts no file system: {mount.stderr.strip()}")
    try:
        root.chmod(0o700)
        if account is not None:
            os.chown(root, account.uid, account.gid)
        yield root
    finally:
        subprocess.run(("umount", "-l", str(root)), check=True)
        root.rmdir()


def _fill(file: Path) -> None:
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as filler:
        while True:
            filler.write(b"\0" * 4096)


async def clock_steps(scene: Scene) -> float:
    """The wall clock of a service jumps ahead, back and right again while it works."""
    name = scene.service()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "seconds"
        file.write_text("0")
        scene.stack.with_clock(name, file)
        await scene.restart(name)
        for seconds in STEPS_S:
            working = file.with_suffix(".new")
            working.write_text(f"{seconds}")
            working.replace(file)
            stepped = time.monotonic()
            await scene.floor.coups(2)
        scene.stack.with_clock(name, None)
        await scene.restart(name)
    return stepped


async def rolling_restart(scene: Scene) -> float:
    """Every service is told to stop and started again, one after another, under load."""
    struck = time.monotonic()
    for name in scene.random.sample(SERVICES, len(SERVICES)):
        await scene.restart(name)
    return struck


async def newer_event_version(scene: Scene) -> float:
    """A writer is deployed before its readers: its tables wait there, and go on with their release."""
    stack = scene.stack
    writer = scene.service(*CHANGED)
    stack.versions[writer] = stack.versions.get(writer, 1) + 1
    readers = listening(writer, CHANGED[writer])
    stack.of_later_release(writer)
    await scene.restart(writer)
    for name in readers:
        async with scene.database(name) as looker:

            async def parked(connection: Any = looker) -> bool:
                query = "select count(*) from parked where starts_with(reason, 'NewerVersion')"
                return bool(await connection.fetchval(query))

            await scene.until(parked, f"{name} to wait for its release")
    struck = time.monotonic()
    for name in SERVICES:
        if name != writer:
            stack.of_later_release(name)
            await scene.restart(name)
    return struck


Fault = Callable[[Scene], Awaitable[float]]

FAULTS: dict[str, Fault] = {
    "no fault": nothing,
    **{f"{name} killed": killed(name) for name in SERVICES},
    "killed in a transaction": killed_in_a_transaction,
    "killed before it hears of its commit": killed_before_it_hears_of_its_commit,
    "killed between commit and publish": killed_between_commit_and_publish,
    "PostgreSQL killed": postgres_killed,
    "broker killed": broker_killed,
    "broker emptied": broker_emptied,
    "second process comes and goes": second_process,
    "database slow": database_slow,
    "database connections cut": database_cut,
    "disk full": disk_full,
    "clock steps": clock_steps,
    "rolling restart": rolling_restart,
    "newer event version": newer_event_version,
}
