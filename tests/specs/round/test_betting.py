"""Betting opens, closes once, and no card comes before; the card that did (A-25)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts.common import Limit
from services.contracts.core import Refused
from services.contracts.round import (
    BettingClosed,
    BettingOpened,
    BookCloseRequested,
    CoupStarted,
    CoupVoided,
    DealingOpened,
    IncidentRecorded,
    NoBetCoupDeclared,
    NoMoreBetsAnnounced,
    TableOpened,
)
from services.contracts.round_hands import CardAttested, HoldEscalated, IncidentResolved
from services.contracts.round_table import SignDisplayed, SignRemoved
from services.contracts.shoe import CardCarriedOver, CardDrawn, CardsBurned, ShoeLoaded
from services.contracts.wager import BookClosed, LimitsPublished
from services.round import domain as round_
from services.round.commands import (
    AssignDealer,
    AttestCard,
    DisplaySign,
    OpenBetting,
    OpenTable,
    RecoverTable,
    RemoveSign,
)
from services.shoe.commands import DrawCard
from tests.support.played import (
    CASINO_SUPERVISOR,
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SIX_SEVEN,
    Played,
)
from tests.support.spec import AT_US, Spec, heard, like, person, spec
from tests.support.tables import PLENTY, settings

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
SECOND_US = 1_000_000


def live_table(rulebook: str = "nsw-mini", **others: object) -> Spec:
    """A live table with shoe and limits; nobody deals there yet."""
    made = settings(rulebook, mode="LIVE", **others)  # type: ignore[arg-type]
    now = spec(round_).when(OpenTable(at_us=AT_US, by=person("DEALER"), settings=made))
    return now.then_among(like(TableOpened)).given(
        heard(ShoeLoaded(shoe_id="S1", decks=8, cards=416, source="SCANNED"), service="shoe"),
        heard(
            CardsBurned(shoe_id="S1", reason="NEW_SHOE", count=2, first_draw_number=1),
            service="shoe",
        ),
        heard(LimitsPublished(limits_version=1, limits={"EUR": PLENTY}), service="wager"),
    )


def dealt_by(now: Spec, dealer: str = "dealer") -> Spec:
    told = now.when(AssignDealer(at_us=AT_US, by=person("DEALER"), dealer=dealer))
    return told.before.given(*told.events)


OPEN = OpenBetting(at_us=AT_US, by=person("DEALER"))


# --- what must be there first ---


def test_a_live_table_opens_no_betting_without_a_dealer() -> None:
    """A-03, F-09: somebody runs the game, and the log says who."""
    live_table().when(OPEN).then_raises("STATE")
    dealt_by(live_table()).when(OPEN).then_among(like(BettingOpened))
    player = OpenBetting(at_us=AT_US, by=person("PLAYER"))
    dealt_by(live_table()).when(player).then_raises("ROLE")


def test_without_limits_or_shoe_betting_stays_shut() -> None:
    """F-74, Procedure 4: each missing thing refuses, and the table says what it waits for."""
    played = Played(limits={})
    assert played.shoe(f"{BURN} {SIX_SEVEN}").betting().reason == "STATE"
    assert Played().betting().reason == "STATE"


def test_the_even_money_game_waits_for_its_sign() -> None:
    """F-23: shut until the sign of the odds is recorded, and again once it is taken down."""
    now = dealt_by(live_table("nsw-mini-even-money"))
    now.when(OPEN).then_raises("STATE")
    up = DisplaySign(at_us=AT_US, by=person("DEALER"), sign="ODDS")
    shown = now.when(up).then(like(SignDisplayed, sign="ODDS"))
    shown.when(OPEN).then_among(like(BettingOpened))
    down = RemoveSign(at_us=AT_US, by=person("DEALER"), sign="ODDS")
    shown.when(down).then(like(SignRemoved, sign="ODDS")).when(OPEN).then_raises("STATE")


def test_the_coup_pins_the_rulebook_at_the_opening_of_betting() -> None:
    """F-10, A-34: its hash stands in the envelope of everything from there on."""
    now = dealt_by(live_table())
    scope = round_.scope(now.state, SignRemoved(sign="ODDS"))
    assert (scope.rulebook_id, len(scope.rulebook_hash)) == ("nsw-mini", 64)


def test_a_streamed_tables_rounds_are_five_seconds_apart() -> None:
    """R-34: from one opening to the next."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN} {NATURAL_NINE}").betting()
    played.do("no_more_bets").do("deal").do("open_betting", at="2026-01-01T00:00:15Z")
    assert played.reason == "STATE"
    assert played.do("open_betting", at="2026-01-01T00:00:16Z").reason is None


