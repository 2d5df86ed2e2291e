"""Coups without wagers that were dealt while the platform was down, entered afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from services.contracts.core import Actor
from services.contracts.round import (
    BettingClosed,
    BettingOpened,
    CoupBackfilled,
    CoupClosed,
    CoupResulted,
    CoupVoided,
    DealingOpened,
    ResultCorrected,
)
from services.contracts.round_hands import CardReassigned, CoupHeld
from services.contracts.round_table import TableSuspended
from services.contracts.settlement import CoupReviewOpened, CoupSettled
from services.contracts.shoe import (
    CardCarriedOver,
    CardDrawn,
    CutCardReached,
    LastCoupDesignated,
    ShoeIntegrityBreached,
    ShoeRetired,
)
from services.contracts.wager import BookRevised
from services.round.commands import BackfillCoup
from services.shoe import domain as shoe_core
from services.shoe.commands import BurnCards, DrawCard, EndShoe, RegisterShoeDevice
from tests.support.played import (
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SEVEN_ALL,
    SIX_CARDS,
    SIX_SEVEN,
    Played,
    person,
)
from tests.support.spec import Spec

VIDEO, REASON = "cam 4, 2026-03-01 01:10", "power failure"
SECOND = Actor("gs2", "GAME_SUPERVISOR")


def outage(rulebook: str = "nsw-mini", **fields: Any) -> Played:
    """A table whose cards are read as they come, with the new shoe's burn made (live: by itself)."""
    decks = fields.pop("decks", None)
    opening = {} if decks is None else {"decks": decks}
    played = Played(rulebook, **opening)
    played.do("load_shoe", shoe="S1", cards=[], partial=True, **fields)
    return played if rulebook.startswith("live") else burned(played, "NEW_SHOE", first_card="AC")


def burned(played: Played, reason: str, **more: Any) -> Played:
    command = BurnCards(at_us=played.at_us, by=person("DEALER"), reason=reason, **more)
    played.send("shoe", command)
    assert played.refused is None
    return played


def enter(played: Played, cards: str, winner: str = "BANKER", **fields: Any) -> Played:
    """The next coup is entered, a second before the command, as two supervisors do."""
    told: dict[str, Any] = {
        "at_us": played.at_us,
        "by": Actor("gs1", "GAME_SUPERVISOR"),
        "second": SECOND,
        "coup": played.round.coups + 1,
        "cards": tuple(cards.split()),
        "winner": winner,
        "dealt_at_us": played.at_us - 1_000_000,
        "reason": REASON,
        "video": VIDEO,
    }
    return played.send("round", BackfillCoup(**{**told, **fields}))


def refusal(played: Played) -> tuple[str, str]:
    """Reason and sentence of the refusal; nothing of the coup is on record."""
    assert played.refused is not None
    assert not played.events(CoupBackfilled)
    return played.refused.reason, played.refused.message


@pytest.mark.parametrize(
    ("cards", "winner", "player", "banker"),
    [
        (SIX_SEVEN, "BANKER", "6S TD", "7H KC"),
        (NATURAL_NINE, "PLAYER", "9S KD", "7D TC"),
        (SEVEN_ALL, "TIE", "7S KH", "7C QC"),
        (SIX_CARDS, "BANKER", "2S 3H KD", "AD 2C 4S"),
    ],
)
def test_a_coup_of_an_outage_is_entered_by_two(
    cards: str, winner: str, player: str, banker: str
) -> None:
    """Procedure 1, invariant 2: the draw order decides the hands, and the coup settles nothing."""
    played = enter(outage(), cards, winner)
    [told] = played.now(CoupBackfilled)
    assert (told.cards, told.reason, told.video) == (tuple(cards.split()), REASON, VIDEO)
    [result] = played.now(CoupResulted)
    assert (result.player, result.banker) == (tuple(player.split()), tuple(banker.split()))
    assert (result.winner, result.no_bet, result.book_revision) == (winner, True, 0)
    [settled] = played.now(CoupSettled)
    assert (settled.status, settled.wagers, settled.totals) == ("BACKFILLED", 0, {})
    assert [each.status for each in played.now(CoupClosed)] == ["BACKFILLED"]
    assert played.line("coup")["status"] == "backfilled"


