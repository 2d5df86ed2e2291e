"""`sabot play`: send table logs through the running services, and print what came of them.

Each line is sent and waited for: only when nothing moves any more, in any service, is the next one
sent. That makes the output the same as `replay`'s, and slow; a live table never waits like this.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from typing import IO, Any, Final

import grpc
import msgspec
from msgspec.structs import replace

from services.contracts.core import SYSTEM, Refused
from services.round.commands import AdvanceTime, CloseTable
from services.tablelog import lines as log
from services.tablelog.calls import Reading, Services
from services.tablelog.chains import behind
from services.tablelog.lines import Line
from services.tablelog.reader import Malformed, read
from services.tablelog.render import SERVICES, OutLine, Renderer, Told
from services.tablelog.steps import ROUND, Step, Unsupported, steps
from services.tablelog.targets import targets

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_MALFORMED: Final = 2
NAMESPACE: Final = uuid.UUID("5f1c0a0e-6a55-4b3a-8f0e-1d3c7a1f9b42")
"""Command ids are UUIDv5 in this namespace."""

POLL_S: Final = 0.003
POLL_S_MAX: Final = 0.1
STALL_REPORT_S: Final = 5.0
"""How long `play` waits in silence; then it says what it waits for."""

STALL_S_MAX: Final = 120.0
RETRY_PAUSE_S: Final = 0.2

HEARS: Final = {
    "shoe": ("round",),
    "round": ("shoe", "wager", "settlement"),
    "wager": ("round",),
    "settlement": ("shoe", "round", "wager"),
}

AWAY: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


class Stalled(Exception):
    """The services do not come to rest, or a table is parked."""


def main(files: Sequence[str], out: IO[str], err: IO[str], *, run: str | None) -> int:
    """Play every file; output lines carry `file` where there are several."""
    return asyncio.run(_main(files, out, err, run))


async def _main(files: Sequence[str], out: IO[str], err: IO[str], run: str | None) -> int:
    name = run or secrets.token_hex(4)
    err.write(f"run {name}\n")
    err.flush()
    encode = msgspec.json.Encoder().encode
    async with Services(targets()) as services:
        for number, file in enumerate(files, start=1):
            tag = {"file": file} if len(files) > 1 else {}
            try:
                async for line in play(services, file, run=name, number=number, say=err.write):
                    out.write(encode({**line, **tag}).decode() + "\n")
                    out.flush()
            except Malformed as error:
                err.write(f"{error}\n")
                return EXIT_MALFORMED
            except (Unsupported, Stalled) as error:
                err.write(f"{file}: {error}\n")
                return EXIT_FAILED
    return EXIT_OK


async def play(
    services: Services, path: str, *, run: str, number: int, say: Callable[[str], Any]
) -> AsyncIterator[OutLine]:
    """The output lines of one table log. Raises `Malformed` and `Stalled`."""
    table = PlayedTable(services, run=run, number=number, say=say)
    renderer = Renderer(prefix=table.prefix)
    try:
        for line in read(path):
            refused, told = await table.line(line)
            extra: dict[str, Any] = {"id": line.id} if isinstance(line, log.Wager) else {}
            for out in renderer.line(line.number, line.do, refused, told, **extra):
                yield out
        yield renderer.summary()
    finally:
        await table.leave()


class PlayedTable:
    """One table log on its way through the services."""

    def __init__(
        self, services: Services, *, run: str, number: int, say: Callable[[str], Any]
    ) -> None:
        self.prefix = f"{run}.{number}."
        self.table_id = ""
        self._run = f"{run}/{number}"
        self._services = services
        self._say = say
        self._open = False
        self._currency = "EUR"
        self._at_us = 0

    async def line(self, line: Line) -> tuple[Refused | None, list[Told]]:
        """One line: first the timers that are due by its time, then what it says."""
        self._at_us = line.at_us
        told: list[Told] = []
        if self._open:
            clock = Step(ROUND, AdvanceTime(at_us=line.at_us, by=SYSTEM))
            _, told = await self._step(clock, line.number, 0)
        elif isinstance(line, log.OpenTable):
            self.table_id = self.prefix + line.table
            self._currency = line.currency
        try:
            commands = steps(prefixed(line, self.prefix), self.table_id)
        except Refused as no:
            return no, told
        if isinstance(line, log.Wager) and line.amount > 0:
            await self._fund(line)
        for number, step in enumerate(commands, start=1):
            refused, caused = await self._step(step, line.number, number)
            told = behind(told, caused)
            if refused is not None:
                return refused, told
        self._open = self._open or isinstance(line, log.OpenTable)
        return None, told

    async def leave(self) -> None:
        """Close the table that the log leaves behind; nothing of it is printed."""
        if not self._open:
            return
        close = CloseTable(at_us=self._at_us, by=SYSTEM)
        await self._send(Step(ROUND, close), self._command_id(0, 0))

    async def _fund(self, line: log.Wager) -> None:
        await self._insist(
            lambda: self._services.fund(
                f"fund/{self._run}/{line.number}",
                self.prefix + line.player,
                line.currency or self._currency,
                line.amount,
            )
        )

    def _command_id(self, line: int, step: int) -> str:
        return str(uuid.uuid5(NAMESPACE, f"{self._run}/{line}/{step}"))

    async def _step(self, step: Step, line: int, number: int) -> tuple[Refused | None, list[Told]]:
        command_id = self._command_id(line, number)
        refused = await self._send(step, command_id)
        told = await self._insist(lambda: self._services.told(self.table_id, [command_id]))
        if not told:
            return refused, []
        await self._rest()
        return refused, await self._insist(lambda: self._services.told(self.table_id, [command_id]))

    async def _send(self, step: Step, command_id: str) -> Refused | None:
        answered = await self._insist(
            lambda: self._services.send(
                step.service,
                step.command,
                table_id=self.table_id,
                command_id=command_id,
                order=step.order,
            )
        )
        return answered.refused

    async def _insist(self, call: Callable[[], Any]) -> Any:
        """Call again while the service is away; every call here may be repeated."""
        began = time.monotonic()
        said = False
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                waited = time.monotonic() - began
                if error.code() not in AWAY or waited > STALL_S_MAX:
                    raise Stalled(f"{error.code().name}: {error.details()}") from error
                if waited > STALL_REPORT_S and not said:
                    said = True
                    self._say(f"waiting: {error.details()}\n")
                await asyncio.sleep(RETRY_PAUSE_S)

    async def _rest(self) -> None:
        """Wait until, over two successive readings, nothing moved and nothing is open."""
        began = time.monotonic()
        reported = began
        pause = POLL_S
        before: dict[str, Reading] | None = None
        while True:
            now = await self._insist(lambda: self._services.progress(self.table_id))
            parked = [f"{name}: {why}" for name in SERVICES for why in now[name].parked]
            if parked:
                raise Stalled(f"parked: {'; '.join(parked)}")
            open_now = unrest(now)
            if not open_now and now == before:
                return
            moved = now != before
            before = now
            if moved:
                pause = POLL_S
                began = reported = time.monotonic()
            elif open_now and time.monotonic() - reported > STALL_REPORT_S:
                reported = time.monotonic()
                self._say(f"waiting: {'; '.join(open_now)}\n")
                if reported - began > STALL_S_MAX:
                    raise Stalled("; ".join(open_now))
            if open_now:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, POLL_S_MAX)


def unrest(readings: dict[str, Reading]) -> list[str]:
    """What is still on its way, as sentences; empty when all have caught up."""
    found: list[str] = []
    for name, upstreams in HEARS.items():
        for upstream in upstreams:
            published = readings[upstream].published_position
            handled = readings[name].handled.get(upstream, 0)
            if handled < published:
                found.append(
                    f"{name} has handled {upstream} up to {handled} of {published}"
                    f" (does the relay of {upstream} run, does {name} hear?)"
                )
        if readings[name].open_wallet_movements:
            found.append(f"{name} has {readings[name].open_wallet_movements} open wallet movements")
    return found


def prefixed(line: Line, prefix: str) -> Line:
    """The line with the names in it that must not meet those of another run."""
    changes = {
        name: prefix + value
        for name in ("player", "shoe", "token")
        if isinstance(value := getattr(line, name, None), str)
    }
    return replace(line, **changes) if changes else line
