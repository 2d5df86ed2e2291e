"""`sabot rebuild`: a coup from the log with its story, or all projections beside the live ones."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import IO, Any, Final

import grpc
import msgspec
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.cli.local import use_local_stack
from services.settlement.rebuild import Evidence
from services.settlement.story import Story
from services.tablelog.calls import Services
from services.tablelog.targets import targets

REBUILD_DEADLINE_S: Final = 600.0
COUP_DEADLINE_S: Final = 60.0


def main(coup: str | None, out: IO[str], err: IO[str]) -> int:
    """Rebuild one coup, or everything where there is none; 1 where something differs."""
    use_local_stack()
    if coup is None:
        return asyncio.run(_all(err))
    return asyncio.run(_one(coup, out))


async def _one(coup_id: str, out: IO[str]) -> int:
    async with Services(targets()) as services:
        try:
            answer = await services.stub("settlement").RebuildCoup(
                pb.RebuildCoupRequest(coup_id=coup_id), timeout=COUP_DEADLINE_S
            )
        except grpc.aio.AioRpcError as error:
            out.write(f"{coup_id}: {error.details()}\n")
            return 1
    evidence = msgspec.json.decode(answer.evidence, type=Evidence)
    for line in story_lines(evidence):
        out.write(line + "\n")
    out.write(f"evidence  {answer.digest}\n")
    for difference in answer.differences:
        out.write(f"DIFFERS   {difference}\n")
    if answer.matches:
        out.write("the log, the cards and the projection agree\n")
    return 0 if answer.matches else 1


def story_lines(evidence: Evidence) -> list[str]:
    """The story of a coup for a person to read."""
    story = evidence.story
    lines = [
        f"coup {story.number} of table {story.table_id}, shoe {story.shoe_id}: {story.status}"
        + (f" ({story.reason})" if story.reason else ""),
        f"rulebook  {story.rulebook_id} {story.rulebook_hash}",
    ]
    lines += [_line(line) for line in evidence.lines]
    lines += _result(story)
    lines += [
        f"wager     {w.wager_id}: {w.player} {w.stake_minor} {w.currency} on {w.area}: "
        f"{w.outcome}, returned {w.returned_minor}, winnings {w.winnings_minor}"
        + (f", commission {w.commission_exact}" if w.commission_exact != "0" else "")
        + (f" [{' '.join(w.clauses)}]" if w.clauses else "")
        for w in story.wagers.values()
    ]
    lines += [
        f"books     {currency}: staked {t.staked_minor}, returned {t.returned_minor}, "
        f"winnings {t.winnings_minor}, house {t.house_minor}"
        for currency, t in story.totals.items()
    ]
    return lines


def _line(line: Any) -> str:
    at = dt.datetime.fromtimestamp(line.at_us / 1_000_000, tz=dt.UTC)
    clauses = f" [{' '.join(line.clauses)}]" if line.clauses else ""
    return f"{at:%H:%M:%S.%f} {line.service:<10} {line.what}{clauses}"


def _result(story: Story) -> list[str]:
    if not story.winner:
        return []
    player, banker = " ".join(story.player), " ".join(story.banker)
    return [
        f"player    {player} = {story.player_points}",
        f"banker    {banker} = {story.banker_points}",
        f"winner    {story.winner}" + (" (natural)" if story.natural else ""),
    ]


async def _all(err: IO[str]) -> int:
    console = Console(file=err)
    async with Services(targets()) as services:
        call = services.stub("settlement").RebuildProjections(
            pb.RebuildProjectionsRequest(), timeout=REBUILD_DEADLINE_S
        )
        with Progress(
            TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), console=console
        ) as progress:
            tasks: dict[str, Any] = {}
            async for step in call:
                task = tasks.get(step.projection)
                if task is None:
                    task = tasks[step.projection] = progress.add_task(step.projection, total=1)
                progress.update(task, completed=step.position, total=max(step.end, 1))
                if step.switched:
                    console.print(f"{step.projection}: rebuilt to {step.position}, switched")
    return 0
