"""The log beside the library eventsourcing: the same work, on the same PostgreSQL, in the same rounds."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from services.chassis import migrations, postgres
from services.chassis.registry import decode_meta
from services.devstack.stack import Stack
from services.devstack.state import CHECKOUT
from services.wager import domain
from services.wager.main import DEFINITION
from tests.bench.figures import Goal, Row
from tests.bench.growing import READ_ROWS, REGISTRY, _append
from tests.bench.settling import _database

LIBRARY: Final = "eventsourcing[postgres]==9.5.6"
ENVIRONMENT: Final = CHECKOUT / "build" / "eventsourcing"
INSTALL_S_MAX: Final = 120
WORK_S_MAX: Final = 120
STREAMS: Final = 400
STREAM_EVENTS: Final = 5
LOADS: Final = 800
WORKS: Final = {
    "append": f"events appended, {STREAM_EVENTS} a commit, one commit after the other",
    "load": f"streams of {STREAM_EVENTS} events loaded and folded",
    "replay": "events of the whole log read as objects",
}


def installed(say: Callable[[str], None]) -> Path | None:
    """The Python that has the library; it is installed where it is missing, and None where it cannot be."""
    python = ENVIRONMENT / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    for command in (
        (uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, ENVIRONMENT),
        (uv, "pip", "install", "--quiet", "--python", python, LIBRARY),
    ):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_S_MAX)
        except (OSError, subprocess.SubprocessError) as error:
            said = getattr(error, "stderr", None) or b""
            say(f"no rows beside {LIBRARY}, it cannot be installed: {error} {said.decode()}")
            return None
    return python


async def measure(stack: Stack, rounds: int, python: Path) -> list[Row]:
    """Ours and theirs in turn. Their log is a database of its own."""
    dsn = await _database(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=2)
    beside = _environment(await _database(stack))
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    try:
        store = postgres.PostgresStore(domain.SERVICE, pool)
        for _ in range(rounds):
            ours.append(await _ours(store))
            theirs.append(await asyncio.to_thread(_theirs, python, beside))
    finally:
        await pool.close()
    return [
        Row(
            name="G12",
            what=what,
            unit="/s",
            rates=tuple(each[work] for each in ours),
            beside=f"{LIBRARY}, the same work",
            beside_rates=tuple(each[work] for each in theirs),
            goal=Goal(2, 4, 8),
        )
        for work, what in WORKS.items()
    ]


async def _ours(store: postgres.PostgresStore) -> dict[str, float]:
    streams = [f"peer-{uuid.uuid4()}" for _ in range(STREAMS)]
    told: dict[str, float] = {}
    began = time.perf_counter()
    for stream in streams:
        await _append(store, stream, STREAM_EVENTS)
    told["append"] = STREAMS * STREAM_EVENTS / (time.perf_counter() - began)
    began = time.perf_counter()
    for number in range(LOADS):
        state = domain.initial_state()
        records = await store.read_stream(
            streams[number % STREAMS], after_version=0, limit=STREAM_EVENTS
        )
        assert len(records) == STREAM_EVENTS
        for record in records:
            event = REGISTRY.decode(record.type, record.schema_version, record.body)
            state = domain.evolve(state, event)
    told["load"] = LOADS / (time.perf_counter() - began)
    began = time.perf_counter()
    told["replay"] = await _replayed(store) / (time.perf_counter() - began)
    return told


async def _replayed(store: postgres.PostgresStore) -> int:
    """Every event of the log with its envelope, as objects."""
    # A new store has nothing of the log in its memory.
    reader = postgres.PostgresStore(domain.SERVICE, store.pool)
    count, after = 0, 0
    while records := await reader.read_log(after_position=after, limit=READ_ROWS):
        for record in records:
            decode_meta(record.meta)
            REGISTRY.decode(record.type, record.schema_version, record.body)
        count += len(records)
        after = records[-1].position
    return count


def _theirs(python: Path, environment: dict[str, str]) -> dict[str, float]:
    program = Path(__file__).with_name("peer.py")
    result = subprocess.run(
        (python, "-I", program, str(STREAMS), str(LOADS)),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=WORK_S_MAX,
        env=environment,
    )
    told: dict[str, float] = json.loads(result.stdout)
    return told


def _environment(dsn: str) -> dict[str, str]:
    """What the library wants to know of a database."""
    address = urlsplit(dsn)
    return {
        **os.environ,
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": address.path.removeprefix("/"),
        "POSTGRES_HOST": address.hostname or "",
        "POSTGRES_PORT": str(address.port),
        "POSTGRES_USER": address.username or "",
        "POSTGRES_PASSWORD": address.password or "none",
    }
