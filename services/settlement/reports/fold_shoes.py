"""Shoes and limits as facts: a row whenever what is said of one changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import asdict

from services.contracts import round as table
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event
from services.settlement.reports.facts import LimitFact, ShoeFact
from services.settlement.reports.state import Here, ShoeState, TableState


def fold(here: Here) -> list[ShoeFact]:
    """The shoe after the event, where the event changes what is said of it."""
    event = here.event
    prepare = _PREPARES.get(type(event))
    if prepare is not None:
        prepare(here.table, event)
        return []
    count = _COUNTS.get(type(event))
    if count is not None:
        shoe = _shoe(here)
        count(shoe, event, here)
        # Coups of a shoe may be heard of when it is gone: no other row tells of them.
        return [_row(shoe, here)] if shoe.status in _GONE else []
    change = _CHANGES.get(type(event))
    if change is None:
        return []
    shoe = _shoe(here)
    if shoe.shoe_day is None:
        shoe.shoe_day = here.day
    change(shoe, event, here)
    return [_row(shoe, here)]


_GONE: Final = ("RETIRED", "INVALIDATED")


def _row(shoe: ShoeState, here: Here) -> ShoeFact:
    return ShoeFact(**here.common(), **asdict(shoe), what=here.event.type)


def _shoe(here: Here) -> ShoeState:
    shoe_id: str = here.event.shoe_id  # type: ignore[attr-defined]
    known, table_id = here.known, here.each.meta.table_id
    if isinstance(here.event, cards.ShoeCommitted | cards.ShoeLoaded):
        return known.next_shoe(table_id, shoe_id)
    return known.shoe(table_id, shoe_id)


# What is got ready for the next shoe


def _assembled(preparing: TableState, event: cards.ShoeAssembled) -> None:
    preparing.deck_ids = " ".join(event.deck_ids)
    preparing.procedure = preparing.inspected = ""


def _inspected(preparing: TableState, event: cards.CardsInspected) -> None:
    said = f"{event.stage} by {event.witness}" if event.witness else event.stage
    preparing.inspected = f"{preparing.inspected}; {said}" if preparing.inspected else said


def _shuffled(preparing: TableState, event: cards.CardsShuffled) -> None:
    preparing.procedure = f"{event.procedure} {event.device_id}".strip()


def _introduced(preparing: TableState, event: cards.PreShuffledIntroduced) -> None:
    preparing.procedure = f"PRE_SHUFFLED {event.seal_id}".strip()


_PREPARES: Final[dict[type[Event], Callable[[TableState, Any], None]]] = {
    cards.ShoeAssembled: _assembled,
    cards.CardsInspected: _inspected,
    cards.CardsShuffled: _shuffled,
    cards.PreShuffledIntroduced: _introduced,
}

# What is only counted


def _drawn(shoe: ShoeState, event: cards.CardDrawn, _: Here) -> None:
    # A card that was kept for this coup left the shoe in an earlier one.
    shoe.dealt += 0 if event.carried else 1


def _burned(shoe: ShoeState, event: cards.CardsBurned, _: Here) -> None:
    shoe.burned += event.count - event.set_aside


def _returned(shoe: ShoeState, event: cards.DiscardsReturned, _: Here) -> None:
    shoe.dealt -= event.count


def _opened(shoe: ShoeState, event: Any, here: Here) -> None:
    # A coup on which betting was open may be declared to be one without wagers.
    coup = here.known.coup(event.coup_id)
    shoe.coups += 0 if coup.in_shoe else 1
    coup.in_shoe = True


_COUNTS: Final[dict[type[Event], Callable[[ShoeState, Any, Here], None]]] = {
    cards.CardDrawn: _drawn,
    cards.CardsBurned: _burned,
    cards.DiscardsReturned: _returned,
    table.BettingOpened: _opened,
    table.NoBetCoupDeclared: _opened,
    table.CoupBackfilled: _opened,
}

# What a row is written for


def _committed(shoe: ShoeState, event: cards.ShoeCommitted, _: Here) -> None:
    shoe.commitment, shoe.commitment_number = event.commitment, event.number


def _loaded(shoe: ShoeState, event: cards.ShoeLoaded, here: Here) -> None:
    shoe.status, shoe.shoe_day = "LOADED", here.day
    shoe.decks, shoe.cards = event.decks, event.cards
    shoe.source, shoe.device = event.source, event.device
    shoe.cuts_after = event.cuts_after
    shoe.deck_ids, shoe.procedure = here.table.deck_ids, here.table.procedure
    shoe.inspected = here.table.inspected
    here.table.inspected = here.table.procedure = ""


def _cut_card(shoe: ShoeState, event: cards.CutCardReached, _: Here) -> None:
    shoe.cut_at = event.after_draw_number


def _transferred(shoe: ShoeState, event: cards.CardsTransferred, _: Here) -> None:
    shoe.device, shoe.cuts_after = event.to == "DEVICE", event.cuts_after


def _retired(shoe: ShoeState, event: cards.ShoeRetired | cards.ShoeInvalidated, _: Here) -> None:
    # A shoe that is spoiled is retired as well: the first word stands.
    if shoe.status != "INVALIDATED":
        retired = isinstance(event, cards.ShoeRetired)
        shoe.status = "RETIRED" if retired else "INVALIDATED"
        shoe.reason = event.reason
    shoe.left_over = event.left
    shoe.lapsed = " ".join(getattr(event, "lapsed", ()))


def _revealed(shoe: ShoeState, _event: cards.ShoeRevealed, _: Here) -> None:
    shoe.revealed = True


_CHANGES: Final[dict[type[Event], Callable[[ShoeState, Any, Here], None]]] = {
    cards.ShoeCommitted: _committed,
    cards.ShoeLoaded: _loaded,
    cards.CutCardReached: _cut_card,
    cards.CardsTransferred: _transferred,
    cards.ShoeRetired: _retired,
    cards.ShoeInvalidated: _retired,
    cards.ShoeRevealed: _revealed,
}

# Limits


def fold_limits(here: Here) -> list[LimitFact]:
    """A row for each limit that is published."""
    event = here.event
    if not isinstance(event, book.LimitsPublished):
        return []
    actor = here.each.meta.actor
    here.table.limits = event.limits
    return [
        LimitFact(
            **here.common(),
            what="PUBLISHED" if event.limits_version == 1 else "CHANGED",
            version=event.limits_version,
            currency=currency,
            area=area,
            min_minor=limit.min_minor,
            max_minor=limit.max_minor,
            unit_minor=limit.unit_minor,
            differential_minor=event.differential_minor,
            actor=actor.id,
            role=actor.role,
        )
        for currency, limits in sorted(event.limits.items())
        for area, limit in sorted(limits.items())
    ]


WANTED: Final = frozenset(
    {
        *(kind.type for kinds in (_PREPARES, _COUNTS, _CHANGES) for kind in kinds),
        book.LimitsPublished.type,
    }
)
