"""Dealing methods A to D: approvals, offers in order, hands and shoe out and back."""

from __future__ import annotations

import pytest

from services.contracts.round import (
    BettingOpened,
    CardDealt,
    IncidentRecorded,
    PointsAnnounced,
    ThirdCardDecision,
)
from services.contracts.round_hands import (
    CardsDeclined,
    CardsOffered,
    HandMarkerPlaced,
    HandPassed,
    HandRetainedByDealer,
    HandReturned,
    ShoeAccepted,
    ShoeDeclined,
    ShoeForfeited,
    ShoeHolderChanged,
    ShoeOffered,
    ShoePassed,
    TurnInstructed,
)
from services.contracts.round_table import DealingMethodSelected, MethodApproved, RoleApproved
from services.contracts.shoe import CardDrawn, CardRevealed
from services.round.commands import ApproveMethod, InstructDraw, SelectMethod, ShowHand
from tests.support.played import (
    CASINO_SUPERVISOR,
    DEALER,
    DUTY_MANAGER,
    GAME_SUPERVISOR,
    INSPECTOR,
    NATURAL_NINE,
    SEVEN_ALL,
    SIX_CARDS,
    SIX_SEVEN,
    Played,
    person,
)

BURN = "AC 9D"
FOUR_COUPS = f"{BURN} {SIX_SEVEN} {SEVEN_ALL} {NATURAL_NINE} {SIX_SEVEN}"


def at_table(method: str, cards: str = FOUR_COUPS, rulebook: str = "nsw-mini") -> Played:
    """An approved method on layout C; players sit at 2, 5 and 7."""
    played = Played(rulebook, method=method, layout="C").approved(method)
    return played.seated(p1=2, p2=5, p3=7).shoe(cards)


def staked(played: Played, *wagers: tuple[str, str, int]) -> Played:
    """Betting with these wagers, player by area, and the book closed."""
    played.betting()
    number = played._number
    for at, (player, area, amount) in enumerate(wagers):
        played.wager(f"w{number}-{at}", player, area, amount)
    return played.do("no_more_bets").do("close_book")


def offered(played: Played) -> list[int]:
    return [one.seat for one in played.events(ShoeOffered)]


# --- which method ---


def test_method_b_takes_the_inspectors_word_and_nobody_elses() -> None:
    """F-85, F-91: no role stands in for him; his conditions are kept."""
    played = Played(method="B", layout="C").shoe(FOUR_COUPS)
    assert played.betting().reason == "APPROVAL"
    for by in (DUTY_MANAGER, CASINO_SUPERVISOR, GAME_SUPERVISOR, DEALER):
        assert played.do("approve", what="method", method="B", by=by).reason == "ROLE"
    never = ApproveMethod(at_us=played.at_us, by=person("INSPECTOR"), method="B", coups=0)
    assert played.send("round", never).reason == "NOT_PERMITTED"
    approve = ApproveMethod(
        at_us=played.at_us, by=person("INSPECTOR"), method="B", conditions="two cameras"
    )
    [approved] = played.send("round", approve).now(MethodApproved)
    assert (approved.method, approved.conditions) == ("B", "two cameras")
    assert played.betting().now(BettingOpened)[0].method == "B"


@pytest.mark.parametrize("method", ["C", "D"])
def test_methods_c_and_d_take_the_duty_manager_and_layout_c(method: str) -> None:
    """F-18, F-86, F-87: lower roles refused; another layout refused."""
    played = Played(method=method, layout="C").shoe(FOUR_COUPS)
    for by in (CASINO_SUPERVISOR, INSPECTOR):
        assert played.do("approve", what="method", method=method, by=by).reason == "ROLE"
    assert played.betting().reason == "APPROVAL"
    played.do("approve", what="method", method=method, by=DUTY_MANAGER)
    assert played.betting().reason is None
    other = Played(method=method, layout="A").approved(method).shoe(FOUR_COUPS)
    assert other.betting().reason == "METHOD"


def test_a_streamed_table_deals_by_method_a_only() -> None:
    """A-51, F-85: others are not among the rulebook's."""
    assert Played("live-studio", method="C", layout="C").reason == "METHOD"
    played = Played("live-studio")
    assert played.do("approve", what="method", method="C").reason == "METHOD"


