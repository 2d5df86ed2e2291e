"""From the start of the stack to its end: whatever happens, nothing is left running."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Any, Final, TypeVar

from rich.console import Console
from rich.live import Live
from rich.text import Text

from services.cli.demo.dealing import Pace, Played, TablePlay
from services.cli.demo.desk import Stuck
from services.cli.demo.floor import CoupView, Floor, TableView
from services.cli.demo.plan import TablePlan, plans, recording
from services.cli.demo.proof import Proof, prove
from services.cli.demo.report import Times, coup_line, show_proof, show_summary
from services.cli.demo.view import View
from services.cli.demo.watch import Broken, Watch
from services.cli.errors import CommandFailed, WrongUse
from services.contracts.core import Refused
from services.devstack.brokers import DESCRIPTIONS
from services.devstack.operator import SimulatedWallet
from services.devstack.stack import Stack
from services.devstack.state import STATE_FILE, State, default_directory
from services.tablelog.calls import Services

ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
COUPS_VARIABLE: Final = "SABOT_DEMO_COUPS"
COUPS_MAX: Final = 200
PLAY_S_MAX: Final = 85.0
PLAY_S_MIN: Final = 20.0
BEGIN_S_MAX: Final = 110.0
"""From the start of the demo; then, or after `PLAY_S_MAX` of play, no coup is begun any more: on a
slow machine the demo is shorter, not longer."""

CARD_S_WATCHED: Final = 0.28
"""From card to card where a person watches."""

FRAME_S: Final = 0.12
ALIVE_S: Final = 0.5
CATCH_UP_S: Final = 15.0
LOG_LINES_SHOWN: Final = 25
PIPE_COLUMNS: Final = 130
"""How wide tables are where no terminal says it."""


T = TypeVar("T")


class Failed(CommandFailed):
    """The demo could not be played to its end."""


class Terminated(BaseException):
    """Somebody asked the process to end."""


def run(out: IO[str], err: IO[str], *, coups: int | None, broker: str | None, wallet: str) -> int:
    """Start, play, show, prove, stop. Returns 0 only where all agrees."""
    console = Console(file=out, highlight=False)
    if not console.is_terminal:
        console.width = PIPE_COLUMNS
    tables = plans(_coups(coups))
    with _terminated_in_order():
        try:
            return _with_stack(console, tables, broker, wallet)
        except Terminated:
            err.write("the demo was ended\n")
            return 128 + signal.SIGTERM


def _coups(asked: int | None) -> int | None:
    """The number of coups in all, from the option or the environment."""
    text = os.environ.get(COUPS_VARIABLE, "")
    if asked is None and text:
        if not text.isdecimal():
            raise WrongUse(f"{COUPS_VARIABLE} takes a number of coups")
        asked = int(text)
    if asked is not None and not 1 <= asked <= COUPS_MAX:
        raise WrongUse(f"the demo plays 1 to {COUPS_MAX} coups")
    return asked


def _with_stack(
    console: Console, tables: Sequence[TablePlan], broker: str | None, wallet: str
) -> int:
    began = time.monotonic()
    console.print("[bold bright_yellow]SABOT[/]  a fresh stack for the demo")

    def report(line: str) -> None:
        console.print(Text(f"  {line}", style="bright_black"))

    # Tables in TEST mode, with an order of cards from outside, do not exist here.
    with tempfile.TemporaryDirectory(prefix="sabot-wallet-") as directory:
        operator = SimulatedWallet(Path(directory)) if wallet == "http" else None
        stack = Stack(
            broker=broker,
            environment={"SABOT_ALLOW_TEST_TABLES": "false"},
            environment_of={"wager": operator.environment} if operator else {},
            report=report,
        )
        return _on_stack(console, tables, stack, operator, began)


def _on_stack(
    console: Console,
    tables: Sequence[TablePlan],
    stack: Stack,
    operator: SimulatedWallet | None,
    began: float,
) -> int:
    try:
        if operator is not None:
            operator.start()
            console.print(
                Text(f"  an operator's wallet, simulated, at {operator.url}", style="bright_black")
            )
        stack.start()
        start_s = time.monotonic() - began
        demo = _Demo(console, stack, tables, start_s, operator)
        proof, heard, times = _played_out(demo)
    except Refused as no:
        raise Failed(f"the rules do not allow what the demo does: {no}") from no
    except (Stuck, Broken) as error:
        console.print(_log_tails(stack))
        raise Failed(str(error)) from error
    finally:
        with _undisturbed():
            console.print(Text("  stopping the stack", style="bright_black"))
            stack.stop()
            if operator is not None:
                operator.stop()
    show_proof(console, proof)
    broker = DESCRIPTIONS[stack.choice.kind]
    show_summary(console, proof, heard=heard, times=times, broker=broker, pages=console_of_up())
    return 0 if _complete(proof) else 1


def console_of_up() -> str:
    """The address of the console that `make up` left running; empty where none does."""
    state = State.read(default_directory() / STATE_FILE)
    if state is None or not all(entry.process().running() for entry in state.entries):
        return ""
    return state.environment.get("SABOT_CONSOLE_URL", "")


class _Demo:
    """The demo on a running stack."""

    def __init__(
        self,
        console: Console,
        stack: Stack,
        tables: Sequence[TablePlan],
        start_s: float,
        operator: SimulatedWallet | None,
    ) -> None:
        self._console = console
        self._operator = operator
        self._stack = stack
        self._tables = tables
        self._start_s = start_s
        self._floor = Floor(self._coup_over)
        self._beside: list[asyncio.Task[None]] = []

    async def run(self) -> tuple[Proof, int, Times]:
        """Play and prove; the proof, how many events were heard, and how long it took."""
        async with (
            Services(self._stack.targets) as services,
            Watch(self._stack.bootstrap_servers, self._floor) as watch,
            self._watched(watch),
        ):
            async with self._shown() as shown:
                began = time.monotonic()
                played = await self._guarded(self._played(services, shown=shown))
                play_s = time.monotonic() - began
            began = time.monotonic()
            proof = await self._guarded(prove(services, played, self._operator))
            proof_s = time.monotonic() - began
        return (
            proof,
            self._floor.events,
            Times(start_s=self._start_s, play_s=play_s, proof_s=proof_s),
        )

    async def _played(self, services: Services, *, shown: bool) -> list[Played]:
        """All tables at the same time."""
        now = time.monotonic()
        ends = max(min(now + PLAY_S_MAX, now - self._start_s + BEGIN_S_MAX), now + PLAY_S_MIN)
        pace = Pace(card_s=CARD_S_WATCHED if shown else 0.0, ends=ends)
        plays = [
            TablePlay(services, plan, recording(plan.log), pace, self._operator)
            for plan in self._tables
        ]

        async def all_tables() -> None:
            async with asyncio.TaskGroup() as group:
                for play in plays:
                    group.create_task(play.play())
            await self._heard(sum(len(play.played.coups) for play in plays))

        await all_tables()
        return [play.played for play in plays]

    async def _heard(self, coups: int) -> None:
        """Wait until the spectator has heard the end of every coup."""
        deadline = time.monotonic() + CATCH_UP_S
        while self._floor.coups < coups:
            if time.monotonic() > deadline:
                raise Broken(f"{self._floor.coups} of {coups} coups were heard from the broker")
            await asyncio.sleep(FRAME_S)

    @contextlib.asynccontextmanager
    async def _watched(self, watch: Watch) -> AsyncIterator[None]:
        """The spectator listens and the services are looked after, as long as it lasts."""
        self._beside = [asyncio.create_task(watch.listen()), asyncio.create_task(self._alive())]
        try:
            yield
        finally:
            await _cancelled(self._beside)

    async def _guarded(self, work: Coroutine[Any, Any, T]) -> T:
        """Work, until it is done or one of those beside it fails."""
        task = asyncio.create_task(work)
        try:
            await asyncio.wait([task, *self._beside], return_when=asyncio.FIRST_COMPLETED)
            for beside in self._beside:
                if beside.done():
                    beside.result()
            return await _first_failure(task)
        finally:
            await _cancelled([task])

    async def _alive(self) -> None:
        """Raise when a service has ended."""
        while True:
            for name, service in self._stack.services.items():
                process = service.process
                if process is not None and not process.running():
                    raise Failed(
                        f"{name} ended with {process.exit_code}; the end of its log:\n"
                        + _tail(service.log_tail())
                    )
            await asyncio.sleep(ALIVE_S)

    @contextlib.asynccontextmanager
    async def _shown(self) -> AsyncIterator[bool]:
        """The live view where there is a terminal; yields whether there is one."""
        if not self._console.is_terminal:
            yield False
            return
        view = View(self._console, self._floor, self._tables)
        with Live(view.render(), console=self._console, auto_refresh=False) as live:

            async def draw() -> None:
                while True:
                    live.update(view.render(), refresh=True)
                    await asyncio.sleep(FRAME_S)

            drawing = asyncio.create_task(draw())
            try:
                yield True
            finally:
                drawing.cancel()
                live.update(view.render(), refresh=True)

    def _coup_over(self, view: TableView, coup: CoupView) -> None:
        if not self._console.is_terminal:
            self._console.print(coup_line(view, coup), soft_wrap=True)


async def _first_failure(task: asyncio.Task[T]) -> T:
    """What the task gives; of a group of failures the first."""
    try:
        return await task
    except BaseExceptionGroup as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from group


async def _cancelled(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """End tasks, whatever they think of it."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _complete(proof: Proof) -> bool:
    return not proof.faults and all(each.rebuilt == len(each.played.coups) for each in proof.tables)