def test_its_cards_leave_the_account_of_the_shoe() -> None:
    """Invariant 1: each has its draw number behind the burn, as persons told it."""
    played = enter(outage(), SIX_SEVEN)
    before = played.cards.shoe
    assert before is not None
    drawn = played.now(CardDrawn)
    assert [each.draw_number for each in drawn] == [3, 4, 5, 6]
    assert {(each.source, each.scanned, each.face_up) for each in drawn} == {
        ("MANUAL", False, True)
    }
    enter(played, NATURAL_NINE, "PLAYER")
    after = played.cards.shoe
    assert after is not None
    assert (after.drawn, after.left) == (before.drawn + 4, before.left - 4)
    assert after.read["TC"] == 1


def test_play_goes_on_behind_it() -> None:
    """Procedure 4: the next coup has the next number, and its cards the next draw numbers."""
    played = enter(outage(), SIX_SEVEN).betting().wager("w1", "p1", "banker").do("no_more_bets")
    for card in SIX_SEVEN.split():
        command = DrawCard(at_us=played.at_us, by=person("DEALER"), card=card)
        played.send("shoe", command)
    played.do("announce")
    line = played.line("coup")
    assert (line["coup"], line["status"], line["wagers"][0]["outcome"]) == (2, "settled", "won")
    assert played.events(CardDrawn)[-1].draw_number == 10


def test_it_takes_a_supervisor_and_a_second_person() -> None:
    """Clauses 1.3: role, second person, not the same twice, and neither below a supervisor."""
    played = outage()
    assert refusal(enter(played, SIX_SEVEN, by=person("DEALER")))[0] == "ROLE"
    assert refusal(enter(played, SIX_SEVEN, second=None))[0] == "APPROVAL"
    same = Actor("gs1", "GAME_SUPERVISOR")
    assert refusal(enter(played, SIX_SEVEN, second=same))[0] == "ROLE"
    assert refusal(enter(played, SIX_SEVEN, second=Actor("d2", "DEALER")))[0] == "ROLE"


@pytest.mark.parametrize("name", ["reason", "video"])
def test_it_takes_a_reason_and_a_video_reference(name: str) -> None:
    """R-08: without either it stays out of the books."""
    reason, message = refusal(enter(outage(), SIX_SEVEN, **{name: " "}))
    assert (reason, message.partition(":")[0]) == ("STATE", name)


@pytest.mark.parametrize(
    ("cards", "winner", "said"),
    [
        ("6S 7H TD", "BANKER", "cards: 3 are too few, Banker needs one more"),
        ("2S AD 3H 2C", "BANKER", "cards: 4 are too few, Player needs one more"),
        ("2S AD 3H 2C KD", "BANKER", "cards: 5 are too few, Banker needs one more"),
        (f"{NATURAL_NINE} 2S", "PLAYER", "no hand needs more than the first 4"),
        (SIX_SEVEN, "PLAYER", "the cards give BANKER (Player 6, Banker 7), not PLAYER"),
    ],
)
def test_a_coup_that_no_deal_can_have_been_is_refused(cards: str, winner: str, said: str) -> None:
    """Procedure 1: with what is wrong with it."""
    reason, message = refusal(enter(outage(), cards, winner))
    assert reason == "STATE"
    assert said in message


def test_words_that_mean_nothing_are_refused_by_name() -> None:
    """N-18: a card that there is not, and a winner."""
    assert refusal(enter(outage(), "6S 7H TD XX"))[1] == "cards: 'XX' is no card"
    assert refusal(enter(outage(), SIX_SEVEN, "HOUSE"))[1].startswith("winner: 'HOUSE' is none")


def test_more_copies_than_there_are_decks_are_refused() -> None:
    """000 1.3.1: in the coup itself."""
    played = outage("nsw-mini", decks=3)
    reason, message = refusal(enter(played, "9S 9S 9S 9S", "TIE"))
    assert (reason, message) == ("INTEGRITY", "cards: 4 times 9S, and 3 decks in the shoe")


