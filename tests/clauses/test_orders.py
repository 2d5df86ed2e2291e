"""What order decides: no wager after the close, and no card before it is dealt."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import msgspec
import pytest

from services.contracts.core import Event
from services.contracts.shoe import CardDrawn
from services.contracts.wager import BookClosed, DebitRequested, WagerAccepted, WagerChanged
from services.wager import domain as wager
from services.wager.commands import ChangeWager, RecordDebit
from tests.support.played import NATURAL_NINE, Played
from tests.support.spec import AT_US, Spec, person, spec
from tests.support.tables import asked, betting, closed, opened, place, sign

SECOND_US = 1_000_000
CLOSES_AT_US = AT_US + 20 * SECOND_US
RUNS, STEPS = 120, 12
PLAYER = person("PLAYER", "p1")


def shuffled(random: Random) -> Iterator[Event]:
    """What a table's log says when wagers, debits and the close come in any order."""
    now: Spec = spec(wager).given(opened(), sign(), betting(closes_at_us=CLOSES_AT_US))
    owed: list[str] = []
    close_at = random.randrange(STEPS)
    for step in range(STEPS):
        if step == close_at:
            now = now.given(closed(at_us=CLOSES_AT_US))
            told = now.when_heard(asked())
        elif owed and random.random() < 0.5:
            debit = owed.pop(random.randrange(len(owed)))
            at_us = CLOSES_AT_US + random.randrange(-2, 2) * SECOND_US
            told = now.when(RecordDebit(at_us=at_us, by=PLAYER, movement_id=debit, outcome="DONE"))
        elif random.random() < 0.3:
            at_us = CLOSES_AT_US + random.randrange(-9, 9) * SECOND_US
            told = now.when(ChangeWager(at_us=at_us, by=PLAYER, wager_id="w0", amount_minor=900))
        else:
            at_us = CLOSES_AT_US + random.randrange(-4, 4) * SECOND_US
            told = now.when(place(f"w{step}", f"p{step % 3}", "TIE", at_us=at_us))
        owed += [each.movement_id for each in told.events if isinstance(each, DebitRequested)]
        yield from told.events
        now = told.before.given(*told.events)


def test_whatever_the_order_nothing_is_accepted_behind_the_closed_book() -> None:
    """A-24, F-68: the book's own order decides; some wagers got in, and none after the close."""
    accepted = closed_books = 0
    for seed in range(RUNS):
        book_closed = False
        for event in shuffled(Random(seed)):
            if isinstance(event, BookClosed):
                book_closed = True
            if isinstance(event, WagerAccepted | WagerChanged):
                assert not book_closed, seed
                accepted += 1
        closed_books += book_closed
    assert accepted > RUNS
    assert closed_books > RUNS // 2


BURNED = "9S 9C 8S 8C 7S 7C"
RED = "9H 7D KH TD"
BEHIND = "QS JC"


@pytest.mark.parametrize("rulebook", ["live-studio", "live-lobby"])
def test_no_event_line_or_state_holds_a_card_before_it_is_dealt(rulebook: str) -> None:
    """A-73: cards burned face down and cards still in the shoe stand nowhere but beside the log."""
    played = Played(rulebook).shoe(f"{BURNED} {RED} {BEHIND}").coup(("w1", "p1", "player"))
    assert [one.card for one in played.events(CardDrawn)] == RED.split()
    printed = [msgspec.json.encode(line) for line in played.lines]
    events = [msgspec.json.encode(each.event) for each in played.story]
    states = [msgspec.json.encode(state) for state in played.table.states.values()]
    for text in (*printed, *events, *states):
        for card in f"{BURNED} {BEHIND}".split():
            assert f'"{card}"'.encode() not in text
    played.betting().do("no_more_bets").draws(1)
    assert played.events(CardDrawn)[-1].card == "QS"


def test_a_natural_is_dealt_from_four_cards_and_asks_for_no_fifth() -> None:
    """A-56, F-124: with only four cards left in the shoe the coup ends as any other."""
    played = Played("nsw-mini").shoe(f"AC 9D {NATURAL_NINE}").coup()
    assert played.line("coup")["natural"] is True
    assert len(played.events(CardDrawn)) == 4
