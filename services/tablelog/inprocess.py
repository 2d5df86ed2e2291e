"""The four services' cores in one process, without I/O: what `replay` and tests drive.

Events travel from service to service in one queue, in the order in which they came about; each
table is on its own. The wallet here has all the money that anybody wants.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from types import ModuleType
from typing import Any, ClassVar

from services.contracts.common import Card
from services.contracts.core import (
    Caused,
    Command,
    Event,
    Heard,
    Meta,
    NotYet,
    Refused,
    event_id,
)
from services.contracts.wager import DebitRequested, WagerRejected
from services.round import domain as round_core
from services.round.commands import AdvanceTime
from services.round.domain import is_due
from services.rules.cards import overfull
from services.rules.shuffling import commitment
from services.settlement import domain as settlement_core
from services.shoe import domain as shoe_core
from services.shoe.commands import LoadShoe, ResumeCoup
from services.tablelog.render import SERVICES, Told
from services.tablelog.steps import ELSEWHERE, ROUND, SHOE, WAGER, Step
from services.wager import domain as wager_core
from services.wager.commands import PlaceWager, RecordDebit
from services.wager.domain import is_staked

CORES: dict[str, ModuleType] = {
    "shoe": shoe_core,
    "round": round_core,
    "wager": wager_core,
    "settlement": settlement_core,
}


class KnownOrder:
    """A shoe whose order, or the front of it, was given from outside."""

    def __init__(self, order: Sequence[Card], secret: bytes = b"") -> None:
        self._order = order
        self._secret = secret

    def card(self, draw_number: int) -> Card | None:
        """The card with this draw number, if the order reaches that far."""
        return self._order[draw_number - 1] if draw_number <= len(self._order) else None

    def known(self) -> int:
        """How many cards from the front are known."""
        return len(self._order)

    def overfull(self, decks: int) -> Card | None:
        """A card of which there are too many copies, if any."""
        return overfull(self._order, decks)

    def commitment(self) -> str:
        """The digest that binds to the order, where it has a secret."""
        return commitment(self._secret, self._order) if self._secret else ""

    def order(self) -> tuple[Card, ...]:
        """The whole order."""
        return tuple(self._order)

    def secret(self) -> str:
        """The secret bytes, hexadecimal."""
        return self._secret.hex()


def _listeners() -> dict[type[Event], tuple[str, ...]]:
    """Which services do something on hearing an event, in the order of the services."""
    listeners: dict[type[Event], list[str]] = {}
    for service in SERVICES:
        for kind in CORES[service].FOLLOWS:
            listeners.setdefault(kind, []).append(service)
    return {kind: tuple(names) for kind, names in listeners.items()}


_LISTENERS = _listeners()
Placed = tuple[PlaceWager, Refused | None]
"""A wager, and what was said to it."""


class InProcessTable:
    """One table, driven command by command."""

    sends: ClassVar[Container[type[Event]]] = _LISTENERS
    """Events that go on their way with an envelope: those that some service follows."""

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self.states: dict[str, Any] = {name: core.initial_state() for name, core in CORES.items()}
        self._versions = dict.fromkeys(SERVICES, 0)
        self._cards: shoe_core.Cards = shoe_core.NO_CARDS
        self._before: shoe_core.Cards = shoe_core.NO_CARDS
        """The order of the shoe before the present command."""

        self._placed: dict[tuple[str, str], Placed] = {}
        """What was said to each actor of a wager's id."""

        self._staked: dict[str, Placed] = {}
        """Of the ids that mean one wager for everybody."""

    def run(self, step: Step, command_id: str) -> tuple[Refused | None, list[Told]]:
        """Carry a command out and everything that follows from it.

        Returns the refusal, if it was refused, and all events of the chain.
        """
        command = step.command
        state = self.states[ROUND]
        if type(command) is AdvanceTime and state.open and not is_due(state, command.at_us):
            return None, []  # no timer fires, so there is nothing to decide
        refused, told = self._run(step, command_id)
        if refused is None or step.otherwise is None or refused.reason not in ELSEWHERE:
            return refused, told
        return self._run(step.otherwise, command_id)

    def _run(self, step: Step, command_id: str) -> tuple[Refused | None, list[Told]]:
        command = step.command
        if isinstance(command, PlaceWager):
            who = (command.by.id, command.wager_id)
            known = self._placed.get(who) or self._staked.get(command.wager_id)
            if known is not None:
                return _repeated(command, *known), []
        told: list[Told] = []
        refused: Refused | None = None
        before = self._before = self._cards
        if isinstance(command, LoadShoe) or (
            isinstance(command, ResumeCoup) and step.order is not None
        ):
            self._cards = (
                shoe_core.NO_CARDS if step.order is None else KnownOrder(step.order, step.secret)
            )
        try:
            queue = deque(
                self._decide(step.service, command, command_id, command_id, depth=1, told=told)
            )
        except NotYet as not_yet:
            # Nothing is under way here: what a service has not heard, it will not hear.
            self._cards = before
            refused = Refused("STATE", str(not_yet))
        except Refused as no:
            self._cards = before
            refused = no
        else:
            while queue:
                queue.extend(self._spread(queue.popleft(), told))
        if isinstance(command, PlaceWager):
            refused = refused or _rejection(told)
            if is_staked([each.event for each in told]):
                self._staked[command.wager_id] = (command, refused)
            else:
                self._placed[command.by.id, command.wager_id] = (command, refused)
        return refused, told

    def _decide(
        self,
        service: str,
        command: Command,
        command_id: str,
        cause: str,
        *,
        depth: int,
        told: list[Told],
    ) -> list[Heard]:
        """Let a service decide; of its events those that somebody follows go on their way."""
        core, table_id, states, sends = CORES[service], self.table_id, self.states, self.sends
        if service == SHOE:
            events = core.decide(command, states[service], self._cards, self._before)
        else:
            events = core.decide(command, states[service])
        pending: list[Heard] = []
        meta: Meta | None = None
        for event, state in events.steps():
            states[service] = state
            version = self._versions[service] = self._versions[service] + 1
            told.append(Told(service, version, depth, event))
            if type(event) in sends:
                coup_id = getattr(event, "coup_id", None) or ""
                if meta is None or meta.coup_id != coup_id:
                    meta = Meta(
                        table_id=table_id,
                        occurred_at_us=command.at_us,
                        actor=command.by,
                        command_id=command_id,
                        cause=cause,
                        depth=depth,
                        coup_id=coup_id,
                        second=command.second,
                    )
                identity = event_id(service, table_id, version)
                pending.append(Heard(event, meta, service, identity))
            # Nothing follows it in its command: the wallet's answer goes on from the same state.
            if type(event) is DebitRequested and (paid := self.wallet(event, command)):
                asked = event_id(service, table_id, version)
                pending += self._decide(WAGER, paid, command_id, asked, depth=depth + 1, told=told)
        return pending

    def wallet(self, asked: DebitRequested, command: Command) -> RecordDebit | None:
        """What the wallet answers to a debit at once; None where it takes its time."""
        return RecordDebit(
            at_us=command.at_us, by=command.by, movement_id=asked.movement_id, outcome="DONE"
        )

    def _spread(self, sent: Heard, told: list[Told]) -> list[Heard]:
        """Let the services hear an event; what they make of it comes back."""
        pending: list[Heard] = []
        for name in _LISTENERS.get(type(sent.event), ()):
            if name != sent.service:
                pending += self._hear(name, sent, told)
        return pending

    def _hear(self, name: str, heard: Heard, told: list[Told]) -> list[Heard]:
        """Let one service hear an event; what it makes of it comes back."""
        core = CORES[name]
        state = self.states[name] = core.evolve(self.states[name], heard)
        pending: list[Heard] = []
        for reaction in core.react(heard, state):
            cause, command = heard, reaction
            if type(reaction) is Caused:
                cause, command = reaction.heard, reaction.command
            pending += self._decide(
                name,
                command,
                cause.meta.command_id,
                cause.event_id,
                depth=cause.meta.depth + 1,
                told=told,
            )
        return pending


def _repeated(again: PlaceWager, first: PlaceWager, answered: Refused | None) -> Refused | None:
    """The stored answer to the same wager; another one under its id is refused."""
    same = (first.player, first.area, first.amount_minor, first.currency) == (
        again.player,
        again.area,
        again.amount_minor,
        again.currency,
    ) and (first.channel, first.box, first.token) == (again.channel, again.box, again.token)
    if same:
        return answered
    return Refused("DUPLICATE", f"the wager id {again.wager_id} was used before for another wager")


def _rejection(told: Sequence[Told]) -> Refused | None:
    for each in told:
        if isinstance(each.event, WagerRejected):
            return Refused(each.event.code, each.event.message, each.event.clauses)
    return None
