"""Cards that leave the shoe: when, from which device, known by whom; kept ones and seen ones."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts.core import Refused
from services.contracts.round import (
    BettingClosed,
    BettingOpened,
    BookCloseRequested,
    CardDealt,
    CoupResulted,
    CoupStarted,
    DealingOpened,
    DrawInstructed,
    IncidentRecorded,
    NoBetCoupDeclared,
)
from services.contracts.round_hands import (
    CoupHeld,
    IncidentResolved,
    MisdealDetected,
    ShoeHolderChanged,
)
from services.contracts.shoe import (
    CardCarriedOver,
    CardDrawn,
    CardExposedEarly,
    CardFoundExposed,
    CardIdentified,
    CardRequested,
    CardRevealed,
    CardsBurned,
    CardsCollected,
    CardsDiscarded,
    ShoeCommitted,
    ShoeDeviceRegistered,
    ShoeExhausted,
    ShoeIntegrityBreached,
    ShoeLoaded,
    ShoeRetired,
    ShoeRevealed,
)
from services.rules.shuffling import verify_commitment
from services.shoe import domain as shoe
from services.shoe.commands import (
    BurnCards,
    CollectCards,
    DrawCard,
    EndShoe,
    EnterCard,
    ExposeNext,
    RegisterShoeDevice,
)
from tests.support.played import (
    CASINO_SUPERVISOR,
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SIX_SEVEN,
    Played,
    person,
)
from tests.support.spec import AT_US, Spec, heard, like, spec
from tests.support.tables import opened, resulted

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"


def draw(played: Played, **fields: object) -> Played:
    """A card as an electronic shoe reports it."""
    command = DrawCard(at_us=played.at_us, by=person("DEALER"), **fields)  # type: ignore[arg-type]
    return played.send("shoe", command)


def scanned(rulebook: str = "nsw-mini") -> Played:
    """A shoe of which only what is drawn is known; dealing is open."""
    played = Played(rulebook, auto_burn=False).shoe("").do("burn", reason="new_shoe")
    if rulebook == "nsw-mini":
        burn = BurnCards(
            at_us=played.at_us, by=person("DEALER"), reason="NEW_SHOE", first_card="AC"
        )
        played.send("shoe", burn)
    return played.betting().do("no_more_bets").do("close_book")


# --- who draws, and when ---


def test_no_card_without_a_shoe_and_none_after_its_end() -> None:
    """A-15, A-45, A-68, B-04: refused before the load and after the last coup."""
    played = Played()
    assert played.do("draw").reason == "STATE"
    played.shoe(f"{BURN} {SIX_SEVEN}", cut_card_after=2).coup()
    assert played.now(ShoeRetired)[0].reason == "LAST_COUP"
    assert played.do("draw").reason == "SHOE_ENDED"


def test_a_report_of_a_device_that_is_not_this_tables_is_refused() -> None:
    """A-04, A-15, F-19: each card names the registered device that it came from."""
    played = scanned("live-studio")
    assert draw(played, card="2S", device_id="e1").reason == "UNKNOWN"
    one = RegisterShoeDevice(at_us=played.at_us, by=person("GAME_SUPERVISOR"), device_id="e1")
    played.send("shoe", one)
    [drawn] = draw(played, card="2S", device_id="e1").now(CardDrawn)
    assert (drawn.device_id, drawn.source) == ("e1", "SCANNER")


def register(played: Played, device_id: str, replaces: str = "", reason: str = "") -> Played:
    command = RegisterShoeDevice(
        at_us=played.at_us,
        by=person("GAME_SUPERVISOR"),
        device_id=device_id,
        replaces=replaces,
        reason=reason,
    )
    return played.send("shoe", command)


def test_a_reader_is_swapped_in_mid_shoe() -> None:
    """A-04, N-5: between two draws of a coup; shoe and count go on, both devices are in the log."""
    played = register(scanned("live-studio"), "e1")
    drawn = draw(played, card="2S", device_id="e1", sequence=7).now(CardDrawn)
    changed = register(played, "e2", replaces="e1", reason="its lamp is out")
    [swapped] = changed.now(ShoeDeviceRegistered)
    assert (swapped.device_id, swapped.replaces) == ("e2", "e1")
    assert swapped.reason == "its lamp is out"
    # The new one counts its reports by itself: its first is no gap.
    drawn += draw(played, card="3S", device_id="e2", sequence=1).now(CardDrawn)
    assert [card.device_id for card in drawn] == ["e1", "e2"]
    assert drawn[1].draw_number == drawn[0].draw_number + 1
    assert drawn[1].shoe_id == drawn[0].shoe_id
    # Of the old one a repeat is dropped like any other, and a new report taken from nobody.
    again = draw(played, card="2S", device_id="e1", sequence=7)
    assert (again.refused, again.now(CardDrawn)) == (None, [])
    assert draw(played, card="4S", device_id="e1", sequence=8).reason == "UNKNOWN"
    # A gap of the new one is a missing card as ever.
    draw(played, card="5S", device_id="e2", sequence=3)
    assert [each.code for each in played.now(CoupHeld)] == ["SCAN_GAP"]


def test_a_reader_takes_the_place_of_one_that_is_there() -> None:
    """A-04: by a supervisor; the other one may come back after its repair, and counts from 1."""
    played = register(scanned("live-studio"), "e1")
    assert register(played, "e2", replaces="e9").reason == "UNKNOWN"
    draw(played, card="2S", device_id="e1", sequence=7)
    register(register(played, "e2", replaces="e1"), "e1", replaces="e2")
    [drawn] = draw(played, card="3S", device_id="e1", sequence=1).now(CardDrawn)
    assert drawn.device_id == "e1"
    assert draw(played, card="4S", device_id="e2", sequence=1).reason == "UNKNOWN"


def test_a_generated_shoe_gives_no_card_before_the_book_is_closed() -> None:
    """A-25, D5: refused while betting is open; asked for afterwards, it closes the book first."""
    played = Played().do("load_shoe", shoe="S1").betting()
    assert played.do("draw").reason == "STATE"
    played.do("no_more_bets").do("draw")
    assert played.now(CardRequested)
    assert played.now(BookCloseRequested)[0].reason == "FIRST_CARD"
    order = played.order(CardRequested, DealingOpened, CardDrawn)
    assert order == ["CardRequested", "DealingOpened", "CardDrawn"]


def test_draw_numbers_rise_by_one_through_burns_and_coups() -> None:
    """A-01, A-02, A-69: the order of the cards is the evidence; burned ones reach no hand."""
    played = Played("super-six").shoe(f"{BURN} {SIX_SEVEN} 5D {NATURAL_NINE}").coup().coup()
    numbers = [one.draw_number for one in played.events(CardDrawn)]
    assert numbers == [3, 4, 5, 6, 8, 9, 10, 11]
    assert [one.draw_number for one in played.events(CardDealt)] == numbers
    burned = played.events(CardsBurned)
    assert [(one.first_draw_number, one.count) for one in burned] == [(1, 2), (7, 1)]


def test_a_report_that_comes_twice_is_dropped_and_one_that_is_missing_holds_the_coup() -> None:
    """N-5: duplicates by device and number; a gap waits for two persons."""
    played = scanned("live-studio")
    one = RegisterShoeDevice(at_us=played.at_us, by=person("GAME_SUPERVISOR"), device_id="e1")
    played.send("shoe", one)
    draw(played, card="2S", device_id="e1", sequence=7)
    assert not draw(played, card="2S", device_id="e1", sequence=7).told
    draw(played, card="3S", device_id="e1", sequence=9)
    assert [drawn.card for drawn in played.now(CardDrawn)] == [None, "3S"]
    assert played.now(IncidentRecorded)[0].code == "SCAN_GAP"
    assert played.do("deal").reason == "STATE"


def test_two_different_persons_enter_a_card_that_was_not_read() -> None:
    """A-11: one actor refused, the same one twice refused, then the coup goes on."""
    played = draw(scanned("live-studio"), unread=True)
    [unread] = played.now(CardDrawn)
    entered = EnterCard(
        at_us=played.at_us, by=person("DEALER", "d1"), draw_number=unread.draw_number, card="2S"
    )
    assert played.send("shoe", entered).reason == "APPROVAL"
    twice = replace(entered, second=person("GAME_SUPERVISOR", "d1"))
    assert played.send("shoe", twice).reason == "ROLE"
    played.send("shoe", replace(entered, second=person("GAME_SUPERVISOR", "gs1")))
    assert played.now(CardRevealed)[0].source == "MANUAL"
    assert played.now(IncidentResolved)[0].how == "ENTERED"
    assert played.round.coup.player == ("2S",)


# --- the count of copies ---


def test_a_card_that_persons_enter_is_counted_like_one_that_was_read() -> None:
    """A-72, N-5: a copy too many breaks the shoe, whoever tells it."""
    played = Played(decks=3).shoe(BURN).betting().do("no_more_bets").do("close_book")
    for _ in range(3):
        played.do("draw", card="2C")
    draw(played, unread=True)
    entered = EnterCard(
        at_us=played.at_us,
        by=person("DEALER", "d1"),
        second=person("GAME_SUPERVISOR", "gs1"),
        draw_number=6,
        card="2C",
    )
    assert played.send("shoe", entered).now(ShoeIntegrityBreached)[0].card == "2C"
    assert not played.now(CardRevealed)


def test_a_card_too_many_breaks_the_shoe_and_suspends_the_table() -> None:
    """A-13, A-72, N-6: coup void, shoe retired, and two persons and a new shoe to go on."""
    played = Played(decks=3).shoe(BURN).betting().wager("w1", "p1", "banker").do("no_more_bets")
    played.draws(3, card="AS")
    assert not played.now(ShoeIntegrityBreached)
    played.do("draw", card="AS")
    breach = played.now(ShoeIntegrityBreached)[0]
    assert (breach.card, breach.copies) == ("AS", 4)
    assert played.now(ShoeRetired)[0].reason == "INTEGRITY"
    assert played.line("coup")["reason"] == "INTEGRITY"
    assert played.line("coup")["wagers"][0]["outcome"] == "refunded"
    second = {"second": GAME_SUPERVISOR, "by": CASINO_SUPERVISOR}
    assert played.do("resume_table", **second).reason == "STATE"
    played.shoe(f"{BURN} {NATURAL_NINE}")
    assert played.betting().reason == "STATE"
    assert played.do("resume_table", by=GAME_SUPERVISOR).reason == "ROLE"
    assert played.do("resume_table", by=CASINO_SUPERVISOR).reason == "APPROVAL"
    assert played.do("resume_table", **second).reason is None
    assert played.coup().line("coup")["winner"] == "player"


def test_an_order_with_a_card_too_many_never_comes_in() -> None:
    """A-13, F-24: nine aces of spades in eight decks."""
    assert Played().shoe("AS " * 8).reason is None
    assert Played().shoe("AS " * 9).reason == "INTEGRITY"


# --- kept cards ---


def needless(rulebook: str, cards: str, count: int, **fields: object) -> Played:
    """A coup in which so many cards came out that no hand needed."""
    played = Played(rulebook).shoe(cards).betting().do("no_more_bets")
    return played.draws(4).draws(count, **fields)


def test_a_needless_card_is_the_next_burn_and_the_result_stands() -> None:
    """C-18: no total and no number of cards contains it; one burn before the next coup."""
    played = needless("super-six", f"{BURN} {SIX_SEVEN} 2S {NATURAL_NINE}", 1)
    assert played.now(MisdealDetected)[0].kind == "EXTRA_CARD"
    assert played.line("carried") == {
        "kind": "carried",
        "line": played._number,
        "card": "2S",
        "to": "next_burn",
    }
    played.do("announce")
    assert played.line("coup")["banker"] == ["7H", "KC"]
    played.coup()
    burned = [one for one in played.events(CardsBurned) if one.reason == "BETWEEN_COUPS"]
    assert [(one.count, one.set_aside) for one in burned] == [(1, 1)]
    assert played.line("coup")["player"] == ["9S", "KD"]


def test_more_than_one_needless_card_takes_a_supervisor() -> None:
    """C-19: the second opens the next coup, a third follows; without him refused."""
    played = needless("super-six", f"{BURN} {SIX_SEVEN} 2S {NATURAL_NINE}", 3)
    assert played.do("announce").reason == "APPROVAL"
    assert played.do("approve", what="extra_cards", by=DEALER).reason == "ROLE"
    played.do("approve", what="extra_cards", by=GAME_SUPERVISOR).do("announce")
    kept = played.events(CardCarriedOver)
    assert [one.to for one in kept] == ["NEXT_BURN", "NEXT_COUP", "NEXT_COUP"]
    played.betting()
    assert played.now(NoBetCoupDeclared)[0].reason == "CARRIED_CARD"
    played.do("no_more_bets").do("deal")
    assert (played.line("coup")["player"], played.line("coup")["status"]) == (
        ["9S", "KD"],
        "no_bet",
    )


def test_the_supervisor_may_be_there_before_the_cards_are() -> None:
    """C-19: an approval counts before and after the draw, not after the result."""
    played = Played("super-six").shoe(f"{BURN} {SIX_SEVEN} 2S 9C").betting().do("no_more_bets")
    played.do("approve", what="extra_cards", by=GAME_SUPERVISOR).draws(6)
    assert played.do("announce").reason is None
    assert played.do("approve", what="extra_cards", by=GAME_SUPERVISOR).reason == "STATE"


def test_a_needless_card_opens_the_next_coup_which_takes_no_wagers_as_it_was_seen() -> None:
    """F-149, F-150: P1 is that card; every wager on the coup is refused."""
    played = needless("nsw-mini", f"{BURN} 7S KH TD 6C 9C 7D KD TC", 1, to="player")
    played.do("announce").betting().wager("w1", "p1", "player")
    assert played.reason == "NO_BET_COUP"
    played.do("deal")
    assert played.line("coup")["player"] == ["9C", "KD"]
    assert [one.carried for one in played.events(CardDrawn)[-4:]] == [True, False, False, False]


def test_a_kept_card_outlives_a_restart() -> None:
    """F-149: all that is known is written down and read again; the next P1 is that card."""
    played = needless("nsw-mini", f"{BURN} 7S KH TD 6C 9C 7D KD TC", 1).do("announce")
    played.restarted().betting().do("deal")
    assert played.line("coup")["player"][0] == "9C"


def test_kept_cards_lapse_with_the_shoe() -> None:
    """F-149: told when the shoe ends, and the next shoe begins with its own card."""
    played = needless("nsw-mini", f"{BURN} 7S KH TD 6C 9C", 1).do("announce")
    played.shoe(f"{BURN} {NATURAL_NINE}")
    assert played.now(ShoeRetired)[0].lapsed == ("CARRIED_CARD",)
    assert played.coup().line("coup")["player"] == ["9S", "KD"]
    assert played.line("coup")["status"] == "settled"


def test_an_unseen_card_that_is_kept_does_not_shut_betting() -> None:
    """F-150: only a card that was seen makes a no-bet coup."""
    played = Played(method="B", layout="C").approved("B").shoe(f"{BURN} 7S KH TD 6C 9C 7D KD TC")
    played.betting().do("no_more_bets").do("close_book").draws(5).do("announce")
    [kept] = played.events(CardCarriedOver)
    assert (kept.seen, kept.card) == (False, None)
    played.betting()
    assert played.now(BettingOpened)
    played.do("no_more_bets").do("close_book").draws(3)
    [first] = [one for one in played.events(CardDrawn) if one.carried]
    assert (first.card, first.face_up, first.draw_number) == (None, False, kept.draw_number)
    played.do("announce")
    assert played.line("coup")["player"] == ["9C", "KD"]


def test_a_kept_card_waits_for_the_book_when_another_comes_out_too_early() -> None:
    """A-25, F-149: before the close nothing goes to a hand; the kept card stays the first."""
    played = Played(method="B", layout="C").approved("B").shoe(f"{BURN} 7S KH TD 6C 9C 7D KD TC")
    played.betting().do("no_more_bets").do("close_book").draws(5).do("announce")
    played.betting().do("draw")
    assert [one.carried for one in played.now(CardDrawn)] == [False]
    assert played.cards.shoe is not None
    assert [one.draw_number for one in played.cards.shoe.carried] == [7]
    played.do("ruling", kind="attest", seen=False)
    assert [(one.draw_number, one.carried) for one in played.now(CardDrawn)] == [(7, True)]
    dealt = played.now(CardDealt)
    assert [(one.draw_number, one.hand) for one in dealt] == [(7, "PLAYER"), (8, "BANKER")]
    played.draws(2).do("announce")
    assert (played.line("coup")["player"], played.line("coup")["banker"]) == (
        ["9C", "KD"],
        ["7D", "TC"],
    )


def test_a_kept_card_comes_before_cards_that_the_electronic_shoe_did_not_report() -> None:
    """F-149, N-5: a gap in the reports is filled behind it, whatever is known of those cards."""
    played = Played(method="B", layout="C").approved("B").shoe(f"{BURN} 7S KH TD 6C 9C 7D KD TC")
    one = RegisterShoeDevice(at_us=played.at_us, by=person("GAME_SUPERVISOR"), device_id="e1")
    played.send("shoe", one).betting().do("no_more_bets").do("close_book")
    for sequence, card in enumerate(("7S", "KH", "TD", "6C", "9C"), start=1):
        draw(played, card=card, device_id="e1", sequence=sequence)
    played.do("announce").betting().do("no_more_bets")
    draw(played, card="KD", device_id="e1", sequence=7)
    drawn = [(one.draw_number, one.carried) for one in played.now(CardDrawn)]
    assert drawn == [(7, True), (8, False), (9, False)]


def test_a_card_that_was_not_reported_is_out_before_the_close_like_the_one_behind_it() -> None:
    """A-25, N-5: with the scanned card, all that had come out too early is burned."""
    played = Played("live-studio").shoe(f"{ASIDE} {NATURAL_NINE} 2S 3S")
    one = RegisterShoeDevice(at_us=played.at_us, by=person("GAME_SUPERVISOR"), device_id="e1")
    played.send("shoe", one).betting().do("no_more_bets")
    for sequence, card in enumerate(NATURAL_NINE.split(), start=1):
        draw(played, card=card, device_id="e1", sequence=sequence)
    played.do("announce").betting()
    draw(played, card="3S", device_id="e1", sequence=6)
    assert [card.before_close for card in played.now(CardDrawn)] == [True, True]
    assert [(one.reason, one.count) for one in played.now(CardsBurned)] == [
        ("CARD_BEFORE_CLOSE", 2)
    ]


def test_a_card_drawn_while_the_result_is_on_its_way_is_one_that_no_hand_needed() -> None:
    """C-18, A-49, F-149: round never saw it in the coup; the rulebook's rule for it is kept."""
    for rulebook, to in (("super-six", "NEXT_BURN"), ("nsw-mini", "NEXT_COUP")):
        played = Played(rulebook).shoe(f"{BURN} {NATURAL_NINE} 2S").betting().do("no_more_bets")
        played.draws(4)
        alone = Spec(shoe, played.cards)
        late = alone.when(DrawCard(at_us=played.at_us, by=person("DEALER"), card="2S"))
        result = resulted(("9S", "KD"), ("7D", "TC"))
        kept = late.then(like(CardDrawn, draw_number=7)).when_heard(result)
        kept.then(like(CardCarriedOver, draw_number=7, to=to, seen=True))


