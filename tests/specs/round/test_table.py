"""The life of a table: opening, seats, dealers, notices, another game, suspension, closing."""

from __future__ import annotations

import pytest

from services.contracts.round import (
    BettingOpened,
    CoupVoided,
    DealerAssigned,
    DealerChanged,
    IncidentRecorded,
    SeatTaken,
    SeatVacated,
    TableClosed,
    TableOpened,
)
from services.contracts.round_hands import IncidentResolved
from services.contracts.round_table import (
    SeatIdleCounted,
    SeatVacateRequired,
    SignDisplayed,
    SignRemoved,
    SupervisorAssigned,
    TableClosureNotified,
    TableResumed,
    TableSuspended,
    VariantChanged,
    VariantChangeNotified,
    VariantConsentAsked,
    VariantConsentGiven,
)
from services.contracts.settlement import WagerSettled
from services.round.commands import (
    AbandonTable,
    AskConsent,
    AssignSupervisor,
    CloseTable,
    RemoveSign,
    SuspendTable,
)
from services.rules.cards import FULL_DECK
from tests.support.played import (
    CASINO_SUPERVISOR,
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SIX_SEVEN,
    Played,
    person,
)

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
EVEN = "nsw-mini-even-money"
SIX_WINS = "2S 6H 3D KC KD"
"""Banker wins with 6."""


# --- opening, seats, persons ---


@pytest.mark.parametrize("decks", [1, 2, 5, 7])
def test_a_table_opens_with_a_number_of_decks_that_the_rulebook_has(decks: int) -> None:
    """F-24, X-42: 3, 4, 6 or 8 in the mini game, nothing else."""
    assert Played(decks=decks).reason == "DECKS"
    for fits in (3, 4, 6, 8):
        assert Played(decks=fits).reason is None


def test_a_table_is_opened_once_with_its_rulebook_and_its_number() -> None:
    """A-12, F-02, F-135: the settings carry the whole document, jurisdiction included."""
    played = Played(EVEN)
    [opened] = played.events(TableOpened)
    assert opened.settings.table_number == "T1"
    assert opened.settings.rulebook["jurisdiction"] == "AU-NSW"
    assert Played("no-such-rules").reason == "RULEBOOK"
    assert Played(left_of_dealer=12).reason == "UNKNOWN"


def test_seats_are_numbered_and_taken_once() -> None:
    """F-17: an unknown seat, a taken one, and a player with two seats are refused."""
    played = Played(seats=3)
    assert played.do("seat", player="p1", seat=4).reason == "UNKNOWN"
    assert played.do("seat", player="p1", seat=2).now(SeatTaken)[0].seat == 2
    assert played.do("seat", player="p2", seat=2).reason == "STATE"
    assert played.do("seat", player="p1", seat=3).reason == "STATE"
    assert played.do("unseat", player="p2", seat=2).reason == "UNKNOWN"
    assert played.do("unseat", player="p1", seat=2).now(SeatVacated)
    assert Played("live-studio").do("seat", player="p1", seat=1).reason == "NOT_PERMITTED"


def test_who_deals_and_who_watches_is_in_the_log() -> None:
    """A-03, F-09: assigned once, changed by another command."""
    played = Played("live-studio").do("assign_dealer", dealer="d1")
    assert played.now(DealerAssigned)[0].dealer == "d1"
    assert played.do("assign_dealer", dealer="d2").reason == "STATE"
    assert played.do("change_dealer", dealer="d1").reason == "STATE"
    assert played.do("change_dealer", dealer="d2").now(DealerChanged)[0].replaced == "d1"
    watch = AssignSupervisor(at_us=played.at_us, by=person("GAME_SUPERVISOR"), supervisor="gs1")
    assert played.send("round", watch).now(SupervisorAssigned)[0].supervisor == "gs1"
    low = AssignSupervisor(at_us=played.at_us, by=person("DEALER"), supervisor="gs1")
    assert played.send("round", low).reason == "ROLE"


def test_nothing_happens_at_a_table_that_is_not_open() -> None:
    """A-03: every command of the table and its shoe waits for the opening."""
    played = Played(decks=5)
    for action in ("open_betting", "deal", "close_table"):
        assert played.do(action).reason == "STATE"
    assert played.shoe(BURN).reason == "STATE"


# --- idle seats ---


