"""Corrections of settled coups: a reversal, and a new revision (D7, procedures 12 and 13, N-7).

What moves is the difference between the new decision and what the account has already. A debit is
recorded here and sent after the player was told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role, require_second
from services.contracts.settlement import (
    CoupSettled,
    PlayerNotified,
    SettlementReversed,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
)
from services.rules.outcome import outcome
from services.rules.roles import CASINO_SUPERVISOR
from services.settlement.commands import (
    Correct,
    Invalidate,
    TakeVoid,
    VoidWager,
)
from services.settlement.domain.state import (
    BACKFILLED,
    INVALIDATED,
    NO_BET,
    SETTLED,
    VOIDED,
    SettledCoup,
    SettledWager,
    SettlementState,
    rules_of,
    settled_coup,
)
from services.settlement.domain.totals import tokens, totals
from services.settlement.domain.verdicts import (
    Game,
    Occasion,
    Verdict,
    by_cards,
    forfeited,
    game_of,
    refunded,
    told,
    voided,
)

CORRECTION, VOID_ONE = "announcement_mismatch", "prohibited_device"
"""Keys of the citations behind a correction and a voided wager."""


class _New(Struct, frozen=True):
    """The new decision on a wager."""

    verdict: Verdict
    given_back_minor: int = 0
    """What the wager service put into the account meanwhile."""


def correct(command: Correct, state: SettlementState) -> Sequence[Event]:
    """Every area is decided again by the right cards; a voided wager stays voided (X-54)."""
    coup = settled_coup(state, command.coup_id)
    game = _game(coup, state)
    whole = outcome(command.player, command.banker)
    anew = {
        wager_id: _New(by_cards(wager.staked, whole, game))
        for wager_id, wager in coup.wagers.items()
        if wager.paid.outcome != VOIDED
    }
    status = coup.status if coup.status in (NO_BET, BACKFILLED) else SETTLED
    return _revision(coup, anew, game, status=status, reason=command.reason, rule=CORRECTION)


def invalidate(command: Invalidate, state: SettlementState) -> Sequence[Event]:
    """Stakes go back; those of the persons named for it are kept (004 14.5)."""
    coup = settled_coup(state, command.coup_id)
    anew = {
        wager_id: _New(
            forfeited() if wager.staked.player in command.forfeit else refunded(wager.staked)
        )
        for wager_id, wager in coup.wagers.items()
        if wager.paid.outcome != VOIDED
    }
    game = _game(coup, state)
    return _revision(coup, anew, game, status=INVALIDATED, reason=command.reason, rule="invalidate")


def void_wager(command: VoidWager, state: SettlementState) -> Sequence[Event]:
    """A wager that was paid is voided by two persons (004 14.3.1)."""
    require_role(
        command,
        CASINO_SUPERVISOR,
        what="voiding a wager",
        game_supervisor_counts=rules_of(state).games_supervisor_counts_as_casino_supervisor,
    )
    coup = _coup_of(command.wager_id, state)
    require_second(command, what="voiding a wager that was paid")
    wager = coup.wagers[command.wager_id]
    if wager.paid.outcome == VOIDED:
        raise Refused("STATE", f"{command.wager_id} is voided already")
    anew = {command.wager_id: _New(voided(wager.staked))}
    game = _game(coup, state)
    return _revision(coup, anew, game, status=coup.status, reason=command.reason, rule=VOID_ONE)


def _coup_of(wager_id: str, state: SettlementState) -> SettledCoup:
    for coup in reversed(state.settled.values()):
        if coup.may_hold(wager_id) and wager_id in coup.wagers:
            return coup
    if any(wager_id in coup.wagers for coup in state.coups.values()):
        raise Refused("STATE", f"the coup of {wager_id} is not settled yet")
    raise Refused("UNKNOWN", f"there is no wager {wager_id} that can be corrected here")


def take_void(command: TakeVoid, state: SettlementState) -> Sequence[Event]:
    """The wager service voided a wager while its coup was being settled.

    The stake came back from there, so what was paid here is taken back whole.
    """
    coup = settled_coup(state, command.coup_id)
    wager = coup.wagers.get(command.wager_id)
    if wager is None or wager.paid.outcome == VOIDED:
        return ()
    anew = {command.wager_id: _New(voided(wager.staked), command.refund_minor)}
    game = _game(coup, state)
    return _revision(coup, anew, game, status=coup.status, reason=command.reason, rule=VOID_ONE)


def _game(coup: SettledCoup, state: SettlementState) -> Game:
    """The game that the coup was played under, not the one of today."""
    return game_of(state.games[coup.rulebook_hash])


def _revision(
    coup: SettledCoup, anew: Mapping[str, _New], game: Game, *, status: str, reason: str, rule: str
) -> Sequence[Event]:
    """The next revision of a coup: reversals, notices of debits, new decisions, the books."""
    on = Occasion(coup.coup_id, coup.revision + 1, reason, rule)
    reversals: list[Event] = []
    decisions: list[Event] = []
    done: list[SettledWager] = []
    for wager_id, held in coup.wagers.items():
        new = anew.get(wager_id)
        if new is None:
            done.append(held)
            continue
        reversals.append(_reversed(held, on, game))
        already = held.paid.credit_minor + new.given_back_minor
        wager, said = told(held.staked, new.verdict, game, on, already_minor=already)
        done.append(wager)
        decisions.extend(said)
    settled = CoupSettled(
        coup_id=coup.coup_id,
        coup=coup.coup,
        status=status,
        wagers=len(done),
        book_revision=coup.book.revision,
        book_digest=coup.book.digest,
        totals=totals(done),
        revision=on.revision,
        reason=reason,
    )
    notices = _notices(decisions, on)
    return [*reversals, *notices, *decisions, *tokens(coup.coup_id, done, on.revision), settled]


def _reversed(held: SettledWager, on: Occasion, game: Game) -> SettlementReversed:
    return SettlementReversed(
        settlement_id=held.paid.settlement_id,
        coup_id=on.coup_id,
        wager_id=held.staked.wager_id,
        player=held.staked.player,
        area=held.staked.area,
        currency=held.staked.currency,
        outcome=held.paid.outcome,
        returned_minor=held.paid.returned_minor,
        winnings_minor=held.paid.winnings_minor,
        commission_exact=held.paid.commission_exact,
        rounding_exact=held.paid.rounding_exact,
        revision=on.revision,
        reason=on.reason,
        clauses=game.cite(on.rule),
    )


def _notices(decisions: Sequence[Event], on: Occasion) -> list[PlayerNotified]:
    """Who is told that money leaves his account, and how much in all."""
    debits: dict[tuple[str, str], int] = {}
    for event in decisions:
        if (
            isinstance(event, WagerResettled | WagerRefunded | WagerForfeited)
            and event.due_minor < 0
        ):
            key = (event.player, event.currency)
            debits[key] = debits.get(key, 0) - event.due_minor
    return [
        PlayerNotified(
            player=player,
            coup_id=on.coup_id,
            currency=currency,
            amount_minor=amount,
            revision=on.revision,
            reason=on.reason,
        )
        for (player, currency), amount in debits.items()
    ]