def test_the_method_is_chosen_before_betting_opens() -> None:
    """F-85: exactly one per coup; a change inside is refused."""
    played = at_table("B")

    def choose(method: str) -> str | None:
        command = SelectMethod(at_us=played.at_us, by=person("DEALER"), method=method)
        return played.send("round", command).reason

    assert choose("A") is None
    assert played.now(DealingMethodSelected)[0].method == "A"
    assert played.betting().now(BettingOpened)[0].method == "A"
    assert choose("B") == "STATE"
    played.do("no_more_bets").do("deal")
    assert choose("B") is None
    assert choose("E") == "METHOD"


def test_an_approval_for_some_coups_ends_with_them() -> None:
    """F-91: `coups` counts from the next one."""
    played = Played(method="B", layout="C").shoe(FOUR_COUPS)
    played.do("approve", what="method", method="B", coups=1).coup()
    assert played.betting().reason == "APPROVAL"


# --- B: a hand's cards ---


def test_cards_go_to_the_highest_stake_on_the_hand_then_down() -> None:
    """F-92, F-93, F-97: offers in order, refusals recorded; a hand without stakes is not offered."""
    played = staked(
        at_table("B", f"{BURN} {NATURAL_NINE}"),
        ("p1", "player", 1000),
        ("p2", "player", 3000),
        ("p3", "player", 2000),
    ).draws(4)
    assert [one.hand for one in played.events(HandRetainedByDealer)] == ["BANKER"]
    assert played.events(HandRetainedByDealer)[0].reason == "NO_WAGER"
    for seat, wrong in ((5, 2), (7, 2), (2, 7)):
        assert played.do("offer_cards", hand="player", seat=wrong).reason == "STATE"
        played.do("offer_cards", hand="player", seat=seat)
        played.do("decline_cards", hand="player", seat=seat)
    assert [one.seat for one in played.events(CardsOffered)] == [5, 7, 2]
    assert len(played.events(CardsDeclined)) == 3
    assert played.now(HandRetainedByDealer)[0].reason == "ALL_DECLINED"
    assert played.do("announce").line("coup")["winner"] == "player"


@pytest.mark.parametrize("left_of_dealer", [9, 4])
def test_equal_stakes_go_from_the_dealers_right_and_on(left_of_dealer: int) -> None:
    """F-94, F-95: nearest the dealer's right first, then counter-clockwise."""
    played = Played(method="B", layout="C", left_of_dealer=left_of_dealer).approved("B")
    played.seated(p1=2, p2=5, p3=7).shoe(f"{BURN} {NATURAL_NINE}")
    staked(played, ("p3", "player", 500), ("p2", "player", 500), ("p1", "player", 500)).draws(4)
    order = [2, 5, 7] if left_of_dealer == 9 else [5, 7, 2]
    for seat in order:
        assert played.do("offer_cards", hand="player", seat=seat).reason is None
        played.do("decline_cards", hand="player", seat=seat)


def test_the_order_goes_by_stakes_after_reduction_and_face_value() -> None:
    """F-92, X-35: several wagers of a player count together."""
    played = staked(
        at_table("B", f"{BURN} {NATURAL_NINE}"),
        ("p1", "player", 600),
        ("p2", "player", 1000),
        ("p1", "player", 600),
    ).draws(4)
    assert played.do("offer_cards", hand="player", seat=2).reason is None


def test_only_tie_wagers_leave_both_hands_with_the_dealer() -> None:
    """F-97, Procedure 10: nothing is offered, and the dealer turns the cards himself."""
    played = staked(at_table("B"), ("p1", "tie", 500)).draws(4)
    assert [one.hand for one in played.events(HandRetainedByDealer)] == ["PLAYER", "BANKER"]
    assert played.do("offer_cards", hand="player", seat=2).reason == "STATE"
    assert len(played.events(CardRevealed)) == 4
    assert played.do("announce").line("coup")["winner"] == "banker"


def test_one_hand_is_out_at_a_time_and_comes_back_before_any_third_card() -> None:
    """F-96, F-99, F-102, F-103, F-104, F-129, F-133: markers, one hand out, face up on return."""
    played = staked(
        at_table("B", f"{BURN} {SIX_CARDS}"), ("p1", "player", 500), ("p2", "banker", 500)
    ).draws(4)
    assert all(one.card is None for one in played.events(CardDealt))
    played.do("offer_cards", hand="player", seat=2).do("offer_cards", hand="banker", seat=5)
    played.do("accept_cards", hand="player", seat=2)
    assert played.now(HandMarkerPlaced)[0].seat == 2
    assert played.do("accept_cards", hand="banker", seat=5).reason == "STATE"
    for action in ("announce", "deal"):
        assert played.do(action).reason == "STATE"
    assert not played.events(ThirdCardDecision)
    assert played.do("return_cards", hand="player", seat=5).reason == "STATE"
    played.do("return_cards", hand="player", seat=2)
    assert [one.card for one in played.now(CardRevealed)] == ["2S", "3H"]
    played.do("accept_cards", hand="banker", seat=5).do("return_cards", hand="banker", seat=5)
    assert played.now(HandReturned)[0].clauses == ("004:8.14.1", "004:9.8.1")
    assert [one.points for one in played.now(PointsAnnounced)] == [5, 3]
    assert played.now(ThirdCardDecision)[0].draw
    assert len(played.events(HandPassed)) == 2