def rounds(played: Played, count: int, *stakers: str) -> Played:
    """So many coups in which these players stake."""
    for _ in range(count):
        played.betting()
        for player in stakers:
            played.wager(f"w{played._number}", player, "tie")
        played.do("no_more_bets").do("deal")
    return played


def full_table(coups: int = 6) -> Played:
    cards = " ".join([NATURAL_NINE] * coups)
    return Played(seats=3).seated(p1=1, p2=2, p3=3).shoe(f"{BURN} {cards}")


def test_three_rounds_without_a_wager_at_a_full_table_and_the_seat_may_be_asked_for() -> None:
    """F-178, X-48: two are too few, the dealer may not ask, who staked may stay."""
    played = rounds(full_table(), 2, "p1", "p2")
    assert played.ruling("vacate_seat", GAME_SUPERVISOR, seat=3).reason == "STATE"
    rounds(played, 1, "p1", "p2")
    assert [one.rounds for one in played.events(SeatIdleCounted) if one.seat == 3] == [1, 2, 3]
    assert played.ruling("vacate_seat", DEALER, seat=3).reason == "ROLE"
    assert played.ruling("vacate_seat", GAME_SUPERVISOR, seat=1).reason == "STATE"
    assert played.ruling("vacate_seat", GAME_SUPERVISOR, seat=9).reason == "UNKNOWN"
    played.ruling("vacate_seat", GAME_SUPERVISOR, seat=3)
    assert played.now(SeatVacateRequired)[0].player == "p3"
    assert played.now(SeatVacated)[0].seat == 3
    assert played.ruling("vacate_seat", GAME_SUPERVISOR, seat=3).reason == "STATE"


def test_a_free_seat_in_one_of_the_rounds_is_one_round_too_few() -> None:
    """F-178: a round counts only if every other seat was taken in it."""
    played = full_table().do("unseat", player="p2", seat=2)
    rounds(played, 1, "p1").do("seat", player="p2", seat=2)
    rounds(played, 2, "p1", "p2")
    assert played.ruling("vacate_seat", GAME_SUPERVISOR, seat=3).reason == "STATE"
    rounds(played, 1, "p1", "p2")
    assert played.ruling("vacate_seat", GAME_SUPERVISOR, seat=3).reason is None


def test_any_wager_starts_the_count_anew_and_no_bet_coups_change_nothing() -> None:
    """X-48: no-bet and void coups neither count nor reset."""
    played = rounds(full_table(), 2, "p1", "p2")
    played.betting(no_bet=True).do("deal").betting()
    played.ruling("void", GAME_SUPERVISOR, coup=4, reason="oops")
    assert played.round.idle == {3: 2}
    rounds(played, 1, "p1", "p2", "p3")
    assert played.round.idle[3] == 0


def test_a_streamed_table_asks_nobody_for_a_seat() -> None:
    """F-178 elsewhere: not known there."""
    played = Played("live-studio").ruling("vacate_seat", GAME_SUPERVISOR, seat=1)
    assert played.reason == "NOT_PERMITTED"


# --- another game ---


def noticed(effective: str = "2026-01-01T00:30:00Z") -> Played:
    """One coup was played, and at 00:10 a sign says that the even-money game comes."""
    played = Played().shoe(f"{BURN} {SIX_WINS} {SIX_WINS}").coup(("w1", "p1", "banker"))
    return played.do(
        "notice", change="game", value=EVEN, effective_at=effective, at="2026-01-01T00:10:00Z"
    )


def change(played: Played, second: str, **fields: object) -> str | None:
    return played.do("change_game", rulebook=EVEN, at=f"2026-01-01T00:{second}Z", **fields).reason


def test_the_game_changes_twenty_minutes_after_the_sign() -> None:
    """F-176, F-10, F-140, F-23: 29:59 refused, 30:00 taken; the next coup pays by the other rules."""
    played = noticed()
    assert played.now(VariantChangeNotified)[0].rulebook_id == EVEN
    assert played.now(SignDisplayed)[0].sign == "GAME"
    assert change(played, "29:59") == "NOTICE"
    assert change(played, "30:00", by=GAME_SUPERVISOR) == "ROLE"
    assert change(played, "30:00") is None
    [changed] = played.events(VariantChanged)
    assert (changed.before, changed.settings.rulebook_id) == ("nsw-mini", EVEN)
    assert not changed.by_consent
    played.coup(("w2", "p1", "banker"))
    first, second = played.events(WagerSettled)
    assert (first.winnings_minor, second.winnings_minor) == (475, 250)


