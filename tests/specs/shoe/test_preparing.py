"""Cards before they are dealt: decks, inspection, shuffle, cut, cutting card, load."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts.common import RulebookActivated
from services.contracts.core import Command
from services.contracts.round import SeatTaken
from services.contracts.shoe import (
    CardsInspected,
    CardsRemovedFromTable,
    CardsReplaced,
    CardsShuffled,
    CutCardPlaced,
    CutDeclined,
    CutMade,
    CutOffered,
    DeckRejected,
    PackOpened,
    PackSealed,
    PreShuffledIntroduced,
    RiffleRequested,
    ShoeAssembled,
    ShoeDeviceRegistered,
    ShoeLoaded,
    ShoeRetired,
    ShuffleDeviceRegistered,
    StackCut,
)
from services.shoe import domain as shoe
from services.shoe.commands import (
    AssembleShoe,
    CutCards,
    DeclineCut,
    InspectCards,
    LoadShoe,
    OfferCut,
    PlaceCutCard,
    RegisterShoeDevice,
    RegisterShuffleDevice,
    RejectDeck,
    RemoveCards,
    ReplaceCards,
    RequestRiffle,
    SealPack,
    ShuffleCards,
)
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import betting, opened

DEALER = person("DEALER", "d1")
GAME_SUPERVISOR = person("GAME_SUPERVISOR", "gs1")
CASINO_SUPERVISOR = person("CASINO_SUPERVISOR", "cs1")
PLAYER = person("PLAYER", "p1")


def table(rulebook: str = "nsw-mini", **others: Any) -> Spec:
    """A table of which the shoe service knows."""
    return spec(shoe).given(opened(rulebook, **others))


def by(who: object, command: type[Command], **fields: object) -> Command:
    return command(at_us=AT_US, by=who, **fields)  # type: ignore[arg-type]


def inspect(stage: str = "PRE", witness: str = "gs1", **fields: object) -> Command:
    return by(DEALER, InspectCards, witness=witness, video="cam-1", stage=stage, **fields)


def shuffle(procedure: str = "MANUAL", **fields: object) -> Command:
    return by(DEALER, ShuffleCards, procedure=procedure, **fields)


def cut(position: int = 200, *, seat: int | None = None, who: object = GAME_SUPERVISOR) -> Command:
    return by(who, CutCards, position=position, seat=seat)


def place(from_back: int) -> Command:
    return by(DEALER, PlaceCutCard, from_back=from_back)


def load(**fields: object) -> Command:
    return by(DEALER, LoadShoe, shoe_id="S1", source="SCANNED", **fields)


def done(now: Spec, *commands: Command) -> Spec:
    """Every command is taken."""
    for command in commands:
        told = now.when(command)
        assert told.refused is None, (command, told.refused)
        now = told.before.given(*told.events)
    return now


def live(rulebook: str = "nsw-mini") -> Spec:
    return table(rulebook, mode="LIVE")


# --- decks ---


@pytest.mark.parametrize(
    ("rulebook", "decks"),
    [("live-studio", {8}), ("nsw-mini", {3, 4, 6, 8}), ("nsw-baccarat", {6, 8})],
)
def test_numbers_of_decks_that_a_rulebook_takes(rulebook: str, decks: set[int]) -> None:
    """A-13, B-02, F-24: eight decks of 52, or one of the numbers in the text; no others."""
    for number in range(1, 9):
        told = table(rulebook).when(by(DEALER, AssembleShoe, decks=number))
        if number in decks:
            told.then(like(ShoeAssembled, decks=number, cards=number * 52))
        else:
            told.then_raises("DECKS")


def test_the_decks_of_a_shoe_are_told_once_each_with_their_back() -> None:
    """A-13, F-24: as many different decks as the shoe has, of one back."""
    ids = tuple(f"k{number}" for number in range(8))
    told = table().when(by(DEALER, AssembleShoe, deck_ids=ids, back_colour="red"))
    told.then(like(ShoeAssembled, deck_ids=ids, back_colour="red"))
    table().when(by(DEALER, AssembleShoe, deck_ids=(*ids[:7], "k0"))).then_raises("DECKS")


def test_a_machine_has_a_kind_an_approval_and_decks_that_it_takes() -> None:
    """F-11: approved machines of two kinds; a multishuffler with three decks is refused."""
    machine = {"device_id": "m1", "kind": "MULTISHUFFLER", "approval": "G-7"}
    table().when(by(GAME_SUPERVISOR, RegisterShuffleDevice, **machine)).then(
        like(ShuffleDeviceRegistered, kind="MULTISHUFFLER", approval="G-7")
    )
    table().when(
        by(GAME_SUPERVISOR, RegisterShuffleDevice, **{**machine, "approval": ""})
    ).then_raises("APPROVAL")
    table().when(
        by(GAME_SUPERVISOR, RegisterShuffleDevice, **{**machine, "kind": "BLENDER"})
    ).then_raises("UNKNOWN")
    settings = replace(opened("nsw-mini").settings, decks=3)
    three = spec(shoe).given(RulebookActivated(session=1, settings=settings))
    three.when(shuffle("MULTISHUFFLER")).then_raises("DECKS")
    three.when(by(GAME_SUPERVISOR, RegisterShuffleDevice, **machine)).then_raises("DECKS")
    table().when(shuffle("MULTISHUFFLER")).then(like(CardsShuffled, procedure="MULTISHUFFLER"))


def test_another_tables_machine_is_refused() -> None:
    """F-29, F-57: machines are bound to one table."""
    table().when(shuffle("MULTISHUFFLER", device_id="m9")).then_raises("UNKNOWN")


# --- inspection ---


@pytest.mark.parametrize("rulebook", ["live-studio", "super-six"])
def test_two_different_persons_and_a_video_at_streamed_tables(rulebook: str) -> None:
    """A-17, A-36: the same person twice refused, no video refused, then recorded."""
    table(rulebook).when(inspect(witness="d1")).then_raises("ROLE")
    no_video = by(DEALER, InspectCards, witness="gs1", video="")
    table(rulebook).when(no_video).then_raises("APPROVAL")
    table(rulebook).when(inspect()).then_among(like(CardsInspected, stage="PRE", witness="gs1"))


def test_one_person_looks_the_cards_over_at_seated_tables() -> None:
    """F-27, X-43: one person, no video."""
    alone = by(DEALER, InspectCards, witness="d1", video="")
    table().when(alone).then_among(like(CardsInspected, witness="d1"))


def test_what_an_inspection_finds_is_listed_and_an_incomplete_deck_blocks_the_load() -> None:
    """A-35: complete or not by deck, and the defects."""
    found = table("live-studio").when(inspect(defects=("AS",), incomplete=("k3",)))
    now = found.then_among(like(CardsInspected, defects=("AS",), incomplete=("k3",)))
    ready = done(now, shuffle(), cut(who=DEALER), place(52))
    ready.when(load(stands_for_preparation=True)).then_raises("STATE")
    done(ready, inspect()).when(load()).then_among(like(ShoeLoaded))


def test_a_shoe_is_loaded_only_when_all_was_done() -> None:
    """A-17, A-45, D-01, F-41, F-47: inspection, shuffle, cut and cutting card, or refused."""
    steps = (inspect(), shuffle(), cut(), place(20))
    for left_out in range(len(steps)):
        now = live()
        for step in steps[:left_out]:
            now = done(now, step)
        now.when(load()).then_raises("STATE")
    done(live(), *steps).when(load()).then(like(ShoeLoaded, shoe_id="S1", cuts_after=416 - 20))


def test_a_recording_stands_for_what_it_does_not_tell() -> None:
    """A-17 in TEST mode: the same load is taken, at live tables it is not."""
    table(mode="TEST").when(load(stands_for_preparation=True)).then_among(like(ShoeLoaded))
    live().when(load(stands_for_preparation=True)).then_raises("STATE")


def test_after_a_shoe_the_next_needs_a_shuffle_or_a_sealed_pack() -> None:
    """D-02, F-42: what was done for the last shoe does not count for the next."""
    first = done(live(), inspect(), shuffle(), cut(), place(20), load())
    over = first.given(ShoeRetired(shoe_id="S1", reason="LAST_COUP", dealt=0, burned=0, left=416))
    done(over, inspect()).when(load()).then_raises("STATE")


def test_cards_that_left_the_table_are_inspected_on_their_return() -> None:
    """A-38: no load before the inspection RETURN."""
    ready = done(live("live-studio"), inspect(), shuffle(), cut(who=DEALER), place(52))
    away = ready.when(by(DEALER, RemoveCards)).then(like(CardsRemovedFromTable))
    away.when(load()).then_raises("STATE")
    done(away, inspect("RETURN")).when(load()).then_among(like(ShoeLoaded))


def test_a_rejected_deck_never_loads_again() -> None:
    """A-37: the defect is noted, and the deck is barred for good."""
    gone = table("live-studio").when(by(DEALER, RejectDeck, deck_id="k3", defect="bent"))
    now = gone.then(like(DeckRejected, deck_id="k3", defect="bent"))
    now.when(by(DEALER, AssembleShoe, deck_ids=("k3",))).then_raises("NOT_PERMITTED")
    table().when(by(DEALER, RejectDeck, deck_id="k3", defect="")).then_raises("STATE")


@pytest.mark.parametrize(
    ("rulebook", "too_low", "who"),
    [("live-studio", DEALER, GAME_SUPERVISOR), ("nsw-mini", GAME_SUPERVISOR, CASINO_SUPERVISOR)],
)
def test_other_cards_come_in_on_a_supervisors_word_and_are_shuffled(
    rulebook: str, too_low: object, who: object
) -> None:
    """A-37, F-31, F-33: new decks, and a shuffle is due even for a recording."""
    fields = {"reason": "UNFIT", "new_deck_ids": ("n1", "n2")}
    table(rulebook).when(by(too_low, ReplaceCards, **fields)).then_raises("ROLE")
    now = table(rulebook, mode="TEST").when(by(who, ReplaceCards, **fields))
    other = now.then(like(CardsReplaced, reason="UNFIT", new_deck_ids=("n1", "n2")))
    other.when(load(stands_for_preparation=True)).then_raises("STATE")


def test_cards_are_not_replaced_during_a_coup() -> None:
    """F-33: between coups only."""
    playing = table().given(betting())
    playing.when(by(CASINO_SUPERVISOR, ReplaceCards, reason="UNFIT")).then_raises("STATE")


# --- shuffle, packs and riffle ---


def test_a_streamed_tables_cards_are_washed_stacked_and_riffled() -> None:
    """A-39: another procedure than the rulebook's is refused; the name is recorded."""
    for procedure in ("MULTISHUFFLER", "DEVICE", "RNG"):
        table("live-studio").when(shuffle(procedure)).then_raises("NOT_PERMITTED")
    table("live-studio").when(shuffle("RIFFLE")).then_raises("STATE")
    table("live-studio").when(shuffle()).then(like(CardsShuffled, procedure="MANUAL"))
    table("live-studio").when(shuffle("PRE_SHUFFLED")).then_raises("NOT_PERMITTED")


