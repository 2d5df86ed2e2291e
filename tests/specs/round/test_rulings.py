"""Announcements that do not fit the cards, and what supervisors decide about whole coups."""

from __future__ import annotations

import pytest

from services.contracts.round import (
    CoupResulted,
    CoupVoided,
    IncidentRecorded,
    OutcomeInvalidated,
    ResultCorrected,
)
from services.contracts.round_hands import CoupHeld, HoldEscalated, IncidentResolved
from services.contracts.settlement import CoupSettled
from services.round.domain.rulings import INVALIDATE_REASONS, VOID_REASONS, could_be_dealt
from tests.support.played import (
    CASINO_SUPERVISOR,
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SIX_CARDS,
    SIX_SEVEN,
    Played,
)

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
GS2 = {"id": "gs2", "role": "game_supervisor"}
PLAYER_WINS = {"player": ["6S", "3D"], "banker": ["7H", "KC"]}


def drawn(count: int = 4, rulebook: str = "nsw-mini", cards: str = SIX_SEVEN) -> Played:
    """A coup with a wager on Banker, of which so many cards are out."""
    front = ASIDE if rulebook.startswith("live") else BURN
    played = Played(rulebook).shoe(f"{front} {cards} {NATURAL_NINE}").betting()
    return played.wager("w1", "p1", "banker").do("no_more_bets").draws(count)


# --- the dealer's words ---


@pytest.mark.parametrize(
    "words",
    [
        {"winner": "player"},
        {"winner": "tie"},
        {"player_points": 5},
        {"winner": "banker", "player_points": 6, "banker_points": 6},
    ],
)
@pytest.mark.parametrize("rulebook", ["live-studio", "super-six", "nsw-mini"])
def test_words_that_do_not_fit_the_cards_hold_the_payment(
    rulebook: str, words: dict[str, object]
) -> None:
    """F-134, F-90, N-18, X-55: incident and hold; no settlement before somebody confirms."""
    played = drawn(rulebook=rulebook).do("announce", **words)
    assert played.now(IncidentRecorded)[0].code == "ANNOUNCEMENT_MISMATCH"
    assert played.now(CoupHeld)
    assert not played.events(CoupResulted)
    for action in ("open_betting", "deal", "announce"):
        assert played.do(action).reason == "STATE"
    assert played.ruling("confirm_result", DEALER, coup=1).reason == "ROLE"
    played.ruling("confirm_result", GAME_SUPERVISOR, coup=1)
    assert played.now(IncidentResolved)[0].how == "CONFIRMED"
    assert played.line("coup")["winner"] == "banker"
    assert played.line("coup")["wagers"][0]["outcome"] == "won"


def test_words_that_fit_hold_nothing() -> None:
    """F-134: the same words as the cards say."""
    played = drawn().do("announce", winner="banker", player_points=6, banker_points=7)
    assert played.line("coup")["status"] == "settled"
    assert not played.events(IncidentRecorded)


def test_two_persons_cannot_void_what_waits_for_the_cards_to_be_confirmed() -> None:
    """F-134, X-55: refused with every listed reason; confirmed it pays by the cards."""
    played = drawn().do("announce", winner="player")
    for reason in sorted(VOID_REASONS):
        played.ruling("void", CASINO_SUPERVISOR, coup=1, reason=reason, second=GAME_SUPERVISOR)
        assert played.reason == "STATE"
    assert played.ruling("confirm_result", GAME_SUPERVISOR, coup=1).line("coup")["revision"] == 1


def test_a_misread_card_is_corrected_by_two_and_pays_for_the_first_time() -> None:
    """F-134, X-55: the correction ends the hold as revision 1."""
    played = drawn().do("announce", winner="player")
    fields = {"coup": 1, "reason": "misread", "cards": PLAYER_WINS}
    assert played.ruling("correct_result", DEALER, **fields).reason == "ROLE"
    assert played.ruling("correct_result", GAME_SUPERVISOR, **fields).reason == "APPROVAL"
    fields["second"] = GS2
    played.ruling("correct_result", GAME_SUPERVISOR, **fields)
    assert played.now(IncidentResolved)[0].how == "CORRECTED"
    assert played.now(ResultCorrected)[0].revision == 1
    line = played.line("coup")
    assert (line["winner"], line["revision"], line["wagers"][0]["outcome"]) == ("player", 1, "lost")