def _tail(log: str) -> str:
    return "\n".join(log.splitlines()[-LOG_LINES_SHOWN:])


def _log_tails(stack: Stack) -> Text:
    """The end of every service's log."""
    parts = [f"--- {name}\n{_tail(service.log_tail())}" for name, service in stack.services.items()]
    return Text("\n".join(parts), style="bright_black")


def _played_out(demo: _Demo) -> tuple[Proof, int, Times]:
    """Run the demo in a loop that lets go of everything in order when it is asked to end.

    An exception out of a signal's handler would end in whatever task happens to run; so the loop
    itself takes these signals, as it takes Ctrl-C.
    """

    async def interruptible() -> tuple[Proof, int, Times]:
        task = asyncio.current_task()
        assert task is not None
        for number in ENDING:
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await demo.run()

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        raise Terminated from None
    finally:
        for number in ENDING:
            signal.signal(number, _end)  # the loop has taken its own handlers with it


def _end(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


@contextlib.contextmanager
def _terminated_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind as Ctrl-C does, so that the stack is stopped."""
    before = {number: signal.signal(number, _end) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Nothing interrupts the stopping of the stack: a second Ctrl-C would leave servers behind."""
    before: dict[int, Callable[..., Any] | int | None] = {
        number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *ENDING)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
