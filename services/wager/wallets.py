"""Which wallet the money of a table's players is in, and what an operator's cannot do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from services.chassis import telemetry
from services.chassis.clock import Clock
from services.chassis.decider import Staged
from services.contracts.common import Limit, PlayerContext
from services.contracts.core import Command, Refused
from services.contracts.pinned import pinned
from services.wager.commands import ChangeWager, PlaceSlip, PlaceWager
from services.wager.config import EndpointSettings, LimitSetSettings, WalletSettings
from services.wager.domain import BookState, staked_under
from services.wager.domain.facts import LimitSets, OperatorLimits
from services.wager.seamless.amounts import Form
from services.wager.seamless.client import Limits, SeamlessWallet, Switches
from services.wager.seamless.signing import RSA, HmacKey, RsaSigner, Signer
from services.wager.wallet import Answer, Movement


def seamless(settings: EndpointSettings, clock: Clock) -> SeamlessWallet:
    """An operator's wallet as the configuration describes it."""
    signer: Signer
    if settings.signature == RSA:
        signer = RsaSigner(Path(settings.key_file).read_bytes())
    else:
        signer = HmacKey(settings.secret.get_secret_value().encode())
    return SeamlessWallet(
        settings.url,
        signer=signer,
        key_id=settings.key_id,
        clock=clock,
        switches=Switches(
            form=Form(settings.amounts, settings.decimals),
            remembers_cancels=settings.remembers_cancels,
            partial_cancel=settings.partial_cancel,
            session=settings.session,
        ),
        limits=Limits(
            timeout_s=settings.timeout_s,
            connect_timeout_s=settings.connect_timeout_s,
            connections_max=settings.connections_max,
            breaker_failures_max=settings.breaker_failures_max,
            breaker_open_s=settings.breaker_open_s,
        ),
    )


class Wallets:
    """The wallets behind HTTP of one installation: an operator's own, or else the default one.

    Use it as an asynchronous context. It is a wallet itself: a movement says whose it is for.
    """

    def __init__(self, default: SeamlessWallet | None, own: Mapping[str, SeamlessWallet]) -> None:
        self._default = default
        self._own = own
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        wallets = [*([self._default] if self._default else []), *self._own.values()]
        for wallet in wallets:
            await self._opened.enter_async_context(wallet)
        telemetry.observe("sabot.wallet.breaker", lambda: sum(w.is_left_alone for w in wallets))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    def of(self, operator: str) -> SeamlessWallet:
        """The wallet of an operator's players. Raises `LookupError` where it is the ledger."""
        wallet = self._own.get(operator, self._default)
        if wallet is None:
            raise LookupError(f"the money of {operator or 'players'} is in the ledger")
        return wallet

    async def balance(self, player: str, currency: str) -> int | None:
        """What is in an account of the default wallet."""
        return await self.of("").balance(player, currency)

    async def debit(self, movement: Movement) -> Answer:
        return await self.of(movement.operator).debit(movement)

    async def cancel(self, movement: Movement) -> Answer:
        return await self.of(movement.operator).cancel(movement)

    async def credit(self, movement: Movement) -> Answer:
        return await self.of(movement.operator).credit(movement)

    async def reverse(self, movement: Movement) -> Answer:
        return await self.of(movement.operator).reverse(movement)


def wallets_of(settings: WalletSettings, clock: Clock) -> Wallets | None:
    """Every wallet behind HTTP that the configuration names; None where it names none."""
    default = seamless(settings, clock) if settings.kind == "http" else None
    own = {
        operator: seamless(each, clock)
        for operator, each in settings.by_operator.items()
        if each.kind == "http"
    }
    return Wallets(default, own) if default or own else None


def operator_of(context: PlayerContext | None) -> str:
    """Whose player somebody is; empty where nobody said so."""
    return "" if context is None else context.operator


def is_elsewhere(settings: WalletSettings, operator: str, *, test: bool) -> bool:
    """Whether a player's money is in a wallet behind HTTP: at TEST tables it is not (D8)."""
    return settings.of(operator).kind == "http" and (not test or settings.test_tables)


def elsewhere(settings: WalletSettings) -> Callable[[Staged], bool] | None:
    """The same of an event; None where all money is in the built-in ledger."""
    if all(each.kind != "http" for each in (settings, *settings.by_operator.values())):
        return None

    def away(staged: Staged) -> bool:
        operator = operator_of(getattr(staged.event, "context", None))
        return is_elsewhere(settings, operator, test=staged.meta.test)

    return away


def rules(settings: WalletSettings) -> Callable[[Command, BookState], None] | None:
    """What a wallet that cancels whole debits only cannot do; None where all can everything."""
    endpoints = (settings, *settings.by_operator.values())
    if all(each.kind != "http" or each.partial_cancel for each in endpoints):
        return None

    def check(command: Command, state: BookState) -> None:
        table: Any = state.settings
        operator = operator_of(staked_under(command, state))
        if table is None or not is_elsewhere(settings, operator, test=table.test):
            return
        if settings.of(operator).partial_cancel:
            return
        staked = isinstance(command, PlaceWager | PlaceSlip)
        if staked and pinned(table).differential_policy == "REDUCE":
            raise Refused(
                "NOT_PERMITTED", "the wallet cancels whole debits, and this table cuts wagers"
            )
        if isinstance(command, PlaceSlip):
            raise Refused(
                "NOT_PERMITTED",
                "the wallet cancels whole debits, and a wager of a slip goes back by a part",
            )
        if isinstance(command, ChangeWager):
            raise Refused(
                "NOT_PERMITTED", "the wallet cancels whole debits: take the wager back instead"
            )

    return check


def limit_sets(settings: WalletSettings) -> LimitSets:
    """Finds the limit set that a context names, by currency; None where it names none that is known."""
    known = {
        (operator, name): {currency: _limits(each) for currency, each in found.items()}
        for operator, own in settings.by_operator.items()
        for name, found in own.limit_sets.items()
    }

    def find(context: PlayerContext | None) -> Mapping[str, OperatorLimits] | None:
        return known.get((context.operator, context.limit_set)) if context else None

    return find


def _limits(settings: LimitSetSettings) -> OperatorLimits:
    return OperatorLimits(
        areas={
            area: Limit(each.min_minor, each.max_minor, each.unit_minor)
            for area, each in settings.areas.items()
        },
        coup_maximum_minor=settings.coup_maximum_minor,
        maximum_win_minor=settings.maximum_win_minor,
    )
