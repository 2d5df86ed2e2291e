"""Promotional tokens: a stake once at a time, gone after a win or a loss."""

from __future__ import annotations

import pytest

from services.contracts.common import Limit
from services.contracts.round import NoBetCoupDeclared, TableOpened
from services.contracts.settlement import PromoTokensDecided
from services.contracts.wager import (
    BookClosed,
    DebitRequested,
    PromoTokenConsumed,
    PromoTokenReturned,
    WagerAccepted,
    WagerCancelled,
    WagerRefunded,
    WagerRejected,
    WagerVoided,
    WagerWithdrawn,
)
from services.wager import domain as wager
from services.wager.commands import CancelWager, ChangeWager, VoidWager, WithdrawWager
from tests.support.spec import AT_US, Like, Spec, heard, like, person, spec
from tests.support.tables import (
    COUP,
    accepted,
    asked,
    betting,
    closed,
    coup_id,
    opened,
    over,
    place,
    settings,
    sign,
    started,
    voided,
    window,
)

PLAYER = person("PLAYER", "p1")


def table(rulebook: str = "nsw-mini") -> Spec:
    return spec(wager).given(opened(rulebook), sign(), betting())


def refuses(code: str) -> Like:
    return like(WagerRejected, code=code, accepted=False)


def staked(number: int = 2) -> Spec:
    """Token k1 on w1 in coup 1; betting is open on the next."""
    return table().given(accepted("w1", token="k1"), over(), betting(number))


def decided(*, spent: tuple[str, ...] = (), returned: tuple[str, ...] = ()) -> PromoTokensDecided:
    return PromoTokensDecided(coup_id=COUP, spent=spent, returned=returned)


def test_a_token_is_a_stake_that_no_wallet_pays() -> None:
    """D-20, F-65: funding PROMO with its id, the amount its face value; no debit."""
    table().when(place(amount=900, token="k1")).then(
        like(WagerAccepted, funding="PROMO", token="k1", stake_minor=900)
    )
    table().when(place(amount=900)).then(like(DebitRequested, amount_minor=900))


def test_a_player_stakes_no_token_by_his_own_word() -> None:
    """D-20: who deals was handed it. Nobody pays for a token, so anybody could make one up."""
    table().when(place(amount=900, token="k1", by=PLAYER)).then_raises("ROLE")
    recorded = spec(wager).given(opened("nsw-mini", mode="TEST"), sign(), betting())
    recorded.when(place(amount=900, token="k1", by=PLAYER)).then(like(WagerAccepted, token="k1"))


def test_mixed_funding_is_two_wagers() -> None:
    """D-20: the book counts tokens apart, at face value."""
    book = table().given(accepted("w1", token="k1", stake=300), accepted("w2", stake=200), closed())
    told = book.when_heard(asked())
    [done] = told.only(BookClosed)
    totals = done.totals["EUR"]["BANKER"]
    assert (totals.cash_minor, totals.tokens_minor, totals.wagers) == (200, 300, 2)
    [player] = done.players
    assert player.stakes == {"BANKER": 500}


def test_a_rulebook_without_tokens_takes_none() -> None:
    """F-05: `promo_tokens` false."""
    table("live-studio").when(place(token="k1")).then(refuses("NOT_PERMITTED"))


def test_limits_and_chips_bind_tokens_like_cash() -> None:
    """D-20: at face value."""
    start = spec(wager).given(
        opened(smallest_chip_minor=25), sign({"*": Limit(100, 1000)}), betting()
    )
    start.when(place(amount=110, token="k1")).then(refuses("NOT_IN_CHIPS"))
    over_it = place(amount=1025, token="k1", channel="SCREEN")
    start.when(over_it).then(refuses("ABOVE_MAXIMUM"))


def test_a_token_stakes_once_at_a_time() -> None:
    """F-05: while its wager lives, and until its coup is settled."""
    held = table().given(accepted("w1", token="k1"))
    held.when(place("w2", area="TIE", token="k1")).then(refuses("TOKEN_USED"))
    staked().when(place("w2", token="k1")).then(refuses("TOKEN_USED"))
    held.when(place("w2", area="TIE", token="k2")).then(like(WagerAccepted, token="k2"))