def test_coups_are_entered_in_their_order_and_before_play_goes_on() -> None:
    """Procedure 4: by number and time, and while no coup runs."""
    played = outage()
    assert "the next one of this table is 1" in refusal(enter(played, SIX_SEVEN, coup=2))[1]
    late = played.at_us + 1_000_000_000
    assert "not dealt yet" in refusal(enter(played, SIX_SEVEN, dealt_at_us=late))[1]
    enter(played, SIX_SEVEN, dealt_at_us=played.at_us)
    early = played.events(CoupBackfilled)[0].dealt_at_us - 1
    enter(played, NATURAL_NINE, "PLAYER", dealt_at_us=early)
    assert (played.reason, played.refused and "coup 1 is later" in played.refused.message) == (
        "STATE",
        True,
    )
    played.betting()
    assert enter(played, NATURAL_NINE, "PLAYER").reason == "STATE"


def test_nothing_was_dealt_before_the_shoe_was_there() -> None:
    """Procedure 4: neither before it was loaded nor, with that, before the session began."""
    played = Played("nsw-mini")
    loaded = played.at_us
    played.do("load_shoe", shoe="S1", cards=[], partial=True)
    burned(played, "NEW_SHOE", first_card="AC")
    for early in (loaded - 1, 1, -5):
        message = refusal(enter(played, SIX_SEVEN, dealt_at_us=early))[1]
        assert message == f"dealt_at_us: shoe S1 was loaded later, at {loaded}"
    assert enter(played, SIX_SEVEN, dealt_at_us=loaded).refused is None


def test_a_coup_behind_one_that_the_platform_dealt_is_no_earlier() -> None:
    """Procedure 4: than the close of its betting; of a coup without wagers, than its first card."""
    played = outage().betting()
    opened = played.events(BettingOpened)[0].opened_at_us
    closed = played.do("no_more_bets").events(BettingClosed)[0].closed_at_us
    assert closed > opened
    dealt(played, SIX_SEVEN)
    for early in (opened, closed - 1):
        entered = enter(played, NATURAL_NINE, "PLAYER", dealt_at_us=early)
        assert "coup 1 is later" in refusal(entered)[1]
    assert enter(played, NATURAL_NINE, "PLAYER", dealt_at_us=closed).refused is None
    played.betting(no_bet=True)
    first = played.at_us + 60_000_000
    dealt(played, SIX_SEVEN, at_us=first)
    enter(played, NATURAL_NINE, "PLAYER", at_us=first + 1, dealt_at_us=first - 1)
    assert played.refused is not None
    assert f"coup 3 is later, from {first} on" in played.refused.message
    enter(played, NATURAL_NINE, "PLAYER", at_us=first + 1, dealt_at_us=first)
    assert played.refused is None


def test_a_report_number_needs_its_reader() -> None:
    """N-5: reports are numbered by a device, from 1."""
    for fields in ({"sequence": 4}, {"sequence": 0, "device_id": "e1"}):
        assert refusal(enter(outage(), SIX_SEVEN, **fields))[1].startswith("sequence:")


def registered(played: Played, device: str = "e1") -> Played:
    """An electronic shoe comes to the table."""
    by = person("GAME_SUPERVISOR")
    return played.send("shoe", RegisterShoeDevice(at_us=played.at_us, by=by, device_id=device))


def asked(played: Played, sequence: int, device: str = "e1") -> str:
    """What is said of the report number of a coup of four cards; "" where it is taken."""
    enter(played, SIX_SEVEN, device_id=device, sequence=sequence)
    return "" if played.refused is None else played.refused.message


