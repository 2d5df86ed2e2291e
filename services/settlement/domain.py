"""Who is paid what: `settle(rulebook, hands, book) -> payments` (D7). Pure.

A coup is settled whole or not at all, once its result and exactly the book revision that the
result names are known, whatever order they arrive in (D6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.common import MoneyTotals, RulebookActivated, TableSettings, Totals
from services.contracts.core import Caused, Command, Event, Heard, Meta, NotYet, Refused, Scope
from services.contracts.pinned import pinned
from services.contracts.settlement import (
    EVENTS,
    SERVICE,
    CommissionCollected,
    CoupSettled,
    PayTablePublished,
    WagerSettled,
)
from services.rules.citations import cite
from services.rules.outcome import Outcome, outcome
from services.rules.payout import payable_unit, settle_wager
from services.rules.rulebook import Rulebook
from services.settlement.commands import ActivateRulebook, Settle

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "SettlementState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "react",
    "scope",
]

STATE_SCHEMA = 1


class Staked(Struct, frozen=True):
    """A live wager, as the wager service published it."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    funding: str


class BookView(Struct, frozen=True):
    """The book's latest revision."""

    revision: int
    wagers: int
    digest: str


EMPTY_BOOK = BookView(0, 0, "")


class Result(Struct, frozen=True):
    """The result as it was heard, with its place in the chain of causes."""

    event: table.CoupResulted
    meta: Meta
    event_id: str


class Coup(Struct, frozen=True):
    """A coup that is not settled yet."""

    coup_id: str
    coup: int
    wagers: dict[str, Staked] = {}
    """Live wagers in order of acceptance."""

    book: BookView | None = None
    result: Result | None = None
    settled: bool = False


class SettlementState(Struct, frozen=True):
    """All that the settlement service needs to know of one table."""

    session: int = 0
    settings: TableSettings | None = None
    coups: dict[str, Coup] = {}
    """Coups in progress, by id."""


def initial_state() -> SettlementState:
    """A table that nobody has opened."""
    return SettlementState()


def scope(state: SettlementState) -> Scope:
    """What of the state goes into the envelope of its events."""
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(settings.rulebook_id, settings.rulebook_hash, "", settings.test)


def answer(command: Command, events: Sequence[Event], state: SettlementState) -> Mapping[str, Any]:
    """Nothing needs telling."""
    del command, events, state
    return {}


# --- decide ---------------------------------------------------------------------------------


def decide(command: Command, state: SettlementState) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, ActivateRulebook):
        return _activate(command)
    if state.settings is None:
        raise NotYet("the settlement service has not heard yet that this table is open")
    assert isinstance(command, Settle)
    coup = state.coups.get(command.coup_id)
    if coup is None or not _is_complete(coup):
        raise Refused("STATE", f"coup {command.coup_id} can't be settled yet")
    return _settle(coup, pinned(state.settings), state.settings)


def _activate(command: ActivateRulebook) -> Sequence[Event]:
    settings = command.settings
    rules = pinned(settings)
    pay = {area: str(fraction) for area, fraction in rules.pay.items()}
    return [
        RulebookActivated(session=command.session, settings=settings),
        PayTablePublished(
            pay=pay,
            commission={area: str(part) for area, part in rules.commission.items()},
            rounding=rules.rounding.mode,
            rounding_unit_minor=payable_unit(rules, settings.smallest_chip_minor),
        ),
    ]


def _is_complete(coup: Coup) -> bool:
    """The result is there, with exactly the book it rests on, and nothing is settled yet."""
    if coup.result is None or coup.settled:
        return False
    result = coup.result.event
    held = coup.book or EMPTY_BOOK
    return result.book_revision == held.revision and held.wagers == len(coup.wagers)


_PAYOUT_RULES = {
    "PLAYER": "payout_player",
    "BANKER": "payout_banker",
    "TIE": "payout_tie",
    "PLAYER_PAIR": "payout_pair",
    "BANKER_PAIR": "payout_pair",
    "BIG": "payout_big",
    "SMALL": "payout_small",
}