def test_shuffled_cards_wait_under_a_seal_and_only_that_pack_comes_in() -> None:
    """F-28: seal, place and time; an unknown or missing seal is refused."""
    seal = by(DEALER, SealPack, seal_id="s-1", place="safe 2", deck_ids=("k1",))
    sealed = (
        live()
        .when(seal)
        .then(like(PackSealed, seal_id="s-1", place="safe 2", sealed_at_us=AT_US, deck_ids=("k1",)))
    )
    sealed.when(shuffle("PRE_SHUFFLED", seal_id="s-2")).then_raises("UNKNOWN")
    sealed.when(shuffle("PRE_SHUFFLED")).then_raises("UNKNOWN")
    came = sealed.when(shuffle("PRE_SHUFFLED", seal_id="s-1")).then(
        like(PackOpened, seal_id="s-1"), like(PreShuffledIntroduced, seal_id="s-1")
    )
    came.when(shuffle("PRE_SHUFFLED", seal_id="s-1")).then_raises("UNKNOWN")
    sealed.when(seal).then_raises("DUPLICATE")
    done(came, inspect(), cut(), place(20)).when(load()).then_among(like(ShoeLoaded))


def test_pre_shuffled_cards_are_riffled_before_the_cut_if_somebody_asks() -> None:
    """D-03, F-43: asked for, the cut waits for it; not asked for, it may be left out."""
    pack = done(table(mode="TEST"), inspect(), shuffle("PRE_SHUFFLED"))
    pack.when(cut()).then_among(like(CutMade))
    asked = pack.when(by(PLAYER, RequestRiffle, player="p1")).then(
        like(RiffleRequested, player="p1")
    )
    asked.when(cut()).then_raises("STATE")
    done(asked, shuffle("RIFFLE")).when(cut()).then_among(like(CutMade))
    table("live-studio").when(by(PLAYER, RequestRiffle, player="p1")).then_raises("NOT_PERMITTED")


