"""Sends the journal's movements to an operator's wallet, and tells the table what it answered.

A debit is sent once: where its outcome is unknown the wager is rejected, and a cancel takes its
place, which is sent until the wallet acknowledges it (N-1). Everything else is sent until it is
answered; what the wallet refuses becomes an open item. The key of what is recorded follows from the
movement and the attempt, so that a crash between answer and record records it once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any, Final, NoReturn

from msgspec.structs import replace

from services.chassis import telemetry
from services.chassis.app import Runtime
from services.chassis.telemetry import Kind, Metric
from services.chassis.work import Origin
from services.contracts.core import SYSTEM, Command
from services.wager.commands import RecordDebit, RecordRefund
from services.wager.journal import Entry, Journal, pause_s
from services.wager.seamless.client import NOT_SENT
from services.wager.seamless.protocol import UNKNOWN_DEBIT
from services.wager.wallet import CANCEL, DEBIT, DONE, REFUSED, UNKNOWN, Answer, Wallet, ask

POLL_S: Final = 0.5
LEASE_S: Final = 5.0
"""Longer than any call takes (its bound is in `config`) with the record of its answer."""

FORGETS_AFTER: Final = 8
"""How often a wallet that remembers no cancels is asked to undo a debit that it does not know: with
the pauses between, longer than any debit is on its way."""

AWAY: Final = "WALLET_UNAVAILABLE"

telemetry.declare(
    Metric("sabot.wallet.open", Kind.GAUGE, "{movement}", "movements without an answer"),
    Metric("sabot.wallet.late", Kind.GAUGE, "{movement}", "those without one for five minutes"),
)

_log = logging.getLogger(__name__)


class Sending:
    """Sends for ever."""

    def __init__(self, runtime: Runtime, wallet: Wallet) -> None:
        self._runtime = runtime
        self._wallet = wallet
        self._journal = Journal(runtime.pool)
        self._answered = asyncio.Condition()

    async def run(self) -> NoReturn:
        """Send what is due; woken by what is appended in this process."""
        changed = self._runtime.store.appended.listen()
        running: set[asyncio.Task[None]] = set()
        while True:
            changed.clear()
            for entry in await self._journal.take(lease_s=LEASE_S):
                task = asyncio.create_task(self._send(entry))
                running.add(task)
                task.add_done_callback(running.discard)
            unanswered, late = await self._journal.overdue()
            telemetry.gauge("sabot.wallet.open", unanswered)
            telemetry.gauge("sabot.wallet.late", late)
            due_s = await self._journal.next_in_s()
            wait_s = POLL_S if due_s is None else min(max(due_s, 0.005), POLL_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await changed.wait()

    async def _send(self, entry: Entry) -> None:
        """Send one movement; whatever goes wrong, it stays open and is sent again."""
        try:
            answer = await ask(self._wallet, entry.movement)
            if entry.movement.verb == DEBIT:
                await self._debited(entry, answer)
            else:
                await self._given_back(entry, answer)
        except Exception:  # noqa: BLE001 - whatever it is, the movement stays open
            _log.exception("movement %s stays open", entry.movement.movement_id)
        async with self._answered:
            self._answered.notify_all()

    async def _debited(self, entry: Entry, answer: Answer) -> None:
        if answer.outcome == UNKNOWN and answer.reason == NOT_SENT and entry.attempts == 1:
            answer = replace(answer, outcome=REFUSED, reason=AWAY)
        if answer.outcome == REFUSED and entry.attempts > 1:
            # It was sent before, and a crash left nobody who knows the answer to that: the wallet may
            # have taken money then, another amount or the last there was, and refuse the rest now.
            answer = replace(answer, outcome=UNKNOWN)
        verdict = await self._record(
            entry,
            RecordDebit(
                at_us=self._at_us(entry),
                by=SYSTEM,
                movement_id=answer.movement_id,
                outcome=answer.outcome,
                reason=answer.reason,
            ),
        )
        if answer.outcome == UNKNOWN:
            return
        status, _ = await self._journal.status(answer.movement_id)
        if answer.done and status == REFUSED:
            await self._undo(entry)
        else:
            await self._journal.answered(answer, cause=entry.cause, pause_s=0, verdict=verdict)

    async def _undo(self, entry: Entry) -> None:
        """A debit that was on its way twice moved money after it had been refused: take it back."""
        debit = entry.movement
        key = f"{debit.movement_id}/undo"
        undo = replace(debit, movement_id=key, verb=CANCEL, cancels=debit.movement_id)
        await self._journal.ask([replace(entry, movement=undo)])

    async def _given_back(self, entry: Entry, answer: Answer) -> None:
        movement = entry.movement
        # Asked before, it may be an open item: by a person's word, or by a crash after its refusal.
        again = entry.repeated or entry.attempts > 1
        if answer.outcome == REFUSED or (answer.outcome == DONE and again):
            command = RecordRefund(
                at_us=self._at_us(entry),
                by=SYSTEM,
                movement_id=movement.movement_id,
                outcome=answer.outcome,
                coup_id=movement.coup_id,
                wager_id=movement.wager_id,
                player=movement.player,
                currency=movement.currency,
                amount_minor=movement.amount_minor,
                reason=answer.reason,
                context=movement.context,
            )
            await self._record(entry, command)
        if answer.reason == UNKNOWN_DEBIT and entry.attempts < FORGETS_AFTER:
            # This wallet remembers no cancels: the debit may be on its way to it still.
            answer = replace(answer, outcome=UNKNOWN)
        own = self._runtime.settings.wallet.of(movement.operator)
        pause = pause_s(entry.attempts, first_s=own.pause_s, longest_s=own.pause_max_s)
        await self._journal.answered(answer, cause=entry.cause, pause_s=pause)

    async def _record(self, entry: Entry, command: Command) -> dict[str, Any] | None:
        outcome = await self._runtime.executor.command(
            entry.movement.table_id,
            command,
            command_id=entry.command_id,
            key=f"wallet/{entry.movement.movement_id}/{entry.cause}/{entry.attempts}",
            input_hash=b"",
            origin=Origin(entry.command_id, entry.cause, entry.depth + 1, entry.traceparent),
        )
        return outcome.answer or None

    def _at_us(self, entry: Entry) -> int:
        """The instant of an answer; at tables in TEST mode time is what their commands say."""
        return entry.at_us if entry.test else self._runtime.clock.now_us()

    async def verdict(self, movement_id: str, *, timeout_s: float) -> dict[str, Any] | None:
        """What the player is told of a debit, once it is known; None where it takes too long."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while True:
            status, verdict = await self._journal.status(movement_id)
            if verdict is not None:
                return verdict
            if not status or asyncio.get_running_loop().time() >= deadline:
                return None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.25), self._answered:
                    await self._answered.wait()
