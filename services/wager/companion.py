"""Money that moves with the wager service's events, and the register of bars and stops.

The built-in ledger moves the money in their transaction: a debit that was asked for is answered here
and at once; what goes back goes back with the event that says so. What the ledger refuses to take
back into an account is recorded as outstanding, and holds up nothing else. An operator's wallet is
asked after the commit (`sending`) and answers by the same commands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeGuard
from weakref import WeakKeyDictionary

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Decided, Event
from services.contracts.wager import (
    BarLifted,
    BettingStopped,
    DebitRequested,
    PlayerBarred,
    RefundRepeated,
    SlipDebitRequested,
    StopLifted,
    WagerAccepted,
    WagerChanged,
    WagerRejected,
)
from services.wager.bars import Bar, Bars
from services.wager.commands import (
    BarPlayer,
    LiftBar,
    LiftStop,
    OrderStop,
    PlaceSlip,
    PlaceWager,
    RecordDebit,
    RecordRefund,
)
from services.wager.domain import (
    BookState,
    changes_casino_bar,
    decide,
    staked_under,
    staking_player,
    verdict,
)
from services.wager.domain.facts import NOTHING, Facts, LimitSets, Stop
from services.wager.domain.state import CASINO, slip_of
from services.wager.domain.stops import stop_of, stops_everywhere
from services.wager.journal import Entry, Journal
from services.wager.ledger import Ledger
from services.wager.movements import movement_of
from services.wager.wallet import DONE, REFUSED, Answer, Movement


class WagerCompanion:
    """Keeps the built-in ledger, and what an operator's wallet is to be asked for.

    `ledger` makes the ledger from the transaction's connection, for whoever has another one.
    `elsewhere` says of which events the money is in the operator's wallet: their movements are
    written into the journal and sent after the commit.
    `bars` makes the register of bars from the transaction's connection.
    `limits` gives the limits of an operator's players, by currency.
    `journal` makes the journal of an operator's movements from the transaction's connection.
    """

    def __init__(
        self,
        ledger: Callable[[Any], Any] = Ledger,
        elsewhere: Callable[[Staged], bool] | None = None,
        rules: Callable[[Command, BookState], None] | None = None,
        bars: Callable[[Any], Any] = Bars,
        limits: LimitSets | None = None,
        *,
        journal: Callable[[Any], Any] = Journal,
    ) -> None:
        self._ledger = ledger
        self._elsewhere = elsewhere
        self._rules = rules
        self._bars = bars
        self._limits = limits
        self._journal = journal
        self._seen: WeakKeyDictionary[Any, _Seen] = WeakKeyDictionary()
        """What each transaction knows of bars from the casino."""

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Look up in one query who of those that stake is barred from the casino."""
        seen = self._seen[tx] = _Seen()
        staking = {each.player for each in commands if _stakes(each)}
        changed = {
            each.player
            for each in commands
            if isinstance(each, BarPlayer | LiftBar) and each.scope == CASINO
        }
        stops = any(isinstance(each, OrderStop | LiftStop) and each.everywhere for each in commands)
        if not staking and not changed and not stops:
            return
        bars = self._bars(tx.connection)
        await bars.hold(staking, changed, stops=stops)
        seen.holds = True
        if staking:
            await seen.look_at_stops(bars, {_of(each) for each in commands if _stakes(each)})
        lifted = {each.player for each in commands if isinstance(each, LiftBar)} & changed
        if players := staking | lifted:
            barred = await bars.among(players)
            seen.barred = {player: player in barred for player in players}

    async def decider(self, tx: Any, table_id: str, command: Command, state: BookState) -> Decide:
        """`decide` with a bar from the casino, and what the operator's wallet cannot do."""
        del table_id
        facts = await self._facts(tx, command, state)
        rules = self._rules
        if rules is None and facts is NOTHING:
            return decide

        def bound(command: Command, state: BookState) -> Decided:
            if rules is not None:
                rules(command, state)
            return decide(command, state, facts)

        return bound

    async def _facts(self, tx: Any, command: Command, state: BookState) -> Facts:
        """What holds at all live tables for the player who stakes, or of what it is said."""
        if stops_everywhere(command, state):
            return await self._stop_facts(tx, command)
        changed = changes_casino_bar(command, state)
        player = staking_player(command, state) or changed
        if not player:
            return NOTHING
        seen = self._seen.setdefault(tx, _Seen())
        if player in seen.changed:
            raise BarredMeanwhile(f"a bar of {player} is changed in the same group of commands")
        if changed:
            seen.changed.add(changed)
            if isinstance(command, BarPlayer):
                return NOTHING
        if staking_player(command, state) and seen.stops_changed:
            raise BarredMeanwhile("a stop is changed in the same group of commands")
        barred = await self._is_barred(tx, seen, player)
        context = staked_under(command, state)
        await seen.look_at_stops(
            self._bars(tx.connection), {(player, context.session if context else "")}
        )
        limits = self._limits(context) if self._limits else None
        return Facts(
            barred=frozenset({player} if barred else ()), stops=tuple(seen.stops), limits=limits
        )

    async def _stop_facts(self, tx: Any, command: Any) -> Facts:
        """Whether the stop is there that a command is about. It has the lock of all stops alone."""
        seen = self._seen.setdefault(tx, _Seen())
        bars = self._bars(tx.connection)
        if seen.stops_changed:
            raise BarredMeanwhile("stops are changed twice in the same group of commands")
        if not seen.holds:
            await bars.hold((), (), stops=True)
            seen.holds = True
        seen.stops_changed = True
        stops = await bars.stops((command.value,), (command.value,))
        return Facts(stops=tuple(stops))

    async def _is_barred(self, tx: Any, seen: _Seen, player: str) -> bool:
        if player not in seen.barred:
            bars = self._bars(tx.connection)
            if not seen.holds:
                await bars.hold((player,), ())
                seen.holds = True
            elif not await bars.hold_too(player):
                # Who waits with locks of other players in hand may be waited for.
                raise BarredMeanwhile(f"a bar of {player} is changed at this moment")
            seen.barred[player] = player in await bars.among((player,))
        return seen.barred[player]

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Bars from the casino, debits that were asked for, and stakes that go back."""
        for each in staged:
            if _is_for_all_tables(each):
                await self._enter(self._bars(tx.connection), each)
        asked = [(each, movement_of(each.event, each.table_id)) for each in staged]
        moving = [(each, movement) for each, movement in asked if movement is not None]
        if self._elsewhere is not None:
            journal = self._journal(tx.connection)
            away = [pair for pair in moving if self._elsewhere(pair[0])]
            moving = [pair for pair in moving if not self._elsewhere(pair[0])]
            await journal.ask([_entry(*pair) for pair in away])
            for each in staged:
                status = _decided(each.event)
                if status and self._elsewhere(each):
                    event: Any = each.event
                    debited = {event.wager_id, slip_of(event.wager_id) or event.wager_id}
                    await journal.close_debit(each.table_id, debited, status)
        moved = await self._ledger(tx.connection).move([movement for _, movement in moving])
        answers: list[tuple[Staged, Command]] = []
        for (each, movement), answer in zip(moving, moved, strict=True):
            command = answered(each, movement, answer)
            if command is not None:
                answers.append((each, command))
        return answers

    async def _enter(self, bars: Any, staged: Staged) -> None:
        event, meta = staged.event, staged.meta
        if isinstance(event, BarLifted):
            await bars.remove(event.player)
        elif isinstance(event, StopLifted):
            await bars.lift(stop_of(event))
        elif isinstance(event, BettingStopped):
            await bars.order(
                stop_of(event),
                table_id=staged.table_id,
                reason=event.reason,
                ordered_by=meta.actor.id,
                at_us=meta.occurred_at_us,
            )
        else:
            await bars.add(_bar(staged))

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""


class BarredMeanwhile(Exception):
    """What the group looked up of a player's bar may not hold: each command has to be tried alone."""