# --- cut ---


def seated(now: Spec, *seats: int) -> Spec:
    return now.given(*(SeatTaken(seat=seat, player=f"p{seat}") for seat in seats))


def ready(rulebook: str = "nsw-mini", *seats: int) -> Spec:
    return done(seated(table(rulebook), *seats), inspect(), shuffle())


def test_the_first_cut_goes_to_who_came_first_then_clockwise_then_to_the_supervisor() -> None:
    """D-04, D-05, D-07, F-44, F-45: 5, then 2, then 7; each once, refusals recorded."""
    now = ready("nsw-mini", 5, 2, 7)
    for seat, wrong in ((5, 2), (2, 7), (7, 5)):
        now.when(by(DEALER, OfferCut, seat=wrong)).then_raises("CUT_ORDER")
        now = now.when(by(DEALER, OfferCut, seat=seat)).then(like(CutOffered, seat=seat))
        now = now.when(by(PLAYER, DeclineCut, seat=seat)).then(like(CutDeclined, seat=seat))
    now.when(by(PLAYER, CutCards, position=200, seat=5)).then_raises("CUT_ORDER")
    now.when(cut()).then(like(CutMade, position=200, seat=None), like(StackCut, position=200))


def test_a_later_cut_begins_at_the_dealers_left() -> None:
    """D-06, F-44: the highest seat, or the next taken one clockwise."""
    earlier = ShoeLoaded(shoe_id="S0", decks=8, cards=416, source="SCANNED")
    now = done(seated(table(), 3, 8).given(earlier), inspect(), shuffle())
    now.when(by(DEALER, OfferCut, seat=3)).then_raises("CUT_ORDER")
    now.when(by(DEALER, OfferCut, seat=8)).then(like(CutOffered, seat=8))