def _settle(coup: Coup, rules: Rulebook, settings: TableSettings) -> Sequence[Event]:
    assert coup.result is not None
    result = coup.result.event
    end = outcome(result.player, result.banker)
    events: list[Event] = []
    settled = [_settle_one(wager, coup, end, rules, settings) for wager in coup.wagers.values()]
    for paid, commission in settled:
        events.append(paid)
        if commission is not None:
            events.append(commission)
    held = coup.book or EMPTY_BOOK
    events.append(
        CoupSettled(
            coup_id=coup.coup_id,
            coup=coup.coup,
            status="NO_BET" if result.no_bet else "SETTLED",
            wagers=len(settled),
            book_revision=held.revision,
            book_digest=held.digest,
            totals=_totals([paid for paid, _ in settled]),
        )
    )
    return events


def _settle_one(
    wager: Staked, coup: Coup, end: Outcome, rules: Rulebook, settings: TableSettings
) -> tuple[WagerSettled, CommissionCollected | None]:
    """Procedure 12 for one wager."""
    token = wager.funding == "PROMO"
    paid = settle_wager(
        rules,
        wager.area,
        wager.stake_minor,
        end,
        unit_minor=settings.smallest_chip_minor,
        token=token,
    )
    rule = "push" if paid.outcome == "push" else _PAYOUT_RULES[wager.area]
    settled = WagerSettled(
        settlement_id=f"{coup.coup_id}/{wager.wager_id}/1",
        coup_id=coup.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        stake_minor=wager.stake_minor,
        outcome=paid.outcome.upper(),
        returned_minor=paid.returned_minor,
        winnings_minor=paid.winnings_minor,
        winnings_exact=str(paid.net),
        commission_exact=str(paid.commission),
        rounding_exact=str(paid.rounding),
        funding=wager.funding,
        clauses=cite(rules.rulebook_id, rule),
    )
    if not paid.commission:
        return settled, None
    commission = CommissionCollected(
        coup_id=coup.coup_id,
        wager_id=wager.wager_id,
        currency=wager.currency,
        amount_exact=str(paid.commission),
        amount_minor=int(paid.gross) - paid.winnings_minor,
        clauses=cite(rules.rulebook_id, "commission"),
    )
    return settled, commission


def _totals(settled: Sequence[WagerSettled]) -> Totals:
    """The books of the coup, each currency by itself; tokens are no cash."""
    totals: Totals = {}
    for currency in dict.fromkeys(paid.currency for paid in settled):
        mine = [paid for paid in settled if paid.currency == currency]
        cash = [paid for paid in mine if paid.funding == "CASH"]
        staked = sum(paid.stake_minor for paid in cash)
        returned = sum(paid.returned_minor for paid in cash)
        winnings = sum(paid.winnings_minor for paid in mine)
        totals[currency] = MoneyTotals(
            staked_minor=staked,
            returned_minor=returned,
            lost_minor=staked - returned,
            winnings_minor=winnings,
            commission_exact=str(sum((Fraction(p.commission_exact) for p in mine), Fraction())),
            rounding_exact=str(sum((Fraction(p.rounding_exact) for p in mine), Fraction())),
            house_minor=staked - returned - winnings,
            tokens_spent_minor=sum(
                p.stake_minor for p in mine if p.funding == "PROMO" and p.outcome != "PUSH"
            ),
        )
    return totals


# --- evolve ---------------------------------------------------------------------------------


def evolve(state: SettlementState, event: Event | Heard) -> SettlementState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = _EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event) if apply_heard else state
    if isinstance(event, RulebookActivated):
        return SettlementState(
            session=event.session,
            settings=event.settings,
            )
    if isinstance(event, CoupSettled):
        return _with_coup(state, event.coup_id, settled=True)
    return state


def _with_coup(state: SettlementState, coup_id: str, **changes: Any) -> SettlementState:
    coup = state.coups.get(coup_id)
    if coup is None:
        return state
    return replace(state, coups={**state.coups, coup_id: replace(coup, **changes)})