def test_a_third_card_goes_face_down_to_who_had_the_first_two() -> None:
    """F-129, F-99, F-101: another seat is refused; a hidden card refuses the announcement."""
    played = staked(at_table("B", f"{BURN} {SIX_CARDS}"), ("p1", "player", 500)).draws(4)
    for action in ("offer_cards", "accept_cards", "return_cards"):
        played.do(action, hand="player", seat=2)
    played.do("draw")
    assert played.do("announce").reason == "STATE"
    assert played.do("offer_cards", hand="player", seat=5).reason == "STATE"
    played.do("offer_cards", hand="player", seat=2)
    assert played.now(CardsOffered)[0].position == 3
    played.do("accept_cards", hand="player", seat=2).do("return_cards", hand="player", seat=2)
    assert played.now(CardRevealed)[0].card == "KD"
    played.do("draw")
    assert played.do("announce").line("coup")["banker"] == ["AD", "2C", "4S"]


def test_who_has_a_hand_may_show_it() -> None:
    """F-101: the log says who turned the cards."""
    played = staked(at_table("B", f"{BURN} {SIX_CARDS}"), ("p1", "player", 500)).draws(4)
    played.do("offer_cards", hand="player", seat=2).do("accept_cards", hand="player", seat=2)

    def show(seat: int) -> str | None:
        by = person("PLAYER", "p1")
        command = ShowHand(at_us=played.at_us, by=by, hand="PLAYER", seat=seat)
        return played.send("round", command).reason

    assert show(5) == "STATE"
    assert show(2) is None
    assert [(one.card, one.seat) for one in played.now(CardRevealed)] == [("2S", 2), ("3H", 2)]


def test_the_dealer_finishes_a_coup_of_method_b_once_the_hands_are_back() -> None:
    """F-102, table log 18: `deal` is refused while a hand that somebody staked on is to be offered."""
    played = staked(at_table("B", f"{BURN} {SIX_CARDS}"), ("p1", "player", 500)).draws(4)
    assert played.do("deal").reason == "STATE"
    played.do("offer_cards", hand="player", seat=2).do("decline_cards", hand="player", seat=2)
    assert played.do("deal").line("coup")["banker"] == ["AD", "2C", "4S"]


# --- C: the shoe stays with its holder ---


def test_the_shoe_goes_round_from_the_lowest_seat_that_staked() -> None:
    """F-105, F-88: counter-clockwise; who has not staked is passed over, who stands is not asked."""
    played = staked(at_table("C"), ("p3", "banker", 900), ("p2", "tie", 100))
    assert played.do("offer_shoe", seat=2).reason == "STATE"
    played.do("offer_shoe", seat=5).do("decline_shoe", seat=5)
    assert played.now(ShoeDeclined)[0].seat == 5
    played.do("offer_shoe", seat=7).do("accept_shoe", seat=7, hand="banker")
    assert offered(played) == [5, 7]
    assert played.now(ShoeHolderChanged)[0].player == "p3"
    assert played.now(HandMarkerPlaced)[0].hand == "BANKER"


@pytest.mark.parametrize("method", ["C", "D"])
def test_where_everybody_declines_the_dealer_deals_by_method_a(method: str) -> None:
    """F-106, F-116, X-32: always A, and never B."""
    played = staked(at_table(method), ("p1", "player", 500))
    played.do("offer_shoe", seat=2).do("decline_shoe", seat=2)
    [fallback] = played.now(DealingMethodSelected)
    assert (fallback.method, fallback.fallback) == ("A", True)
    played.do("deal")
    assert all(one.face_up for one in played.events(CardDealt))
    assert played.round.method == method