def test_a_report_number_that_cannot_be_is_refused_with_those_that_can() -> None:
    """N-5: each new card is a report, and the shoe gives no more than it holds."""
    played = registered(outage("nsw-mini", decks=3))
    for wrong in (1, 3, 155, 4000):  # 156 cards, 2 of them burned before the reader came
        assert asked(played, wrong) == (
            "sequence: behind report 0 of e1 the last card of this coup is report 4 to 154, "
            f"not {wrong}"
        )
    assert asked(played, 6) == ""
    assert "report 10 to 156, not 9" in asked(played, 9)
    enter(played, NATURAL_NINE, "PLAYER")
    assert played.refused is None, "a coup may go without a number"
    assert asked(played, 157) != ""
    assert asked(played, 156) == "", "it is counted from the last number, not from the last coup"


def test_reports_are_counted_on_from_shoe_to_shoe_and_anew_by_a_new_reader() -> None:
    """N-5: of the shoe before, the cards behind the last report count too."""
    played = registered(outage("super-six"))
    assert asked(played, 4) == ""
    burned(played, "BETWEEN_COUPS")
    enter(played, NATURAL_NINE, "PLAYER")
    over = EndShoe(at_us=played.at_us, by=person("GAME_SUPERVISOR"), reason="worn")
    assert played.send("shoe", over).refused is None
    played.do("load_shoe", shoe="S2", cards=[], partial=True)
    burned(played, "NEW_SHOE", first_card="AC")
    most = 4 + 1 + 4 + 8 * 52
    assert f"report 8 to {most}, not {most + 1}" in asked(played, most + 1)
    assert played.cards.shoe is not None
    left = played.cards.shoe.left
    assert f"report 4 to {left}, not {left + 1}" in asked(registered(played, "e2"), left + 1, "e2")
    assert asked(played, left, "e2") == ""


def test_no_card_leaves_a_shoe_whose_order_the_platform_keeps() -> None:
    """D8: generated and preset shoes dealt nothing while the platform was down."""
    for shoe in ({"shoe": "S1"}, {"shoe": "S1", "cards": f"AC 9D {SIX_SEVEN}".split()}):
        played = Played("nsw-mini").do("load_shoe", partial="cards" in shoe, **shoe)
        reason, message = refusal(enter(played, SIX_SEVEN))
        assert (reason, "gives no card but by the platform" in message) == ("STATE", True)


def test_without_a_shoe_or_behind_its_last_coup_none_is_entered() -> None:
    """Procedure 5: what the shoe could not give was not dealt from it."""
    assert refusal(enter(Played("nsw-mini"), SIX_SEVEN))[0] == "STATE"
    played = outage("live-studio", cut_card_after=9)
    enter(played, SIX_SEVEN)
    [reached] = played.now(CutCardReached)
    assert reached.after_draw_number == 9
    assert [each.coup for each in played.now(LastCoupDesignated)] == [1]
    assert played.now(ShoeRetired)[0].reason == "LAST_COUP"
    assert enter(played, NATURAL_NINE, "PLAYER").reason == "SHOE_ENDED"


def test_burns_that_are_owed_come_first() -> None:
    """Procedure 2: of the shoe, and between the coups of the outage."""
    played = Played("super-six").do("load_shoe", shoe="S1", cards=[], partial=True)
    assert refusal(enter(played, SIX_SEVEN))[0] == "BURN_OWED"
    burned(played, "NEW_SHOE", first_card="AC")
    enter(played, SIX_SEVEN)
    assert enter(played, NATURAL_NINE, "PLAYER").reason == "BURN_OWED"
    burned(played, "BETWEEN_COUPS")
    enter(played, NATURAL_NINE, "PLAYER")
    assert [each.coup for each in played.events(CoupResulted)] == [1, 2]


def test_a_card_too_many_in_the_shoe_is_a_breach_as_ever() -> None:
    """N-6: the coup is void, the table suspended, and earlier coups of the shoe are looked at."""
    played = outage("nsw-mini", decks=3)
    for _ in range(3):
        enter(played, "9S 7D KD TC", "PLAYER")
        assert played.refused is None
    enter(played, "9S 7C KH TH", "PLAYER")
    assert [each.card for each in played.now(ShoeIntegrityBreached)] == ["9S"]
    assert [(each.coup, each.reason) for each in played.now(CoupVoided)] == [(4, "INTEGRITY")]
    assert played.now(TableSuspended)
    assert [each.coup for each in played.now(CoupReviewOpened)] == [1, 2, 3]
    assert [each.status for each in played.now(CoupClosed)] == ["VOID"]
    assert [each.wagers for each in played.events(BookRevised)] == [0]