def test_a_kept_card_is_counted_once() -> None:
    """A-72, F-149: carried into the next coup it is no further copy."""
    played = Played(decks=3).shoe(BURN).betting().do("no_more_bets").do("close_book")
    for card in ("7S", "KH", "TD", "6C", "9C"):
        played.do("draw", card=card)
    played.do("announce").betting().do("no_more_bets").do("close_book")
    for card in ("9C", "KD", "9C"):
        played.do("draw", card=card)
    assert len([one for one in played.events(CardDrawn) if one.card == "9C"]) == 4
    assert not played.events(ShoeIntegrityBreached)


@pytest.mark.parametrize("player", ["8S", "9S"])
def test_after_a_natural_a_third_card_belongs_to_nobody(player: str) -> None:
    """F-148, X-21: never Banker's, whatever he holds."""
    played = needless("nsw-mini", f"{BURN} {player} 2H TD 3C 9C", 1, to="player")
    assert played.line("carried")["to"] == "next_coup_first"


# --- cards that were seen ---


def test_the_next_card_seen_between_coups_shuts_betting_for_one_coup() -> None:
    """F-150: no wagers on the next coup, and betting as usual on the one after."""
    cards = f"{BURN} {SIX_SEVEN} {NATURAL_NINE} 7S 7C KH QC"
    played = Played().shoe(cards).coup().do("expose_next").betting()
    assert played.events(CardFoundExposed)[0].draw_number == 7
    assert played.now(NoBetCoupDeclared)[0].reason == "EXPOSED_CARD"
    played.do("deal").betting()
    assert played.now(BettingOpened)


