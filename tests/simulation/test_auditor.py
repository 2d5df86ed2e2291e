"""The auditor is nobody's copy: it imports nothing of the services, and agrees with the rules."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random
from typing import Any

import pytest

from services.rulebooks.catalogue import document
from services.rules.cards import FULL_DECK
from services.rules.outcome import outcome
from services.rules.payout import settle_wager
from services.rules.rulebook import rulebook_of
from services.rules.tableau import next_hand
from tests.simulation.auditor import cards, pay
from tests.simulation.auditor.auditor import Auditor, Breach
from tests.simulation.floor import RULEBOOKS
from tests.support.parsing import parsed

AUDITOR = Path(__file__).parent / "auditor"
COUPS = 3_000
ALLOWED = "tests.simulation.auditor."


def test_the_auditor_imports_nothing_of_the_services() -> None:
    found = []
    for path in sorted(AUDITOR.glob("*.py")):
        for node in ast.walk(parsed(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            ours = [name for name in names if name.startswith(("services", "tests", "sabot"))]
            found += [f"{path.name}: {name}" for name in ours if not name.startswith(ALLOWED)]
    assert found == []


def test_the_auditors_tableau_and_that_of_the_rules_agree_on_random_coups() -> None:
    """Two implementations of the third-card rule, on the same cards."""
    random = Random(1)
    for _ in range(COUPS):
        drawn = random.sample(FULL_DECK * 2, 6)
        player: tuple[str, ...] = (drawn[0], drawn[2])
        banker: tuple[str, ...] = (drawn[1], drawn[3])
        rest = iter(drawn[4:])
        while (hand := next_hand(player, banker)) is not None:
            if hand == "player":
                player = (*player, next(rest))
            else:
                banker = (*banker, next(rest))
        out = cards.played_out(drawn)
        assert out is not None
        assert out[:2] == (player, banker)
        assert cards.winner(player, banker).lower() == outcome(player, banker).winner


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_the_auditor_and_the_rules_pay_the_same(rulebook_id: str) -> None:
    """Every area, odd stakes, with and without chips to round to."""
    random = Random(2)
    text: Any = document(rulebook_id)
    rules = rulebook_of(text)
    for _ in range(300):
        out = cards.played_out(random.sample(FULL_DECK * 2, 6))
        assert out is not None
        player, banker, _ = out
        stake, chip = random.randint(1, 5_000), random.choice((1, 50))
        for area in text["areas"]:
            paid = settle_wager(rules, area, stake, outcome(player, banker), unit_minor=chip)
            said, odds = pay.verdict(area, player, banker, text)
            won = pay.winnings(area, stake, odds, text, chip) if said == "WON" else 0
            assert (said, won) == (paid.outcome.upper(), paid.winnings_minor)


def test_money_that_moves_without_a_reason_is_a_breach() -> None:
    auditor = Auditor()
    auditor.movement("/deposit/ada", "ada", "EUR", 100, "FUND")
    with pytest.raises(Breach, match="due is nothing"):
        auditor.movement("T1:1:1/w1/1", "ada", "EUR", 100, "CREDIT")


def test_another_answer_to_the_same_command_is_a_breach() -> None:
    auditor = Auditor()
    auditor.answered("c1", None, {"status": "ACCEPTED"}, [])
    auditor.answered("c1", None, {"status": "ACCEPTED"}, [])
    with pytest.raises(Breach, match="before it was"):
        auditor.answered("c1", None, {"status": "REJECTED"}, [])


def test_a_refusal_that_is_not_kept_may_come_before_another_answer_and_never_after_it() -> None:
    auditor = Auditor()
    role = ("ROLE", "in shift 1 the DEALER of this table is ada, not ben", ())
    auditor.answered("c1", role, {}, [], kept=False)
    auditor.answered("c1", None, {"draw_number": 20}, [])
    with pytest.raises(Breach, match="before it was"):
        auditor.answered("c1", role, {}, [], kept=False)
