"""What a wallet has to do, as checks against a running endpoint.

The checks move small amounts of one player, who should be a test player with a balance of at least
1,000 minor units, and give everything back. Keys are fresh in each run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from services.contracts.common import PlayerContext
from services.wager.domain.state import slip_wager
from services.wager.seamless.client import SeamlessWallet
from services.wager.wallet import (
    CANCEL,
    CREDIT,
    DEBIT,
    DONE,
    INSUFFICIENT_FUNDS,
    REFUSED,
    REVERSE,
    Answer,
    Movement,
    Part,
    ask,
)

AMOUNT_MINOR: Final = 200
NEEDED_MINOR: Final = 1_000
AT_ONCE: Final = 5


class Outcome(Struct, frozen=True):
    """One check: its name, and what was wrong, or nothing."""

    name: str
    fault: str = ""


class _Wrong(Exception):
    """The wallet did something else than it should."""


class Conformance:
    """The checks, in order, on one account."""

    def __init__(
        self,
        wallet: SeamlessWallet,
        stranger: SeamlessWallet,
        *,
        player: str,
        currency: str,
        run: str,
        session: str = "",
        zero_credits: bool = False,
        coup_credits: bool = False,
    ) -> None:
        """`stranger` signs with a key that the wallet does not know; `run` makes keys fresh.

        `session` is one that the player has open, for wallets that ask for it. `zero_credits` and
        `coup_credits`: the wallet is told of lost wagers, or of all of a coup in one credit.
        """
        self._wallet = wallet
        self._stranger = stranger
        self._player = player
        self._currency = currency
        self._run = run
        self._context = PlayerContext(session=session)
        self._zero_credits = zero_credits
        self._coup_credits = coup_credits
        self._numbers = 0

    async def run(self) -> list[Outcome]:
        """Every check; one that fails does not keep the others from being made."""
        checks: dict[str, Callable[[], Awaitable[None]]] = {
            "a balance is told": self._balance,
            "a request that is signed with another key is not answered": self._signature,
            "a debit takes its amount, once however often it is sent": self._debit,
            "a key with another amount moves nothing": self._conflict,
            "a debit beyond the balance is refused": self._funds,
            "the same debit sent at once moves once": self._same_at_once,
            "debits sent at once never make a balance negative": self._many_at_once,
            "a cancel gives back what it says, once": self._cancel,
            "a debit for several wagers gives back each of them": self._slip,
            "a debit that was made is undone by its key, once": self._undo,
            "a debit is not undone under a second key": self._undo_twice,
            "the cancel of an unknown debit is answered": self._unknown,
            "a credit pays its amount, once": self._credit,
            "a reverse takes its amount, once": self._reverse,
            "a reverse beyond the balance is refused": self._reverse_funds,
            "what is owed is paid without an open session": self._session_over,
        }
        if self._zero_credits:
            checks["a lost wager is taken note of by a credit of zero"] = self._zero
        if self._coup_credits:
            checks["one credit pays all wagers of a coup, once"] = self._coup
        outcomes = []
        for name, check in checks.items():
            try:
                await check()
            except _Wrong as wrong:
                outcomes.append(Outcome(name, str(wrong)))
            else:
                outcomes.append(Outcome(name))
        return outcomes

    # --- checks ---

    async def _balance(self) -> None:
        if await self._held() < NEEDED_MINOR:
            raise _Wrong(f"the test player needs {NEEDED_MINOR} minor units")

    async def _signature(self) -> None:
        before = await self._held()
        answer = await ask(self._stranger, self._moving(DEBIT))
        _want(answer.outcome == "UNKNOWN", f"was answered {_said(answer)}")
        await self._holds(before)

    async def _debit(self) -> None:
        before = await self._held()
        movement = self._moving(DEBIT)
        await self._done(movement, before - AMOUNT_MINOR)
        await self._done(movement, before - AMOUNT_MINOR)
        await self._back(movement, before)

    async def _conflict(self) -> None:
        before = await self._held()
        movement = self._moving(DEBIT)
        await self._done(movement, before - AMOUNT_MINOR)
        other = await ask(self._wallet, replace(movement, amount_minor=AMOUNT_MINOR + 1))
        _want(not other.done, f"was answered {_said(other)}")
        await self._holds(before - AMOUNT_MINOR)
        await self._back(movement, before)

    async def _funds(self) -> None:
        before = await self._held()
        await self._refused(self._moving(DEBIT, before + 1), INSUFFICIENT_FUNDS)
        await self._holds(before)

    async def _same_at_once(self) -> None:
        before = await self._held()
        movement = self._moving(DEBIT)
        answers = await asyncio.gather(*(ask(self._wallet, movement) for _ in range(AT_ONCE)))
        for answer in answers:
            _want(answer.done, f"was answered {_said(answer)}")
        await self._holds(before - AMOUNT_MINOR)
        await self._back(movement, before)

    async def _many_at_once(self) -> None:
        before = await self._held()
        most = before // 2 + 1
        movements = [self._moving(DEBIT, most) for _ in range(AT_ONCE)]
        answers = await asyncio.gather(*(ask(self._wallet, each) for each in movements))
        done = [m for m, answer in zip(movements, answers, strict=True) if answer.done]
        _want(len(done) == 1, f"{len(done)} debits of more than half the balance were made")
        await self._holds(before - most)
        await self._back(done[0], before)

    async def _cancel(self) -> None:
        before = await self._held()
        debit = self._moving(DEBIT)
        await self._done(debit, before - AMOUNT_MINOR)
        half = AMOUNT_MINOR // 2
        if self._wallet.switches.partial_cancel:
            part = replace(self._moving(CANCEL, half), wager_id=debit.wager_id, rest_minor=half)
            await self._done(part, before - half)
            await self._done(part, before - half)
            rest = replace(self._moving(CANCEL, half), wager_id=debit.wager_id)
            await self._done(rest, before)
            return
        whole = replace(self._moving(CANCEL), wager_id=debit.wager_id)
        await self._done(whole, before)
        await self._done(whole, before)

    async def _slip(self) -> None:
        if not self._wallet.switches.partial_cancel:
            return  # such a wallet is sent no slips
        before = await self._held()
        whole = self._moving(DEBIT)
        slip, half = whole.wager_id, AMOUNT_MINOR // 2
        parts = tuple(
            Part(wager_id=slip_wager(slip, number), area=area, amount_minor=half)
            for number, area in ((1, "BANKER"), (2, "TIE"))
        )
        await self._done(replace(whole, parts=parts), before - AMOUNT_MINOR)
        for number, part in enumerate(parts, start=1):
            back = replace(self._moving(CANCEL, half), wager_id=part.wager_id)
            await self._done(back, before - AMOUNT_MINOR + number * half)

    async def _undo(self) -> None:
        before = await self._held()
        debit = self._moving(DEBIT)
        await self._done(debit, before - AMOUNT_MINOR)
        undo = self._undoing(debit)
        await self._done(undo, before)
        await self._done(undo, before)

    async def _undo_twice(self) -> None:
        before = await self._held()
        debit = self._moving(DEBIT)
        await self._done(debit, before - AMOUNT_MINOR)
        await self._done(self._undoing(debit), before)
        second = await ask(self._wallet, self._undoing(debit))
        _want(not second.done, f"was answered {_said(second)}")
        await self._holds(before)

    async def _unknown(self) -> None:
        before = await self._held()
        debit = self._moving(DEBIT)
        await self._done(self._undoing(debit), before)
        if self._wallet.switches.remembers_cancels:
            late = await ask(self._wallet, debit)
            _want(late.outcome == REFUSED, f"the debit behind it was answered {_said(late)}")
            await self._holds(before)

    async def _credit(self) -> None:
        before = await self._held()
        movement = self._moving(CREDIT)
        await self._done(movement, before + AMOUNT_MINOR)
        await self._done(movement, before + AMOUNT_MINOR)
        await self._done(self._moving(REVERSE), before)

    async def _zero(self) -> None:
        before = await self._held()
        debit = self._moving(DEBIT)
        await self._done(debit, before - AMOUNT_MINOR)
        lost = replace(self._moving(CREDIT, 0), wager_id=debit.wager_id)
        await self._done(lost, before - AMOUNT_MINOR)
        await self._done(lost, before - AMOUNT_MINOR)
        await self._done(self._moving(CREDIT), before)

    async def _coup(self) -> None:
        before = await self._held()
        half = AMOUNT_MINOR // 2
        won, lost = self._moving(DEBIT, half), self._moving(DEBIT, half)
        await self._done(won, before - half)
        await self._done(lost, before - AMOUNT_MINOR)
        parts = (
            Part(wager_id=won.wager_id, area="BANKER", amount_minor=AMOUNT_MINOR),
            Part(wager_id=lost.wager_id, area="TIE", amount_minor=0),
        )
        paid = replace(self._moving(CREDIT), wager_id="", parts=parts)
        await self._done(paid, before)
        await self._done(paid, before)

    async def _reverse(self) -> None:
        before = await self._held()
        movement = self._moving(REVERSE)
        await self._done(movement, before - AMOUNT_MINOR)
        await self._done(movement, before - AMOUNT_MINOR)
        await self._done(self._moving(CREDIT), before)

    async def _reverse_funds(self) -> None:
        before = await self._held()
        await self._refused(self._moving(REVERSE, before + 1), INSUFFICIENT_FUNDS)
        await self._holds(before)

    async def _session_over(self) -> None:
        before = await self._held()
        over = PlayerContext(session=f"{self._run}-over")
        debit = self._moving(DEBIT)
        await self._done(debit, before - AMOUNT_MINOR)
        await self._done(replace(self._undoing(debit), context=over), before)
        await self._done(replace(self._moving(CREDIT), context=over), before + AMOUNT_MINOR)
        await self._done(replace(self._moving(REVERSE), context=over), before)

    # --- steps ---

    def _moving(self, verb: str, amount_minor: int = AMOUNT_MINOR) -> Movement:
        self._numbers += 1
        wager = f"{self._run}-{self._numbers}"
        return Movement(
            movement_id=f"conform/{wager}/1",
            player=self._player,
            currency=self._currency,
            verb=verb,
            amount_minor=amount_minor,
            table_id="conform",
            coup_id="conform:1:1",
            wager_id=wager,
            context=self._context,
        )

    def _undoing(self, debit: Movement) -> Movement:
        undo = self._moving(CANCEL, debit.amount_minor)
        return replace(undo, wager_id=debit.wager_id, cancels=debit.movement_id)

    async def _held(self) -> int:
        held = await self._wallet.balance(self._player, self._currency)
        if held is None:
            raise _Wrong("the balance was not answered")
        return held

    async def _holds(self, wanted: int) -> None:
        held = await self._held()
        _want(held == wanted, f"the balance is {held} and should be {wanted}")

    async def _done(self, movement: Movement, balance_minor: int) -> None:
        answer = await ask(self._wallet, movement)
        _want(answer.outcome == DONE, f"{movement.verb} was answered {_said(answer)}")
        await self._holds(balance_minor)

    async def _refused(self, movement: Movement, code: str) -> None:
        answer = await ask(self._wallet, movement)
        right = (answer.outcome, answer.reason) == (REFUSED, code)
        _want(right, f"{movement.verb} was answered {_said(answer)}, and not REFUSED {code}")

    async def _back(self, debit: Movement, balance_minor: int) -> None:
        await self._done(self._undoing(debit), balance_minor)


def _want(so: bool, problem: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not so:
        raise _Wrong(problem)


def _said(answer: Answer) -> str:
    return f"{answer.outcome} {answer.reason}".strip()