def test_a_card_seen_while_wagers_are_taken_gives_them_all_back() -> None:
    """F-150, F-151: the book is closed first, so that what goes back is complete."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "banker")
    played.do("expose_next")
    assert played.order(NoBetCoupDeclared)
    assert played.wager("w2", "p1", "tie").reason == "NO_BET_COUP"
    played.do("deal")
    line = played.line("coup")
    assert (line["status"], line["wagers"][0]["outcome"]) == ("no_bet", "refunded")


def test_a_card_seen_with_nothing_staked_makes_a_no_bet_coup_all_the_same() -> None:
    """F-150: an empty book needs no refund and the coup does not wait for one."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("expose_next").do("deal")
    assert played.line("coup")["status"] == "no_bet"


@pytest.mark.parametrize(("third", "next_is_no_bet"), [("KD", False), (None, True)])
def test_a_face_up_card_found_in_a_coup_is_played_as_if_face_down(
    third: str | None, next_is_no_bet: bool
) -> None:
    """F-152: used by this coup, nothing follows; unused, the next coup takes no wagers."""
    hands = "2S 6H 3D KC" if third else "9S 7D KD TC"
    played = Played().shoe(f"{BURN} {hands} KD 9S 7D KH TC").betting().do("no_more_bets").draws(4)
    played.do("expose_next")
    assert played.now(CardFoundExposed)[0].during_coup
    played.do("deal").betting()
    assert bool(played.now(NoBetCoupDeclared)) is next_is_no_bet