def test_what_a_reader_counted_in_the_outage_is_not_missing() -> None:
    """N-5: the next report follows the one of the coup's last card; that one is a repeat."""
    played = outage()
    one = RegisterShoeDevice(at_us=played.at_us, by=person("GAME_SUPERVISOR"), device_id="e1")
    played.send("shoe", one)
    enter(played, SIX_SEVEN, device_id="e1", sequence=4)
    assert [each.sequence for each in played.now(CardDrawn)] == [None, None, None, 4]
    played.betting().do("no_more_bets")
    for sequence in (4, 5):
        command = DrawCard(
            at_us=played.at_us, by=person("DEALER"), card="9S", device_id="e1", sequence=sequence
        )
        played.send("shoe", command)
    assert [each.draw_number for each in played.events(CardDrawn)][-2:] == [6, 7]
    enter_elsewhere = outage()
    enter(enter_elsewhere, SIX_SEVEN, device_id="e9", sequence=4)
    assert {each.device_id for each in enter_elsewhere.now(CardDrawn)} == {""}


def test_a_card_kept_from_the_coup_before_is_its_first() -> None:
    """Procedure 6, 004 12.4: it left the shoe already, and counts once."""
    played = kept("6S")
    assert played.cards.shoe is not None
    assert [each.draw_number for each in played.cards.shoe.carried] == [7]
    enter(played, SIX_SEVEN)
    assert [(each.draw_number, each.carried) for each in played.now(CardDrawn)] == [
        (7, True),
        (8, False),
        (9, False),
        (10, False),
    ]
    assert not played.now(CardReassigned)
    assert played.now(CoupResulted)[0].player == ("6S", "TD")


def dealt(played: Played, cards: str, **fields: Any) -> Played:
    """The cards of a coup as a reader reports them, and the dealer's announcement."""
    told = {"at_us": played.at_us, "by": person("DEALER"), **fields}
    for card in cards.split():
        played.send("shoe", DrawCard(**told, card=card))
    return played.do("announce")


def kept(card: str | None, *, first: str = NATURAL_NINE, decks: int = 8, **fields: Any) -> Played:
    """A table with a card that no hand of its first coup needed: with draw number 7."""
    played = outage(decks=decks).betting().do("no_more_bets")
    for needed in first.split():
        played.send("shoe", DrawCard(at_us=played.at_us, by=person("DEALER"), card=needed))
    read = {"unread": True} if card is None else {"card": card}
    played.send("shoe", DrawCard(at_us=played.at_us, by=person("DEALER"), **read, **fields))
    played.do("announce")
    assert [each.draw_number for each in played.events(CardCarriedOver)] == [7]
    return played


@pytest.mark.parametrize("source", ["SCANNER", "MANUAL"])
def test_another_first_card_than_the_kept_one_is_refused(source: str) -> None:
    """004 12.4: it lies on the table; who tells another one looks at another coup."""
    played = kept("6S", source=source)
    reason, message = refusal(enter(played, NATURAL_NINE, "PLAYER"))
    assert (reason, message) == (
        "STATE",
        "cards: card 1 is 6S, kept from coup T1:1:1 (draw number 7), not 9S",
    )
    assert enter(played, SIX_SEVEN).refused is None


def test_a_kept_card_that_nobody_has_seen_is_the_one_that_was_told() -> None:
    """000 1.2.2: two persons have read it from the recording, and it counts against the decks."""
    played = enter(kept(None, face="DOWN"), NATURAL_NINE, "PLAYER")
    first, *others = played.now(CardDrawn)
    assert (first.draw_number, first.card, first.source, first.carried) == (7, "9S", "MANUAL", True)
    assert [each.draw_number for each in others] == [8, 9, 10]
    assert played.now(CoupResulted)[0].player == ("9S", "KD")
    assert played.cards.shoe is not None
    assert played.cards.shoe.read["9S"] == 2


