"""The wallet's port: one suite, held against every wallet that fits it.

An implementation is a name in `WALLETS` for which the fixture `bench` gives a `Bench`: the wallet,
and a way to put money into an account.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.resources import files
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from msgspec import Struct
from msgspec.structs import replace

from services.chassis.migrations import CHASSIS, Package, migrate
from services.chassis.postgres import open_pool
from services.devstack.postgres import PostgresServer
from services.wager import ledger
from services.wager.seamless.amounts import Form
from services.wager.wallet import (
    BALANCE_MAXIMUM,
    CANCEL,
    CANCELLED,
    CONFLICT,
    CREDIT,
    DEBIT,
    DONE,
    FUND,
    INSUFFICIENT_FUNDS,
    REFUSED,
    REVERSE,
    Answer,
    Movement,
    Wallet,
    ask,
)
from services.walletsim import books
from tests.support.walletsim import adapter, simulator

HTTP = {
    "http": (books.Switches(), Form(), False),
    "http-decimal-rsa-exists": (books.Switches(says_exists=True), Form("DECIMAL", 4), True),
    "http-thousands": (books.Switches(), Form("THOUSANDS", 6), False),
    "http-millionths-exists": (books.Switches(says_exists=True), Form("MILLIONTHS"), False),
}
"""Wallets behind HTTP: their switches, how they write amounts, whether they sign with RSA."""

WALLETS = ["ledger", *HTTP]
PACKAGE = Package("wager", files("services.wager.migrations"))

_numbers = itertools.count(1)


class Bench(Struct):
    """A wallet under test."""

    wallet: Wallet
    fund: Callable[[str, int], Awaitable[None]]
    """Put so much EUR into a player's account."""

    maximum_minor: int
    """What an account can hold."""

    tells_repeats: bool
    """Its answer says that a movement had been made before."""


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def ledger_pool(postgres_server: PostgresServer) -> AsyncIterator[Any]:
    await postgres_server.create_databases(["wallets"])
    dsn = postgres_server.dsn("wallets")
    await migrate(dsn, [CHASSIS, PACKAGE])
    pool = await open_pool(dsn, connections_max=5)
    yield pool
    pool.terminate()


@pytest_asyncio.fixture(loop_scope="session", params=WALLETS)
async def bench(request: pytest.FixtureRequest, ledger_pool: Any) -> AsyncIterator[Bench]:
    """Each wallet in turn."""
    made = HTTP.get(request.param)
    if made is None:
        yield ledger_bench(ledger_pool)
        return
    switches, form, rsa_keys = made
    async with simulator(switches, form, rsa_keys=rsa_keys) as running:
        remembers = switches.remembers_cancels
        async with adapter(running, form, remembers_cancels=remembers) as wallet:

            async def fund(player: str, amount_minor: int) -> None:
                running.fund(player, amount_minor)

            yield Bench(wallet, fund, books.BALANCE_MINOR_MAX, switches.says_exists)


def ledger_bench(pool: Any) -> Bench:
    wallet = ledger.LedgerWallet(pool)

    async def fund(player: str, amount_minor: int) -> None:
        await wallet.move(moving(FUND, player, amount_minor))

    return Bench(wallet, fund, ledger.BALANCE_MINOR_MAX, True)


@pytest.fixture
def player() -> str:
    """Somebody whom no other test knows."""
    return f"p{next(_numbers)}"


def moving(verb: str, player: str, amount_minor: int, **more: Any) -> Movement:
    """A movement with a key of its own."""
    return Movement(
        movement_id=f"T1/{player}/{next(_numbers)}",
        player=player,
        currency="EUR",
        verb=verb,
        amount_minor=amount_minor,
        **{"table_id": "T1", "coup_id": "T1:1:1", "wager_id": player, **more},
    )


def outcome(answer: Answer) -> tuple[str, str]:
    return answer.outcome, answer.reason


async def funded(bench: Bench, player: str, amount_minor: int = 1_000) -> None:
    await bench.fund(player, amount_minor)
    assert await bench.wallet.balance(player, "EUR") == amount_minor