@pytest.mark.parametrize("method", ["C", "D"])
def test_acting_for_players_hand_takes_an_approval_before(method: str) -> None:
    """F-107, F-108, F-117, F-21: Banker without, Player only with; a lower role is refused."""
    played = staked(at_table(method), ("p1", "player", 500)).do("offer_shoe", seat=2)
    assert played.do("accept_shoe", seat=2, hand="player").reason == "APPROVAL"
    role = {"what": "act_as_player", "player": "p1"}
    assert played.do("approve", **role, by=GAME_SUPERVISOR).reason == "ROLE"
    played.do("approve", what="act_as_player", player="p9", by=CASINO_SUPERVISOR)
    assert played.do("accept_shoe", seat=2, hand="player").reason == "APPROVAL"
    played.do("approve", **role, by=CASINO_SUPERVISOR)
    assert played.now(RoleApproved)[0].player == "p1"
    played.do("accept_shoe", seat=2, hand="player")
    assert played.now(ShoeAccepted)[0].hand == "PLAYER"
    assert Played("live-studio").do("approve", **role).reason == "NOT_PERMITTED"


def holder(played: Played, seat: int = 2, hand: str = "banker") -> Played:
    return played.do("offer_shoe", seat=seat).do("accept_shoe", seat=seat, hand=hand)


def test_a_win_and_a_tie_keep_the_shoe_and_a_loss_takes_it() -> None:
    """F-109, F-122, X-34: a tie keeps; a losing wager on a hand loses it; marker in every coup."""
    played = holder(staked(at_table("C"), ("p1", "banker", 500), ("p2", "player", 500)))
    played.do("deal")
    for _ in range(2):
        staked(played, ("p1", "banker", 500), ("p2", "player", 500))
        assert played.do("offer_shoe", seat=5).reason == "STATE"
        played.do("deal")
    assert played.now(ShoeForfeited)[0].reason == "LOST"
    assert [one.seat for one in played.events(HandMarkerPlaced)] == [2, 2, 2]
    staked(played, ("p1", "banker", 500), ("p2", "player", 500))
    assert played.do("offer_shoe", seat=2).reason is None


def test_on_both_hands_any_loss_counts() -> None:
    """F-109, X-34: whichever hand wins, one of his wagers loses."""
    played = at_table("C").do("approve", what="opposing_wagers")
    staked(played, ("p1", "banker", 500), ("p1", "player", 500))
    assert holder(played).do("deal").now(ShoeForfeited)


def test_a_holder_without_a_wager_must_pass() -> None:
    """F-109: our addition; the offers go on from his seat."""
    played = holder(staked(at_table("C"), ("p1", "banker", 500))).do("deal")
    staked(played, ("p2", "banker", 500))
    assert played.events(ShoePassed)[0].reason == "NO_WAGER"
    assert played.do("offer_shoe", seat=5).reason is None


def test_the_holder_passes_it_on_counter_clockwise() -> None:
    """F-109, table log 28: from his seat on; nobody else can pass it."""
    played = holder(staked(at_table("C"), ("p1", "banker", 500)), 2).do("deal")
    staked(played, ("p1", "banker", 500), ("p3", "player", 500))
    assert played.do("pass_shoe", seat=7).reason == "STATE"
    played.do("pass_shoe", seat=2)
    assert played.do("offer_shoe", seat=2).reason == "STATE"
    assert played.do("offer_shoe", seat=7).reason is None


def test_who_leaves_his_seat_leaves_the_shoe() -> None:
    """F-109: the shoe goes on."""
    played = holder(staked(at_table("C"), ("p1", "banker", 500))).do("deal")
    played.do("unseat", player="p1", seat=2)
    assert played.now(ShoePassed)[0].reason == "LEFT"


@pytest.mark.parametrize("method", ["C", "D"])
def test_a_casino_supervisor_orders_the_shoe_away_and_the_dealer_finishes(method: str) -> None:
    """F-111, F-119: not the dealer's word; inside a coup the dealer deals on."""
    played = holder(staked(at_table(method), ("p1", "banker", 500))).do("draw")
    assert played.ruling("forfeit_shoe", DEALER, seat=2).reason == "ROLE"
    assert played.ruling("forfeit_shoe", CASINO_SUPERVISOR, seat=5).reason == "STATE"
    played.ruling("forfeit_shoe", CASINO_SUPERVISOR)
    assert played.now(ShoeForfeited)[0].reason == "ORDERED"
    assert played.do("deal").line("coup")["status"] == "settled"
    streamed = Played("live-studio").ruling("forfeit_shoe", CASINO_SUPERVISOR)
    assert streamed.reason == "NOT_PERMITTED"


