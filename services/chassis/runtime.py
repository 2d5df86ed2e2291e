"""What a running service has, and what it does with every command.

A service says in a `ServiceDefinition` what is its own; its servicers and parts are given a
`Runtime`, in which everything that was started before them can be found.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabot.common.v1 import common_pb2
from services.chassis import auth, config, logs, migrations, postgres, rpc, telemetry
from services.chassis.clock import Clock
from services.chassis.decider import Aggregate, Companion, Record
from services.chassis.executor import Executor, Limits, Outcome, Overloaded
from services.chassis.health import Health
from services.chassis.lifecycle import Part
from services.chassis.measures import Interval, Measure
from services.chassis.parking import Parking
from services.chassis.positions import Position
from services.chassis.registry import Registry, decode_meta
from services.chassis.rpc_errors import (
    CommandIdReused,
    FieldFault,
    InvalidCommand,
    NotAllowedHere,
    PermissionDenied,
)
from services.chassis.store import StoreUnavailable
from services.contracts.core import SYSTEM, Actor, Command, Event, NotYet

log = logs.logger(__name__)

START_S: Final = 15.0
"""What a part may take to start, unless it waits for somebody else."""

AGAIN_S: Final = 0.2
AGAIN_S_MAX: Final = 5.0
"""Pause before a part in the background begins again, doubled each time."""

PROGRESS_PARKED_MAX: Final = 1_000

_PASSING = (StoreUnavailable, Overloaded, OSError, TimeoutError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceDefinition:
    """What a service is, beyond what all services have."""

    name: str
    aggregate: Aggregate
    settings: type[config.Settings]
    migrations: tuple[migrations.Package, ...]
    """Its own packages of migrations; that of the log is always there."""

    hears: Mapping[str, Collection[str]]
    """Services that are heard, each with all the types of events that it publishes."""

    roles: frozenset[str]
    """Roles under which somebody can act; others in a token mean nothing here."""

    access: Mapping[str, frozenset[str]]
    """Roles that each method is open to, by `package.Service/Method`; others are closed to all."""

    companion: Callable[[Runtime], Companion]
    """Called when the database is open and before anything else runs."""

    servicers: Callable[[Runtime], Sequence[rpc.Served]]
    """Called when everything that it may use has been started."""

    parts: Callable[[Runtime], Sequence[Part]]
    """Timers, projections, connections to others: started before calls are answered and stopped
    after. Called before anything runs, so a part looks at the runtime in its `start`."""

    intervals: tuple[Interval, ...] = ()
    """Times between two events that are measured."""

    measure: Measure | None = None
    """What else is measured of each of its own events, after the commit."""

    limits: Limits = field(default_factory=Limits)
    """Bounds of its executor."""

    secret_keys: frozenset[str]
    """Keys whose values never appear in a log, beside those that never do anywhere."""


class Runtime:
    """What a running service has. A part is there once it was started; before, asking is a bug."""

    def __init__(
        self, definition: ServiceDefinition, settings: config.Settings, clock: Clock
    ) -> None:
        """Name what there will be."""
        self.definition = definition
        self.settings: Any = settings
        """Of the class that the definition names."""

        self.clock = clock
        self.instance = config.instance_of(settings)
        self.health = Health(settings=settings.health, clock=clock)
        self.registry = Registry(definition.name, definition.aggregate.EVENTS)
        self.fail: Callable[[str], None] = _fail_before_start
        """Ends the process, in order and with a bad status, because something cannot go on."""

        self._made: dict[str, Any] = {}

    def take(self, name: str) -> Any:
        """Take something that was noted; also what a service's own parts leave for its servicers."""
        assert name in self._made, f"{name} is not there (yet, or in this role)"
        return self._made[name]

    def made(self, name: str, part: Any) -> None:
        """Note something under its name, for whoever is started later."""
        assert name not in self._made, f"{name} was made twice"
        self._made[name] = part

    def has(self, name: str) -> bool:
        """Tell whether something was noted: a part that failed to start is stopped too."""
        return name in self._made

    @property
    def works(self) -> bool:
        """Whether this process takes commands, hears and publishes; a query server does not."""
        return bool(self.settings.role != "query")

    @property
    def pool(self) -> postgres.Pool:
        """The connections to the service's database."""
        pool: postgres.Pool = self.take("pool")
        return pool

    @property
    def store(self) -> postgres.PostgresStore:
        """The log."""
        store: postgres.PostgresStore = self.take("store")
        return store

    @property
    def executor(self) -> Executor:
        """Carries out commands, and reads states for queries in every role."""
        executor: Executor = self.take("executor")
        return executor

    @property
    def parking(self) -> Parking:
        """Tables that wait for a person."""
        parking: Parking = self.take("parking")
        return parking

    @property
    def grpc_port(self) -> int:
        """The port for calls that was really bound."""
        server: rpc.GrpcServer = self.take("grpc")
        return server.port

    def connect(
        self,
        target: str,
        *,
        deadline_s: float,
        repeatable: Sequence[str],
        tls: rpc.ClientTls | None = None,
    ) -> Any:
        """Open a channel to another service, under the name of this one.

        Encrypted as the configuration says, unless `tls` says it otherwise.
        """
        return rpc.connect(
            target,
            credentials=self._credentials(),
            deadline_s=deadline_s,
            repeatable=repeatable,
            tls=self._tls() if tls is None else tls,
            clock=self.clock,
        )

    def _tls(self) -> rpc.ClientTls | None:
        settings = self.settings
        plain = settings.grpc.plaintext or settings.environment == "development"
        if plain and not settings.client.ca_file:
            return None
        client = settings.client
        return rpc.ClientTls(client.ca_file, client.certificate_file, client.key_file)

    def _credentials(self) -> auth.Credentials:
        if self.settings.auth.token_file:
            return auth.token_file_credentials(Path(self.settings.auth.token_file), self.clock)
        mode = config.auth_mode(self.settings.auth.mode, self.settings.environment)
        if mode != "development":
            raise ValueError("SABOT_AUTH_TOKEN_FILE is missing: this service calls others")
        return auth.development_credentials(Actor(self.definition.name, SYSTEM.role))

    # Commands

    async def carry_out(
        self,
        request: Any,
        table_id: str,
        command: Callable[[auth.Stamp], Command],
        *,
        test_table: bool | None,
        key: str | None,
        asked: Any | None = None,
        named_by: Callable[[Sequence[Event]], bool] | None = None,
    ) -> Carried:
        """Carry out the command of a request that has a `meta`; what every servicer does.

        `command` makes it from instant and persons. `test_table` None means: look it up.
        `key`, `named_by`: see `Executor.submit`; `asked` is what is the same in every request with
        that key, where it is not the request itself.
        """
        return await self.carry_out_asked(
            Asked(
                request=request,
                table_id=table_id,
                command=command,
                test_table=test_table,
                key=key,
                asked=asked,
                named_by=named_by,
            )
        )

    async def carry_out_asked(self, asked: Asked) -> Carried:
        """Carry out one command; see `carry_out`."""
        began_s = self.clock.steady_s()
        kind, future = await self._submit(asked, telemetry.current_traceparent())
        outcome = await future
        telemetry.count("sabot.commands", command=kind, outcome=_word(outcome))
        telemetry.record("sabot.command.duration", self.clock.steady_s() - began_s, command=kind)
        return Carried(outcome=outcome, result=await self._result(outcome, asked.table_id))

    async def carry_out_all(
        self, several: Sequence[Asked], check: Callable[[Any], None]
    ) -> list[Carried | Exception]:
        """Carry out the commands of one call, each alone: an error of one is its own answer.

        They wait for their commits together, so that a hundred cost little more than a few.
        `check` looks at each request before.
        """
        began_s = self.clock.steady_s()
        traceparent = telemetry.current_traceparent()
        begun: list[tuple[str, asyncio.Future[Outcome]] | Exception] = []
        for each in several:
            try:
                check(each.request)
                begun.append(await self._submit(each, traceparent))
            except Exception as error:  # noqa: BLE001 - this command's answer
                begun.append(error)
        taken = [one for one in begun if not isinstance(one, Exception)]
        outcomes = await asyncio.gather(*(future for _, future in taken), return_exceptions=True)
        took_s = self.clock.steady_s() - began_s
        words = Counter(
            (kind, _word(outcome))
            for (kind, _), outcome in zip(taken, outcomes, strict=True)
            if isinstance(outcome, Outcome)
        )
        for (kind, word), number in words.items():
            telemetry.count("sabot.commands", number, command=kind, outcome=word)
        for kind in {kind for kind, _ in words}:
            telemetry.record("sabot.command.duration", took_s, command=kind)
        told = iter(outcomes)
        return [
            await self._carried(one if isinstance(one, Exception) else next(told), each.table_id)
            for one, each in zip(begun, several, strict=True)
        ]

    async def _carried(
        self, outcome: Outcome | BaseException, table_id: str
    ) -> Carried | Exception:
        if isinstance(outcome, Exception):
            return outcome
        if isinstance(outcome, BaseException):
            raise outcome  # the call was cancelled
        try:
            return Carried(outcome=outcome, result=await self._result(outcome, table_id))
        except Exception as error:  # noqa: BLE001 - this command's answer
            return error

    async def _submit(self, asked: Asked, traceparent: str) -> tuple[str, asyncio.Future[Outcome]]:
        """Make a command and let it wait for its commit: its type by name, and its future."""
        if not self.works:
            raise NotAllowedHere("this server answers queries only", reason="QUERIES_ONLY")
        meta: common_pb2.CommandMeta = asked.request.meta
        test = False
        if meta.HasField("recorded") and self.settings.allow_test_tables:
            known = asked.test_table
            test = await self.is_test_table(asked.table_id) if known is None else known
        stamp = auth.stamp(
            meta,
            now_us=self.clock.now_us(),
            test_table=test,
            allow_test_tables=self.settings.allow_test_tables,
        )
        self._check_roles(stamp)
        made = asked.command(stamp)
        future = self.executor.submit(
            asked.table_id,
            made,
            command_id=meta.command_id,
            input_hash=rpc.input_hash(asked.request if asked.asked is None else asked.asked),
            key=asked.key,
            traceparent=traceparent,
            recorded=stamp.importer is not None,
            named_by=asked.named_by,
        )
        return type(made).__name__, future

    def _check_roles(self, stamp: auth.Stamp) -> None:
        """Refuse roles that do not exist here: a person under one would be stored for ever."""
        known = self.definition.roles
        for name, person in (("by", stamp.by), ("second", stamp.second)):
            if person is None or person.role in known:
                continue
            problem = f"needs one of {', '.join(sorted(known))}"
            if stamp.importer is None:
                raise PermissionDenied(f"the role of {name} {problem}", reason="ROLE")
            field = f"meta.recorded.{name}.role"
            raise InvalidCommand(f"{field} {problem}", fields=[FieldFault(field, problem)])

    async def _result(self, outcome: Outcome, table_id: str) -> common_pb2.CommandResult:
        if outcome.conflict:
            raise CommandIdReused("the command id was used before, with another input")
        result = common_pb2.CommandResult(duplicate=outcome.duplicate)
        if outcome.refused is not None:
            reason, message, clauses = outcome.refused
            result.refusal.CopyFrom(
                common_pb2.Refusal(reason=reason, message=message, clauses=clauses)
            )
            return result
        # What others hear of is published: a place behind that they would wait for in vain.
        published = [record.position for record in outcome.records if record.published]
        position = published[-1] if published else await self._last_published(table_id)
        result.position_token = self.token(position)
        return result

    async def _last_published(self, table_id: str) -> int:
        async with self.store.transaction() as tx:
            return (await tx.heads([table_id]))[table_id].last_published_position

    def token(self, position: int) -> str:
        """Write a position of the own log for a caller."""
        return Position(self.definition.name, 0, position).token()

    async def is_test_table(self, table_id: str) -> bool:
        """Tell from its last event whether a table is in TEST mode."""
        async with self.store.transaction() as tx:
            version = (await tx.heads([table_id]))[table_id].version
            if version == 0:
                raise NotYet(f"nothing is known of {table_id} yet")
            (last,) = await tx.read_stream(table_id, after_version=version - 1, limit=1)
        return decode_meta(last.meta).test

    async def progress(
        self, table_id: str, *, open_wallet_movements: int
    ) -> common_pb2.TableProgress:
        """Tell how far this service is with a table."""
        progress = await self.store.progress(table_id)
        answer = common_pb2.TableProgress(
            table_id=table_id,
            own_position=progress.position,
            published_position=progress.published_position,
            open_wallet_movements=open_wallet_movements,
            position_token=self.token(progress.position),
        )
        for upstream, position in sorted(progress.handled.items()):
            answer.handled.add(upstream=upstream, position=position)
        if progress.parked_records:
            parked = await self.store.parked_tables(self.definition.name, limit=PROGRESS_PARKED_MAX)
            if table_id in parked:
                found = parked[table_id]
                upstream = found.event_id.partition(":")[0]
                answer.parked.add(upstream=upstream, event_id=found.event_id, reason=found.reason)
        return answer