async def test_every_verb_moves_what_it_says(bench: Bench, player: str) -> None:
    """D13: a debit and a reversal take, a cancel and a credit give."""
    await funded(bench, player)
    balances = []
    for verb, amount in ((DEBIT, 400), (CANCEL, 100), (CREDIT, 700), (REVERSE, 50)):
        answer = await ask(bench.wallet, moving(verb, player, amount))
        assert outcome(answer) == (DONE, "")
        assert not answer.duplicate
        balances.append(await bench.wallet.balance(player, "EUR"))
    assert balances == [600, 700, 1_400, 1_350]


@pytest.mark.parametrize("verb", [DEBIT, CANCEL, CREDIT, REVERSE])
async def test_a_movement_that_is_repeated_moves_once(bench: Bench, player: str, verb: str) -> None:
    """D4: the key follows from the cause; asked again, the answer is the same."""
    await funded(bench, player)
    await ask(bench.wallet, moving(DEBIT, player, 500))
    movement = moving(verb, player, 200)
    await ask(bench.wallet, movement)
    before = await bench.wallet.balance(player, "EUR")
    again = await ask(bench.wallet, movement)
    assert (again.outcome, again.duplicate) == (DONE, bench.tells_repeats)
    assert await bench.wallet.balance(player, "EUR") == before


@pytest.mark.parametrize("verb", [DEBIT, REVERSE])
async def test_no_balance_becomes_negative(bench: Bench, player: str, verb: str) -> None:
    """R-28: refused with a reason, nothing moved, and the same key may be tried again later."""
    await funded(bench, player, 100)
    movement = moving(verb, player, 101)
    assert outcome(await ask(bench.wallet, movement)) == (REFUSED, INSUFFICIENT_FUNDS)
    assert await bench.wallet.balance(player, "EUR") == 100
    await bench.fund(player, 1)
    if verb == REVERSE:
        assert outcome(await ask(bench.wallet, movement)) == (DONE, "")
        assert await bench.wallet.balance(player, "EUR") == 0


async def test_of_two_debits_at_the_same_time_one_is_too_much(bench: Bench, player: str) -> None:
    """R-28: together they would overdraw the account, so one of them finds too little."""
    await funded(bench, player, 100)
    answers = await asyncio.gather(
        *(ask(bench.wallet, moving(DEBIT, player, amount)) for amount in (60, 50))
    )
    assert sorted(answer.outcome for answer in answers) == [DONE, REFUSED]
    assert await bench.wallet.balance(player, "EUR") in {40, 50}


async def test_what_was_put_together_is_spent_to_the_last_unit(bench: Bench, player: str) -> None:
    """D14: ten and twenty are thirty, and thirty of them can be staked."""
    await funded(bench, player, 10)
    await ask(bench.wallet, moving(CREDIT, player, 20))
    assert outcome(await ask(bench.wallet, moving(DEBIT, player, 30))) == (DONE, "")
    assert await bench.wallet.balance(player, "EUR") == 0


async def test_debits_that_go_back_leave_no_residue(bench: Bench, player: str) -> None:
    """D14: however often."""
    await funded(bench, player, 1_000)
    for _ in range(100):
        await ask(bench.wallet, moving(DEBIT, player, 10))
        await ask(bench.wallet, moving(CANCEL, player, 10))
    assert await bench.wallet.balance(player, "EUR") == 1_000


@pytest.mark.parametrize("verb", [CREDIT, CANCEL])
async def test_a_full_account_refuses_and_may_be_asked_again(
    bench: Bench, player: str, verb: str
) -> None:
    """D13: an answer, not an accident: what is owed waits until there is room."""
    await funded(bench, player, 1_000)
    await ask(bench.wallet, moving(DEBIT, player, 1_000))
    await bench.fund(player, bench.maximum_minor - 10)
    movement = moving(verb, player, 11)
    assert outcome(await ask(bench.wallet, movement)) == (REFUSED, BALANCE_MAXIMUM)
    assert await bench.wallet.balance(player, "EUR") == bench.maximum_minor - 10
    await ask(bench.wallet, moving(REVERSE, player, 100))
    assert outcome(await ask(bench.wallet, movement)) == (DONE, "")


async def test_a_key_with_another_amount_is_refused(bench: Bench, player: str) -> None:
    """Domain 4.2: an unequal repeat is an event of its own kind, and moves nothing."""
    await funded(bench, player)
    movement = moving(DEBIT, player, 100)
    await ask(bench.wallet, movement)
    other = await ask(bench.wallet, replace(movement, amount_minor=101))
    assert not other.done
    assert await bench.wallet.balance(player, "EUR") == 900


