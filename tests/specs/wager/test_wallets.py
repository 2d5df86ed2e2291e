"""Which wallet a table's money is in, and what a wallet of whole cancels cannot do."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from services.chassis.config import load_or_exit
from services.contracts.core import Command, Refused
from services.wager import wallets
from services.wager.commands import CancelWager, ChangeWager
from services.wager.config import WagerSettings, WalletSettings
from services.wager.domain.state import BookState
from tests.support.spec import AT_US, person
from tests.support.tables import place, settings

WHOLE = WalletSettings(kind="http", partial_cancel=False)


def table(policy: str, *, mode: str = "LIVE") -> BookState:
    made = settings(changed={"differential_policy": policy}, mode=mode)
    return BookState(session=1, settings=made, open=True)


def check(command: Command, state: BookState, wallet: WalletSettings = WHOLE) -> None:
    rules = wallets.rules(wallet)
    assert rules is not None
    rules(command, state)


def test_a_wallet_of_whole_cancels_gets_no_table_that_cuts_wagers() -> None:
    """Domain 4.2, switch: a cut wager goes back by a part, which this wallet cannot do."""
    with pytest.raises(Refused, match="NOT_PERMITTED"):
        check(place(), table("REDUCE"))
    check(place(), table("OFF"))
    check(place(), table("REDUCE", mode="TEST"))


def test_with_whole_cancels_a_stake_is_not_changed() -> None:
    """A wager has one debit there, and is taken back whole."""
    player = person("PLAYER", "p1")
    change = ChangeWager(at_us=AT_US, by=player, wager_id="w1", amount_minor=500)
    with pytest.raises(Refused, match="NOT_PERMITTED"):
        check(change, table("OFF"))
    check(CancelWager(at_us=AT_US, by=player, wager_id="w1"), table("OFF"))


def test_a_wallet_that_can_everything_adds_no_rule() -> None:
    """Nor does the ledger."""
    assert wallets.rules(WalletSettings()) is None
    assert wallets.rules(WalletSettings(kind="http")) is None


def test_tables_in_test_mode_move_no_real_money() -> None:
    """D8: they use the ledger, unless a developer says otherwise."""
    http = WalletSettings(kind="http")
    assert wallets.is_elsewhere(http, "", test=False)
    assert not wallets.is_elsewhere(http, "", test=True)
    assert not wallets.is_elsewhere(WalletSettings(), "", test=False)
    assert wallets.is_elsewhere(WalletSettings(kind="http", test_tables=True), "", test=True)


HTTP = {
    "SABOT_ENVIRONMENT": "development",
    "SABOT_DATABASE_URL": "postgresql://u@h/d",
    "SABOT_KAFKA_BOOTSTRAP_SERVERS": "h:1",
    "SABOT_WALLET_KIND": "http",
    "SABOT_WALLET_URL": "http://127.0.0.1:1",
    "SABOT_WALLET_KEY_ID": "k",
    "SABOT_WALLET_SECRET": "0123456789abcdef0123456789abcdef",
}


def faults(changes: Mapping[str, str]) -> str:
    said = io.StringIO()
    with pytest.raises(SystemExit):
        load_or_exit(WagerSettings, {**HTTP, **changes}, {}, said)
    return said.getvalue()


def test_an_operators_wallet_is_configured_whole_or_not_at_all() -> None:
    """Each fault by its variable; encrypted outside development."""
    load_or_exit(WagerSettings, HTTP, {}, io.StringIO())
    for name in ("SABOT_WALLET_URL", "SABOT_WALLET_KEY_ID", "SABOT_WALLET_SECRET"):
        assert name in faults({name: ""})
    assert "SABOT_WALLET_KEY_FILE" in faults({"SABOT_WALLET_SIGNATURE": "RSA-SHA256"})
    live = {"SABOT_ENVIRONMENT": "production", "SABOT_WALLET_TEST_TABLES": "true"}
    said = faults(live)
    assert "SABOT_WALLET_URL: is not encrypted" in said
    assert "SABOT_WALLET_TEST_TABLES" in said


def test_each_operators_wallet_is_configured_whole_too() -> None:
    """Which operator, and what is missing with him."""
    mine = '{"acme": {"kind": "http", "url": "http://w.example", "key_id": "k"}}'
    said = faults({"SABOT_ENVIRONMENT": "production", "SABOT_WALLET_OPERATORS": mine})
    assert "SABOT_WALLET_OPERATORS: acme: url is not encrypted" in said
    assert "SABOT_WALLET_OPERATORS: acme: secret is missing" in said
    assert "SABOT_WALLET_OPERATORS: is no JSON" in faults({"SABOT_WALLET_OPERATORS": "{"})