def test_who_let_a_card_be_seen_is_written_down_and_no_event_says_which_it_was() -> None:
    """A-73: an undealt card stands in no event."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}")
    shown = ExposeNext(at_us=played.at_us, by=person("DEALER"), person="d7")
    [early] = played.send("shoe", shown).now(CardExposedEarly)
    assert (early.person, early.draw_number) == ("d7", 7)
    assert "card" not in CardFoundExposed.__struct_fields__
    nobody = ExposeNext(at_us=played.at_us, by=person("DEALER"))
    assert not played.send("shoe", nobody).now(CardExposedEarly)


# --- the end ---


def test_too_few_cards_for_a_hand_void_the_coup_and_end_the_shoe() -> None:
    """F-153, X-19: stakes back; a natural with four cards left is complete."""
    short = Played().shoe(f"{BURN} 2S AD 3H 2C KD").coup(("w1", "p1", "player"))
    assert short.now(ShoeExhausted)
    line = short.line("coup")
    assert (line["reason"], line["wagers"][0]["outcome"]) == ("INSUFFICIENT_CARDS", "refunded")
    assert short.betting().reason == "SHOE_ENDED"
    enough = Played().shoe(f"{BURN} {NATURAL_NINE}").coup()
    assert enough.line("coup")["status"] == "settled"


def test_the_house_ends_a_shoe_between_coups() -> None:
    """A-41: a supervisor, not during betting or a coup; not at all in New South Wales."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}")
    end = EndShoe(at_us=played.at_us, by=person("GAME_SUPERVISOR"), reason="bent cards")
    too_low = EndShoe(at_us=played.at_us, by=person("DEALER"))
    assert played.send("shoe", too_low).reason == "ROLE"
    assert played.betting().send("shoe", end).reason == "STATE"
    played.do("no_more_bets").do("deal").send("shoe", end)
    [over] = played.now(ShoeRetired)
    assert (over.reason, over.note) == ("ENDED_EARLY", "bent cards")
    elsewhere = Played().shoe(f"{BURN} {SIX_SEVEN}").send("shoe", end)
    assert elsewhere.reason == "NOT_PERMITTED"


