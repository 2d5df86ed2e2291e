"""A table whose wallet always pays, played in this process, and settlement's log of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from services.chassis.decider import Record
from services.contracts.wager import DebitRequested
from services.settlement.domain import SERVICE as SETTLEMENT
from services.settlement.reading import read
from services.wager.commands import RecordDebit
from tests.property.rough import RoughTable
from tests.support.journal import journal
from tests.support.played import SIX_SEVEN, Played

CARDS = f"9S 9H 9D 9C KS KH {SIX_SEVEN} AC 9D {SIX_SEVEN}"
"""Cards for a shoe: ten that may be burned or played, and two coups that Banker wins."""


class Paying(RoughTable):
    """Its wallet pays, and nobody lags."""

    def wallet(self, asked: DebitRequested, command: Any) -> RecordDebit:
        return RecordDebit(
            at_us=command.at_us, by=command.by, movement_id=asked.movement_id, outcome="DONE"
        )


def paying(rulebook: str = "live-studio", **settings: Any) -> Played:
    """A table that is open."""
    return Played(rulebook, table=Paying("T1", 2, lags=False), **settings)


def log_of(story: Played) -> list[Record]:
    """What settlement decided and heard of it so far."""
    assert isinstance(story.table, RoughTable)
    story.table.settle_down()
    return journal(story.table)


def behind(records: Sequence[Record], *services: str) -> list[Record]:
    """The log, with what these services say heard after all else."""
    return arranged(records, lambda name: name in services)


def arranged(records: Sequence[Record], key: Callable[[str], Any]) -> list[Record]:
    """The log in another order of topics, each in its own order, with positions that fit."""
    topics: dict[str, list[Record]] = {}
    order = []
    for place, record in enumerate(records):
        each = read(record)
        name = each.service if each is not None else SETTLEMENT
        topics.setdefault(name, []).append(record)
        order.append((key(name), place, name))
    left = {name: iter(topic) for name, topic in topics.items()}
    chosen = [next(left[name]) for _, _, name in sorted(order)]
    return [replace(record, position=place) for place, record in enumerate(chosen, start=1)]
