"""What random tables are to reach: every kind of command and event of the four services."""

from __future__ import annotations

from collections import Counter
from importlib import import_module

from services.contracts.core import Command
from services.tablelog.inprocess import CORES
from tests.property.rough import Kind
from tests.property.wanderer import Wanderer

OF_OPERATORS = frozenset(
    {
        ("settlement", "CreditGrouped"),
        ("wager", "BettingStopped"),
        ("wager", "LiftStop"),
        ("wager", "OrderStop"),
        ("wager", "PlaceSlip"),
        ("wager", "SlipDebitRequested"),
        ("wager", "SlipRejected"),
        ("wager", "StopLifted"),
    }
)
"""What an operator's systems alone bring about, by calls: a table has no word for it."""


def _commands(service: str) -> list[Kind]:
    """Every command of a service: of people, of reactions and of the wallet."""
    kinds = vars(import_module(f"services.{service}.commands")).values()
    return [
        (service, kind.__name__)
        for kind in dict.fromkeys(each for each in kinds if isinstance(each, type))
        if issubclass(kind, Command) and kind is not Command
    ]


COMMANDS: list[Kind] = [
    kind for service in CORES for kind in _commands(service) if kind not in OF_OPERATORS
]
EVENTS: list[Kind] = [
    (service, event.__name__)
    for service, core in CORES.items()
    for event in core.EVENTS.values()
    if (service, event.__name__) not in OF_OPERATORS
]


def events_of(w: Wanderer) -> Counter[Kind]:
    """The events of a table by kind."""
    return Counter((sent.service, type(sent.event).__name__) for sent in w.sent)


def reached(w: Wanderer) -> set[Kind]:
    """Kinds of commands that were accepted, and of events that came about."""
    return {*w.table.accepted, *events_of(w)}
