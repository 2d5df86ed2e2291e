"""What all services share about commands and events. Pure data: no clock, no ids, no I/O.

A service is a decider (`initial_state`, `decide`, `evolve`) and a `react` function. `decide` takes a
`Command` and returns what it `Decided` or raises `Refused`; `react` takes what another service published
(`Heard`) and returns commands for its own service. Who runs them, and where events are kept, is
the business of a driver: the services, the table-log replay, or the simulation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from msgspec import Raw, Struct


class Actor(Struct, frozen=True):
    """A person or machine that acts. `role` is an upper-case role name, such as GAME_SUPERVISOR."""

    id: str
    role: str


SYSTEM = Actor("system", "SYSTEM")
"""Timers, policies and reactions act under this name."""


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that happened, in the past tense. Never edited once stored."""

    type: ClassVar[str] = ""
    """Stable name on the wire and in the log, such as "betting-closed"; never a class name."""

    schema_version: ClassVar[int] = 1
    """Raised by one with every change that old readers could not take, beside an upcaster."""

    published: ClassVar[bool] = True
    """False for facts that stay inside the service, such as the identity of a burned card."""


class Command(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something somebody wants done, in the imperative. Instants enter the core only here."""

    at_us: int
    """The instant the command counts from: microseconds since 1970-01-01T00:00:00Z."""

    by: Actor
    second: Actor | None = None
    """A second person, where a clause asks for one."""

    shift: int = 0
    """The shift in which the actor came to the table, where he says so; see `contracts.crew`."""


class Meta(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The envelope of a stored event, without what only the log knows (position, recorded time)."""

    table_id: str
    occurred_at_us: int
    actor: Actor
    command_id: str
    """The outside command that began the chain of events: the correlation id."""

    cause: str
    """What caused this event directly: the command's id, or the id of the event reacted to."""

    depth: int
    """Steps from the outside command: its own events are 1, reactions to those 2, and so on."""

    rulebook_id: str = ""
    rulebook_hash: str = ""
    shoe_id: str = ""
    coup_id: str = ""
    second: Actor | None = None
    test: bool = False
    """True at tables in TEST mode."""

    traceparent: str = ""
    """W3C trace context in which the chain began; of a settled wager, that of its placing."""

    chain_traceparent: str = ""
    """W3C trace context in which the chain began, where `traceparent` is another that is kept."""


class Scope(Struct, frozen=True):
    """What of a service's state goes into the envelope of an event."""

    rulebook_id: str = ""
    rulebook_hash: str = ""
    shoe_id: str = ""
    test: bool = False
    traceparent: str = ""
    """The trace that the event ends, where that is not the one of its own chain."""


class Heard(Struct, frozen=True):
    """An event that another service published, as `react` gets it."""

    event: Event
    meta: Meta
    service: str
    """The service that published it, such as "round"."""

    event_id: str
    """`service:stream:version`, unique for ever."""


class Caused(Struct, frozen=True):
    """A command of a reaction whose cause is an event heard earlier than the present one.

    Settlement uses it: whether the book or the result arrives last, the result is the cause.
    """

    command: Command
    heard: Heard


class Noted(Event, frozen=True, kw_only=True):
    """An event of another service, kept in this service's own stream as it was published.

    So the state of a table is a fold over one stream, and what a service knew at any moment can
    be rebuilt from its own log alone. `evolve` is given the event itself, as `Heard`.
    """

    type = "noted"
    published = False
    service: str
    event_id: str
    position: int
    """Position in the publishing service's log."""

    event_type: str
    event_version: int
    """Schema version of the event, as published."""

    meta: Raw
    body: Raw
    previous_digest: str
    """Hexadecimal, as published."""

    digest: str
    recorded_at_us: int


class Decided(list[Event]):
    """What a command causes: events in order, and in `steps` the table's state after each of them.

    A decider needs the state after an event to go on from there. Whoever drives it takes that state
    over instead of folding the events again.
    """

    __slots__ = ("_before", "_evolve", "_states")

    def __init__(self, state: Any, evolve: Callable[[Any, Any], Any]) -> None:
        self._before = state
        self._evolve = evolve
        self._states: list[Any] = []
        """After the first events: as far as somebody had to know."""

    @property
    def state(self) -> Any:
        """The state after all of them."""
        states = self._states
        state = states[-1] if states else self._before
        if len(states) < len(self):
            for event in self[len(states) :]:
                state = self._evolve(state, event)
                states.append(state)
        return state

    def take(self, events: Iterable[Event]) -> Decided:
        """Go on with these events; returns itself."""
        self.extend(events)
        return self

    def steps(self) -> Iterable[tuple[Event, Any]]:
        """Each event with the state after it."""
        known = self._states
        return zip(self, known, strict=True) if len(known) == len(self) else self._folded()

    def _folded(self) -> Iterator[tuple[Event, Any]]:
        """A state that nobody has asked for is not kept.

        Of the payments of a large book each would be one, with all the payments before it.
        """
        state, known = self._before, len(self._states)
        for number, event in enumerate(self):
            state = self._states[number] if number < known else self._evolve(state, event)
            yield event, state


class Refused(Exception):
    """The rules do not allow the command. `reason` is a code for machines, such as BURN_OWED."""

    def __init__(
        self,
        reason: str,
        message: str,
        clauses: tuple[str, ...] = (),
        *,
        passing: bool = False,
    ) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.clauses = clauses
        """The rule texts behind the refusal, as `seed:clause`."""

        self.passing = passing
        """News that may be under way can change it: it is not kept with the command's id."""


class NotYet(Exception):
    """The service has not heard what the command rests on: try again, nothing was decided."""


def event_id(service: str, stream: str, version: int) -> str:
    """The id of an event: it follows from its place, so that nobody has to invent one."""
    return f"{service}:{stream}:{version}"