# --- the close ---


def test_the_timer_closes_betting_at_its_own_moment() -> None:
    """A-24, A-52: one cut-off, the deadline, however late the clock is looked at."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting()
    opened = played.now(BettingOpened)[0]
    played.do("tick", at="2026-01-01T00:00:40Z")
    closed = played.now(BettingClosed)[0]
    assert (closed.closed_by, closed.closed_at_us) == ("TIMER", opened.closes_at_us)
    assert opened.closes_at_us == opened.opened_at_us + 15 * SECOND_US
    assert played.wager("w1", "p1", "tie").reason == "LATE"


def test_the_call_closes_betting_before_the_timer_does_and_is_evidence_after() -> None:
    """A-52, F-82, X-52: earlier it closes, later it only stands in the log; never twice."""
    early = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting().do("no_more_bets")
    assert early.now(BettingClosed)[0].closed_by == "CALL"
    assert early.do("no_more_bets").reason == "STATE"
    late = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting()
    late.do("no_more_bets", at="2026-01-01T00:00:28Z")
    assert late.now(BettingClosed)[0].closed_by == "TIMER"
    assert late.now(NoMoreBetsAnnounced)
    assert not late.events(IncidentRecorded)


@pytest.mark.parametrize(("second", "missing"), [(29, False), (30, True)])
def test_a_call_that_does_not_come_within_three_seconds_is_an_incident(
    second: int, missing: bool
) -> None:
    """A-52: recorded, and the coup goes on."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting()
    played.do("tick", at=f"2026-01-01T00:00:{second}Z")
    codes = [one.code for one in played.events(IncidentRecorded)]
    assert codes == (["CALL_MISSING"] if missing else [])
    assert played.do("deal").line("coup")["status"] == "settled"


def test_a_call_in_time_is_no_incident() -> None:
    """A-52: three seconds after the beep are in time."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting()
    played.do("tick", at="2026-01-01T00:00:28Z").do("no_more_bets", at="2026-01-01T00:00:29Z")
    played.do("tick", at="2026-01-01T00:05:00Z")
    assert not played.events(IncidentRecorded)


def test_no_card_before_betting_and_book_are_closed() -> None:
    """A-24, A-25, F-82, B-08, invariant 3: call, close, book, dealing, first card."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").coup(("w1", "p1", "banker"))
    kinds = (NoMoreBetsAnnounced, BettingClosed, BookClosed, DealingOpened, CardDrawn, CoupStarted)
    order = list(dict.fromkeys(played.order(*kinds)))
    assert order == [kind.__name__ for kind in kinds]


def test_the_dealers_book_closes_on_his_word_or_with_the_first_card() -> None:
    """D5, Procedure 4: asked for once, for the reason that came first."""
    by_word = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets").do("close_book")
    by_card = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets").do("draw")
    by_itself = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting().do("no_more_bets")
    reasons = [
        played.events(BookCloseRequested)[0].reason for played in (by_word, by_card, by_itself)
    ]
    assert reasons == ["DEALER", "FIRST_CARD", "AUTO"]
    assert by_word.do("close_book").reason == "STATE"


def test_the_house_may_deal_a_coup_without_wagers() -> None:
    """F-151: betting never opens, method A, and every wager is refused."""
    played = Played(method="C", layout="C").approved("C").shoe(f"{BURN} {SIX_SEVEN}")
    played.betting(no_bet=True)
    assert played.now(NoBetCoupDeclared)[0].reason == "HOUSE"
    assert not played.now(BettingOpened)
    assert played.wager("w1", "p1", "tie").reason == "NO_BET_COUP"
    played.do("deal")
    assert (played.line("coup")["status"], played.line("coup")["winner"]) == ("no_bet", "banker")
    assert played.round.method == "C"


# --- a card that was out before the close ---

EARLY = CardDrawn(
    shoe_id="S1", coup_id="T1:1:1", draw_number=3, card=None, face_up=False, before_close=True
)


def card_out(
    rulebook: str = "nsw-mini", cards: str = f"{BURN} {SIX_SEVEN}", **draw: object
) -> Played:
    """One wager is in, and a card comes out while betting is open."""
    played = Played(rulebook).shoe(cards).betting().wager("w1", "p1", "banker")
    return played.do("draw", **draw)


