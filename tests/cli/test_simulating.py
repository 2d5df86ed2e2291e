"""`sabot odds --simulate`: coups drawn at random beside the exact odds."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from services.cli import comparing, simulating
from services.cli.__main__ import run
from services.rules import outcome as outcomes
from services.rules.cards import FULL_DECK, Card
from services.rules.ends import End
from services.rules.outcome import outcome
from services.rules.tableau import banker_draws, next_hand

MILLION = ["--simulate", "1000000", "--seed", "11"]


def played(cards: Sequence[Card]) -> End:
    """The end of a coup that is dealt card by card, by the pure rules alone."""
    hands: dict[str, list[Card]] = {
        "player": [cards[0], cards[2]],
        "banker": [cards[1], cards[3]],
    }
    rest = list(cards[4:])
    while (hand := next_hand(hands["player"], hands["banker"])) is not None:
        hands[hand].append(rest.pop(0))
    coup = outcome(hands["player"], hands["banker"])
    return End(
        coup.player_points,
        coup.banker_points,
        coup.player_cards,
        coup.banker_cards,
        coup.player_pair_kind,
        coup.banker_pair_kind,
        coup.pairs_of_one_rank,
    )


@pytest.mark.parametrize("decks", [1, 8])
def test_coups_in_lock_step_end_as_the_table_of_play_has_them(decks: int) -> None:
    """Coup by coup: the code of six cards means what the pure rules make of them."""
    drawn = simulating.draw(np.random.default_rng(decks), decks, 5000)
    # Four aces are too seldom to wait for: pairs of one rank on both hands.
    drawn[:, 0] = [place * decks for place in (0, 13, 26, 39, 1, 2)]
    ends = simulating.Ends()
    seen = set()
    for coup, code in zip(drawn.T.tolist(), simulating.codes(drawn, decks).tolist(), strict=True):
        cards = [simulating.card_of(number, decks) for number in coup]
        assert ends.of(code) == played(cards), cards
        seen.add(ends.of(code))
    assert {end.cards for end in seen} == {4, 5, 6}
    assert {end.pairs_of_one_rank for end in seen} == {False, True}


@pytest.mark.parametrize("decks", [1, 8])
def test_no_card_of_a_shoe_is_drawn_twice(decks: int) -> None:
    drawn = simulating.draw(np.random.default_rng(decks), decks, 5000)
    assert all(len(set(coup)) == 6 for coup in drawn.T.tolist())
    assert set(drawn.ravel().tolist()) == set(range(52 * decks))
    cards = [simulating.card_of(number, decks) for number in range(52 * decks)]
    assert sorted(cards) == sorted(FULL_DECK * decks)


@pytest.mark.parametrize("rulebook", ["super-six", "examples/house.json"])
def test_a_million_coups_are_near_the_exact_odds(
    rulebook: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Within 5 sigma, each share and the house edge of each area, and each named event."""
    assert run(["odds", rulebook, "--decks", "8", *MILLION, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = found["simulation"]
    rows = [*told["areas"], *told["events"].values()]
    assert {row["area"] for row in told["areas"]} == set(found["areas"])
    assert set(told["events"]) == set(found["events"])
    judged = [abs(float(row["sigmas"])) for row in rows if row["sigmas"] is not None]
    assert len(judged) > 100
    assert 0 < max(judged) < 5
    edges = {row["area"]: row for row in told["areas"] if row["what"] == "house edge"}
    for area, exact in found["areas"].items():
        assert edges[area]["exact_percent"] == exact["house_edge_percent"]


def test_a_seed_draws_the_same_coups_again(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for seed in ("1", "1", "2"):
        assert run(["odds", "nsw-mini", "--simulate", "100000", "--seed", seed]) == 0
        printed.append(capsys.readouterr().out.splitlines()[1:])
    assert printed[0] == printed[1] != printed[2]


def test_without_a_seed_one_is_drawn_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "nsw-mini", "--simulate", "1000"]) == 0
    told, *rows = capsys.readouterr().out.splitlines()
    seed = told.rpartition(" ")[2]
    assert run(["odds", "nsw-mini", "--simulate", "1000", "--seed", seed]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == rows


def test_a_bent_table_of_play_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One cell of the table: Banker draws on three against Player's eight."""

    def bent(banker_points: int, player_third: int | None) -> bool:
        return (banker_points, player_third) == (3, 8) or banker_draws(banker_points, player_third)

    monkeypatch.setattr(outcomes, "banker_draws", bent)
    assert run(["odds", "super-six", *MILLION]) == 1
    _, _, outside = capsys.readouterr().out.partition("outside 5 sigma:\n")
    assert "cards_6" in outside


def test_cards_drawn_with_return_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pair is more likely where the first card may come again."""
    monkeypatch.setattr(simulating, "_repeated", lambda cards: np.zeros(cards.shape[1], np.bool_))
    assert run(["odds", "super-six", *MILLION]) == 1
    _, _, outside = capsys.readouterr().out.partition("outside 5 sigma:\n")
    found = {tuple(line.split()[:3]) for line in outside.splitlines()}
    assert {("player_pair", "house", "edge"), ("banker_pair", "house", "edge")} <= found


def test_what_can_never_happen_is_found_the_first_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One deck holds no perfect pair, so that a single one is too many."""
    kept = simulating.simulate

    def one_more(decks: int, coups: int, seed: int, tell: object) -> dict[End, int]:
        impossible = End(8, 8, 2, 2, "PERFECT", "PERFECT", pairs_of_one_rank=True)
        return {**kept(decks, coups - 1, seed), impossible: 1}

    monkeypatch.setattr(simulating, "simulate", one_more)
    assert run(["odds", "live-studio", "--decks", "1", "--simulate", "1000", "--seed", "1"]) == 1
    outside = capsys.readouterr().out.partition("outside 5 sigma:\n")[2]
    assert "both_perfect_pairs" in outside
    assert "+inf" in outside


def test_too_few_coups_judge_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A bell curve is none yet where a hundred are not to be expected."""
    assert run(["odds", "nsw-mini", "--simulate", "50", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert "0 events judged of 99" in printed
    assert printed.count("too few") >= 9


def test_sigmas_are_those_of_a_count() -> None:
    """10,000 with a chance of one half: fifty are one standard deviation."""
    row = comparing._share("x", "wins", 5250, 10_000, Fraction(1, 2))
    assert row.sigmas == pytest.approx(5.0)
    assert not row.outside
    assert comparing._share("x", "wins", 5251, 10_000, Fraction(1, 2)).outside
    assert comparing._share("x", "wins", 4749, 10_000, Fraction(1, 2)).outside
    assert comparing._share("x", "wins", 1, 10_000, Fraction(0)).sigmas == math.inf
    assert comparing._share("x", "wins", 0, 10_000, Fraction(0)).sigmas == 0
    assert comparing._share("x", "wins", 9, 10, Fraction(1)).sigmas == -math.inf
    assert comparing._share("x", "wins", 50, 10_000, Fraction(1, 101)).sigmas is None


def test_without_numpy_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "services.cli.simulating")
    monkeypatch.delattr("services.cli.simulating")
    assert run(["odds", "nsw-mini", *MILLION]) == 3
    assert "the extra simulate" in capsys.readouterr().err
    assert run(["odds", "nsw-mini"]) == 0


@pytest.mark.parametrize("options", [["--seed", "1"], ["--simulate", "0"], ["--simulate", "x"]])
def test_options_that_make_no_sense_are_refused(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["odds", "nsw-mini", *options]) == 2
    assert "--s" in capsys.readouterr().err


def test_a_long_run_tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(comparing, "TELL_EVERY_S", 0.0)
    monkeypatch.setattr(simulating, "BATCH_COUPS", 400)
    assert run(["odds", "nsw-mini", "--simulate", "1000", "--seed", "1"]) == 0
    told = [line.split()[1] for line in capsys.readouterr().err.splitlines()]
    assert told == ["400", "800", "1,000"]