def _coup_begun(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.BettingOpened | table.NoBetCoupDeclared = heard.event  # type: ignore[assignment]
    return _known(state, event.coup_id)


def _known(state: SettlementState, coup_id: str) -> SettlementState:
    """Topics arrive in any order: the first mention of a coup begins its book."""
    if coup_id in state.coups:
        return state
    coup = Coup(coup_id=coup_id, coup=int(coup_id.rsplit(":", 1)[1]))
    return replace(state, coups={**state.coups, coup_id: coup})


def _wager_accepted(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerAccepted = heard.event  # type: ignore[assignment]
    state = _known(state, event.coup_id)
    staked = Staked(
        event.wager_id, event.player, event.area, event.currency, event.stake_minor, event.funding
    )
    wagers = {**state.coups[event.coup_id].wagers, event.wager_id: staked}
    return _with_coup(state, event.coup_id, wagers=wagers)


def _wager_changed(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerChanged = heard.event  # type: ignore[assignment]
    wagers = state.coups[event.coup_id].wagers
    staked = replace(wagers[event.wager_id], stake_minor=event.to_minor)
    return _with_coup(state, event.coup_id, wagers={**wagers, event.wager_id: staked})


def _wager_gone(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerCancelled | book.WagerRejected | book.WagerRefunded = (
        heard.event  # type: ignore[assignment]
    )
    coup = state.coups.get(event.coup_id)
    if coup is None or event.wager_id not in coup.wagers:
        return state
    if isinstance(event, book.WagerRejected) and not event.refund_minor:
        return state  # an increase that failed: the wager stands as it was
    wagers = {key: staked for key, staked in coup.wagers.items() if key != event.wager_id}
    return _with_coup(state, event.coup_id, wagers=wagers)


def _book_closed(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.BookClosed | book.BookRevised = heard.event  # type: ignore[assignment]
    held = BookView(event.revision, event.wagers, event.digest)
    return _with_coup(_known(state, event.coup_id), event.coup_id, book=held)


def _resulted(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupResulted = heard.event  # type: ignore[assignment]
    return _with_coup(_known(state, event.coup_id), event.coup_id, result=Result(event, heard.meta, heard.event_id))


def _coup_over(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupClosed = heard.event  # type: ignore[assignment]
    coups = {key: coup for key, coup in state.coups.items() if key != event.coup_id}
    return replace(state, coups=coups)


_EVOLVE_HEARD: dict[type[Event], Callable[[SettlementState, Heard], SettlementState]] = {
    table.BettingOpened: _coup_begun,
    table.NoBetCoupDeclared: _coup_begun,
    table.CoupResulted: _resulted,
    table.CoupClosed: _coup_over,
    book.WagerAccepted: _wager_accepted,
    book.WagerChanged: _wager_changed,
    book.WagerCancelled: _wager_gone,
    book.WagerRejected: _wager_gone,
    book.WagerRefunded: _wager_gone,
    book.BookClosed: _book_closed,
    book.BookRevised: _book_closed,
}

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    module.SERVICE: {kind.type: kind for kind in module.EVENTS.values() if kind.published}
    for module in (cards, table, book)
}
"""Everything that the others publish: a coup is rebuilt from what was heard (D9)."""


FOLLOWS = frozenset({table.TableOpened, *_EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: SettlementState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    event = heard.event
    if isinstance(event, table.TableOpened):
        return [
            ActivateRulebook(
                at_us=heard.meta.occurred_at_us,
                by=heard.meta.actor,
                session=event.session,
                settings=event.settings,
            )
        ]
    if not isinstance(event, table.CoupResulted | book.BookClosed | book.BookRevised):
        return ()
    coup = state.coups.get(event.coup_id)
    if coup is None or coup.result is None or not _is_complete(coup):
        return ()
    result = coup.result.meta
    command = Settle(at_us=result.occurred_at_us, by=result.actor, coup_id=coup.coup_id)
    cause = Heard(coup.result.event, result, table.SERVICE, coup.result.event_id)
    return [Caused(command, cause)]