async def test_a_debit_that_was_made_is_undone_by_name_once(bench: Bench, player: str) -> None:
    """N-1: the whole debit comes back; the cancel repeated gives nothing more."""
    await funded(bench, player)
    debit = moving(DEBIT, player, 300)
    await ask(bench.wallet, debit)
    cancel = moving(CANCEL, player, 300, cancels=debit.movement_id)
    assert outcome(await ask(bench.wallet, cancel)) == (DONE, "")
    again = await ask(bench.wallet, cancel)
    assert (again.outcome, again.duplicate) == (DONE, bench.tells_repeats)
    assert await bench.wallet.balance(player, "EUR") == 1_000


async def test_a_debit_is_not_undone_under_two_keys(bench: Bench, player: str) -> None:
    """Domain 4.4: two repairs of one debit would pay twice."""
    await funded(bench, player)
    debit = moving(DEBIT, player, 300)
    await ask(bench.wallet, debit)
    await ask(bench.wallet, moving(CANCEL, player, 300, cancels=debit.movement_id))
    second = moving(CANCEL, player, 300, cancels=debit.movement_id)
    assert outcome(await ask(bench.wallet, second)) == (REFUSED, CONFLICT)
    assert await bench.wallet.balance(player, "EUR") == 1_000


async def test_a_debit_that_arrives_after_its_cancel_is_refused(bench: Bench, player: str) -> None:
    """N-1: the cancel of an unknown debit succeeds and is remembered; the late debit meets it."""
    await funded(bench, player)
    debit = moving(DEBIT, player, 300)
    cancel = moving(CANCEL, player, 300, cancels=debit.movement_id)
    assert outcome(await ask(bench.wallet, cancel)) == (DONE, "")
    assert await bench.wallet.balance(player, "EUR") == 1_000
    assert outcome(await ask(bench.wallet, debit)) == (REFUSED, CANCELLED)
    assert outcome(await ask(bench.wallet, debit)) == (REFUSED, CANCELLED)
    assert (await ask(bench.wallet, cancel)).done
    assert await bench.wallet.balance(player, "EUR") == 1_000


async def test_an_account_that_nobody_used_is_empty(bench: Bench, player: str) -> None:
    """A balance is a number for everybody."""
    assert await bench.wallet.balance(player, "EUR") == 0
    assert outcome(await ask(bench.wallet, moving(DEBIT, player, 1))) == (
        REFUSED,
        INSUFFICIENT_FUNDS,
    )


# --- the built-in ledger's books ---


@pytest.mark.integration
async def test_the_ledgers_books_are_double_entry_and_are_never_edited(database_url: str) -> None:
    """D13: accounts of players, tables and the house sum to zero; the journal is append-only."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    pool = await open_pool(database_url, connections_max=2)
    try:
        wallet = ledger.LedgerWallet(pool)
        for key, verb, amount in (
            ("/f1", FUND, 1_000),
            ("T1/w1/1", DEBIT, 600),
            ("T1/w2/1", DEBIT, 100),
            ("T1/w2/2", CANCEL, 100),
            ("T1:1:1/w1/1", CREDIT, 1_170),
            ("T1:1:1/w1/2", REVERSE, 70),
        ):
            table = "" if verb == FUND else "T1"
            movement = Movement(
                movement_id=key, player="p", currency="EUR", verb=verb, amount_minor=amount,
                table_id=table,
            )  # fmt: skip
            assert (await wallet.move(movement)).done
        books = await pool.fetch(
            "select account, name, sum(amount_minor)::bigint from postings group by 1, 2 order by 1, 2"
        )
        assert [tuple(row) for row in books] == [
            ("HOUSE", "", -1_000), ("PLAYER", "p", 1_500), ("TABLE", "T1", -500),
        ]  # fmt: skip
        assert await wallet.balance("p", "EUR") == 1_500
        uneven = "select 1 from postings group by movement_id having sum(amount_minor) <> 0"
        assert await pool.fetch(uneven) == []
        for edit in (
            "update movements set amount_minor = 0",
            "delete from movements",
            "truncate movements",
        ):
            with pytest.raises(asyncpg.RaiseError, match="never changed"):
                await pool.execute(edit)
    finally:
        pool.terminate()
