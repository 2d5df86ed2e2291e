"""The one way in which a service changes: outside commands and heard events become new events.

Commands are committed in groups. A single task takes everything that waits, decides it in one
transaction and answers it, while the next group gathers. A caller alone is served at once; where
several are under way, the task waits a few milliseconds for those that it answered last, because
one commit for twenty commands costs hardly more than one for one.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import msgspec
from msgspec import Struct

from services.chassis.decider import Aggregate, Companion, Record, Staged
from services.chassis.hearing import Hearing, Verdict
from services.chassis.registry import Registry
from services.chassis.retry import with_retries
from services.chassis.store import Progress, Store, StoredAnswer, StoreUnavailable
from services.chassis.work import Core, ItemFailed, Origin, Work, nobody
from services.contracts.core import Actor, Command, Event, NotYet, Refused

QUEUE_COMMANDS_MAX: Final = 4_096
"""Commands that wait at most; beyond that it is better to say so than to answer late."""

BATCH_COMMANDS_MAX: Final = 256
"""Commands of one transaction."""

WAIT_S_MAX: Final = 1.0
"""Where more wait than one transaction takes, nobody waits longer: whoever did is turned away, and
who comes behind him too, while the caller can still do something else."""

BREATH_COMMANDS: Final = 16
"""After so many of a transaction are decided, others have a turn: calls, heard events, probes."""

LINGER_S_MAX: Final = 0.03
"""How long a group waits for more commands where several callers are under way."""

LINGER_STEP_S: Final = 0.0015
"""It waits no longer once none has come for so long,"""

LINGER_CALLER_S: Final = 0.000_15
"""and for so much longer for each caller: that is what being told and asking again takes of a core."""

CACHED_TABLES_MAX: Final = 4_096
"""Tables whose states are kept in memory."""


class Overloaded(Exception):
    """Too many commands wait, or the service stops: try again later or elsewhere."""


class NotATestTable(Exception):
    """Instant and persons came with the command, and its table is none that exists on paper only."""


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of an executor."""

    queue_commands_max: int = QUEUE_COMMANDS_MAX
    batch_commands_max: int = BATCH_COMMANDS_MAX
    wait_s_max: float = WAIT_S_MAX
    linger_s_max: float = LINGER_S_MAX
    cached_tables_max: int = CACHED_TABLES_MAX


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of a command."""

    refused: tuple[str, str, tuple[str, ...]] | None
    """Reason, message and clauses, where the rules do not allow the command."""

    duplicate: bool
    """It had been answered before; this is the same answer, without records."""

    conflict: bool
    """Its key belongs to a command with another input: nothing was done, nothing is answered."""

    answer: dict[str, Any]
    records: tuple[Record, ...]
    """What was stored for it, the effects included."""


@dataclass
class Counters:
    """What an executor has done since it was made; for telemetry."""

    commands: int = 0
    batches: int = 0
    failed_attempts: int = 0
    commands_alone: int = 0
    overloads: int = 0


class _Answer(Struct, frozen=True):
    """The stored form of an outcome."""

    refused: tuple[str, str, tuple[str, ...]] | None
    answer: dict[str, Any]


class _Given(Struct, frozen=True):
    """An answer to a command of a group."""

    key: str
    """Where it is kept; empty where it is not."""

    stored: bytes


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Answer).decode

_CONFLICT: Final = Outcome(refused=None, duplicate=False, conflict=True, answer={}, records=())


@dataclass(eq=False, slots=True)
class _Waiting:
    """A command between its arrival and its answer."""

    table_id: str
    command: Command
    command_id: str
    input_hash: bytes
    key: str
    own_key: str
    """Where its answer is kept: what one actor spends is not spent for another.

    No key holds the end of a line, so no key is made of two others.
    """

    traceparent: str
    future: asyncio.Future[Outcome]
    recorded: bool
    follows: Origin | None
    named_by: Callable[[Sequence[Event]], bool] | None
    since_s: float
    """When it came, by the loop's clock."""

    def stored(self, known: dict[str, StoredAnswer]) -> StoredAnswer | None:
        """What was said before: to the actor, or to whoever gave the key its meaning.

        Earlier releases kept every answer under the key alone.
        """
        return known.get(self.own_key) or known.get(self.key)

    def origin(self) -> Origin:
        if self.follows is not None:
            return self.follows
        return Origin(self.command_id, self.command_id, 1, self.traceparent)

    def settle(self, result: Outcome | Exception) -> None:
        if self.future.done():  # the caller has gone
            return
        if isinstance(result, Outcome):
            self.future.set_result(result)
        else:
            self.future.set_exception(result)


