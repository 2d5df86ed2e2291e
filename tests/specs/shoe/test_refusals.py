"""What is refused at the shoe because it comes too early, too late or under the wrong rulebook."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts.core import NotYet
from services.contracts.round import (
    BettingOpened,
    CardDealt,
    CoupTerminated,
    DealerAssigned,
    DealingOpened,
    SeatTaken,
)
from services.contracts.round_hands import CoupHeld, ShoeHolderChanged
from services.contracts.shoe import (
    CardDrawn,
    CardIdentified,
    CardRequested,
    CardRevealed,
    CardsBurned,
    CardsShuffled,
    CardsTransferred,
    CutDeclined,
    CutOffered,
    ShoeAssembled,
    ShoeCommitted,
    ShoeExhausted,
    ShoeIntegrityBreached,
    ShoeLoaded,
    ShoeRetired,
)
from services.shoe import domain as shoe
from services.shoe.commands import (
    AssembleShoe,
    BurnCards,
    CutCards,
    DeclineCut,
    DrawCard,
    EnterCard,
    ExposeNext,
    InspectCards,
    LoadShoe,
    PlaceCutCard,
    RegisterShuffleDevice,
    RemoveCards,
    RequestRiffle,
    ResumeCoup,
    SealPack,
    ShuffleCards,
)
from tests.support.played import NATURAL_NINE, SIX_SEVEN, Played, person
from tests.support.spec import AT_US, Spec, like, spec
from tests.support.tables import opened

DEALER, SUPERVISOR = person("DEALER"), person("GAME_SUPERVISOR")
BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
NO_SPARE = {"disadvantage": False, "spare": False, "transferable": True}
SPARE = {"disadvantage": False, "spare": True, "transferable": True}


def table(rulebook: str = "nsw-mini", **others: Any) -> Spec:
    return spec(shoe).given(opened(rulebook, **others))


def shuffle(procedure: str = "MANUAL") -> ShuffleCards:
    return ShuffleCards(at_us=AT_US, by=DEALER, procedure=procedure)


def riffle() -> RequestRiffle:
    return RequestRiffle(at_us=AT_US, by=person("PLAYER", "p1"), player="p1")


def load(source: str = "SCANNED", **fields: object) -> LoadShoe:
    return LoadShoe(at_us=AT_US, by=DEALER, shoe_id="S1", source=source, **fields)  # type: ignore[arg-type]


def assemble() -> AssembleShoe:
    return AssembleShoe(at_us=AT_US, by=DEALER)


def prepared(now: Spec) -> Spec:
    """Looked over, shuffled, cut and marked."""
    inspection = InspectCards(at_us=AT_US, by=DEALER, witness="gs1", video="v", stage="PRE")
    cut = CutCards(at_us=AT_US, by=SUPERVISOR, position=200)
    marker = PlaceCutCard(at_us=AT_US, by=DEALER, from_back=20)
    for command in (inspection, shuffle(), cut, marker):
        now = now.given(*now.when(command).events)
    return now


def live_shoe(method: str = "A", source: str = "SCANNED") -> Spec:
    """A live table's shoe; dealing is open on coup 1."""
    betting = BettingOpened(
        coup_id="T1:1:1",
        coup=1,
        shoe_id="S1",
        opened_at_us=AT_US,
        closes_at_us=None,
        limits_version=1,
        method=method,
    )
    return table(mode="LIVE").given(
        DealerAssigned(dealer="dealer", shift=1),
        ShoeLoaded(shoe_id="S1", decks=8, cards=416, source=source),
        CardsBurned(shoe_id="S1", reason="NEW_SHOE", count=2, first_draw_number=1),
        betting,
        DealingOpened(coup_id="T1:1:1", book_revision=1, book_wagers=0, book_digest=""),
    )


# --- preparing ---