@pytest.mark.parametrize("method", ["C", "D"])
def test_the_holder_draws_when_he_is_told_to(method: str) -> None:
    """F-110, F-118: face down; without the dealer's word it is an incident; nobody else draws."""
    played = holder(staked(at_table(method), ("p1", "banker", 500)))
    mine, other = {"id": "p1", "role": "player"}, {"id": "p2", "role": "player"}
    for count in (0, 5, 1_000_000_000):
        many = InstructDraw(at_us=played.at_us, by=person("DEALER"), count=count)
        assert played.send("round", many).reason == "NOT_PERMITTED"
    ask = InstructDraw(at_us=played.at_us, by=person("DEALER"))
    # A recorded shoe gives the card by itself when it is asked for.
    [drawn] = played.send("round", ask).now(CardDrawn)
    assert (drawn.face_up, drawn.card, drawn.instructed) == (False, None, True)
    assert played.do("draw", by=other).reason == "ROLE"
    played.do("draw", by=mine)
    assert played.now(IncidentRecorded)[0].code == "DRAW_WITHOUT_INSTRUCTION"
    assert not played.now(CardDrawn)[0].instructed
    played.draws(2).do("announce")
    assert played.line("coup")["status"] == "settled"


def test_a_generated_shoe_gives_no_card_without_the_dealers_word() -> None:
    """F-110: refused, as no card is out."""
    played = Played(method="C", layout="C").approved("C").seated(p1=2)
    played.do("load_shoe", shoe="S1")
    holder(staked(played, ("p1", "banker", 500)))
    assert played.do("draw", by={"id": "p1", "role": "player"}).reason == "STATE"


@pytest.mark.parametrize(
    ("method", "clauses"),
    [("C", ("004:8.24.1", "004:9.6.3.2")), ("D", ("004:8.33.1", "004:9.6.4.2"))],
)
def test_the_dealer_collects_turns_and_calls(method: str, clauses: tuple[str, ...]) -> None:
    """F-112, F-114, F-120, F-121, F-130, F-131, F-133, X-26: before any decision, each by its clause."""
    played = holder(staked(at_table(method, f"{BURN} {SIX_CARDS}"), ("p1", "banker", 500)))
    played.do("deal")
    [first, third] = played.events(HandReturned)
    assert first.clauses == third.clauses == clauses
    kinds = (HandReturned, TurnInstructed, CardRevealed, PointsAnnounced, ThirdCardDecision)
    assert list(dict.fromkeys(played.order(*kinds))) == [kind.__name__ for kind in kinds]
    assert played.line("coup")["banker"] == ["AD", "2C", "4S"]


# --- D: the highest stake, anew in each coup ---


def test_in_d_the_shoe_is_offered_anew_to_the_larger_of_both_stakes() -> None:
    """F-115, F-122, X-35: ties to the lowest seat; tie-only bettors are offered nothing."""
    played = at_table("D").do("approve", what="opposing_wagers")
    staked(
        played,
        ("p1", "banker", 400),
        ("p2", "player", 900),
        ("p2", "banker", 100),
        ("p3", "tie", 5000),
    )
    assert played.do("offer_shoe", seat=7).reason == "STATE"
    holder(played, 5).do("deal")
    assert played.now(ShoePassed)[0].reason == "COUP_OVER"
    staked(played, ("p3", "player", 500), ("p1", "banker", 500))
    assert played.do("offer_shoe", seat=7).reason == "STATE"
    assert played.do("offer_shoe", seat=2).reason is None


def test_a_no_bet_coup_is_dealt_by_method_a_whatever_the_table_plays() -> None:
    """F-151: and the method of the table stays."""
    played = holder(staked(at_table("C"), ("p1", "banker", 500))).do("deal")
    played.do("expose_next").betting().do("deal")
    assert played.line("coup")["status"] == "no_bet"
    assert all(one.face_up for one in played.events(CardDealt)[-4:])
    assert played.round.holder.seat == 2


def test_under_a_hands_lie_face_up_and_third_cards_too() -> None:
    """F-89, F-128: public when drawn."""
    played = Played().shoe(f"{BURN} {SIX_CARDS}").coup()
    assert all(one.face_up and one.card for one in played.events(CardDrawn))
    assert not played.events(TurnInstructed)


def test_offers_wait_for_the_book_and_for_their_method() -> None:
    """Table log 18: they follow the close of the book."""
    played = at_table("C").betting().wager("w1", "p1", "banker")
    assert played.do("offer_shoe", seat=2).reason == "STATE"
    played.do("no_more_bets")
    assert played.do("offer_shoe", seat=2).reason == "STATE"
    played.do("close_book")
    assert played.do("offer_cards", hand="banker", seat=2).reason == "STATE"
    assert played.do("offer_shoe", seat=2).reason is None