def test_betting_closes_with_the_card_and_the_coup_waits() -> None:
    """A-25: incident, cut-off at the card's instant, that instant included; all else is STATE."""
    played = card_out(face="down")
    assert played.now(IncidentRecorded)[0].code == "CARD_BEFORE_CLOSE"
    assert played.now(BettingClosed)[0].closed_by == "CARD"
    at = "2026-01-01T00:00:12.100000Z"
    assert played.wager("w2", "p2", "player", at=at).reason == "LATE"
    for action in ("no_more_bets", "close_book", "draw", "deal", "announce", "open_betting"):
        assert played.do(action).reason == "STATE", action
    void = {"coup": 1, "reason": "CARDS_DISTURBED", "second": GAME_SUPERVISOR}
    assert played.ruling("void", CASINO_SUPERVISOR, **void).reason == "STATE"


def test_unseen_it_is_the_coups_first_card_and_no_call_is_to_come() -> None:
    """A-25: the book closes with the ruling, and draw or deal goes on from there."""
    played = card_out(face="down")
    assert played.ruling("attest", DEALER, seen=False).reason == "ROLE"
    played.ruling("attest", GAME_SUPERVISOR, seen=False)
    assert not played.now(CardAttested)[0].seen
    assert played.now(IncidentResolved)[0].how == "PLAYED"
    assert played.now(CoupStarted)[0].draw_number == 3
    assert played.do("no_more_bets").reason == "STATE"
    played.do("deal")
    line = played.line("coup")
    assert (line["player"], line["wagers"][0]["outcome"]) == (["6S", "TD"], "won")


@pytest.mark.parametrize("rulebook", ["nsw-mini", "super-six"])
def test_seen_it_voids_the_coup_and_is_burned_besides_any_burn_that_is_owed(rulebook: str) -> None:
    """A-25: stakes back; the card counts for no burn that is owed."""
    played = card_out(rulebook, f"{BURN} 5H 2D {NATURAL_NINE}", face="down")
    played.ruling("attest", GAME_SUPERVISOR, seen=True)
    burned = played.now(CardsBurned)[0]
    assert (burned.reason, burned.count, burned.set_aside) == ("CARD_BEFORE_CLOSE", 1, 1)
    assert played.line("coup")["wagers"][0]["outcome"] == "refunded"
    assert played.line("coup")["reason"] == "CARD_BEFORE_CLOSE"
    played.betting()
    owed = [one.reason for one in played.now(CardsBurned)]
    assert owed == (["BETWEEN_COUPS"] if rulebook == "super-six" else [])


def test_a_scanned_card_counts_as_seen_and_nobody_attests() -> None:
    """A-25: no ruling follows; void and burned at once."""
    played = card_out(card="5H")
    assert played.now(CoupVoided)[0].reason == "CARD_BEFORE_CLOSE"
    assert played.now(CardsBurned)
    assert played.ruling("attest", GAME_SUPERVISOR, seen=False).reason == "STATE"


def test_a_house_may_void_every_such_coup() -> None:
    """A-25, `card_before_close` ALWAYS_VOID: nothing to attest."""
    made = settings("nsw-mini", mode="LIVE", changed={"card_before_close": "ALWAYS_VOID"})
    opened = spec(round_).when(OpenTable(at_us=AT_US, by=person("DEALER"), settings=made))
    now = dealt_by(
        opened.then_among(like(TableOpened)).given(
            *(
                heard(event, service="shoe")
                for event in (
                    ShoeLoaded(shoe_id="S1", decks=8, cards=416, source="SCANNED"),
                    CardsBurned(shoe_id="S1", reason="NEW_SHOE", count=2, first_draw_number=1),
                )
            ),
            heard(LimitsPublished(limits_version=1, limits={}), service="wager"),
        )
    )
    now = now.when(OPEN).then_among(like(BettingOpened))
    now.when_heard(heard(EARLY, service="shoe")).then_among(
        like(CoupVoided, reason="CARD_BEFORE_CLOSE")
    )