def test_nothing_is_done_with_cards_at_a_table_that_is_closed_or_unknown() -> None:
    """A-12: with the table's closing its shoe is given up, and nothing follows."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").do("close_table")
    assert played.now(ShoeRetired)[0].reason == "TABLE_CLOSED"
    played.send("shoe", ShuffleCards(at_us=played.at_us, by=DEALER, procedure="MANUAL"))
    assert played.reason == "STATE"


def test_a_riffle_is_asked_for_between_the_packs_coming_and_the_cut() -> None:
    """D-03, F-43: not for cards shuffled at the table, not after the cut; the load waits for it."""
    table().when(riffle()).then_raises("STATE")
    pack = table(mode="TEST").when(shuffle("PRE_SHUFFLED")).before
    pack = pack.given(*pack.when(shuffle("PRE_SHUFFLED")).events)
    asked = pack.given(*pack.when(riffle()).events)
    asked.when(load(stands_for_preparation=True)).then_raises("STATE")
    cut = CutCards(at_us=AT_US, by=SUPERVISOR, position=200)
    after = pack.given(*pack.when(cut).events)
    after.when(riffle()).then_raises("STATE")


def test_cards_are_cut_after_the_shuffle() -> None:
    """D-04, F-44: there is no cut of cards that were not shuffled."""
    table().when(CutCards(at_us=AT_US, by=SUPERVISOR, position=200)).then_raises("STATE")


def test_a_cut_card_is_placed_where_the_load_finds_it() -> None:
    """A-45, D-08: where it was put decides, not the rulebook's depth."""
    [loaded] = prepared(table()).when(load(partial=True)).only(ShoeLoaded)
    assert loaded.cuts_after == 416 - 20


def test_a_recording_of_a_shoes_front_says_nothing_of_its_cutting_card() -> None:
    """A-45: unless it does so itself."""
    told = table(mode="TEST").when(load(partial=True, stands_for_preparation=True))
    assert told.only(ShoeLoaded)[0].cuts_after is None
    whole = table(mode="TEST").when(load(stands_for_preparation=True))
    assert whole.only(ShoeLoaded)[0].cuts_after is not None


def test_the_decks_are_told_once() -> None:
    """A-38: looked over before the load, they are not assembled a second time."""
    inspection = InspectCards(at_us=AT_US, by=DEALER, witness="gs1", video="v", stage="PRE")
    assert len(table().when(inspection).only(ShoeAssembled)) == 1
    looked = table().given(*table().when(inspection).events)
    assert not looked.when(inspection).only(ShoeAssembled)
    assert not looked.when(load(stands_for_preparation=True)).only(ShoeAssembled)


def test_packs_and_devices_are_a_rulebooks_choice() -> None:
    """D-01, D-02, F-28: a streamed table takes neither a pack under a seal nor a device's shuffle."""
    pack = SealPack(at_us=AT_US, by=DEALER, seal_id="s-1", place="safe 2", deck_ids=())
    table("live-studio").when(pack).then_raises("NOT_PERMITTED")
    table("nsw-baccarat").when(shuffle("DEVICE")).then_raises("NOT_PERMITTED")
    table("nsw-mini").when(shuffle("DEVICE")).then(like(CardsShuffled, procedure="DEVICE"))


def test_a_step_of_the_preparation_is_done_once() -> None:
    """A-38, D-04: no second assembling, no second cut, and no inspection that is not known."""
    assembled = table().when(assemble())
    assembled.before.given(*assembled.events).when(assemble()).then_raises("STATE")
    now = table().given(*table().when(shuffle()).events)
    cut = CutCards(at_us=AT_US, by=SUPERVISOR, position=200)
    now.given(*now.when(cut).events).when(cut).then_raises("STATE")
    other = InspectCards(at_us=AT_US, by=DEALER, witness="gs1", video="v", stage="OTHER")
    table().when(other).then_raises("STATE")


def test_a_cut_is_declined_by_the_seat_that_it_is_offered_to() -> None:
    """D-05, F-44: nobody declines for another."""
    now = table().given(SeatTaken(seat=2, player="p2"), *table().when(shuffle()).events)
    decline = DeclineCut(at_us=AT_US, by=person("PLAYER", "p2"), seat=2)
    now.when(decline).then_raises("STATE")
    now.given(CutOffered(seat=2)).when(decline).then(like(CutDeclined, seat=2))


def test_a_pack_under_a_seal_has_a_seal_and_a_place() -> None:
    """F-28: nothing is put away without either."""
    for seal_id, place in (("", "safe 2"), ("s-1", "")):
        pack = SealPack(at_us=AT_US, by=DEALER, seal_id=seal_id, place=place, deck_ids=())
        table().when(pack).then_raises("STATE")


