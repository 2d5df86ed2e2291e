"""`sabot play`: send table logs through the running services, and print what came of them.

Each line is sent and waited for: only when nothing moves any more, in any service, is the next one
sent. That makes the output the same as `replay`'s, and slow; a live table never waits like this.
Several logs are several tables, and play at the same time; their lines are printed log by log.
Standard error tells the name of the run, and every few seconds how far it is.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import IO, Final

import msgspec

from services.tablelog.calls import Services
from services.tablelog.played import Say, play
from services.tablelog.progress import Progress
from services.tablelog.reader import Malformed
from services.tablelog.render import OutLine
from services.tablelog.rest import Stalled
from services.tablelog.steps import Unsupported

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_MALFORMED: Final = 2

TABLES_AT_ONCE: Final = 4
"""Most of a line's time is waiting for messages to arrive; other tables may use it."""

LINES_WAITING_MAX: Final = 10_000
"""Output lines of a log that wait for those of the logs before it; then its table waits too."""

Printed = OutLine | Exception | None
"""A line, or how its log ended: badly, or at its end."""


def main(files: Sequence[str], out: IO[str], err: IO[str], *, run: str | None) -> int:
    """Play every file; output lines carry `file` where there are several."""
    return asyncio.run(_main(files, out, err, run))


async def _main(files: Sequence[str], out: IO[str], err: IO[str], run: str | None) -> int:
    name = run or secrets.token_hex(4)

    def say(text: str) -> None:
        err.write(f"{text}\n")
        err.flush()

    say(f"run {name}")
    encode = msgspec.json.Encoder().encode
    async with Services.named() as services, _playing(services, files, name, say) as logs:
        for file, lines in zip(files, logs, strict=True):
            tag = {"file": file} if len(files) > 1 else {}
            while (printed := await lines.get()) is not None:
                if isinstance(printed, Exception):
                    return _failed(file, printed, say)
                out.write(encode({**printed, **tag}).decode() + "\n")
                if lines.empty():
                    out.flush()
    return EXIT_OK


def _failed(file: str, error: Exception, say: Say) -> int:
    if isinstance(error, Malformed):
        say(str(error))
        return EXIT_MALFORMED
    if isinstance(error, Unsupported | Stalled):
        say(f"{file}: {error}")
        return EXIT_FAILED
    raise error


@asynccontextmanager
async def _playing(
    services: Services, files: Sequence[str], run: str, say: Say
) -> AsyncIterator[list[asyncio.Queue[Printed]]]:
    """Play the logs in the background, some at a time and the first ones first."""
    gate = asyncio.Semaphore(TABLES_AT_ONCE)
    passed = Progress(files, say).passed

    async def one(number: int, file: str, lines: asyncio.Queue[Printed]) -> None:
        end: Exception | None = None
        tell = say if len(files) == 1 else lambda text: say(f"{file}: {text}")
        try:
            async with gate:
                async for line in play(
                    services, file, run=run, number=number, say=tell, passed=passed
                ):
                    await lines.put(line)
        except Exception as error:  # noqa: BLE001 - it is raised when its turn to be printed comes
            end = error
        await lines.put(end)

    queues: list[asyncio.Queue[Printed]] = [asyncio.Queue(LINES_WAITING_MAX) for _ in files]
    tasks = [
        asyncio.create_task(one(number, file, lines))
        for number, (file, lines) in enumerate(zip(files, queues, strict=True), start=1)
    ]
    try:
        yield queues
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
