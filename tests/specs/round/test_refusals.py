"""What is refused at the table because it comes too early, too late or from the wrong person."""

from __future__ import annotations

import pytest

from services.contracts.core import Refused
from services.contracts.round import (
    CoupVoided,
    DrawInstructed,
    IncidentRecorded,
    TableOpened,
    WithdrawalWindowClosed,
    WithdrawalWindowOpened,
)
from services.contracts.round_hands import (
    CardAttested,
    CardsOffered,
    ErrorApproved,
    ShoeAccepted,
    ShoeDeclined,
    TurnInstructed,
)
from services.contracts.round_table import TableResumed
from services.round import domain as round_
from services.round.commands import (
    AbandonTable,
    AnnounceResult,
    ApproveError,
    AttestCard,
    ChangeGame,
    CloseWithdrawals,
    DisplayNotice,
    DisplaySign,
    InstructDraw,
    OpenTable,
    ShowHand,
    VacateSeat,
    VoidCoup,
)
from services.shoe.commands import BurnCards
from tests.support.played import (
    CASINO_SUPERVISOR,
    NATURAL_NINE,
    SIX_CARDS,
    SIX_SEVEN,
    Played,
    person,
)
from tests.support.spec import AT_US, TABLE, Spec, like, spec
from tests.support.tables import PLENTY, settings

BURN = "AC 9D"
DEALER, SUPERVISOR = person("DEALER"), person("GAME_SUPERVISOR")


def at_table(method: str, cards: str = SIX_CARDS) -> Played:
    """An approved method on layout C; p1 sits at 2 and has staked, four cards are out."""
    played = Played(method=method, layout="C").approved(method)
    played.seated(p1=2, p2=5).shoe(f"{BURN} {cards} {NATURAL_NINE}").betting()
    played.wager("w1", "p1", "player").wager("w2", "p2", "banker")
    return played.do("no_more_bets").do("close_book")


def a_coup(count: int = 2) -> Played:
    played = Played().shoe(f"{BURN} {SIX_SEVEN} {NATURAL_NINE}").betting()
    return played.wager("w1", "p1", "banker").do("no_more_bets").draws(count)


# --- opening and closing ---


def new_table(**others: object) -> OpenTable:
    made = settings(**others)  # type: ignore[arg-type]
    return OpenTable(at_us=AT_US, by=DEALER, settings=made)


def test_a_table_is_opened_once_with_limits_that_it_can_have() -> None:
    """A-12, A-13, F-05: one currency where players sit, and only areas of the rulebook."""
    told = spec(round_).when(new_table())
    told.before.given(*told.events).when(new_table()).then_raises("STATE")
    two = {"EUR": PLENTY, "USD": PLENTY}
    spec(round_).when(new_table(limits=two)).then_raises("CURRENCY")
    assert spec(round_).when(new_table(rulebook="live-studio", limits=two)).refused is None
    unknown = {"EUR": {**PLENTY, "LUCKY_EIGHT": PLENTY["*"]}}
    spec(round_).when(new_table(limits=unknown)).then_raises("UNKNOWN_AREA")


def test_no_two_open_tables_bear_one_number() -> None:
    """A-12: the refusal names the open table that bears it; recordings bear it beside that one."""
    live = new_table(mode="LIVE", table_number="7")
    assert round_.number_of(live.settings) == "7"
    assert round_.decide(live, round_.initial_state())
    with pytest.raises(Refused, match="number 7 is borne by the table T7, which is open") as no:
        round_.decide(live, round_.initial_state(), "T7")
    assert (no.value.reason, no.value.clauses) == ("DUPLICATE", ("000:1.2.2",))
    assert round_.number_of(new_table(mode="LIVE").settings) == TABLE.lower()
    assert round_.number_of(new_table(mode="TEST", table_number="7").settings) == ""


@pytest.mark.parametrize(
    "number", ["VIP 7", "vip7", " Vip\u00a07\t", "VIP\u200b7", "\uff36\uff29\uff30\uff17", "\0vip7"]
)
def test_numbers_that_people_read_alike_are_one(number: str) -> None:
    """A-12: capitals, blanks and what cannot be seen make no other number; the table keeps its form."""
    live = new_table(mode="LIVE", table_number=number)
    assert round_.number_of(live.settings) == "vip7"
    assert round_.number_of(new_table(mode="LIVE", table_number="VIP 8").settings) != "vip7"
    (opened,) = round_.decide(live, round_.initial_state())
    assert isinstance(opened, TableOpened)
    assert opened.settings.table_number == number