def test_a_sign_that_gives_less_than_twenty_minutes_is_no_notice() -> None:
    """F-176, Procedure 11: the act is refused for good."""
    played = noticed("2026-01-01T00:29:59Z")
    assert change(played, "45:00") == "NOTICE"


def test_a_sign_that_was_taken_down_gives_no_notice() -> None:
    """Procedure 11: after `SignRemoved` the act is refused."""
    played = noticed()
    down = RemoveSign(at_us=played.at_us, by=person("DEALER"), sign="GAME")
    assert played.send("round", down).now(SignRemoved)
    assert change(played, "45:00") == "NOTICE"
    assert played.send("round", down).reason == "STATE"


def test_the_game_changes_between_coups_and_only_to_the_one_that_is_named() -> None:
    """F-10, F-135, F-176: betting open refuses; another or unknown rulebook is RULEBOOK."""
    played = noticed()
    for other in ("super-six", "no-such-rules"):
        assert played.do("change_game", rulebook=other, at="2026-01-01T00:40:00Z").reason == (
            "RULEBOOK"
        )
    played.betting()
    assert change(played, "45:00") == "STATE"
    streamed = Played("live-studio").do("change_game", rulebook="live-lobby")
    assert streamed.reason == "NOT_PERMITTED"
    assert Played("live-studio").do("consent", player="p1", change="game").reason == (
        "NOT_PERMITTED"
    )


def test_all_who_play_may_agree_instead() -> None:
    """F-176, X-47: four of five refused; who joins must agree, who leaves drops out."""
    played = Played().seated(p1=1, p2=2, p3=3).shoe(f"{BURN} {SIX_WINS} {SIX_WINS}")
    played.coup(("w1", "p1", "banker"), ("w2", "p2", "tie"))
    played.do("consent", player="p1", change="game")
    assert played.now(VariantConsentAsked)[0].players == ("p1", "p2")
    assert played.now(VariantConsentGiven)[0].player == "p1"
    assert change(played, "05:00") == "CONSENT"
    played.seated(p4=4).do("consent", player="p2", change="game")
    assert change(played, "06:00") == "CONSENT"
    played.do("unseat", player="p4", seat=4)
    assert change(played, "07:00") is None
    assert played.now(VariantChanged)[0].by_consent


def test_the_players_may_be_asked_in_so_many_words() -> None:
    """F-176: the set is frozen at the request; with nobody's word nothing changes."""
    played = Played().shoe(f"{BURN} {SIX_WINS} {SIX_WINS}").coup(("w1", "p1", "banker"))
    low = AskConsent(at_us=played.at_us, by=person("GAME_SUPERVISOR"))
    assert played.send("round", low).reason == "ROLE"
    ask = AskConsent(at_us=played.at_us, by=person("CASINO_SUPERVISOR"))
    assert played.send("round", ask).now(VariantConsentAsked)[0].players == ("p1",)
    assert played.send("round", ask).reason == "STATE"
    assert change(played, "05:00") == "NOTICE"
    assert not played.do("consent", player="p1", change="game").reason
    assert not played.do("consent", player="p1", change="game").told
    assert change(played, "06:00") is None


# --- closing ---


def test_with_players_present_a_sign_stands_twenty_minutes_before_the_close() -> None:
    """F-177: 21:59 refused, 22:00 taken; without players no sign; a coup is finished first."""
    played = Played().seated(p1=1).shoe(f"{BURN} {SIX_SEVEN}")
    assert played.do("close_table", at="2026-01-01T00:01:00Z").reason == "NOTICE"
    effective = "2026-01-01T00:22:00Z"
    played.do("notice", change="close", effective_at=effective, at="2026-01-01T00:02:00Z")
    assert played.now(TableClosureNotified)
    assert played.do("close_table", at="2026-01-01T00:21:59Z").reason == "NOTICE"
    played.betting()
    assert played.do("close_table", at="2026-01-01T00:23:00Z").reason == "STATE"
    played.do("no_more_bets").do("deal").do("close_table")
    assert played.now(TableClosed)
    assert played.betting().reason == "STATE"
    assert Played().do("close_table").reason is None


