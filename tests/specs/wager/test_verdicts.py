"""What whoever staked is told once an operator's wallet has spoken, or has not in time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from services.chassis.decider import Staged
from services.contracts.common import Limit
from services.contracts.core import Command, Event, Meta
from services.wager import domain as wager
from services.wager.commands import ExpireDebits, PlaceSlip, RecordDebit, Stake
from services.wager.companion import WagerCompanion
from services.wager.sending import Sending
from services.wager.wallet import Answer
from tests.simulation.bank import Bank
from tests.support.asked import MemoryJournal
from tests.support.spec import AT_US, TABLE, Spec, person, spec
from tests.support.tables import asked, betting, closed, opened, place, sign

PLAYER = person("PLAYER", "p1")
SECOND_US = 1_000_000
CARD_US = AT_US + SECOND_US
SLIP = PlaceSlip(
    at_us=AT_US,
    by=PLAYER,
    slip_id="w1",
    player="p1",
    wagers=(Stake(area="BANKER", amount_minor=600), Stake(area="TIE", amount_minor=400)),
)
META = Meta(table_id=TABLE, occurred_at_us=AT_US, actor=PLAYER, command_id="c", cause="c", depth=1)


class Waiter:
    """A player who waits for the wallet, with a companion and a journal as the service has them."""

    def __init__(self) -> None:
        bank = Bank(lambda row: None).begin()
        self.journal = MemoryJournal(lambda: 0.0)
        self._companion = WagerCompanion(
            lambda _: bank,
            elsewhere=lambda staged: True,
            bars=lambda _: bank,
            journal=lambda _: self.journal,
        )
        self.state = (
            spec(wager).given(opened("live-studio"), sign({"*": Limit(100, 5_000)}), betting())
        ).state
        self._cause = ""

    def hears(self, *events: Any) -> None:
        self.state = Spec(wager, self.state).given(*events).state

    async def does(self, command: Command) -> list[Event]:
        """Decide it, and keep what the companion keeps in the transaction of the events."""
        events = list(wager.decide(command, self.state))
        staged = [Staged(TABLE, event, META) for event in events]
        await self._companion.effects(SimpleNamespace(connection=None), staged)
        told = wager.answer(command, events, self.state)
        self.hears(*events)
        if isinstance(command, RecordDebit) and command.outcome != "UNKNOWN":
            answer = Answer(movement_id=command.movement_id, outcome=command.outcome)
            await self.journal.answered(answer, cause="c", pause_s=0, verdict=dict(told))
        return events

    async def is_told(self) -> Any:
        runtime: Any = SimpleNamespace(pool=None)
        wallet: Any = None
        sending = Sending(runtime, wallet)
        held: Any = self.journal
        sending._journal = held
        return await sending.verdict(f"{TABLE}/w1/1", timeout_s=0)


def paid(outcome: str = "DONE", at_us: int = AT_US, reason: str = "") -> RecordDebit:
    return RecordDebit(
        at_us=at_us, by=PLAYER, movement_id=f"{TABLE}/w1/1", outcome=outcome, reason=reason
    )


@pytest.mark.parametrize(
    ("by", "then", "code"),
    [
        ("CARD", paid(at_us=CARD_US + 1), "LATE"),
        ("CALL", paid(at_us=CARD_US + SECOND_US + 1), "NO_CONFIRMATION"),
        ("CALL", paid("UNKNOWN"), "NO_CONFIRMATION"),
        ("CALL", paid("REFUSED", reason="LIMIT"), "LIMIT"),
        ("CALL", ExpireDebits(at_us=CARD_US + SECOND_US + 1, by=PLAYER), "NO_CONFIRMATION"),
    ],
)
async def test_a_slip_is_told_what_a_single_wager_is_told(by: str, then: Any, code: str) -> None:
    """A-25, A-30, N-1: the reason why it does not stand, be its debit undone by name or not."""
    told = []
    for staking in (place("w1", "p1"), SLIP):
        waiter = Waiter()
        await waiter.does(staking)
        assert await waiter.is_told() is None
        waiter.hears(closed(by=by, at_us=CARD_US))
        await waiter.does(then)
        told.append(await waiter.is_told())
    assert [(each["status"], each["code"]) for each in told] == [("REJECTED", code)] * 2
    assert told[0] == told[1]


async def test_a_late_answer_changes_nothing_of_what_was_told() -> None:
    """N-1: the debit was given up, and its cancel is on its way."""
    waiter = Waiter()
    await waiter.does(SLIP)
    waiter.hears(closed(at_us=AT_US), asked())
    await waiter.does(ExpireDebits(at_us=AT_US + SECOND_US + 1, by=PLAYER))
    before = await waiter.is_told()
    late = Answer(movement_id=f"{TABLE}/w1/1", outcome="DONE")
    await waiter.journal.answered(replace(late), cause="c", pause_s=0, verdict={"status": "?"})
    assert (await waiter.is_told(), before["code"]) == (before, "NO_CONFIRMATION")
