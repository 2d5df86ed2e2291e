"""`sabot verify` and `sabot anchor`: prove that the logs are what they were, and sign what they are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn

from services.audit import anchors as anchoring
from services.audit import verify as verifying
from services.audit.findings import Finding, Kind
from services.audit.logs import PostgresLog
from services.cli.console import print_table
from services.cli.errors import CommandFailed, WrongUse
from services.cli.local import database_url, use_local_stack
from services.tablelog.render import SERVICES

HEADERS: Final = ("service", "events", "heard and compared", "anchored up to", "findings")
MICROSECONDS: Final = 1_000_000


def verify(book: Path | None, keys: Sequence[Path], out: TextIO, err: TextIO) -> int:
    """Check all logs; 1 where anything was found. Each finding is one line, the table comes last."""
    if (book is None) != (not keys):
        raise WrongUse(
            "a book of anchors is read with the public keys that count: --book and --key"
        )
    return asyncio.run(_verify(book, keys, out, err))


def new_key(file: Path, out: TextIO) -> int:
    """Make the pair of keys that sign anchors and prove them."""
    try:
        public = anchoring.new_key(file)
    except FileExistsError as error:
        raise WrongUse(f"{error.filename}: is there already, and no key is ever replaced") from None
    out.write(f"private key  {file}\npublic key   {public}\n")
    return 0


def anchor(
    key: Path, book: Path, every: int, out: TextIO, err: TextIO, *, earlier: Sequence[Path] = ()
) -> int:
    """Sign how the logs went on; 1 where a log does not fit what was anchored before.

    `earlier` are the public keys with which the book was written before a change of keys.
    """
    return asyncio.run(_anchor(key, book, every, out, err, earlier))


async def _verify(book: Path | None, keys: Sequence[Path], out: TextIO, err: TextIO) -> int:
    summaries: list[verifying.Summary] = []
    findings = 0
    known: list[anchoring.Anchor] = []
    if book is not None:
        try:
            known = anchoring.read_book(book, anchoring.public_keys(keys))
        except anchoring.BookFault as fault:
            findings += 1
            known = list(fault.good)
            out.write(f"{Finding(Kind.BOOK, 'anchors', 0, '', str(fault))}\n")
        except anchoring.KeyFault as fault:
            raise WrongUse(str(fault)) from None
    async with _logs() as logs:
        with _Bars(err) as shown:
            async for found in verifying.verify(logs, known, progress=shown.told):
                if isinstance(found, verifying.Summary):
                    summaries.append(found)
                else:
                    findings += 1
                    out.write(f"{found}\n")
    print_table(
        out,
        HEADERS,
        [
            (
                each.service,
                f"{each.events:,}",
                f"{each.heard:,}",
                _anchored(each, book),
                f"{each.findings:,}",
            )
            for each in summaries
        ],
    )
    return 1 if findings else 0


def _anchored(summary: verifying.Summary, book: Path | None) -> str:
    return "-" if book is None else f"{summary.anchored:,}"


async def _anchor(  # noqa: PLR0917 - in the order of the command's options
    key: Path, book: Path, every: int, out: TextIO, err: TextIO, earlier: Sequence[Path]
) -> int:
    try:
        private = anchoring.private_key(key)
        public = private.public_key()
        counting = {**anchoring.public_keys(earlier), anchoring.key_id(public): public}
        writer = anchoring.BookWriter(book, private)
    except (anchoring.KeyFault, anchoring.BookFault) as fault:
        raise WrongUse(str(fault)) from None
    refused = 0
    try:
        known = anchoring.read_book(book, counting)
        async with _logs() as logs:
            with _Bars(err) as shown:
                for service, log in logs.items():
                    try:
                        written = await verifying.anchor_log(
                            service,
                            log,
                            writer,
                            known,
                            every=every,
                            now_us=lambda: int(time.time() * MICROSECONDS),
                            progress=shown.told,
                        )
                    except verifying.Refused as fault:
                        refused += 1
                        out.write(f"not anchored: {fault}\n")
                    else:
                        anchors = "1 anchor" if written == 1 else f"{written} anchors"
                        out.write(f"{service}: {anchors} written\n")
    except anchoring.BookFault as fault:
        raise CommandFailed(str(fault)) from None
    finally:
        writer.close()
    return 1 if refused else 0


@asynccontextmanager
async def _logs() -> AsyncIterator[dict[str, PostgresLog]]:
    """The logs of all services, from SABOT_<SERVICE>_DATABASE_URL, its file, or the local stack."""
    use_local_stack()
    names = {service: f"SABOT_{service.upper()}_DATABASE_URL" for service in SERVICES}
    addresses = {service: database_url(name) for service, name in names.items()}
    if missing := [names[service] for service, address in addresses.items() if not address]:
        raise WrongUse(f"no logs: {', '.join(missing)} not set and no local stack runs (make up)")
    async with AsyncExitStack() as stack:
        logs = {}
        for service, address in addresses.items():
            log = await PostgresLog.open(service, address)
            stack.push_async_callback(log.close)
            logs[service] = log
        yield logs


class _Bars:
    """Bars on a terminal; nothing where nobody watches."""

    def __init__(self, err: TextIO) -> None:
        console = Console(file=err)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
        self.bar = Progress(*columns, console=console, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def told(self, service: str, position: int, end: int) -> None:
        task = self._tasks.get(service)
        if task is None:
            task = self._tasks[service] = self.bar.add_task(service, total=end)
        self.bar.update(task, completed=position, total=end)