class _Seen:
    """What a transaction knows of bars from the casino."""

    def __init__(self) -> None:
        self.holds = False
        """It has locks of players; with them it waits for no other."""

        self.barred: dict[str, bool] = {}
        """Whether a player is barred, as it was looked up."""

        self.changed: set[str] = set()
        """Players whose bars its commands change, refused or not."""

        self.stops: set[Stop] = set()
        """Stops that may bind the wagers of those in `looked_at`, who are players in sessions."""

        self.looked_at: set[tuple[str, str]] = set()
        self.stops_changed = False
        """One of its commands changes a stop."""

    async def look_at_stops(self, bars: Any, staking: Collection[tuple[str, str]]) -> None:
        """Look up what may bind these players in these sessions, once."""
        new = [each for each in staking if each not in self.looked_at]
        if not new:
            return
        self.looked_at.update(new)
        self.stops |= await bars.stops(
            [player for player, _ in new], [session for _, session in new if session]
        )


def _stakes(command: Command) -> TypeGuard[PlaceWager | PlaceSlip]:
    return isinstance(command, PlaceWager | PlaceSlip)


def _of(command: PlaceWager | PlaceSlip) -> tuple[str, str]:
    """Who stakes, in which session."""
    return command.player, command.context.session if command.context else ""


def _decided(event: Event) -> str:
    """What an event says of the debit that was pending for its wager; empty where nothing."""
    if isinstance(event, WagerAccepted) and event.token is None:
        return DONE
    if isinstance(event, WagerChanged) and not event.refund_minor:
        return DONE
    if isinstance(event, WagerRejected) and not event.accepted:
        return DONE if event.refund_minor else REFUSED
    return ""


def _is_for_all_tables(staged: Staged) -> bool:
    event = staged.event
    if staged.meta.test:
        return False
    if isinstance(event, BettingStopped | StopLifted):
        return event.everywhere
    return isinstance(event, PlayerBarred | BarLifted) and event.scope == CASINO


def _bar(staged: Staged) -> Bar:
    event: Any = staged.event
    return Bar(
        player=event.player,
        table_id=staged.table_id,
        reason=event.reason,
        barred_by=staged.meta.actor.id,
        at_us=staged.meta.occurred_at_us,
    )


def _entry(staged: Staged, movement: Movement) -> Entry:
    event: Any = staged.event
    meta = staged.meta
    return Entry(
        movement=movement,
        command_id=meta.command_id,
        # The event's own id is known at the commit only: its cause stands for it.
        cause=meta.cause,
        depth=meta.depth,
        traceparent=meta.traceparent,
        at_us=meta.occurred_at_us,
        test=meta.test,
        repeated=isinstance(staged.event, RefundRepeated),
        undone=verdict(event) if movement.cancels else None,
    )


def answered(staged: Staged, movement: Movement, answer: Answer) -> Command | None:
    """What the ledger's answer means to the table; a refund that arrives at once means nothing."""
    at_us, by = staged.meta.occurred_at_us, staged.meta.actor
    if isinstance(staged.event, DebitRequested | SlipDebitRequested):
        return RecordDebit(
            at_us=at_us,
            by=by,
            movement_id=movement.movement_id,
            outcome=answer.outcome,
            reason=answer.reason,
        )
    if answer.done and not isinstance(staged.event, RefundRepeated):
        return None
    return RecordRefund(
        at_us=at_us,
        by=by,
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