def test_a_generated_shoe_is_bound_before_the_first_wager_and_revealed_at_its_end() -> None:
    """A-73, N-19, D8: commitments are numbered without gaps, also of shoes that were given up."""
    played = Played().do("load_shoe", shoe="S1").do("load_shoe", shoe="S2").coup()
    played.shoe(f"{BURN} {SIX_SEVEN}")
    bound, shown = played.events(ShoeCommitted), played.events(ShoeRevealed)
    assert [one.number for one in bound] == [one.number for one in shown] == [1, 2]
    for before, after in zip(bound, shown, strict=True):
        assert verify_commitment(before.commitment, bytes.fromhex(after.secret), after.order)
    dealt = [one.card for one in played.events(CardDrawn)]
    numbers = [one.draw_number for one in played.events(CardDrawn)]
    assert dealt == [shown[1].order[number - 1] for number in numbers]
    kinds = played.order(ShoeCommitted, BettingOpened, ShoeRevealed)
    assert kinds == [
        "ShoeCommitted",
        "ShoeRevealed",
        "ShoeCommitted",
        "BettingOpened",
        "ShoeRevealed",
    ]


# --- picking up, and what a rebuild has ---


def test_cards_are_picked_up_so_that_their_order_can_be_told() -> None:
    """A-69, A-71: direction and sequence are stored, and the cards go to the rack."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").coup()
    assert played.events(CardsDiscarded)[0].count == 4
    wrong = CollectCards(
        at_us=played.at_us, by=person("DEALER"), direction="LEFT_TO_RIGHT", draw_numbers=(1, 2)
    )
    assert played.send("shoe", wrong).reason == "STATE"
    pick = replace(wrong, draw_numbers=())
    [collected] = played.send("shoe", pick).now(CardsCollected)
    dealt = tuple(one.draw_number for one in played.events(CardDealt))
    assert collected.draw_numbers == dealt
    assert played.send("shoe", pick).reason == "STATE"


def test_the_log_alone_gives_the_hands_again() -> None:
    """A-02, A-69, invariant 2: cards by draw number are the hands of the result."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").coup()
    cards = {one.draw_number: one.card for one in played.events(CardDrawn)}
    hands: dict[str, list[str | None]] = {"PLAYER": [], "BANKER": []}
    for dealt in played.events(CardDealt):
        hands[dealt.hand].append(cards[dealt.draw_number])
    [result] = played.events(CoupResulted)
    assert (tuple(hands["PLAYER"]), tuple(hands["BANKER"])) == (result.player, result.banker)
    assert all(a.draw_number < b.draw_number for a, b in pairwise(played.events(CardDealt)))
    assert played.order(CoupStarted, CoupResulted) == ["CoupStarted", "CoupResulted"]


