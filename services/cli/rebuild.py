"""`sabot rebuild`: one coup from the log with its story, or every coup beside its projection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import IO, Any, Final, NoReturn

import grpc
import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.cli.errors import DONE, FAILED, CommandFailed, WrongUse
from services.cli.local import use_local_stack
from services.cli.telling import story_lines
from services.settlement.rebuild import Evidence
from services.tablelog.calls import Services

REBUILD_DEADLINE_S: Final = 600.0
COUP_DEADLINE_S: Final = 60.0
PAGE_COUPS: Final = 200
AT_ONCE: Final = 4
"""How many coups are rebuilt at the same time: the services have tables to serve beside it."""

EXAMPLES: Final = 5
NOT_REACHED: Final = "has not reached"
"""A projection that is still on its way to the coup's last event is asked again."""

REACH_S_MAX: Final = 10.0
REACH_POLL_S: Final = 0.1
DIGEST_SHOWN: Final = 16


def main(coup: str | None, out: IO[str], err: IO[str]) -> int:
    """Rebuild one coup, or every coup where none is named; 1 where something differs."""
    use_local_stack()
    if coup is None:
        return asyncio.run(_all(out, err))
    return asyncio.run(_one(coup, out))


async def _one(coup_id: str, out: IO[str]) -> int:
    async with Services.named() as services:
        try:
            answer = await _rebuilt(services, coup_id)
        except grpc.aio.AioRpcError as error:
            await _explain(services, coup_id, error)
    evidence = msgspec.json.decode(answer.evidence, type=Evidence)
    for line in story_lines(evidence):
        out.write(line + "\n")
    out.write(f"digest    {answer.digest}\n")
    for difference in answer.differences:
        out.write(f"DIFFERS   {difference}\n")
    if answer.matches:
        out.write("the log, the cards and the projection agree\n")
    return DONE if answer.matches else FAILED


async def _rebuilt(services: Services, coup_id: str) -> Any:
    """The coup from the log, compared with a projection that has heard of all of it."""
    deadline = time.monotonic() + REACH_S_MAX
    while True:
        answer = await services.stub("settlement").RebuildCoup(
            pb.RebuildCoupRequest(coup_id=coup_id), timeout=COUP_DEADLINE_S
        )
        behind = any(NOT_REACHED in difference for difference in answer.differences)
        if not behind or time.monotonic() > deadline:
            return answer
        await asyncio.sleep(REACH_POLL_S)


async def _explain(services: Services, coup_id: str, error: grpc.aio.AioRpcError) -> NoReturn:
    """Raise what a person can do about an id that there is no coup of."""
    unknown = error.code() is grpc.StatusCode.NOT_FOUND
    if not unknown and error.code() is not grpc.StatusCode.INVALID_ARGUMENT:
        raise CommandFailed(f"settlement does not answer: {error.details()}") from error
    table_id = coup_id.rsplit(":", 2)[0] if unknown else ""
    there = await _examples(services, table_id) or await _examples(services, "")
    listed = f"there are, for example: {', '.join(there)}" if there else "there are no coups yet"
    what = f"there is no coup {coup_id}" if unknown else f"{coup_id!r} is no coup's id"
    told = (
        f"{what}; {listed}\n"
        "An id is TABLE:OPENING:NUMBER, from the table's own events or from ListCoups; a table that "
        "was played\nfrom a log is named RUN.FILE.TABLE, with the run that `sabot play` printed."
    )
    raise (CommandFailed(told) if unknown else WrongUse(told)) from error


async def _examples(services: Services, table_id: str) -> list[str]:
    request = pb.ListCoupsRequest(table_id=table_id, page_size=EXAMPLES)
    answer = await services.stub("settlement").ListCoups(request, timeout=COUP_DEADLINE_S)
    return [coup.coup_id for coup in answer.coups]


async def _all(out: IO[str], err: IO[str]) -> int:
    """Compare every coup with its projection, then fold the projections again."""
    compared = equal = 0
    async with Services.named() as services:
        async for coup_id, answer in _compared(services):
            compared += 1
            equal += answer.matches
            told = "equal  " if answer.matches else "DIFFERS"
            out.write(f"{told}  {answer.digest[:DIGEST_SHOWN]}  {coup_id}\n")
            for difference in answer.differences:
                out.write(f"         {difference}\n")
            out.flush()
        out.write(f"{equal} of {compared} coups, rebuilt from the log, equal their projection\n")
        await _fold_again(services, out, err)
    return DONE if equal == compared else FAILED


async def _compared(services: Services) -> AsyncIterator[tuple[str, Any]]:
    """Every coup that queries know, table by table, with its rebuild."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(coup_id: str) -> tuple[str, Any]:
        async with gate:
            return coup_id, await _rebuilt(services, coup_id)

    token = ""
    while True:
        request = pb.ListCoupsRequest(page_size=PAGE_COUPS, page_token=token)
        page = await services.stub("settlement").ListCoups(request, timeout=COUP_DEADLINE_S)
        tasks = [asyncio.create_task(one(coup.coup_id)) for coup in page.coups]
        try:
            for task in tasks:
                yield await task
        finally:
            for task in tasks:
                task.cancel()
        token = page.next_page_token
        if not token:
            return


async def _fold_again(services: Services, out: IO[str], err: IO[str]) -> None:
    """Fill new tables of every projection from the log, beside those that queries read."""
    call = services.stub("settlement").RebuildProjections(
        pb.RebuildProjectionsRequest(), timeout=REBUILD_DEADLINE_S
    )
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    console = Console(file=err)
    # Without a terminal a bar would be a line of every step.
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        tasks: dict[str, Any] = {}
        async for step in call:
            task = tasks.get(step.projection)
            if task is None:
                task = tasks[step.projection] = progress.add_task(step.projection, total=1)
            progress.update(task, completed=step.position, total=max(step.end, 1))
            if step.switched:
                out.write(
                    f"projection {step.projection}: folded again from {step.position:,} events; "
                    "queries read the new tables from now on\n"
                )