@pytest.mark.parametrize("number", [" ", "\u200b", "\t\n"])
def test_a_number_that_nobody_can_read_is_none(number: str) -> None:
    """A-12: it would bind nobody."""
    told = spec(round_).when(new_table(mode="LIVE", table_number=number))
    told.then_raises("NOT_PERMITTED")


def test_a_live_table_is_not_abandoned() -> None:
    """A-12: that is the end of a recording; a live table is closed."""
    told = spec(round_).when(new_table(mode="LIVE"))
    now = told.before.given(*told.events)
    now.when(AbandonTable(at_us=AT_US, by=DEALER)).then_raises("NOT_PERMITTED")


def test_the_game_changes_to_a_rulebook_that_there_is() -> None:
    """F-189: by its name."""
    played = Played()
    change = ChangeGame(
        at_us=played.at_us, by=person("CASINO_SUPERVISOR"), rulebook_id="no-such-game"
    )
    assert played.send("round", change).reason == "RULEBOOK"


def test_signs_other_than_the_odds_belong_to_a_notice() -> None:
    """F-17, F-188: a notice shows its own sign."""
    played = Played()
    other = DisplaySign(at_us=played.at_us, by=DEALER, sign="CLOSE")
    assert played.send("round", other).reason == "UNKNOWN"


def test_a_notice_is_of_the_close_or_of_another_game() -> None:
    """F-188: there is no other."""
    played = Played()
    other = DisplayNotice(
        at_us=played.at_us,
        by=person("CASINO_SUPERVISOR"),
        change="HOURS",
        effective_at_us=played.at_us + 3600_000_000,
    )
    assert played.send("round", other).reason == "UNKNOWN"


def test_nobody_is_asked_for_a_seat_that_is_free() -> None:
    """F-178: there is nobody to be asked."""
    played = Played().seated(p1=2)
    free = VacateSeat(at_us=played.at_us, by=SUPERVISOR, seat=3)
    assert played.send("round", free).reason == "STATE"


def test_a_breach_is_not_answered_by_resuming_with_the_same_shoe() -> None:
    """N-6: two persons and another shoe."""
    played = Played(decks=3, auto_burn=False).shoe("").do("burn", reason="new_shoe")
    burn = BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE", first_card="AC")
    played.send("shoe", burn).betting().do("no_more_bets").do("close_book")
    for card in ("2C", "2C", "2C", "2C"):
        played.do("draw", card=card)
    resume = {"by": CASINO_SUPERVISOR, "second": {"id": "gs1", "role": "game_supervisor"}}
    assert played.do("resume_table", **resume).reason == "STATE"
    assert not played.events(TableResumed)
    played.shoe(f"{BURN} {SIX_SEVEN}").do("resume_table", **resume)
    assert played.now(TableResumed)


# --- what persons say about a deal ---


def test_there_is_nothing_to_attest_where_no_card_waits() -> None:
    """A-25: only a card that came out before the close is attested."""
    played = a_coup()
    attest = AttestCard(at_us=played.at_us, by=SUPERVISOR, seen=True)
    assert played.send("round", attest).reason == "STATE"
    assert not played.events(CardAttested)
    assert not played.events(CoupVoided)


def test_an_error_is_confirmed_before_the_result_and_by_its_name() -> None:
    """A-51, F-74: two kinds there are; after the announcement it is too late."""
    played = a_coup()
    other = ApproveError(at_us=played.at_us, by=SUPERVISOR, what="OTHER")
    assert played.send("round", other).reason == "UNKNOWN"
    for what in ("MULTI_PULL", "EXTRA_CARDS"):
        played.send("round", ApproveError(at_us=played.at_us, by=SUPERVISOR, what=what))
    assert [one.what for one in played.events(ErrorApproved)] == ["MULTI_PULL", "EXTRA_CARDS"]
    played.do("deal")
    late = ApproveError(at_us=played.at_us, by=SUPERVISOR, what="MULTI_PULL")
    assert played.send("round", late).reason is not None


def test_withdrawals_are_closed_while_they_are_open() -> None:
    """F-144: not before, and once."""
    played = a_coup(0)
    close = CloseWithdrawals(at_us=played.at_us, by=SUPERVISOR)
    assert played.send("round", close).reason == "STATE"
    played = Played(method="B", layout="C").approved("B").seated(p1=1)
    played.shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "player")
    played.do("no_more_bets").do("close_book")
    for hand in ("player", "player", "banker", "banker"):
        played.do("draw", to=hand)
    played.ruling("reconstruct", CASINO_SUPERVISOR, coup=1)
    assert played.events(WithdrawalWindowOpened)
    for reason in (None, "STATE"):
        again = CloseWithdrawals(at_us=played.at_us, by=SUPERVISOR)
        assert played.send("round", again).reason == reason
    assert len(played.events(WithdrawalWindowClosed)) == 1