def test_a_scanned_card_that_lies_face_down_is_known_inside_only() -> None:
    """A-73, F-110: the draw says nothing of it until it is turned."""
    played = Played(method="B", layout="C").approved("B").shoe(BURN)
    played.betting().do("no_more_bets").do("close_book").do("draw", card="7S")
    [drawn] = played.now(CardDrawn)
    assert (drawn.card, drawn.face_up, drawn.scanned) == (None, False, True)
    assert played.now(CardIdentified)[0].card == "7S"


def live_shoe(method: str = "A") -> Spec:
    """A live table's shoe of which nothing is known; dealing is open on coup 1."""
    loaded = ShoeLoaded(shoe_id="S1", decks=8, cards=416, source="SCANNED")
    burned = CardsBurned(shoe_id="S1", reason="NEW_SHOE", count=2, first_draw_number=1)
    betting = BettingOpened(
        coup_id="T1:1:1",
        coup=1,
        shoe_id="S1",
        opened_at_us=AT_US,
        closes_at_us=None,
        limits_version=1,
        method=method,
    )
    dealing = DealingOpened(coup_id="T1:1:1", book_revision=1, book_wagers=0, book_digest="")
    return spec(shoe).given(opened("nsw-mini", mode="LIVE"), loaded, burned, betting, dealing)