def test_streamed_tables_inspect_the_cards_after_play() -> None:
    """A-17: no close without the inspection POST, or a supervisor's reason to go without."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").coup()
    assert played.do("close_table").reason == "STATE"
    low = CloseTable(at_us=played.at_us, by=person("DEALER"), exemption="fire drill")
    assert played.send("round", low).reason == "ROLE"
    exempt = CloseTable(at_us=played.at_us, by=person("GAME_SUPERVISOR"), exemption="fire drill")
    assert played.send("round", exempt).now(TableClosed)[0].exemption == "fire drill"
    other = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").coup()
    other.do("inspect_cards", witness="gs1", video="cam-1", stage="post")
    assert other.do("close_table").reason is None


def test_a_recording_that_ends_leaves_nothing_open() -> None:
    """Table log: what runs is void, and the table closes; live tables are never abandoned."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "tie")
    played.send("round", AbandonTable(at_us=played.at_us, by=person("SYSTEM")))
    assert played.now(CoupVoided)
    assert played.now(TableClosed)
    assert played.line("coup")["wagers"][0]["outcome"] == "refunded"


# --- suspension ---


def test_the_house_suspends_a_table_and_takes_it_up_again() -> None:
    """Section 12: betting stays shut meanwhile; a coup that runs is finished."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN} {NATURAL_NINE}").betting()
    stop = SuspendTable(at_us=played.at_us, by=person("GAME_SUPERVISOR"), reason="a power cut")
    assert played.send("round", stop).now(TableSuspended)[0].note == "a power cut"
    assert played.send("round", stop).reason == "STATE"
    assert played.do("no_more_bets").do("deal").line("coup")["status"] == "settled"
    assert played.betting().reason == "STATE"
    assert played.do("resume_table", by=DEALER).reason == "ROLE"
    assert played.do("resume_table", by=GAME_SUPERVISOR).now(TableResumed)
    assert played.do("resume_table", by=GAME_SUPERVISOR).reason == "STATE"
    assert played.betting().now(BettingOpened)


def test_without_video_a_streamed_table_finishes_its_coup_and_opens_no_betting() -> None:
    """N-11: a seated table goes on."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN} {NATURAL_NINE}").betting()
    played.do("incident", code="VIDEO_LOST", note="camera 2").do("no_more_bets").do("deal")
    assert played.line("coup")["status"] == "settled"
    assert played.betting().reason == "STATE"
    played.do("resume_table", by=GAME_SUPERVISOR)
    assert played.now(IncidentResolved)[0].code == "VIDEO_LOST"
    assert played.betting().reason is None
    seated = Played().shoe(f"{BURN} {SIX_SEVEN}").do("incident", code="VIDEO_LOST", note="x")
    assert seated.betting().reason is None


def factory_order() -> str:
    """A pack as it left the factory, dealt from behind its burn."""
    return " ".join(["AC", "KD", *FULL_DECK[:30]])


def test_cards_in_the_order_of_a_new_pack_hold_the_next_betting() -> None:
    """F-28, N-6: after each coup; two persons release it, and it is not raised again."""
    played = Played().shoe(factory_order())
    while played.round.suspension is None:
        assert played.coup().line("coup")["status"] == "settled"
    assert [one.code for one in played.now(IncidentRecorded)] == ["NEW_DECK_ORDER"]
    assert played.betting().reason == "STATE"
    assert played.do("resume_table", by=GAME_SUPERVISOR).reason == "ROLE"
    assert played.do("resume_table", by=CASINO_SUPERVISOR).reason == "APPROVAL"
    played.do("resume_table", by=CASINO_SUPERVISOR, second=GAME_SUPERVISOR)
    assert played.now(IncidentResolved)[0].how == "RELEASED"
    played.coup().betting()
    assert played.reason is None
    assert len(played.events(TableSuspended)) == 1


def test_a_new_shoe_answers_the_suspicion_too() -> None:
    """N-6: released by itself when another shoe is loaded."""
    played = Played().shoe(factory_order())
    while played.round.suspension is None:
        played.coup()
    played.shoe(f"{BURN} {SIX_SEVEN}")
    assert played.now(IncidentResolved)[0].how == "NEW_SHOE"
    assert played.betting().reason is None


def test_a_well_shuffled_shoe_raises_nothing() -> None:
    """F-28: about two neighbours are expected among 52 cards."""
    played = Played().do("load_shoe", shoe="S1", cards=_mixed())
    for _ in range(12):
        played.coup()
    assert not played.events(TableSuspended)


def _mixed() -> list[str]:
    """Eight packs, so that neighbours lie far apart."""
    return [card for start in range(7) for card in (FULL_DECK * 8)[start::7]]