def test_a_token_whose_wager_was_won_or_lost_is_gone() -> None:
    """F-05: consumed on WIN and LOSE, once."""
    settlement = heard(decided(spent=("k1",)), service="settlement")
    gone = staked().when_heard(settlement).then(PromoTokenConsumed(token="k1", coup_id=COUP))
    gone.when(place("w2", token="k1")).then(refuses("TOKEN_USED"))
    gone.when_heard(settlement).then_nothing()


def test_a_token_whose_wager_tied_is_there_again() -> None:
    """F-05, X-37: neither happened, so it is returned; it stakes its face value again."""
    settlement = heard(decided(returned=("k1",)), service="settlement")
    free = staked().when_heard(settlement).then(PromoTokenReturned(token="k1", coup_id=COUP))
    free.when(place("w2", token="k1", amount=999)).then(refuses("NOT_PERMITTED"))
    free.when(place("w2", token="k1", amount=1000)).then(like(WagerAccepted, token="k1"))
    free.when_heard(settlement).then_nothing()


def test_a_correction_gives_a_consumed_token_back_and_takes_a_returned_one() -> None:
    """F-05, X-55: the latest revision decides; one that is staked anew is not pulled off."""
    spent = heard(decided(spent=("k1",)), service="settlement")
    returned = heard(decided(returned=("k1",)), service="settlement")
    gone = staked().when_heard(spent).then(like(PromoTokenConsumed))
    back = gone.when_heard(returned).then(like(PromoTokenReturned))
    anew = back.when(place("w2", token="k1")).then(like(WagerAccepted))
    anew.when_heard(returned).then_nothing()
    lost = anew.when_heard(spent).then(like(PromoTokenConsumed))
    after = lost.given(over(2), betting(3))
    after.when(place("w3", token="k1")).then(refuses("TOKEN_USED"))


def test_a_token_is_raised_and_lowered_by_nobody() -> None:
    """D-20: one free wager of its amount."""
    held = table().given(accepted("w1", token="k1"))
    for amount in (500, 2000):
        change = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=amount)
        held.when(change).then_raises("NOT_PERMITTED")


@pytest.mark.parametrize("how", ["cancelled", "void", "no bet", "withdrawn", "voided"])
def test_what_goes_back_before_a_result_goes_back_as_a_token(how: str) -> None:
    """F-05, F-160, X-37: never in cash, and free for the next coup."""
    held = table().given(accepted("w1", token="k1"))
    supervisor = person("CASINO_SUPERVISOR")
    if how == "cancelled":
        cancel = CancelWager(at_us=AT_US, by=PLAYER, wager_id="w1")
        after = held.when(cancel).then_among(like(WagerCancelled, refund_minor=0, movement_id=None))
    elif how == "void":
        told = held.given(closed()).when_heard(voided())
        after = told.then_among(like(WagerRefunded, refund_minor=0, token="k1", stake_minor=1000))
        assert told.only(WagerRefunded)[0].movement_id is None
    elif how == "no bet":
        none = NoBetCoupDeclared(coup_id=COUP, coup=1, shoe_id="S1", reason="EXPOSED_CARD")
        after = held.when_heard(none).then_among(like(WagerRefunded, refund_minor=0, token="k1"))
    elif how == "withdrawn":
        open_ = held.given(closed(), started(), window())
        off = WithdrawWager(at_us=AT_US, by=PLAYER, wager_id="w1")
        after = open_.when(off).then_among(like(WagerWithdrawn, refund_minor=0, token="k1"))
    else:
        void = VoidWager(at_us=AT_US, by=supervisor, wager_id="w1", reason="PROHIBITED_DEVICE")
        after = held.when(void).then_among(like(WagerVoided, refund_minor=0, token="k1"))
    later = after.given(over(), betting(2))
    later.when(place("w2", token="k1")).then(like(WagerAccepted, coup_id=coup_id(2)))


def test_tokens_are_known_from_session_to_session() -> None:
    """F-05: what was consumed yesterday is consumed today."""
    spent = heard(decided(spent=("k1",)), service="settlement")
    gone = staked().when_heard(spent).then(like(PromoTokenConsumed))
    reopened = gone.when_heard(TableOpened(session=2, settings=settings()))
    again = reopened.before.given(*reopened.events, betting())
    again.when(place(token="k1")).then(refuses("TOKEN_USED"))
