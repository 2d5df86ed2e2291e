"""The log folded into facts: what one event adds to each table. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from services.chassis.decider import Entry
from services.contracts import round as table
from services.contracts import wager as book
from services.contracts.common import RulebookActivated
from services.contracts.core import Event
from services.contracts.round_table import VariantChanged
from services.settlement.reading import Read, read
from services.settlement.reports import (
    fold_coups,
    fold_house,
    fold_money,
    fold_notes,
    fold_shoes,
)
from services.settlement.reports.facts import Fact
from services.settlement.reports.state import Here, Known, here

_CREW: Final[tuple[type[Event], ...]] = (
    table.TableOpened,
    table.DealerAssigned,
    table.DealerChanged,
)
WANTED: Final = frozenset(
    {
        RulebookActivated.type,
        VariantChanged.type,
        *(kind.type for kind in (*_CREW, *fold_coups.CHANGES)),
    }
    | fold_money.WANTED
    | fold_notes.WANTED
    | fold_shoes.WANTED
    | fold_house.WANTED
)
"""Types of events that facts are made of; nothing else is decoded."""


def heard(record: Entry) -> Read | None:
    """The event of a record, where facts are made of it."""
    return read(record, WANTED)


def facts_of(position: int, each: Read, known: Known) -> list[Fact]:
    """The facts that an event adds; `known` is what was remembered before it, and goes along."""
    now = here(position, each, known)
    _crew(now)
    # Notes come first: they tell what was before.
    rows: Sequence[Fact] = [
        *fold_notes.fold(now),
        *fold_coups.fold(now),
        *fold_money.fold(now),
        *fold_money.fold_tokens(now),
        *fold_shoes.fold(now),
        *fold_shoes.fold_limits(now),
        *fold_house.fold_disputes(now),
        *fold_house.fold_rulebooks(now),
    ]
    return [replace(row, ordinal=number) if number else row for number, row in enumerate(rows)]


def _crew(now: Here) -> None:
    event = now.event
    if isinstance(event, table.TableOpened):
        now.table.dealer = ""
    elif isinstance(event, RulebookActivated) and now.each.service == book.SERVICE:
        now.table.limits = {}  # of the session before; the first of a new one replace none
    elif isinstance(event, table.DealerAssigned | table.DealerChanged):
        now.table.dealer = event.dealer