def test_a_held_coup_takes_no_announcement_even_of_the_right_words() -> None:
    """F-134, X-55: two words of the dealer do not undo each other; a supervisor confirms."""
    played = a_coup(4).do("announce", winner="player")
    assert played.do("announce", winner="banker").reason == "STATE"
    assert len(played.events(IncidentRecorded)) == 1


# --- hands and shoe with players ---


def test_cards_are_taken_by_the_seat_that_they_are_offered_to() -> None:
    """F-92, F-96: nobody else takes them, and nobody whom they were not offered to."""
    played = at_table("B").draws(4)
    assert played.do("accept_cards", hand="player", seat=2).reason == "STATE"
    played.do("offer_cards", hand="player", seat=2)
    assert played.do("accept_cards", hand="player", seat=5).reason == "STATE"
    assert played.do("decline_cards", hand="player", seat=5).reason == "STATE"
    assert played.do("accept_cards", hand="player", seat=2).reason is None


@pytest.mark.parametrize("method", ["C", "D"])
def test_the_shoe_is_taken_or_refused_by_the_seat_that_it_is_offered_to(method: str) -> None:
    """F-105, F-115: nobody takes it, or declines it, for another."""
    played = at_table(method)
    for action, more in (("accept_shoe", {"hand": "banker"}), ("decline_shoe", {})):
        assert played.do(action, seat=2, **more).reason == "STATE"
    played.do("offer_shoe", seat=2)
    assert played.do("accept_shoe", seat=5, hand="banker").reason == "STATE"
    assert played.do("decline_shoe", seat=5).reason == "STATE"
    assert not played.events(ShoeDeclined)
    played.do("accept_shoe", seat=2, hand="banker")
    assert played.now(ShoeAccepted)
    assert played.do("offer_shoe", seat=5).reason == "STATE"


def test_while_the_deal_is_held_nothing_is_offered() -> None:
    """F-110, N-19: cards that lie wrong go to nobody before a supervisor has ruled."""
    played = at_table("B")
    for hand in ("player", "player", "banker", "banker"):
        played.do("draw", to=hand)
    assert played.do("offer_cards", hand="player", seat=2).reason == "STATE"
    assert not played.events(CardsOffered)


def test_who_asks_for_cards_and_when() -> None:
    """F-110, F-119: the dealer, of a player who has the shoe, while the coup is dealt."""
    played = a_coup()

    def ask(now: Played) -> str | None:
        command = InstructDraw(at_us=now.at_us, by=DEALER, count=1)
        return now.send("round", command).reason

    assert ask(played) == "STATE"
    early = at_table("C")
    early.do("offer_shoe", seat=2).do("accept_shoe", seat=2, hand="banker")
    assert ask(early) is None
    assert early.now(DrawInstructed)
    before = Played(method="C", layout="C").approved("C").shoe(f"{BURN} {SIX_SEVEN}").betting()
    assert ask(before) == "STATE"


def test_a_hand_is_shown_while_it_lies_face_down() -> None:
    """F-101: once."""
    played = at_table("B").draws(4)
    played.do("offer_cards", hand="player", seat=2).do("accept_cards", hand="player", seat=2)
    for reason in (None, "STATE"):
        show = ShowHand(at_us=played.at_us, by=person("PLAYER", "p1"), hand="PLAYER", seat=2)
        assert played.send("round", show).reason == reason
    assert len(played.events(TurnInstructed)) == 1


def test_a_coup_that_has_its_result_is_not_voided_while_it_is_paid() -> None:
    """A-30, Procedure 13: after the announcement a result is set aside, never void."""
    played = a_coup(4)
    told = Spec(round_, played.round)
    said = told.when(AnnounceResult(at_us=played.at_us, by=DEALER))
    assert said.refused is None
    void = VoidCoup(
        at_us=played.at_us,
        by=person("CASINO_SUPERVISOR"),
        second=SUPERVISOR,
        coup=1,
        reason="CARD_UNREADABLE",
    )
    told.when(void).then_among(like(CoupVoided, reason="SUPERVISOR"))
    told.given(*said.events).when(void).then_raises("STATE")