def test_a_result_that_was_paid_is_corrected_as_often_as_it_must_be() -> None:
    """X-55: each correction carries the whole result and the next revision."""
    played = drawn().do("announce")
    back = {"player": ["6S", "TD"], "banker": ["7H", "KC"]}
    for revision, cards in ((2, PLAYER_WINS), (3, back)):
        played.ruling(
            "correct_result", CASINO_SUPERVISOR, coup=1, reason="x", cards=cards, second=GS2
        )
        assert played.now(ResultCorrected)[0].revision == revision
        assert played.line("coup")["revision"] == revision
    assert played.line("coup")["wagers"][0]["outcome"] == "won"


@pytest.mark.parametrize(
    ("player", "banker", "fits"),
    [
        ("6S TD", "7H KC", True),
        ("2S 3H KD", "AD 2C 4S", True),
        ("9S KD", "7D TC 2S", False),
        ("6S TD 2S", "7H KC", False),
        ("2S 3H", "7H KC", False),
        ("6S", "7H KC", False),
        ("6S TD", "7H KC 2S 3S", False),
    ],
)
def test_a_correction_names_hands_that_a_deal_can_end_with(
    player: str, banker: str, fits: bool
) -> None:
    """X-55, A-56, F-132: the table of play binds corrected hands too."""
    assert could_be_dealt(player.split(), banker.split()) is fits
    played = drawn().do("announce")
    cards = {"player": player.split(), "banker": banker.split()}
    played.ruling("correct_result", CASINO_SUPERVISOR, coup=1, reason="x", cards=cards, second=GS2)
    assert played.reason == (None if fits else "STATE")


def test_a_coup_without_a_result_has_nothing_to_correct_or_confirm() -> None:
    """F-134: unknown coups, void ones, and one that is running."""
    played = drawn()
    fields = {"reason": "x", "cards": PLAYER_WINS, "second": GS2}
    assert played.ruling("correct_result", CASINO_SUPERVISOR, coup=1, **fields).reason == "STATE"
    assert played.ruling("correct_result", CASINO_SUPERVISOR, coup=7, **fields).reason == "UNKNOWN"
    assert played.ruling("confirm_result", GAME_SUPERVISOR, coup=7).reason == "UNKNOWN"
    assert played.ruling("confirm_result", GAME_SUPERVISOR, coup=1).reason == "STATE"
    void = {"coup": 1, "reason": "EVACUATION", "second": GAME_SUPERVISOR}
    played.ruling("void", CASINO_SUPERVISOR, **void)
    assert played.ruling("correct_result", CASINO_SUPERVISOR, coup=1, **fields).reason == "STATE"


# --- void ---


def test_before_the_first_card_a_game_supervisor_voids_alone() -> None:
    """Procedure 13, N-17: free text, betting need not be closed; the dealer may not."""
    for phase in ((), ("no_more_bets",), ("no_more_bets", "close_book")):
        played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "tie")
        for action in phase:
            played.do(action)
        assert played.ruling("void", DEALER, coup=1, reason="oops").reason == "ROLE"
        played.ruling("void", GAME_SUPERVISOR, coup=1, reason="wrong limits shown")
        [void] = played.now(CoupVoided)
        assert (void.reason, void.note, void.started) == ("SUPERVISOR", "wrong limits shown", False)
        assert played.line("coup")["wagers"][0]["outcome"] == "refunded"


def test_after_the_first_card_it_takes_two_and_a_listed_reason() -> None:
    """Procedure 13: role, second person missing, the same or too low a second, then the reason."""
    played = drawn(2)

    def void(by: dict[str, str], reason: str = "EVACUATION", **more: object) -> str | None:
        return played.ruling("void", by, coup=1, reason=reason, **more).reason

    assert void(GAME_SUPERVISOR) == "ROLE"
    assert void(GAME_SUPERVISOR, second=GS2) == "ROLE"
    assert void(CASINO_SUPERVISOR, "because") == "APPROVAL"
    assert void(CASINO_SUPERVISOR, "because", second=CASINO_SUPERVISOR) == "ROLE"
    assert void(CASINO_SUPERVISOR, "because", second=DEALER) == "ROLE"
    assert void(CASINO_SUPERVISOR, "because", second=GAME_SUPERVISOR) == "NOT_PERMITTED"
    assert void(CASINO_SUPERVISOR, second=GAME_SUPERVISOR) is None
    [ended] = played.now(CoupVoided)
    assert (ended.started, ended.player, ended.banker) == (True, ("6S",), ("7H",))