def test_at_a_live_table_a_person_draws_and_the_electronic_shoe_reports() -> None:
    """D5, F-110: being asked for a card is no card, and no lack of one either."""
    asked = live_shoe("C").when_heard(DrawInstructed(coup_id="T1:1:1", count=1)).then_nothing()
    held = asked.given(ShoeHolderChanged(seat=2, player="p1"))
    reported = DrawCard(at_us=AT_US, by=person("PLAYER", "p1"), card="6S")
    drawn = held.when(reported).then(
        like(CardDrawn, card=None, face_up=False, instructed=True),
        like(CardIdentified, card="6S"),
    )
    drawn.when(reported).then_among(like(CardDrawn, instructed=False))
    live_shoe().when(reported).then_raises("ROLE")


@pytest.mark.parametrize("count", [0, -1, 21, 2**31 - 1])
def test_no_draw_is_of_less_than_a_card_or_of_a_whole_shoe(count: int) -> None:
    """A report without a card is refused, and one that no hand could have pulled."""
    held = live_shoe("C").given(ShoeHolderChanged(seat=2, player="p1"))
    held.when(DrawCard(at_us=AT_US, by=person("PLAYER", "p1"), count=count)).then_raises(
        "NOT_PERMITTED"
    )


@pytest.mark.parametrize("told", [{"card": "XX"}, {"cards": ("6S", "\0"), "count": 2}])
def test_a_card_of_no_deck_is_refused(told: dict[str, Any]) -> None:
    """A-13: what is in no deck never gets into the log, where nobody could take it up."""
    held = live_shoe("C").given(ShoeHolderChanged(seat=2, player="p1"))
    held.when(DrawCard(at_us=AT_US, by=person("PLAYER", "p1"), **told)).then_raises("UNKNOWN")
    burn = BurnCards(at_us=AT_US, by=person("DEALER"), reason="NEW_SHOE", cards=("AS", "XX"))
    held.when(burn).then_raises("UNKNOWN")