def test_a_card_too_many_among_the_kept_ones_is_a_breach() -> None:
    """N-6: as any that is told."""
    played = kept(None, face="DOWN", first="9S 9S 9S TC", decks=3)
    enter(played, NATURAL_NINE, "PLAYER")
    [breach] = played.now(ShoeIntegrityBreached)
    assert (breach.draw_number, breach.card, breach.copies) == (7, "9S", 4)
    assert [each.reason for each in played.now(CoupVoided)] == ["INTEGRITY"]


@pytest.mark.parametrize(
    ("card", "cards", "winner"), [("2S", NATURAL_NINE, "PLAYER"), ("9S", SIX_CARDS, "BANKER")]
)
def test_other_cards_than_were_told_hold_the_coup(card: str, cards: str, winner: str) -> None:
    """X-55: the reader knows a card that lay face down, persons told another one: a person decides."""
    played = enter(kept(card, face="DOWN"), cards, winner)
    assert [each.card for each in played.now(CardDrawn)] == [card, *cards.split()[1:]]
    assert [each.code for each in played.now(CoupHeld)] == ["ANNOUNCEMENT_MISMATCH"]
    assert len(played.events(CoupResulted)) == 1
    for word in ("deal", "announce"):
        assert played.do(word).reason == "STATE"
    hands = {"player": ["2S", "KD", "5C"], "banker": ["7D", "TC"]}
    second = {"id": "gs2", "role": "game_supervisor"}
    fields = {"coup": 2, "reason": "read from the recording", "cards": hands, "second": second}
    if card == "2S":
        assert played.ruling("confirm_result", GAME_SUPERVISOR, coup=2).reason == "STATE"
    played.ruling("correct_result", GAME_SUPERVISOR, **fields)
    assert [each.status for each in played.now(CoupClosed)] == ["BACKFILLED"]


def test_no_card_that_comes_out_meanwhile_gets_between() -> None:
    """Procedure 1: the shoe has heard of the coup and not yet that it is dealt; the reader reports."""
    told = enter(outage(), SIX_SEVEN)
    [coup] = told.now(CoupBackfilled)
    before = Spec(shoe_core, outage().table.states["shoe"]).given(coup)
    early = DrawCard(at_us=told.at_us, by=person("DEALER"), card="7C")
    before.when(early).then_raises("STATE")
    opened = DealingOpened(coup_id=coup.coup_id, book_revision=0, book_wagers=0, book_digest="")
    entered = before.when_heard(opened)
    assert [each.card for each in entered.only(CardDrawn)] == SIX_SEVEN.split()
    entered.before.given(*entered.events).when(early).then_raises("STATE")


def test_it_is_corrected_like_any_other() -> None:
    """X-55: two persons, a new revision; it stays a coup without wagers of an outage."""
    played = enter(outage(), SIX_SEVEN)
    cards = {"player": ["6S", "3D"], "banker": ["7H", "KC"]}
    played.ruling(
        "correct_result",
        GAME_SUPERVISOR,
        coup=1,
        reason="video looked at again",
        cards=cards,
        second={"id": "gs2", "role": "game_supervisor"},
    )
    [corrected] = played.now(ResultCorrected)
    assert (corrected.winner, corrected.no_bet, corrected.revision) == ("PLAYER", True, 2)
    [settled] = played.now(CoupSettled)
    assert (settled.status, settled.revision) == ("BACKFILLED", 2)
    assert played.ruling("confirm_result", DEALER, coup=1).reason == "ROLE"


def test_no_wager_is_ever_taken_for_it() -> None:
    """Invariant 3: neither while it is entered nor after it."""
    played = enter(outage(), SIX_SEVEN)
    assert played.wager("w1", "p1", "banker").reason == "STATE"


def test_the_services_remember_it_over_a_restart() -> None:
    """D9: the next coup of the outage follows what was written down."""
    played = enter(outage(), SIX_SEVEN).restarted()
    enter(played, NATURAL_NINE, "PLAYER")
    assert [each.status for each in played.events(CoupClosed)] == ["BACKFILLED"] * 2