def test_with_nobody_seated_the_supervisor_cuts_at_once() -> None:
    """F-45, D-24: standing players are never asked."""
    now = ready()
    now.when(by(DEALER, OfferCut, seat=1)).then_raises("CUT_ORDER")
    now.when(cut(who=DEALER)).then_raises("ROLE")
    now.when(cut()).then_among(like(CutMade))


def test_the_dealer_cuts_at_streamed_tables() -> None:
    """A-42, X-7: a cut by a player is refused, and nobody is offered it."""
    now = ready("live-studio")
    now.when(cut(who=PLAYER, seat=3)).then_raises("ROLE")
    now.when(by(DEALER, OfferCut, seat=3)).then_raises("NOT_PERMITTED")
    now.when(cut(who=DEALER)).then_among(like(CutMade))


@pytest.mark.parametrize(
    ("rulebook", "position", "fits"),
    [
        ("live-studio", 0, False),
        ("live-studio", 1, True),
        ("live-studio", 415, True),
        ("live-studio", 416, False),
        ("nsw-mini", 51, False),
        ("nsw-mini", 52, True),
        ("nsw-mini", 364, True),
        ("nsw-mini", 365, False),
    ],
)
def test_so_many_cards_stay_at_either_end(rulebook: str, position: int, fits: bool) -> None:
    """A-43, D-08, F-46: one card, or one deck, from both ends."""
    told = ready(rulebook).when(
        cut(position, who=DEALER if rulebook[0] == "l" else GAME_SUPERVISOR)
    )
    if fits:
        told.then_among(like(CutMade, position=position), like(StackCut, position=position))
    else:
        told.then_raises("CUT_POSITION")


@pytest.mark.parametrize(
    ("rulebook", "depth", "fits"),
    [
        ("live-studio", 52, True),
        ("live-studio", 51, False),
        ("live-lobby", 7, True),
        ("live-lobby", 52, False),
        ("nsw-mini", 19, False),
        ("nsw-mini", 20, True),
        ("nsw-mini", 364, True),
        ("nsw-mini", 365, False),
    ],
)
def test_the_cutting_card_goes_in_at_the_rulebooks_depth(
    rulebook: str, depth: int, fits: bool
) -> None:
    """A-44, A-46, B-03, D-09, F-47: exactly so deep, or at least, and not over all but a deck."""
    who = DEALER if rulebook.startswith("live") else GAME_SUPERVISOR
    told = done(ready(rulebook), cut(who=who)).when(place(depth))
    if fits:
        told.then_among(like(CutCardPlaced, kind="CUT", from_back=depth))
    else:
        told.then_raises("CUT_DEPTH")


def test_two_markers_at_streamed_tables_and_neither_is_a_card() -> None:
    """A-14: BACK hides the last card, CUT ends the shoe; the count stays 416."""
    cut_ = done(ready("live-studio"), cut(who=DEALER))
    marked = cut_.when(place(52)).then(
        like(CutCardPlaced, kind="BACK", from_back=0), like(CutCardPlaced, kind="CUT", from_back=52)
    )
    marked.when(load()).then_among(like(ShoeLoaded, cards=416, cuts_after=364))


def test_a_shuffle_after_the_cut_asks_for_another_cut() -> None:
    """F-45, F-47: what was cut is mixed again."""
    again = done(ready(), cut(), shuffle())
    again.when(place(20)).then_raises("STATE")
    again.when(cut()).then_among(like(CutMade))


def test_electronic_shoes_are_registered_at_one_table() -> None:
    """A-04: the device is written down with its certificate; twice is refused."""
    one = by(GAME_SUPERVISOR, RegisterShoeDevice, device_id="e1", certificate="G-29")
    now = table().when(one).then(like(ShoeDeviceRegistered, device_id="e1", certificate="G-29"))
    now.when(one).then_raises("DUPLICATE")
    table().when(by(DEALER, RegisterShoeDevice, device_id="e1")).then_raises("ROLE")