@pytest.mark.parametrize("reason", sorted(VOID_REASONS))
def test_every_listed_reason_voids(reason: str) -> None:
    """Procedure 13: seven reasons."""
    played = drawn(1)
    played.ruling("void", CASINO_SUPERVISOR, coup=1, reason=reason, second=GAME_SUPERVISOR)
    assert played.now(CoupVoided)[0].note == reason


def test_a_coup_with_its_result_is_not_voided_and_an_unknown_one_is_unknown() -> None:
    """Procedure 13: an outcome is set aside by another way."""
    played = drawn().do("announce")
    fields = {"reason": "EVACUATION", "second": GAME_SUPERVISOR}
    assert played.ruling("void", CASINO_SUPERVISOR, coup=1, **fields).reason == "STATE"
    assert played.ruling("void", CASINO_SUPERVISOR, coup=5, **fields).reason == "UNKNOWN"


def test_a_house_may_count_its_game_supervisors_as_casino_supervisors() -> None:
    """F-06: by default refused; with the option accepted, never for a duty manager."""
    option = {"games_supervisor_counts_as_casino_supervisor": True}
    played = Played(options=option, method="C", layout="C").shoe(f"{BURN} {SIX_SEVEN}")
    for_c = {"what": "method", "method": "C"}
    assert played.do("approve", **for_c, by=CASINO_SUPERVISOR).reason == "ROLE"
    assert played.do("approve", **for_c, by=GAME_SUPERVISOR).reason == "ROLE"
    played.do("approve", **for_c).betting().do("no_more_bets").do("draw")
    played.ruling("void", GAME_SUPERVISOR, coup=1, reason="EVACUATION", second=GS2)
    assert played.line("coup")["status"] == "void"
    assert (
        drawn(1).ruling("void", GAME_SUPERVISOR, coup=1, reason="EVACUATION", second=GS2).reason
        == "ROLE"
    )


@pytest.mark.parametrize(
    ("rulebook", "outcomes"),
    [("super-six", ["won", "refunded"]), ("nsw-mini", ["refunded"])],
)
def test_what_a_coup_that_cannot_go_on_pays(rulebook: str, outcomes: list[str]) -> None:
    """R-16, N-17: open cards that have won already pay at streamed tables; seated ones refund."""
    played = Played(rulebook).shoe(f"{BURN} 6S 7H 6D 7C 2S").betting()
    if rulebook == "super-six":
        played.wager("w0", "p1", "player_pair")
    played.wager("w1", "p1", "banker").do("no_more_bets").draws(4)
    void = {"coup": 1, "reason": "MEDICAL_EMERGENCY", "second": GAME_SUPERVISOR}
    played.ruling("void", CASINO_SUPERVISOR, **void)
    assert [one["outcome"] for one in played.line("coup")["wagers"]] == outcomes
    assert played.betting().reason is None


def test_a_hold_is_told_upwards_every_ten_minutes() -> None:
    """Procedure 13: and never ended by time."""
    played = drawn().do("announce", winner="player").do("tick", at="2026-01-01T01:00:00Z")
    assert len(played.now(HoldEscalated)) == 5
    assert played.ruling("confirm_result", GAME_SUPERVISOR, coup=1).reason is None


# --- set aside ---