def test_cards_out_too_early_lie_where_a_kept_card_that_comes_before_them_leaves_them() -> None:
    """A-25, F-149, 004 12.3: with it no hand has more than two, so no rule voids the coup."""
    kept = CardCarriedOver(
        shoe_id="S1", coup_id="T1:1:0", draw_number=3, card=None, to="NEXT_COUP", seen=False
    )
    now = dealt_by(live_table()).given(heard(kept, service="shoe"))
    now = now.when(OPEN).then_among(like(BettingOpened))
    for number, to in ((4, None), (5, "PLAYER"), (6, None)):
        card = replace(EARLY, draw_number=number, to=to)
        now = now.when_heard(heard(card, service="shoe")).then_among()
    supervisor = person("GAME_SUPERVISOR")
    told = now.when(AttestCard(at_us=AT_US, by=supervisor, coup=1, seen=False))
    told.then(like(CardAttested), like(IncidentResolved, how="PLAYED"), like(BookCloseRequested))


def test_no_time_ends_the_wait_and_it_is_told_upwards_every_ten_minutes() -> None:
    """Procedure 13: escalated, again and again, and the coup is still held."""
    played = card_out(face="down").do("tick", at="2026-01-01T00:31:00Z")
    escalated = played.now(HoldEscalated)
    assert [one.minutes for one in escalated] == [10, 20, 30]
    assert escalated[0].to == ("CASINO_SUPERVISOR", "DUTY_MANAGER")
    assert played.ruling("attest", GAME_SUPERVISOR, seen=False).reason is None


def test_a_generated_shoe_does_not_let_it_happen() -> None:
    """A-25, D5: a draw while betting is open is refused where the platform holds the order."""
    played = Played().do("load_shoe", shoe="S1").betting()
    assert played.do("draw").reason == "STATE"
    draw = DrawCard(at_us=played.at_us, by=person("DEALER"), card="5H")
    assert played.send("shoe", draw).reason == "STATE"


# --- after an outage ---


@pytest.mark.parametrize(("seconds", "void"), [(120, False), (121, True)])
def test_betting_whose_deadline_passed_closes_at_a_restart_or_is_void(
    seconds: int, void: bool
) -> None:
    """N-12: two minutes after the deadline, with no card out, the coup is void."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").betting()
    opened = played.now(BettingOpened)[0]
    back = RecoverTable(at_us=opened.closes_at_us + seconds * SECOND_US, by=person("SYSTEM"))
    played.wager("w1", "p1", "tie").send("round", back)
    assert [one.reason for one in played.now(CoupVoided)] == (["RESTART"] if void else [])
    assert played.now(BettingClosed)[0].closed_at_us == opened.closes_at_us


def test_a_held_coup_stays_held_at_a_restart() -> None:
    """N-12: the same phase, and time goes on."""
    played = card_out(face="down")
    played.send("round", RecoverTable(at_us=played.at_us + 900 * SECOND_US, by=person("SYSTEM")))
    assert not played.events(CoupVoided)
    assert played.now(HoldEscalated)


@pytest.mark.parametrize(
    ("others", "named"),
    [
        ({"mode": "FOO"}, "mode"),
        ({"seats": 2**31 - 1}, "seats"),
        ({"smallest_chip_minor": -5}, "smallest_chip_minor"),
        ({"day_starts_minute": 1440}, "day_starts_minute"),
        ({"day_starts_minute": -1}, "day_starts_minute"),
        ({"differential_minor": -1}, "differential_minor"),
        ({"limits": {"EUR": {"*": Limit(-1000, -10)}}}, "limits"),
        ({"limits": {"EUR": {"*": Limit(100, 10)}}}, "limits"),
        ({"limits": {"EUR": {"*": Limit(100, 1000, -7)}}}, "limits"),
    ],
)
def test_a_table_that_no_house_could_mean_is_not_opened(others: dict[str, Any], named: str) -> None:
    """Limits below a unit would take stakes below nothing; the refusal names the setting."""
    made = replace(settings("nsw-mini"), **others)
    asked = spec(round_).when(OpenTable(at_us=AT_US, by=person("DEALER"), settings=made))
    asked.then_raises("NOT_PERMITTED")
    with pytest.raises(Refused, match=named):
        round_.decide(
            OpenTable(at_us=AT_US, by=person("DEALER"), settings=made), round_.initial_state()
        )


@pytest.mark.parametrize("after_us", [-1, 2**63 - 1])
def test_betting_closes_neither_before_it_opens_nor_after_all_time(after_us: int) -> None:
    """An instant that fits no clock would make the table unreadable."""
    opens = OpenBetting(at_us=AT_US, by=person("DEALER"), closes_in_us=after_us)
    live_table().when(opens).then_raises("NOT_PERMITTED")