def test_a_machine_is_registered_once() -> None:
    """F-24: with its approval."""
    machine = RegisterShuffleDevice(
        at_us=AT_US, by=SUPERVISOR, device_id="m1", kind="SHUFFLING_DEVICE", approval="a-1"
    )
    now = table().given(*table().when(machine).events)
    now.when(machine).then_raises("DUPLICATE")


def test_cards_leave_the_table_when_no_shoe_is_in_use() -> None:
    """A-42, F-31: not out of a shoe."""
    remove = RemoveCards(at_us=AT_US, by=DEALER, deck_ids=("k1",))
    live_shoe().when(remove).then_raises("STATE")


# --- loading ---


def test_a_shoe_is_not_changed_once_betting_is_open() -> None:
    """A-45: between coups only."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting()
    assert played.do("load_shoe", shoe="S2").reason == "STATE"


def test_an_order_from_outside_is_for_test_tables_only() -> None:
    """A-22, A-68: a live table's cards come from its own device or its own secret."""
    table(mode="LIVE").when(load("PRESET")).then_raises("NOT_PERMITTED")
    table(mode="LIVE").when(load("GENERATED")).then_raises("NOT_PERMITTED")


def test_each_generated_shoe_of_a_table_has_the_next_number() -> None:
    """A-68, D5: commitments are numbered per table without gaps."""
    played = Played().do("load_shoe", shoe="S1").do("load_shoe", shoe="S2")
    assert [one.number for one in played.events(ShoeCommitted)] == [1, 2]


def test_a_live_tables_shoe_ends_before_another_one_comes() -> None:
    """A-45, A-69: a shoe in use is not simply replaced."""
    loaded = ShoeLoaded(shoe_id="S0", decks=8, cards=416, source="SCANNED")
    ready = prepared(table(mode="LIVE"))
    ready.when(load()).then_among(like(ShoeLoaded, shoe_id="S1"))
    prepared(table(mode="LIVE").given(loaded)).when(load()).then_raises("STATE")


def test_a_load_of_another_number_of_decks_is_refused() -> None:
    """A-38, D-01: as at the opening, the rulebook's numbers only."""
    table(mode="TEST").when(load(decks=5, stands_for_preparation=True)).then_raises("DECKS")


def test_an_order_has_no_more_cards_than_its_decks() -> None:
    """A-20: 3 decks are 156 cards, whichever they are."""
    played = Played(decks=3)
    many = [f"{rank}{suit}" for rank in "A23456789TJQK" for suit in "SHDC"] * 3
    played.do("load_shoe", shoe="S1", cards=many)
    assert played.reason is None
    over = Played(decks=3).do("load_shoe", shoe="S1", cards=[*many, "AS"])
    assert over.reason == "INTEGRITY"


def test_a_table_that_was_not_heard_of_yet_is_asked_for_again_later() -> None:
    """N-1: what comes before the table's opening waits for it."""
    with pytest.raises(NotYet):
        spec(shoe).when(shuffle())


# --- burns ---


def test_a_burn_comes_between_coups_and_is_owed() -> None:
    """A-47, B-02: refused while betting is open, and where none is owed."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting()
    again = BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE")
    assert played.send("shoe", again).reason == "STATE"
    between = Played("super-six").shoe(f"{BURN} {SIX_SEVEN}")
    none = BurnCards(at_us=between.at_us, by=DEALER, reason="BETWEEN_COUPS")
    assert between.send("shoe", none).reason == "STATE"


def test_the_first_card_is_read_where_its_face_tells_the_number() -> None:
    """B-02: an electronic shoe that read nothing burns nothing."""
    played = Played("super-six", auto_burn=False).shoe("")
    unread = BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE")
    assert played.send("shoe", unread).reason == "STATE"


def test_the_number_of_cards_burned_is_the_rules() -> None:
    """A-47, B-02, D-09: another number is refused; no number means the rule's."""
    played = Played(auto_burn=False).shoe(f"{BURN} {SIX_SEVEN}")
    wrong = BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE", count=3)
    assert played.send("shoe", wrong).reason == "STATE"
    right = BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE", count=2)
    assert played.send("shoe", right).now(CardsBurned)[0].count == 2


