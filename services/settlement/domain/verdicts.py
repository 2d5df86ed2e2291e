"""What becomes of one wager, and the events that say so (procedure 12). Exact, and pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict, replace

from services.contracts.common import TableSettings
from services.contracts.core import Event
from services.contracts.pinned import pinned
from services.contracts.round import CoupVoided
from services.contracts.settlement import (
    CommissionCollected,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
    WagerSettled,
)
from services.rules.citations import cite
from services.rules.outcome import Outcome
from services.rules.payout import WagerResult, settle_early, settle_wager
from services.rules.rulebook import Rulebook
from services.settlement.domain.state import (
    FORFEITED,
    PROMO,
    REFUNDED,
    VOIDED,
    Paid,
    SettledWager,
    Staked,
)


class Game(Struct, frozen=True):
    """What payments follow from, besides cards and stakes."""

    rules: Rulebook
    settings: TableSettings

    def cite(self, rule: str) -> tuple[str, ...]:
        """The clauses behind a rule; no text speaks of areas that a rulebook defines itself."""
        return cite(self.rules.rulebook_id, rule) if rule else ()


def game_of(settings: TableSettings) -> Game:
    return Game(pinned(settings), settings)


class Verdict(Struct, frozen=True):
    """What becomes of a wager."""

    paid: Paid
    """Without the id of its settlement, which follows from the revision."""

    rule: str
    """Why, as a key of the citations."""

    winnings_exact: str = "0"
    commission_minor: int = 0
    """As it is booked: it carries the rounding."""


class Occasion(Struct, frozen=True):
    """On what occasion wagers of a coup are decided."""

    coup_id: str
    revision: int = 1
    reason: str = ""
    """Why it is done anew, or why there is no outcome."""

    rule: str = "result"
    """The same as a key of the citations, for a reversal."""

    def settlement_id(self, wager_id: str) -> str:
        """Key of the money movement, unique for ever."""
        return f"{self.coup_id}/{wager_id}/{self.revision}"


PAYOUT_RULES = {
    "PLAYER": "payout_player",
    "BANKER": "payout_banker",
    "TIE": "payout_tie",
    "PLAYER_PAIR": "payout_player_pair",
    "BANKER_PAIR": "payout_banker_pair",
    "BIG": "payout_big",
    "SMALL": "payout_small",
}


def by_cards(staked: Staked, end: Outcome, game: Game) -> Verdict:
    """The result decides."""
    unit, token = game.settings.smallest_chip_minor, staked.funding == PROMO
    paid = settle_wager(
        game.rules, staked.area, staked.stake_minor, end, unit_minor=unit, token=token
    )
    return _verdict(staked, paid)


def won_early(staked: Staked, void: CoupVoided, game: Game) -> Verdict:
    """The open cards of a coup that can't go on have won it already (procedure 13)."""
    unit, token = game.settings.smallest_chip_minor, staked.funding == PROMO
    paid = settle_early(
        game.rules,
        staked.area,
        staked.stake_minor,
        void.player,
        void.banker,
        unit_minor=unit,
        token=token,
    )
    assert paid is not None, "the book kept a wager that the open cards do not decide"
    return _verdict(staked, paid)


def _verdict(staked: Staked, paid: WagerResult) -> Verdict:
    return Verdict(
        Paid(
            "",
            paid.outcome.upper(),
            paid.returned_minor,
            paid.winnings_minor,
            str(paid.commission),
            str(paid.rounding),
        ),
        "push" if paid.outcome == "push" else PAYOUT_RULES.get(staked.area, ""),
        str(paid.net),
        int(paid.commission_booked),
    )


def refunded(staked: Staked) -> Verdict:
    """The outcome was set aside: the stake goes back."""
    return Verdict(Paid("", REFUNDED, staked.cash_minor), "invalidate")


def voided(staked: Staked) -> Verdict:
    """A supervisor voided this wager."""
    return Verdict(Paid("", VOIDED, staked.cash_minor), "prohibited_device")


def forfeited() -> Verdict:
    """The stake of somebody who committed a fraud is kept."""
    return Verdict(Paid("", FORFEITED), "forfeit")


def told(
    staked: Staked, verdict: Verdict, game: Game, on: Occasion, *, already_minor: int = 0
) -> tuple[SettledWager, Sequence[Event]]:
    """The wager as it is settled now, and the events that say so.

    `already_minor` is what the player's account has for the wager by now.
    """
    paid = replace(verdict.paid, settlement_id=on.settlement_id(staked.wager_id))
    if paid.outcome == FORFEITED:
        events: list[Event] = [_forfeit(staked, paid, game, on, already_minor)]
    elif paid.outcome in (REFUNDED, VOIDED):
        events = [_refund(staked, paid, game.cite(verdict.rule), on, already_minor)]
    else:
        events = [_settlement(staked, paid, verdict, game, on)]
        if on.revision > 1:
            events = [WagerResettled(**asdict(events[0]), already_minor=already_minor)]
        if paid.commission_exact != "0":
            events.append(_commission(staked, paid, verdict, game, on))
    return SettledWager(staked, paid), events


def _settlement(
    staked: Staked, paid: Paid, verdict: Verdict, game: Game, on: Occasion
) -> WagerSettled:
    return WagerSettled(
        settlement_id=paid.settlement_id,
        coup_id=on.coup_id,
        wager_id=staked.wager_id,
        player=staked.player,
        area=staked.area,
        currency=staked.currency,
        stake_minor=staked.stake_minor,
        outcome=paid.outcome,
        returned_minor=paid.returned_minor,
        winnings_minor=paid.winnings_minor,
        winnings_exact=verdict.winnings_exact,
        commission_exact=paid.commission_exact,
        rounding_exact=paid.rounding_exact,
        funding=staked.funding,
        token=staked.token,
        revision=on.revision,
        clauses=game.cite(verdict.rule),
        context=staked.context,
    )


def _commission(
    staked: Staked, paid: Paid, verdict: Verdict, game: Game, on: Occasion
) -> CommissionCollected:
    return CommissionCollected(
        coup_id=on.coup_id,
        wager_id=staked.wager_id,
        currency=staked.currency,
        amount_exact=paid.commission_exact,
        amount_minor=verdict.commission_minor,
        revision=on.revision,
        clauses=game.cite("commission"),
    )


def _refund(
    staked: Staked, paid: Paid, clauses: tuple[str, ...], on: Occasion, already_minor: int
) -> WagerRefunded:
    return WagerRefunded(
        settlement_id=paid.settlement_id,
        coup_id=on.coup_id,
        wager_id=staked.wager_id,
        player=staked.player,
        area=staked.area,
        currency=staked.currency,
        stake_minor=staked.stake_minor,
        outcome=paid.outcome,
        returned_minor=paid.returned_minor,
        already_minor=already_minor,
        reason=on.reason,
        funding=staked.funding,
        token=staked.token,
        revision=on.revision,
        clauses=clauses,
        context=staked.context,
    )


def _forfeit(
    staked: Staked, paid: Paid, game: Game, on: Occasion, already_minor: int
) -> WagerForfeited:
    return WagerForfeited(
        settlement_id=paid.settlement_id,
        coup_id=on.coup_id,
        wager_id=staked.wager_id,
        player=staked.player,
        area=staked.area,
        currency=staked.currency,
        stake_minor=staked.stake_minor,
        already_minor=already_minor,
        reason=on.reason,
        funding=staked.funding,
        token=staked.token,
        revision=on.revision,
        clauses=game.cite("forfeit"),
        context=staked.context,
    )