@pytest.mark.parametrize("reason", sorted(INVALIDATE_REASONS - {"FRAUD"}))
def test_an_outcome_is_set_aside_for_a_listed_reason_by_two(reason: str) -> None:
    """F-171: role, then the second person; stakes back, as the next revision."""
    played = drawn().do("announce")
    fields = {"coup": 1, "reason": reason}
    assert played.ruling("invalidate", DEALER, **fields).reason == "ROLE"
    assert played.ruling("invalidate", GAME_SUPERVISOR, **fields).reason == "ROLE"
    assert played.ruling("invalidate", CASINO_SUPERVISOR, **fields).reason == "APPROVAL"
    fields["second"] = CASINO_SUPERVISOR
    assert played.ruling("invalidate", CASINO_SUPERVISOR, **fields).reason == "ROLE"
    fields["second"] = GAME_SUPERVISOR
    played.ruling("invalidate", CASINO_SUPERVISOR, **fields)
    [aside] = played.now(OutcomeInvalidated)
    assert (aside.reason, aside.player, aside.book_revision) == (reason, ("6S", "TD"), 1)
    line = played.line("coup")
    assert (line["status"], line["reason"], line["revision"]) == ("invalidated", reason, 2)
    assert played.ruling("invalidate", CASINO_SUPERVISOR, **fields).reason == "STATE"


def test_other_reasons_and_coups_without_a_result_are_refused() -> None:
    """F-171: not listed, unknown, void, still running."""
    played = drawn(2)
    second = {"second": GAME_SUPERVISOR}

    def aside(coup: int, reason: str) -> str | None:
        return played.ruling(
            "invalidate", CASINO_SUPERVISOR, coup=coup, reason=reason, **second
        ).reason

    assert aside(1, "BOREDOM") == "NOT_PERMITTED"
    assert aside(1, "FIRE") == "STATE"
    assert aside(7, "FIRE") == "UNKNOWN"
    played.ruling("void", CASINO_SUPERVISOR, coup=1, reason="EVACUATION", **second)
    assert aside(1, "FIRE") == "STATE"


def test_a_fraud_names_persons_and_only_their_stakes_are_kept() -> None:
    """F-172, F-173: without persons refused, anybody else in `forfeit` refused."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "banker")
    played.wager("w2", "p2", "player").do("no_more_bets").do("deal")
    both = {"coup": 1, "second": GAME_SUPERVISOR}

    def aside(reason: str = "FRAUD", **fields: object) -> str | None:
        return played.ruling(
            "invalidate", CASINO_SUPERVISOR, **both, reason=reason, **fields
        ).reason

    assert aside() == "STATE"
    assert aside("FIRE", forfeit=["p1"]) == "STATE"
    assert aside(player="p1", forfeit=["p1", "p2"]) == "STATE"
    assert aside(player="p1", forfeit=["p1"]) is None
    [told] = played.now(OutcomeInvalidated)
    assert (told.persons, told.forfeit) == (("p1",), ("p1",))
    assert [one["outcome"] for one in played.line("coup")["wagers"]] == ["forfeited", "refunded"]


def test_without_a_name_in_front_the_forfeit_names_the_persons() -> None:
    """F-172, F-173: those whose stakes are kept committed it."""
    played = drawn().do("announce")
    fields = {"coup": 1, "reason": "FRAUD", "forfeit": ["p1"], "second": GAME_SUPERVISOR}
    played.ruling("invalidate", CASINO_SUPERVISOR, **fields)
    assert played.now(OutcomeInvalidated)[0].persons == ("p1",)


def test_where_the_rulebook_knows_no_forfeit_none_is_permitted() -> None:
    """F-173 elsewhere: `forfeit_by` is empty at streamed tables."""
    played = drawn(rulebook="live-studio").do("announce")
    fields = {"coup": 1, "reason": "FRAUD", "forfeit": ["p1"], "second": GAME_SUPERVISOR}
    assert played.ruling("invalidate", CASINO_SUPERVISOR, **fields).reason == "NOT_PERMITTED"
    del fields["forfeit"]
    assert played.ruling("invalidate", CASINO_SUPERVISOR, **fields, player="p1").reason is None


def test_a_void_coup_leaves_no_mark_but_its_line() -> None:
    """F-16: no result, no settlement, and the next coup is played as ever."""
    played = drawn(2, cards=SIX_CARDS)
    void = {"coup": 1, "reason": "EVACUATION", "second": GAME_SUPERVISOR}
    played.ruling("void", CASINO_SUPERVISOR, **void)
    assert not played.events(CoupResulted)
    assert not [one for one in played.events(CoupSettled) if one.status == "SETTLED"]
    assert played.line("coup")["winner"] is None
    assert played.coup().line("coup")["coup"] == 2