def test_a_burn_at_discretion_is_one_card_where_no_number_is_given() -> None:
    """A-47: one to ten cards."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}")
    one = BurnCards(at_us=played.at_us, by=SUPERVISOR, reason="DISCRETION")
    assert played.send("shoe", one).now(CardsBurned)[0].count == 1


def test_a_card_too_many_in_a_burn_breaks_the_shoe() -> None:
    """A-20, A-68: what an electronic shoe reads in a burn counts as well."""
    played = Played("live-studio", auto_burn=False).shoe("")
    played.send("shoe", BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE"))
    for cards in (("2C",) * 8, ("2C",)):
        assert not played.events(ShoeIntegrityBreached)
        burn = BurnCards(
            at_us=played.at_us,
            by=SUPERVISOR,
            reason="DISCRETION",
            count=len(cards),
            cards=cards,
        )
        played.send("shoe", burn)
    assert played.now(ShoeIntegrityBreached)[0].card == "2C"


# --- draws ---


def test_no_card_belongs_to_a_coup_that_has_its_result() -> None:
    """A-56: between the result and the coup's end the shoe gives nothing."""
    card = DrawCard(at_us=AT_US, by=DEALER, card="2S")
    over = live_shoe().given(CoupTerminated(coup_id="T1:1:1", coup=1, reason="SHUFFLER"))
    over.when(card).then_raises("STATE")
    live_shoe().when(card).then_among(like(CardDrawn, card="2S"))


def test_a_supervisor_draws_no_card_and_a_player_none_without_the_shoe() -> None:
    """A-04, F-79: the dealer draws, or who holds the shoe."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets")
    for who in (person("INSPECTOR"), person("PLAYER", "p1")):
        assert played.send("shoe", DrawCard(at_us=played.at_us, by=who)).reason == "ROLE"


def test_the_lower_of_two_cards_is_the_second_in_whatever_order_they_were_read() -> None:
    """A-51, F-74: layers tell; without them the first is the upper one."""
    played = Played(auto_burn=False).shoe("")
    burn = BurnCards(at_us=played.at_us, by=DEALER, reason="NEW_SHOE", first_card="AC")
    played.send("shoe", burn).betting().do("no_more_bets").do("close_book")
    two = DrawCard(at_us=played.at_us, by=DEALER, count=2, cards=("2S", "3S"), layers=(2, 1))
    played.send("shoe", two)
    assert [one.card for one in played.now(CardDrawn)] == ["3S", "2S"]


def test_a_held_coup_gives_no_card() -> None:
    """X-55, F-110: other words of the dealer hold everything until two persons have ruled."""
    card = DrawCard(at_us=AT_US, by=DEALER, card="2S")
    held = live_shoe().given(
        CoupHeld(coup_id="T1:1:1", code="ANNOUNCEMENT_MISMATCH", since_us=AT_US)
    )
    held.when(card).then_raises("STATE")


def test_a_player_draws_while_he_holds_the_shoe_and_is_asked() -> None:
    """F-79, F-92: somebody else does not; a generated shoe gives nothing before the word."""
    betting = live_shoe("C").given(ShoeHolderChanged(seat=2, player="p1"))
    own = DrawCard(at_us=AT_US, by=person("PLAYER", "p1"), card="6S")
    other = DrawCard(at_us=AT_US, by=person("PLAYER", "p2"), card="6S")
    betting.when(other).then_raises("ROLE")
    betting.when(own).then_among(like(CardDrawn, instructed=False))
    live_shoe("C", source="GENERATED").given(ShoeHolderChanged(seat=2, player="p1")).when(
        own
    ).then_raises("STATE")


def test_only_a_card_that_was_not_read_is_entered() -> None:
    """N-5, A-22: two persons don't enter another card in place of one that is known."""
    entry = EnterCard(
        at_us=AT_US, by=DEALER, draw_number=3, card="9S", second=person("GAME_SUPERVISOR")
    )
    card = DrawCard(at_us=AT_US, by=DEALER, card="2S")
    drawn = live_shoe().when(card)
    drawn.before.given(*drawn.events).when(entry).then_raises("STATE")
    lost = live_shoe().when(DrawCard(at_us=AT_US, by=DEALER, unread=True))
    lost.before.given(*lost.events).when(entry).then_among(like(CardRevealed, card="9S"))


def test_a_card_is_seen_while_there_is_one() -> None:
    """F-148: an empty shoe exposes nothing."""
    played = Played(auto_burn=False, decks=3).shoe("")
    empty = played.cards.shoe
    assert empty is not None
    state = replace(played.cards, shoe=replace(empty, drawn=156))
    seen = ExposeNext(at_us=AT_US, by=DEALER)
    Spec(shoe, state).when(seen).then_raises("STATE")


