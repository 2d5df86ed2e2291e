"""A tiny service to drive the chassis with: it counts, and listens to a service called feeder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from services.chassis.decider import Decide, Record, Staged
from services.chassis.registry import Registry, encode_meta
from services.chassis.store import Batch, Head, Store, Tx
from services.contracts.core import (
    SYSTEM,
    Actor,
    Caused,
    Command,
    Decided,
    Event,
    Heard,
    Meta,
    NotYet,
    Refused,
    Scope,
)

AT_US = 1_700_000_000_000_000
PIT = Actor("p-1", "PIT")


class Added(Event, frozen=True, kw_only=True):
    type = "added"
    n: int
    coup_id: str = ""
    ends: str = ""
    """A trace that it ends."""


class Noticed(Event, frozen=True, kw_only=True):
    type = "noticed"
    published = False
    what: str


class Fed(Event, frozen=True, kw_only=True):
    """Published by the feeder."""

    type = "fed"
    n: int


class Rested(Event, frozen=True, kw_only=True):
    """Published by the feeder; the counter does not listen to it."""

    type = "rested"


class Add(Command, frozen=True, kw_only=True):
    n: int
    coup_id: str = ""
    ends: str = ""


class AddMany(Command, frozen=True, kw_only=True):
    """An event for each number, and an unpublished one after each of them."""

    numbers: tuple[int, ...]


class Refuse(Command, frozen=True, kw_only=True):
    pass


class Deny(Command, frozen=True, kw_only=True):
    """Is refused for the moment."""


class Wait(Command, frozen=True, kw_only=True):
    pass


class Stumble(Command, frozen=True, kw_only=True):
    """Meets a mistake in `decide`, after it has made some events."""


class State(Struct, frozen=True):
    total: int = 0
    count: int = 0
    fed: int = 0


class Counter:
    """The aggregate."""

    SERVICE = "counter"
    STATE_SCHEMA = 1
    EVENTS: Mapping[str, type[Event]] = {"added": Added, "noticed": Noticed}
    HEARS: Mapping[str, Mapping[str, type[Event]]] = {"feeder": {"fed": Fed}}

    def __init__(self) -> None:
        self.folded = 0

    def initial_state(self) -> State:
        return State()

    def decide(self, command: Command, state: State) -> Decided:
        return Decided(state, self.evolve).take(self._events(command, state))

    def _events(self, command: Command, state: State) -> Sequence[Event]:
        match command:
            case Add():
                return [Added(n=command.n, coup_id=command.coup_id, ends=command.ends)]
            case AddMany():
                pairs = [(Added(n=n), Noticed(what=str(n))) for n in command.numbers]
                return [event for pair in pairs for event in pair]
            case Refuse():
                raise Refused("NO", f"not at {state.total}", ("000:1.1",))
            case Deny():
                raise Refused("NOT_NOW", f"not at {state.total}", passing=True)
            case Wait():
                raise NotYet("not heard")
            case Stumble():
                return [Added(n=1), Added(n="x")]  # type: ignore[arg-type]
        raise AssertionError(command)

    def evolve(self, state: State, event: Any) -> State:
        self.folded += 1
        if isinstance(event, Heard):
            return msgspec.structs.replace(state, fed=state.fed + event.event.n)  # type: ignore[attr-defined]
        if isinstance(event, Added):
            return msgspec.structs.replace(
                state, total=state.total + event.n, count=state.count + 1
            )
        return state

    def react(self, heard: Heard, state: State) -> Sequence[Command | Caused]:
        assert isinstance(heard.event, Fed)
        at_us = heard.meta.occurred_at_us + 1
        match heard.event.n:
            case 13:
                return [Add(at_us=at_us, by=SYSTEM, n=1), Stumble(at_us=at_us, by=SYSTEM)]
            case 14:
                raise ValueError("unlucky as well")
            case 15:
                earlier = msgspec.structs.replace(heard, event_id="feeder:t:1")
                return [Caused(Add(at_us=at_us, by=SYSTEM, n=15), earlier)]
        return [Add(at_us=at_us, by=SYSTEM, n=heard.event.n)]

    def scope(self, state: State, event: Event) -> Scope:
        return Scope(
            rulebook_id=f"rules-{state.count}",
            shoe_id="s-1",
            test=state.total > 1000,
            traceparent=getattr(event, "ends", ""),
        )

    def answer(self, command: Command, events: Sequence[Event], state: State) -> Mapping[str, Any]:
        types = [event.type for event in events]
        return {"total": state.total, "fed": state.fed, "events": types}


class Spy:
    """A companion whose effects a test provides, and which tells what it saw."""

    def __init__(self) -> None:
        self.aggregate = Counter()
        self.kept: list[Record] = []
        self.waves: list[int] = []
        self.effect: Callable[[Any, Staged], Command | None] = lambda _tx, _staged: None
        self.before_effects: Callable[[Any], Any] | None = None

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Nothing is looked up for several commands at once."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: Any) -> Decide:
        return self.aggregate.decide

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        self.waves.append(len(staged))
        if self.before_effects is not None:
            await self.before_effects(tx)
        follow = [(one, self.effect(tx, one)) for one in staged]
        return [(one, command) for one, command in follow if command is not None]

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        tx.hooks.after_commit(lambda: self.kept.extend(heard))


COUNTER = Registry("counter", Counter.EVENTS)
FEEDER = Registry("feeder", {"fed": Fed, "rested": Rested})


def meta_bytes(table_id: str, **fields: Any) -> bytes:
    values = {
        "table_id": table_id,
        "occurred_at_us": AT_US,
        "actor": PIT,
        "command_id": "c-0",
        "cause": "c-0",
        "depth": 1,
        **fields,
    }
    return encode_meta(Meta(**values))


def put(batch: Batch, stream: str, event: Event, registry: Registry, **meta: Any) -> None:
    """Add an event to a batch, with an envelope that has what a test cares for."""
    body = registry.encode(event)
    batch.add(
        stream,
        kind=event.type,
        schema_version=event.schema_version,
        published=event.published,
        coup_id=meta.get("coup_id", ""),
        command_id=meta.get("command_id", "c-0"),
        meta=meta_bytes(stream, **meta),
        body=body,
    )


async def append(
    store: Store, *events: tuple[str, Event], registry: Registry = COUNTER, **meta: Any
) -> list[Record]:
    """Append events to their streams in one transaction."""
    async with store.transaction() as tx:
        return await append_in(tx, store.service, *events, registry=registry, **meta)


async def append_in(
    tx: Tx, service: str, *events: tuple[str, Event], registry: Registry = COUNTER, **meta: Any
) -> list[Record]:
    """Append events to their streams in an open transaction."""
    streams = {stream for stream, _ in events}
    await tx.lock(streams)
    batch = Batch(service, await tx.heads(streams))
    for stream, event in events:
        put(batch, stream, event, registry, **meta)
    return await tx.append(batch)


def one_event(heads: Mapping[str, Head], stream: str) -> Batch:
    """A batch of one event after heads that may be outdated."""
    batch = Batch("counter", heads)
    put(batch, stream, Added(n=1), COUNTER)
    return batch
