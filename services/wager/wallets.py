"""Which wallet a table's money is in, and what the operator's cannot do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.chassis.clock import Clock
from services.chassis.decider import Staged
from services.contracts.core import Command, Refused
from services.contracts.pinned import pinned
from services.wager.commands import ChangeWager, PlaceWager
from services.wager.config import WalletSettings
from services.wager.domain import BookState
from services.wager.seamless.amounts import Form
from services.wager.seamless.client import Limits, SeamlessWallet, Switches
from services.wager.seamless.signing import RSA, HmacKey, RsaSigner, Signer


def seamless(settings: WalletSettings, clock: Clock) -> SeamlessWallet:
    """The operator's wallet as the configuration describes it."""
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
        ),
        limits=Limits(
            timeout_s=settings.timeout_s,
            connect_timeout_s=settings.connect_timeout_s,
            connections_max=settings.connections_max,
            breaker_failures_max=settings.breaker_failures_max,
            breaker_open_s=settings.breaker_open_s,
        ),
    )


def is_elsewhere(settings: WalletSettings, *, test: bool) -> bool:
    """Whether a table's money is in the operator's wallet: that of TEST tables is not (D8)."""
    return settings.kind == "http" and (not test or settings.test_tables)


def elsewhere(settings: WalletSettings) -> Callable[[Staged], bool] | None:
    """The same of an event; None where all money is in the built-in ledger."""
    if settings.kind != "http":
        return None
    return lambda staged: is_elsewhere(settings, test=staged.meta.test)


def rules(settings: WalletSettings) -> Callable[[Command, BookState], None] | None:
    """What a wallet that cancels whole debits only cannot do; None where it can everything."""
    if settings.kind != "http" or settings.partial_cancel:
        return None

    def check(command: Command, state: BookState) -> None:
        table: Any = state.settings
        if table is None or not is_elsewhere(settings, test=table.test):
            return
        if isinstance(command, PlaceWager) and pinned(table).differential_policy == "REDUCE":
            raise Refused(
                "NOT_PERMITTED", "the wallet cancels whole debits, and this table cuts wagers"
            )
        if isinstance(command, ChangeWager):
            raise Refused(
                "NOT_PERMITTED", "the wallet cancels whole debits: take the wager back instead"
            )

    return check
