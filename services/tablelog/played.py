"""One table log on its way through the running services."""

from __future__ import annotations

import re
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from msgspec.structs import replace

from services.contracts.core import SYSTEM, Actor, Refused
from services.round.commands import AbandonTable, AdvanceTime
from services.tablelog import lines as log
from services.tablelog.calls import ServiceFailed, Services
from services.tablelog.chains import behind
from services.tablelog.inprocess import InProcessTable
from services.tablelog.lines import PLAYER, Line
from services.tablelog.reader import Malformed, read
from services.tablelog.render import OutLine, Renderer, Told
from services.tablelog.replay import run_line
from services.tablelog.rest import Stalled, Watch, insist
from services.tablelog.steps import ELSEWHERE, ROUND, Step, Unsupported, steps

NAMESPACE: Final = uuid.UUID("5f1c0a0e-6a55-4b3a-8f0e-1d3c7a1f9b42")
"""Command ids are UUIDv5 in this namespace."""

NOT_YET: Final = "NOT_YET"
"""A service says so when it has not heard of what a command rests on."""

Say = Callable[[str], Any]


def _unwatched(_number: int, _line: int) -> None:
    """Nobody asks how far it is."""


async def play(
    services: Services,
    path: str,
    *,
    run: str,
    number: int,
    say: Say,
    passed: Callable[[int, int], Any] = _unwatched,
) -> AsyncIterator[OutLine]:
    """The output lines of one table log, the `number`-th of its run.

    `passed` is called with `number` and the number of each line that has been played.

    Raises `Malformed`, `Unsupported` and `Stalled`. After the last line, and after one that cannot be
    played, the table is closed. It stays open when the services stall or somebody interrupts: the
    same run, begun again, is answered from what is stored and goes on from there.
    """
    table = PlayedTable(services, run=run, number=number, say=say)
    renderer = Renderer(prefix=table.prefix)
    try:
        for line in read(path):
            refused, told = await table.line(line)
            extra: dict[str, Any] = {"id": line.id} if isinstance(line, log.Wager) else {}
            for out in renderer.line(line.number, line.do, refused, told, **extra):
                yield table.bare(out)
            passed(number, line.number)
    except (Malformed, Unsupported):
        await table.leave()
        raise
    yield renderer.summary()
    await table.leave()


class PlayedTable:
    """The table of one log: sends each line, and waits for all that comes of it."""

    def __init__(self, services: Services, *, run: str, number: int, say: Say) -> None:
        self.prefix = f"{run}.{number}."
        self._run = f"{run}/{number}"
        self._services = services
        self._say = say
        self._table_id = ""
        self._watch = Watch(services, "", say)
        self._open = False
        self._nowhere: InProcessTable | None = None
        self._wagers: dict[str, log.Wager] = {}
        self._currency = "EUR"
        self._at_us = 0
        self._prefix_in_words = re.compile(r"(?<![\w.-])" + re.escape(self.prefix))

    async def line(self, line: Line) -> tuple[Refused | None, list[Told]]:
        """One line: first the timers that are due by its time, then what it says."""
        if self._nowhere is not None:
            return run_line(self._nowhere, line)
        self._at_us = line.at_us
        told: list[Told] = []
        if self._open:
            clock = Step(ROUND, AdvanceTime(at_us=line.at_us, by=SYSTEM))
            _, told = await self._step(clock, line.number, "0")
        elif isinstance(line, log.OpenTable):
            self._table_id = self.prefix + line.table
            self._watch = Watch(self._services, self._table_id, self._say)
            self._currency = line.currency
        refused, caused = await self._commands(prefixed(line, self.prefix))
        if isinstance(line, log.OpenTable):
            self._open = refused is None
            if refused is not None:
                # The services know of no such table. What they would say to its lines is what the
                # core says to those of a table that nobody has opened.
                self._nowhere = InProcessTable(line.table)
        return refused, behind(told, caused)

    async def leave(self) -> None:
        """Void what the log leaves unfinished and close its table; nothing of it is printed."""
        if not self._open:
            return
        abandon = AbandonTable(at_us=self._at_us, by=SYSTEM)
        try:
            await self._step(Step(ROUND, abandon), 0, "0")
        except Stalled as error:
            self._say(f"the table stays open: {error}")

    def bare(self, out: OutLine) -> OutLine:
        """An output line whose sentence names things as the log does."""
        if "message" in out:
            out["message"] = self._prefix_in_words.sub("", out["message"])
        return out

    async def _commands(self, line: Line) -> tuple[Refused | None, list[Told]]:
        told: list[Told] = []
        try:
            commands = steps(line, self._table_id)
        except Refused as no:
            return no, told
        await self._fund(line)
        for number, step in enumerate(commands, start=1):
            refused, caused = await self._step(step, line.number, f"{number}")
            if refused and step.otherwise and refused.reason in ELSEWHERE:
                refused, caused = await self._step(step.otherwise, line.number, f"{number}/else")
            told = behind(told, caused)
            if refused is not None:
                return refused, told
        return None, told

    async def _fund(self, line: Line) -> None:
        """Give a player what he is about to stake, or all that he raises his stake to."""
        if isinstance(line, log.Wager):
            wager = self._wagers.setdefault(line.id, line)
            player, currency = line.player, line.currency
        elif isinstance(line, log.ChangeWager) and line.id in self._wagers:
            wager = self._wagers[line.id]
            player, currency = wager.player, wager.currency
        else:
            return
        if line.amount > 0:
            await insist(
                lambda: self._services.fund(
                    f"fund/{self._run}/{line.number}",
                    player,
                    currency or self._currency,
                    line.amount,
                ),
                self._say,
            )

    def _command_id(self, line: int, step: str) -> str:
        return str(uuid.uuid5(NAMESPACE, f"{self._run}/{line}/{step}"))

    async def _step(self, step: Step, line: int, number: str) -> tuple[Refused | None, list[Told]]:
        """One command and all that it leads to: it begins in its own service, or nowhere."""
        command_id = self._command_id(line, number)
        refused = await self._send(step, command_id)
        if not await self._watch.told(command_id, (step.service,)):
            return refused, []
        return refused, await self._watch.rest(command_id)

    async def _send(self, step: Step, command_id: str) -> Refused | None:
        """The refusal of a command, if it is refused."""

        async def send() -> Refused | None:
            try:
                answered = await self._services.send(
                    step.service,
                    step.command,
                    table_id=self._table_id,
                    command_id=command_id,
                    order=step.order,
                )
            except ServiceFailed as error:
                # The table is at rest: what a service has not heard by now, it never will.
                if error.failed.reason == NOT_YET:
                    return Refused("STATE", error.failed.message)
                raise
            return answered.refused

        return await insist(send, self._say)


def prefixed(line: Line, prefix: str) -> Line:
    """The line with the names in it that must not meet those of another run."""
    changes: dict[str, Any] = {
        name: prefix + value
        for name in ("player", "shoe", "token")
        if isinstance(value := getattr(line, name, None), str)
    }
    for name in ("by", "second"):
        person = getattr(line, name, None)
        if isinstance(person, Actor) and person.role == PLAYER:
            changes[name] = Actor(prefix + person.id, person.role)
    if forfeit := getattr(line, "forfeit", None):
        changes["forfeit"] = tuple(prefix + player for player in forfeit)
    return replace(line, **changes) if changes else line
