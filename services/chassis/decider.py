"""What the chassis needs to know of a service: its pure core and its companion in the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from services.contracts.core import Caused, Command, Decided, Event, Heard, Meta, Scope


class Body(Struct, frozen=True):
    """Of a stored event what the state of its table is folded from."""

    version: int
    """Place in the stream, from 1, without holes."""

    type: str
    schema_version: int
    body: bytes
    """JSON of the event, as written."""


class Entry(Body, frozen=True):
    """One stored event with its place in the log, for those who fold it and prove nothing by it."""

    service: str
    stream: str
    """The table id: all that a service knows of one table is one stream, in one order."""

    position: int
    """Place in the service's log, from 1, without holes, in commit order."""

    meta: bytes
    """JSON of `Meta`, as written."""

    recorded_at_us: int

    @property
    def event_id(self) -> str:
        """`service:stream:version`."""
        return f"{self.service}:{self.stream}:{self.version}"


class Record(Entry, frozen=True):
    """All that the log has of a stored event."""

    previous: int
    """Position of the stream's previous published event; 0 where there is none."""

    previous_digest: bytes
    digest: bytes
    """SHA-256 over the stream's previous digest and the event; see `digest_of`."""

    published: bool


class Aggregate(Protocol):
    """The pure core of one service, as a module or an object with these attributes."""

    @property
    def SERVICE(self) -> str:  # noqa: N802 - a constant of a module
        """Its name: shoe, round, wager or settlement."""
        ...

    @property
    def STATE_SCHEMA(self) -> int:  # noqa: N802
        """Raised whenever the state changes its form: older snapshots are then ignored."""
        ...

    @property
    def EVENTS(self) -> Mapping[str, type[Event]]:  # noqa: N802
        """Every event type of this service by its `type`."""
        ...

    @property
    def HEARS(self) -> Mapping[str, Mapping[str, type[Event]]]:  # noqa: N802
        """Events of other services that it listens to, by service and type; others are passed."""
        ...

    def initial_state(self) -> Any: ...

    def decide(self, command: Any, state: Any) -> Decided: ...

    def evolve(self, state: Any, event: Any) -> Any:
        """The state after an event of this service, or after a `Heard` of another."""
        ...

    def react(self, heard: Heard, state: Any) -> Sequence[Command | Caused]:
        """What to do about an event that was heard; the state has it folded in already."""
        ...

    def scope(self, state: Any, event: Any) -> Scope:
        """What goes into the envelope of an event of this service; the state has it folded in."""
        ...

    def answer(self, command: Any, events: Sequence[Event], state: Any) -> Mapping[str, Any]:
        """What a caller is told of a command that was carried out; stored with its id."""
        ...


class Staged(Struct, frozen=True):
    """A decided event that is about to be appended in the open transaction."""

    table_id: str
    event: Event
    meta: Meta


Decide = Callable[[Any, Any], Decided]


class Companion(Protocol):
    """What a service keeps in its database beside the log, in the transaction of the events."""

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Look up at once what deciding these commands from outside will take of the database.

        Called before the first of them is decided in the transaction. What is not looked up here,
        `decider` looks up for its command alone.
        """
        ...

    async def decider(self, tx: Any, table_id: str, command: Command, state: Any) -> Decide:
        """The `decide` for this command, bound to what it may look at (a sealed shoe)."""
        ...

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Effects of new events inside the transaction (a ledger entry).

        Returns commands that follow from them, each with the event that caused it; they are
        decided in the same transaction. Called again for the events of those, until none come.
        """
        ...

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Keep what was heard (settlement's journal), in the transaction of its effect."""
        ...