def test_fewer_cards_come_out_than_were_pulled_at_when_the_shoe_ends() -> None:
    """F-74, F-141: one card is left, two are pulled: one comes, and the shoe is not told empty."""
    now = live_shoe()
    state = replace(now.state, shoe=replace(now.state.shoe, drawn=415))
    two = DrawCard(at_us=AT_US, by=DEALER, count=2, cards=("2S", "3S"))
    told = Spec(shoe, state).when(two)
    assert [one.card for one in told.only(CardDrawn)] == ["2S"]
    assert not told.only(ShoeExhausted)


# --- a device that failed ---


def test_only_a_coup_that_waits_for_a_device_is_resumed() -> None:
    """F-158, F-161: not without a fault, and not with an order that has a card too many."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN} {NATURAL_NINE}", source="device")
    played.betting().do("no_more_bets").draws(2)
    resume = ResumeCoup(at_us=played.at_us, by=SUPERVISOR)
    assert played.send("shoe", resume).reason == "STATE"
    assert played.do("deal").events(CardsTransferred) == []


def test_a_coup_is_not_resumed_while_stakes_may_be_taken_off() -> None:
    """F-161: the window is over first, however ready the cards are."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}", source="device").betting()
    played.wager("w1", "p1", "banker").do("no_more_bets").draws(2)
    played.do("shuffler_fault", **NO_SPARE).do("shuffle", procedure="manual")
    cutter = {"id": "gs1", "role": "game_supervisor"}
    played.do("cut", position=200, by=cutter).do("place_cut_card", from_back=20)
    assert played.do("resume_coup", cards=["3D", "KC"]).reason == "STATE"
    assert not played.events(CardsTransferred)
    played.do("keep_wager", id="w1").do("close_withdrawals")
    too_many = Played(decks=3).shoe(f"{BURN} {SIX_SEVEN}", source="device")
    too_many.betting().do("no_more_bets").draws(2).do("shuffler_fault", **SPARE)
    assert too_many.do("resume_coup", cards=["3D"] * 4).reason == "INTEGRITY"
    assert too_many.do("resume_coup", cards=["3D"] * 3).reason is None


def test_cards_face_down_keep_what_they_are_when_the_order_changes() -> None:
    """F-158, F-162: a card dealt before the fault is the same card when it is turned after it."""
    played = Played(method="B", layout="C").approved("B")
    played.shoe(f"{BURN} {SIX_SEVEN}", source="device")
    played.betting().do("no_more_bets").draws(2)
    down = [one.draw_number for one in played.events(CardDrawn)]
    played.do("shuffler_fault", **SPARE).do("resume_coup", cards=["3D", "KC"])
    assert [one.draw_number for one in played.now(CardIdentified)] == down == [3, 4]
    assert played.draws(2).events(CardDealt)
    hands = {one.draw_number: one.card for one in played.events(CardRevealed)}
    assert hands[3] == "6S"


def test_a_card_that_was_asked_for_waits_for_the_book() -> None:
    """A-25, D5: one request, one card."""
    played = Played().do("load_shoe", shoe="S1").betting().do("no_more_bets").do("draw")
    assert len(played.now(CardRequested)) == len(played.now(CardDrawn)) == 1


@pytest.mark.parametrize("count", [0, -1])
def test_a_movement_brings_at_least_one_card(count: int) -> None:
    """A-51: the number of cards is a number of cards."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets").do("close_book")
    none = DrawCard(at_us=played.at_us, by=DEALER, count=count)
    assert played.send("shoe", none).now(CardDrawn) == []


def test_a_loaded_shoe_has_cards_and_a_place_for_its_cutting_card() -> None:
    """D8: a told order holds cards, or is the front of a shoe; a card shows within the shoe."""
    played = Played()
    for after in (-5, 417):
        played.send("shoe", load(cuts_after=after, stands_for_preparation=True))
        assert played.reason == "CUT_DEPTH"
    played.send("shoe", load("PRESET", stands_for_preparation=True))
    assert played.reason == "INTEGRITY"
    assert not played.told
    played.send("shoe", load("PRESET", stands_for_preparation=True, partial=True))
    assert played.now(ShoeLoaded)[0].source == "PRESET"
