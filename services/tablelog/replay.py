"""`sabot replay`: fold table logs through the pure core, in one process."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import IO, Any

import msgspec
from msgspec.structs import replace

from services.contracts.core import SYSTEM, Refused
from services.round.commands import AdvanceTime, ChangeGame
from services.rulebooks.changing import under_rulebook
from services.rules.cards import CARDS_PER_DECK, FULL_DECK
from services.rules.shuffling import SECRET_BYTES
from services.tablelog import lines as log
from services.tablelog.chains import behind
from services.tablelog.inprocess import InProcessTable
from services.tablelog.lines import Line
from services.tablelog.reader import Malformed, read
from services.tablelog.render import OutLine, Renderer, Told
from services.tablelog.steps import ROUND, Step, Unsupported, steps

EXIT_OK, EXIT_FAILED, EXIT_MALFORMED = 0, 1, 2
OUTPUT_LINES_BUFFERED = 256


def main(files: Sequence[str], out: IO[str], err: IO[str]) -> int:
    """Replay every file; output lines carry `file` where there are several."""
    for file in files:
        tag = {"file": file} if len(files) > 1 else {}
        try:
            _print(replay(file), tag, out)
        except Malformed as error:
            out.flush()
            err.write(f"{error}\n")
            return EXIT_MALFORMED
        except Unsupported as error:
            out.flush()
            err.write(f"{file}: {error}\n")
            return EXIT_FAILED
    return EXIT_OK


def _print(lines: Iterator[OutLine], tag: dict[str, str], out: IO[str]) -> None:
    encode = msgspec.json.Encoder().encode
    waiting: list[str] = []
    try:
        for line in lines:
            waiting.append(encode({**line, **tag} if tag else line).decode())
            if len(waiting) >= OUTPUT_LINES_BUFFERED:
                out.write("\n".join(waiting) + "\n")
                waiting.clear()
    finally:
        if waiting:
            out.write("\n".join(waiting) + "\n")
        out.flush()


def replay(path: str) -> Iterator[OutLine]:
    """The output lines of one table log. Raises `Malformed` at the line that is none."""
    table: InProcessTable | None = None
    renderer = Renderer()
    for line in read(path):
        if table is None:
            table = InProcessTable(line.table if isinstance(line, log.OpenTable) else "")
        refused, told = run_line(table, line)
        extra: dict[str, Any] = {"id": line.id} if isinstance(line, log.Wager) else {}
        yield from renderer.line(line.number, line.do, refused, told, **extra)
    yield renderer.summary()


def run_line(table: InProcessTable, line: Line) -> tuple[Refused | None, list[Told]]:
    """One line: first the timers that are due by its time, then what it says."""
    command_id = str(line.number)
    clock = Step(ROUND, AdvanceTime(at_us=line.at_us, by=SYSTEM))
    told: list[Told] = []
    if table.states[ROUND].open:
        _, told = table.run(clock, f"{command_id}.0")
    try:
        commands = steps(line, table.table_id)
    except Refused as no:
        return no, told
    for number, step in enumerate(commands, start=1):
        refused, caused = table.run(_completed(step, line, table), f"{command_id}.{number}")
        told = behind(told, caused)
        if refused is not None:
            return refused, told
    return None, told


def _completed(step: Step, line: Line, table: InProcessTable) -> Step:
    """The step with what only the table, or a generator, can give it."""
    command = step.command
    settings = table.states[ROUND].settings
    if isinstance(command, ChangeGame) and settings is not None:
        changed = replace(command, settings=under_rulebook(settings, command.rulebook_id))
        return replace(step, command=changed)
    return _with_order(step, line, table)


def _with_order(step: Step, line: Line, table: InProcessTable) -> Step:
    """A shoe without an order from outside is shuffled here, as the platform's generator does."""
    if not (isinstance(line, log.LoadShoe) and line.cards is None):
        return step
    settings = table.states[ROUND].settings
    decks = line.decks or (settings.decks if settings else 1)
    order = list(FULL_DECK) * decks
    for last in range(len(order) - 1, 0, -1):
        swap = secrets.randbelow(last + 1)
        order[last], order[swap] = order[swap], order[last]
    assert len(order) == decks * CARDS_PER_DECK
    return replace(step, order=tuple(order), secret=secrets.token_bytes(SECRET_BYTES))