class Asked(Struct, frozen=True, kw_only=True):
    """A command as a request asks for it; see `Runtime.carry_out`."""

    request: Any
    table_id: str
    command: Callable[[auth.Stamp], Command]
    test_table: bool | None = None
    key: str | None = None
    asked: Any | None = None
    named_by: Callable[[Sequence[Event]], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A command that was carried out, or refused."""

    outcome: Outcome
    result: common_pb2.CommandResult
    """For the field `result` of the response."""

    @property
    def answer(self) -> dict[str, Any]:
        """What the service says to it; empty after a refusal."""
        return self.outcome.answer


def _word(outcome: Outcome) -> str:
    if outcome.conflict:
        return "conflict"
    if outcome.duplicate:
        return "duplicate"
    return "accepted" if outcome.refused is None else "refused"


def _fail_before_start(reason: str) -> None:
    raise AssertionError(f"a part failed before anything was started: {reason}")


def stored_event(record: Record) -> common_pb2.StoredEvent:
    """Write a stored event for a caller."""
    return common_pb2.StoredEvent(
        service=record.service,
        table_id=record.stream,
        version=record.version,
        position=record.position,
        previous=record.previous,
        type=record.type,
        schema_version=record.schema_version,
        meta=record.meta,
        body=record.body,
        previous_digest=record.previous_digest,
        digest=record.digest,
        published=record.published,
        recorded_at_us=record.recorded_at_us,
    )


def background(
    runtime: Runtime, name: str, run: Callable[[], Awaitable[Any]], *, stop_budget_s: float
) -> Part:
    """Make a part of something that runs for ever, such as a projection or timers.

    `run` is cancelled at stop, and called again after a pause when the database was away. If it
    ends by another error, so does the process: nobody would notice the missing part.
    """
    tasks: list[asyncio.Task[Any]] = []

    async def running() -> None:
        failures = 0
        while True:
            began_s = runtime.clock.steady_s()
            try:
                await run()
                return
            except Exception as error:
                if not isinstance(error, _PASSING) and not postgres.is_transient(error):
                    raise
                if runtime.clock.steady_s() - began_s > AGAIN_S_MAX:
                    failures = 0
                pause_s = min(AGAIN_S * 2.0 ** min(failures, 10), AGAIN_S_MAX)
                failures += 1
                log.warning("a part begins again", part=name, problem=repr(error), pause_s=pause_s)
            await asyncio.sleep(pause_s)

    def ended(task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and task.exception() is not None:
            runtime.fail(f"{name}: {task.exception()!r}")

    async def start() -> None:
        task = asyncio.create_task(running(), name=name)
        task.add_done_callback(ended)
        tasks.append(task)

    async def stop(timeout_s: float) -> None:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)

    return Part(
        name=name, start=start, stop=stop, start_budget_s=START_S, stop_budget_s=stop_budget_s
    )