def test_layers_belong_to_cards() -> None:
    """Each card of a pull has a layer, or none has."""
    held = live_shoe("C").given(ShoeHolderChanged(seat=2, player="p1"))
    for layers in ((1, 2), (2,), (0,), (-1,)):
        pulled = DrawCard(at_us=AT_US, by=person("PLAYER", "p1"), cards=("6S",), layers=layers)
        held.when(pulled).then_raises("NOT_PERMITTED")
    twice = DrawCard(
        at_us=AT_US, by=person("PLAYER", "p1"), count=2, cards=("6S", "7S"), layers=(1, 1)
    )
    held.when(twice).then_raises("NOT_PERMITTED")
    read = DrawCard(at_us=AT_US, by=person("PLAYER", "p1"), cards=("6S", "7S"))
    held.when(read).then_raises("NOT_PERMITTED")


def test_a_report_has_a_number_that_can_be() -> None:
    """N-5: numbered from 1; a gap of more reports than cards are left empties no shoe."""
    played = scanned("live-studio")
    one = RegisterShoeDevice(at_us=played.at_us, by=person("GAME_SUPERVISOR"), device_id="e1")
    played.send("shoe", one)
    for number in (0, -1):
        draw(played, card="2S", device_id="e1", sequence=number)
        assert played.reason == "NOT_PERMITTED"
    draw(played, card="2S", device_id="e1", sequence=7)
    draw(played, card="3S", device_id="e1", sequence=1_000_000)
    assert played.reason == "INTEGRITY"
    assert not played.told
    draw(played, card="3S", device_id="e1", sequence=8)
    assert [drawn.card for drawn in played.now(CardDrawn)] == ["3S"]


def test_a_card_that_overtook_the_close_on_its_way_holds_nothing() -> None:
    """A-25: by the table's order it came behind the close, so that nobody is to attest it."""
    played = Played("live-studio").do("load_shoe", shoe="S1", cards=[], partial=True).betting()
    state = played.cards
    card = DrawCard(at_us=played.at_us, by=person("DEALER"), card="2S")
    for event in shoe.decide(card, state):
        state = shoe.evolve(state, event)
    assert state.course.held
    with pytest.raises(Refused):
        shoe.decide(card, state)
    coup_id = state.course.coup_id
    closed = BettingClosed(coup_id=coup_id, closed_at_us=1, closed_by="CALL")
    opened = DealingOpened(coup_id=coup_id, book_revision=1, book_wagers=0, book_digest="")
    for event in (closed, opened):
        state = shoe.evolve(state, heard(event))
    assert [type(event) for event in shoe.decide(card, state)] == [CardDrawn]