def _own_key(key: str, by: Actor) -> str:
    return f"{key}\n{by.id}"


class Executor:
    """Runs the commands and the heard events of one service."""

    def __init__(
        self,
        aggregate: Aggregate,
        store: Store,
        companion: Companion,
        registry: Registry,
        *,
        limits: Limits,
        jitter: random.Random,
        committed: Callable[[Sequence[Staged]], None] = nobody,
    ) -> None:
        """`committed` is told of new events after their commit, for measurements."""
        self.counters = Counters()
        self._store = store
        self._limits = limits
        self._jitter = jitter
        self._core = Core(
            aggregate,
            registry,
            companion,
            cached_tables_max=limits.cached_tables_max,
            committed=committed,
        )
        self._hearing = Hearing(self._core, store, jitter=jitter)
        self._queue: deque[_Waiting] = deque()
        self._enough = asyncio.Event()
        self._enough_commands = 1
        self._crowd = 1
        """Callers that seem to be under way, judged by the last group."""

        self._flusher: asyncio.Task[None] | None = None
        self._stopping = False

    async def start(self) -> None:
        """Begin to take commands."""
        assert self._flusher is None, "an executor is started once"
        self._flusher = asyncio.create_task(self._flush_forever(), name="executor")

    async def stop(self) -> None:
        """Take no more commands, and return when those that wait are answered."""
        self._stopping = True
        self._enough.set()
        if self._flusher is not None:
            await self._flusher

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    @property
    def waiting_commands(self) -> int:
        """Commands that wait for their turn."""
        return len(self._queue)

    async def command(self, table_id: str, command: Command, **more: Any) -> Outcome:
        """Carry out a command and return what became of it, after the commit; see `submit`."""
        return await self.submit(table_id, command, **more)

    def submit(
        self,
        table_id: str,
        command: Command,
        *,
        command_id: str,
        input_hash: bytes,
        key: str | None = None,
        traceparent: str = "",
        recorded: bool = False,
        origin: Origin | None = None,
        named_by: Callable[[Sequence[Event]], bool] | None = None,
    ) -> asyncio.Future[Outcome]:
        """Take a command to be carried out, once for its `key`, which is its id unless given.

        Keys are the actor's own: the same one of another actor is another command.
        `named_by`: whether these events of the command give its key a meaning for everybody, as a
        wager does to its id; from then on nobody else can use it for something else.
        `recorded`: it is part of a story brought in after the fact, each step when the one before
        had taken full effect. Nothing is under way there: what was not heard of will not be, and
        `NotYet` is the refusal STATE. Its table was in TEST mode when it came; where that has changed
        before it is decided, `NotATestTable` is raised, and nothing is remembered.
        `origin`: the chain of causes that the command goes on with, where it does not begin one.

        The future is done after the commit. A refusal is an outcome and is remembered like one,
        unless it may pass by itself (`Refused.passing`). `NotYet`, `Overloaded` and
        `StoreUnavailable` are raised and remembered nowhere: the same command may be sent again.
        After `StoreUnavailable` it may have been carried out; sent again with the same key, it is
        answered without being done twice. `Overloaded` is raised here and now where nothing more
        is taken.
        """
        assert self._flusher is not None, "the executor was not started"
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        stopping = self._stopping or self._flusher.done()
        if stopping or self._full(now_s):
            self.counters.overloads += 1
            raise Overloaded("the service stops" if stopping else "too many commands wait")
        key = command_id if key is None else key
        waiting = _Waiting(
            table_id=table_id,
            command=command,
            command_id=command_id,
            input_hash=input_hash,
            key=key,
            own_key=_own_key(key, command.by),
            traceparent=traceparent,
            future=loop.create_future(),
            recorded=recorded,
            follows=origin,
            named_by=named_by,
            since_s=now_s,
        )
        self._queue.append(waiting)
        if len(self._queue) >= self._enough_commands:
            self._enough.set()
        return waiting.future

    async def carried_out(self, keys: Iterable[str], *, by: Actor) -> set[str]:
        """Which of these commands of an actor are carried out, and will not be again."""
        own = {_own_key(key, by): key for key in keys}
        async with self._store.transaction() as tx:
            known = await tx.answers(own)
        return {own[each] for each in known}

    async def hear(self, records: Sequence[Record], consumer: str) -> list[Verdict]:
        """Handle events of other services in one transaction; see `Hearing.hear`."""
        return await self._hearing.hear(records, consumer)

    async def park(self, consumer: str, record: Record, *, reason: str) -> None:
        """Stop a table for a consumer at a record; see `Hearing.park`."""
        await self._hearing.park(consumer, record, reason=reason)

    async def retry(self, consumer: str, table_id: str) -> list[Verdict]:
        """Handle the records of a parked table; see `Hearing.retry`."""
        return await self._hearing.retry(consumer, table_id)

    async def skip(
        self, consumer: str, table_id: str, *, event_id: str, reason: str, by: str
    ) -> None:
        """Pass over the record at which a table is parked; see `Hearing.skip`."""
        await self._hearing.skip(consumer, table_id, event_id=event_id, reason=reason, by=by)

    async def state(self, table_id: str) -> Any:
        """The table's state as committed: for queries, and for nothing that is decided."""
        async with self._store.transaction() as tx:
            return (await self._core.look(tx, table_id)).state

    def held(self, table_id: str, version: int) -> Any | None:
        """The table's state as of this event of it or a later one, where it is in memory.

        It is where this process stored that event; what others store is read when it is needed.
        """
        cached = self._core.cache.get(table_id)
        return cached.state if cached is not None and cached.version >= version else None

    async def progress(self, table_id: str) -> Progress:
        """How far this service is with a table, as committed."""
        return await self._store.progress(table_id)

    def _full(self, now_s: float) -> bool:
        """Whether another command would be answered too late."""
        waiting, limits = len(self._queue), self._limits
        if waiting < limits.batch_commands_max:  # it is of the next group, however long that takes
            return waiting >= limits.queue_commands_max
        late = now_s - self._queue[0].since_s > limits.wait_s_max
        return late or waiting >= limits.queue_commands_max

    # --- gathering ---------------------------------------------------------------------------

    async def _flush_forever(self) -> None:
        try:
            while await self._gather():
                await self._carry_out(self._take())
        finally:
            # Only a cancelled or broken flusher leaves somebody waiting.
            while self._queue:
                self._queue.popleft().settle(Overloaded("the service stopped"))

    async def _gather(self) -> bool:
        """Wait for a group worth a commit. False when the executor stops and nobody waits."""
        await self._wait_for(1)
        expected = min(self._crowd, self._limits.batch_commands_max)
        step_s = LINGER_STEP_S + LINGER_CALLER_S * expected
        left_s = self._limits.linger_s_max
        while (before := len(self._queue)) < expected and left_s > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(step_s, left_s)):
                    await self._wait_for(expected)
            left_s -= step_s
            if len(self._queue) == before:
                break
        return bool(self._queue)

    async def _wait_for(self, commands: int) -> None:
        self._enough_commands = commands
        while len(self._queue) < commands and not self._stopping:
            self._enough.clear()
            await self._enough.wait()

    def _take(self) -> list[_Waiting]:
        """The next group, in the order of arrival, no key twice.

        A second command with the same key waits for the next group and finds the answer there.
        """
        self._turn_away()
        group: dict[str, _Waiting] = {}
        again: list[_Waiting] = []
        while self._queue and len(group) < self._limits.batch_commands_max:
            waiting = self._queue.popleft()
            if waiting.future.done():  # the caller has gone before we began: nothing is owed
                continue
            if waiting.key in group:
                again.append(waiting)
            else:
                group[waiting.key] = waiting
        self._queue.extendleft(reversed(again))
        return list(group.values())

    def _turn_away(self) -> None:
        """Answer those who have waited too long and would not all be of the next group."""
        since_s = asyncio.get_running_loop().time() - self._limits.wait_s_max
        while (
            len(self._queue) > self._limits.batch_commands_max and self._queue[0].since_s < since_s
        ):
            self.counters.overloads += 1
            self._queue.popleft().settle(Overloaded("too many commands wait"))

    # --- carrying out ------------------------------------------------------------------------

    async def _carry_out(self, group: list[_Waiting]) -> None:
        """Answer every command of the group, whatever happens."""
        try:
            results = await self._commit(group)
        except StoreUnavailable as error:
            results = [error] * len(group)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is somebody's answer
            results = [error] if len(group) == 1 else await self._one_by_one(group)
        except BaseException:
            for waiting in group:
                waiting.settle(StoreUnavailable("the service stopped before the commit was sure"))
            raise
        self._crowd = len(group) + len(self._queue)
        for waiting, result in zip(group, results, strict=True):
            waiting.settle(result)

    async def _one_by_one(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        """The group failed as a whole: find out whose fault it was, and serve the others."""
        results: list[Outcome | Exception] = []
        for number, waiting in enumerate(group):
            self.counters.commands_alone += 1
            try:
                results += await self._commit([waiting])
            except StoreUnavailable as error:
                # The database is away: asking it once more for every command helps nobody.
                return results + [error] * (len(group) - number)
            except Exception as error:  # noqa: BLE001 - this command's answer
                results.append(error)
        return results

    async def _commit(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        tables = {waiting.table_id for waiting in group}

        def on_failure() -> None:
            self.counters.failed_attempts += 1
            self._core.cache.discard(tables)

        return await with_retries(
            lambda: self._attempt(group), on_failure=on_failure, jitter=self._jitter
        )

    async def _attempt(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        """Decide and store a group in one transaction."""
        tables = sorted({waiting.table_id for waiting in group})
        async with self._store.transaction(lock=tables) as tx:
            work = Work(self._core, tx, await tx.heads(tables))
            keys = [key for waiting in group for key in (waiting.own_key, waiting.key)]
            known = await tx.answers(keys)
            results: dict[int, Outcome | Exception] = {}
            await self._core.companion.prepare(tx, [waiting.command for waiting in group])
            for number, waiting in enumerate(group):
                if number % BREATH_COMMANDS == BREATH_COMMANDS - 1:
                    await asyncio.sleep(0)
                if stored := waiting.stored(known):
                    results[number] = _repeated(waiting, stored)
                elif error := await self._stage(work, number, waiting):
                    results[number] = error
            await work.spread()
            answers = self._answers(work, group, results)
            kept = {
                answer.key: StoredAnswer(group[number].input_hash, answer.stored)
                for number, answer in answers.items()
                if answer.key
            }
            if kept:
                await tx.put_answers(kept)
            records = await work.append()
        self.counters.batches += 1
        self.counters.commands += len(group)
        for number, answer in answers.items():
            own = records.get(number, ())
            results[number] = _outcome(answer.stored, own, duplicate=False)
        return [results[number] for number in range(len(group))]

    async def _stage(self, work: Work, number: int, waiting: _Waiting) -> Exception | None:
        """Decide one command; on an error of its own, leave the work as it was."""
        draft = await work.draft(waiting.table_id)
        try:
            await draft.decide(waiting.command, waiting.origin())
        except ItemFailed as failed:
            if waiting.recorded and isinstance(failed.error, NotYet):
                return Refused("STATE", str(failed.error))
            return failed.error
        if waiting.recorded and not all(each.staged.meta.test for each in draft.decided):
            return NotATestTable("the table is no longer in TEST mode")
        work.adopt(draft, item=number)
        return None

    def _answers(
        self,
        work: Work,
        group: list[_Waiting],
        results: dict[int, Outcome | Exception],
    ) -> dict[int, _Given]:
        """What is said to the group: to everything that was decided, refusals included."""
        events = work.events_by_item()
        answers: dict[int, _Given] = {}
        for number, waiting in enumerate(group):
            error = results.get(number)
            if error is None:
                state = work.state_after(number)
                own = events.get(number, [])
                answer = self._core.aggregate.answer(waiting.command, own, state)
                named = waiting.named_by is not None and waiting.named_by(own)
                key = waiting.key if named else waiting.own_key
                answers[number] = _Given(key, _encode(_Answer(None, dict(answer))))
            elif isinstance(error, Refused):
                refused = (error.reason, error.message, error.clauses)
                key = "" if error.passing else waiting.own_key
                answers[number] = _Given(key, _encode(_Answer(refused, {})))
        return answers


def _repeated(waiting: _Waiting, stored: StoredAnswer) -> Outcome:
    if stored.input_hash != waiting.input_hash:
        return _CONFLICT
    return _outcome(stored.answer, (), duplicate=True)


def _outcome(stored: bytes, records: tuple[Record, ...], *, duplicate: bool) -> Outcome:
    """Read from what is stored, so that a repetition is told exactly what was told first."""
    answer = _decode(stored)
    return Outcome(
        refused=answer.refused,
        duplicate=duplicate,
        conflict=False,
        answer=answer.answer,
        records=records,
    )
