"""Given, when, then: specifications of a decider, one rule at a time.

    spec(wager).given(opened("nsw-mini"), betting()).when(place("w1")).then(like(DebitRequested))

What was given may be events of the service itself and events of others, which it hears.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from services.contracts.core import SYSTEM, Actor, Caused, Command, Event, Heard, Meta, Refused

AT_US = 1_767_225_600_000_000
"""When everything happens in a specification that does not say otherwise: 2026-01-01."""

TABLE = "T1"


class Like(Struct, frozen=True):
    """An event of this kind, with these values among its own."""

    kind: type[Event]
    fields: dict[str, Any]

    def fits(self, event: Event) -> bool:
        """Whether the event is of exactly this kind and has the values."""
        missing = object()
        return type(event) is self.kind and all(
            getattr(event, name, missing) == value for name, value in self.fields.items()
        )


def like(kind: type[Event], /, **fields: Any) -> Like:
    """An event of which only some values matter."""
    return Like(kind, fields)


def heard(event: Event, *, service: str = "round", at_us: int = AT_US, by: Actor = SYSTEM) -> Heard:
    """An event of another service, as it is heard."""
    meta = Meta(
        table_id=TABLE,
        occurred_at_us=at_us,
        actor=by,
        command_id="command",
        cause="command",
        depth=1,
        coup_id=getattr(event, "coup_id", None) or "",
    )
    return Heard(event, meta, service, f"{service}:{TABLE}:1")


class Spec:
    """What a service knows, and what it does next."""

    def __init__(self, core: ModuleType, state: Any) -> None:
        self.core = core
        self.state = state

    def given(self, *events: Event | Heard) -> Spec:
        """So far this happened."""
        state = self.state
        for event in events:
            if not isinstance(event, Heard) and type(event) not in self.core.EVENTS.values():
                event = heard(event)  # noqa: PLW2901 - somebody else's, so it is heard
            state = self.core.evolve(state, event)
        return Spec(self.core, state)

    def when(self, command: Command) -> Told:
        """Somebody asks for something."""
        try:
            return Told(self, self._decided(command, self.state))
        except Refused as no:
            return Told(self, [], no)

    def _decided(self, command: Command, state: Any) -> list[Event]:
        """What the core decides; the states that it says with it are what `evolve` makes of it."""
        decided = self.core.decide(command, state)
        for event, after in decided.steps():
            state = self.core.evolve(state, event)
            assert after == state
        return list(decided)

    def when_heard(self, event: Event | Heard) -> Told:
        """Another service published something; whatever the service does about it."""
        sent = event if isinstance(event, Heard) else heard(event)
        after = self.given(sent)
        events: list[Event] = []
        state = after.state
        for reaction in self.core.react(sent, state):
            command = reaction.command if isinstance(reaction, Caused) else reaction
            for decided in self._decided(command, state):
                events.append(decided)
                state = self.core.evolve(state, decided)
        return Told(after, events)


class Told(Struct, frozen=True):
    """What came of it."""

    before: Spec
    events: list[Event]
    refused: Refused | None = None

    def then(self, *expected: Event | Like) -> Spec:
        """Exactly these events, in this order; returns the specification after them."""
        assert self.refused is None, self.refused
        assert len(self.events) == len(expected), self.events
        for event, wanted in zip(self.events, expected, strict=True):
            fits = wanted.fits(event) if isinstance(wanted, Like) else wanted == event
            assert fits, f"wanted {wanted}\n   got {event}"
        return self.before.given(*self.events)

    def then_among(self, *expected: Like) -> Spec:
        """These events in this order, with whatever others between them."""
        assert self.refused is None, self.refused
        rest = iter(self.events)
        for wanted in expected:
            assert any(wanted.fits(event) for event in rest), f"wanted {wanted} in {self.events}"
        return self.before.given(*self.events)

    def then_nothing(self) -> Spec:
        """It is taken, and changes nothing."""
        return self.then()

    def then_raises(self, reason: str) -> Spec:
        """It is refused with this reason; nothing changed."""
        assert self.refused is not None, self.events
        assert self.refused.reason == reason, self.refused
        return self.before

    def only(self, kind: type[Event]) -> Sequence[Any]:
        """The events of one kind."""
        return [event for event in self.events if type(event) is kind]


def spec(core: ModuleType) -> Spec:
    """A specification of a service that knows nothing yet."""
    return Spec(core, core.initial_state())


def person(role: str, name: str = "") -> Actor:
    """Somebody with this role; by default his name is the role's."""
    return Actor(name or role.lower(), role)


def at(command: Command, seconds: float) -> Command:
    """The same command, so many seconds later."""
    return replace(command, at_us=command.at_us + round(seconds * 1_000_000))
