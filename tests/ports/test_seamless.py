"""The adapter of operators' wallets: amounts, signatures, faults, the breaker."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.chassis import telemetry
from services.chassis.clock import ManualClock
from services.contracts.common import PlayerContext
from services.wager.seamless import openapi
from services.wager.seamless.amounts import (
    DECIMAL,
    FORMS,
    MILLIONTHS,
    MINOR,
    THOUSANDS,
    Form,
    Inexact,
)
from services.wager.seamless.breaker import Breaker
from services.wager.seamless.client import AMOUNT_DIFFERS, BODY_BYTES_MAX, NOT_SENT
from services.wager.seamless.signing import HmacKey, RsaVerifier, headers, is_signed
from services.wager.wallet import (
    CANCEL,
    CREDIT,
    DEBIT,
    DONE,
    REFUSED,
    REVERSE,
    UNKNOWN,
    Movement,
    Part,
    ask,
)
from services.walletsim import books
from tests.support.walletsim import SECRET, adapter, rsa_signer, simulator

_numbers = itertools.count(1)


def moving(verb: str, amount_minor: int = 100, *, cancels: str = "") -> Movement:
    return Movement(
        movement_id=f"T1/w/{next(_numbers)}",
        player="p",
        currency="EUR",
        verb=verb,
        amount_minor=amount_minor,
        wager_id="w",
        cancels=cancels,
    )


# --- amounts ---


@pytest.mark.parametrize(
    ("form", "currency", "minor", "written"),
    [
        (Form(MINOR), "EUR", 1234, 1234),
        (Form(DECIMAL, 2), "EUR", 1234, "12.34"),
        (Form(DECIMAL, 4), "EUR", 5, "0.0500"),
        (Form(DECIMAL, 2), "JPY", 1234, "1234.00"),
        (Form(DECIMAL, 3), "KWD", 1, "0.001"),
        (Form(THOUSANDS, 5), "EUR", 1234, "0.01234"),
        (Form(THOUSANDS, 3), "JPY", 1234, "1.234"),
        (Form(MILLIONTHS), "EUR", 1234, 12_340_000),
        (Form(MILLIONTHS), "JPY", 7, 7_000_000),
    ],
)
def test_amounts_are_written_as_the_wallet_reads_them(
    form: Form, currency: str, minor: int, written: object
) -> None:
    """Domain 4.3: two, four or six decimals, thousands, millionths; exact both ways."""
    assert form.write(minor, currency) == written
    assert form.read(form.write(minor, currency), currency) == minor


@given(
    st.sampled_from(FORMS), st.sampled_from(["EUR", "JPY", "KWD"]), st.integers(-(10**15), 10**15)
)
def test_what_is_written_is_read_as_the_same(name: str, currency: str, minor: int) -> None:
    """Domain 4.3: nothing is rounded."""
    form = Form(name, 6)
    assert form.read(form.write(minor, currency), currency) == minor


def test_what_does_not_fit_is_refused_and_never_cut() -> None:
    """Domain 4.3: an adapter converts exactly or refuses; also a balance."""
    with pytest.raises(Inexact):
        Form(DECIMAL, 2).write(1, "KWD")
    with pytest.raises(Inexact):
        Form(THOUSANDS, 3).write(1234, "EUR")
    for form, amount in (
        (Form(DECIMAL, 2), "0.001"),
        (Form(DECIMAL, 2), 1),
        (Form(DECIMAL, 2), "1e3"),
        (Form(MINOR), "12"),
        (Form(MINOR), True),
        (Form(MILLIONTHS), 1),
    ):
        with pytest.raises(Inexact):
            form.read(amount, "EUR")


# --- signatures ---


def test_a_signature_covers_path_time_and_body() -> None:
    """Domain 4.2: HMAC-SHA256 and RSA-SHA256; whatever is changed, it fits no more."""
    pairs = (
        (HmacKey(SECRET), HmacKey(SECRET)),
        (rsa_signer(), RsaVerifier(rsa_signer().public_pem())),
    )
    for signer, verifier in pairs:
        given_ = headers(signer, "k", "/v1/debit", "2026-01-01T00:00:00Z", b"{}")
        assert is_signed(verifier, given_, "/v1/debit", b"{}")
        assert not is_signed(verifier, given_, "/v1/credit", b"{}")
        assert not is_signed(verifier, given_, "/v1/debit", b"{ }")
        later = {**given_, "Sabot-Timestamp": "2026-01-01T00:00:01Z"}
        assert not is_signed(verifier, later, "/v1/debit", b"{}")
        assert not is_signed(verifier, {**given_, "Sabot-Signature": "?"}, "/v1/debit", b"{}")
    assert not is_signed(HmacKey(SECRET[::-1]), given_, "/v1/debit", b"{}")


def test_a_weak_key_is_refused() -> None:
    """Domain 4.2: weaker signatures are not offered."""
    with pytest.raises(ValueError, match="32"):
        HmacKey(b"short")


async def test_a_request_with_the_wrong_key_moves_nothing() -> None:
    """Its outcome is unknown to the caller, and the wallet's books have nothing."""
    async with simulator() as running:
        running.fund("p", 1_000)
        running.signer = HmacKey(SECRET[::-1])
        async with adapter(running) as wallet:
            answer = await ask(wallet, moving(DEBIT))
        assert (answer.outcome, answer.reason) == (UNKNOWN, "HTTP_401")
        assert not list(running.simulator.books.movements())[1:]


# --- faults ---


@pytest.mark.parametrize("verb", [DEBIT, CANCEL, CREDIT, REVERSE])
@pytest.mark.parametrize("fault", ["SLOW", "LOST", "ERROR", "GARBAGE", "RESTART"])
async def test_an_answer_that_is_none_leaves_the_outcome_unknown(verb: str, fault: str) -> None:
    """D13: never taken for done or refused; asked again under the same key, it moved once."""
    async with simulator() as running, adapter(running) as wallet:
        running.fund("p", 1_000)
        await ask(wallet, moving(DEBIT, 500))
        running.misbehaves(verb, fault, seconds=0.7)
        movement = moving(verb)
        assert (await ask(wallet, movement)).outcome == UNKNOWN
        for _ in range(200):
            again = await ask(wallet, movement)
            if again.outcome != UNKNOWN:
                break
            await asyncio.sleep(0.02)
        assert again.outcome == DONE
        sign = -1 if verb in (DEBIT, REVERSE) else 1
        assert running.simulator.books.balance("p", "EUR") == 500 + sign * 100


@pytest.mark.parametrize(
    ("padding", "outcome"), [(0, DONE), (BODY_BYTES_MAX // 2, DONE), (2 * BODY_BYTES_MAX, UNKNOWN)]
)
async def test_an_answer_in_pieces_is_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, padding: int, outcome: str
) -> None:
    """Servers and proxies send a body as they like; nobody makes one that never ends be read."""
    async with simulator() as running, adapter(running) as wallet:
        running.fund("p", 1_000)
        answered = running.simulator._answer

        async def in_pieces(request: Any, verb: str, asked: Any) -> web.StreamResponse:
            told: Any = await answered(request, verb, asked)
            response = web.StreamResponse()
            await response.prepare(request)
            head, comma, tail = told.body.partition(b",")
            for piece in (head + comma, b" " * padding, tail):
                await response.write(piece)
                await asyncio.sleep(0.02)
            return response

        monkeypatch.setattr(running.simulator, "_answer", in_pieces)
        assert (await ask(wallet, moving(DEBIT))).outcome == outcome


@pytest.mark.parametrize("fault", ["TWICE", "REFUSE"])
async def test_a_clear_answer_is_taken_as_it_is(fault: str) -> None:
    """Domain 4.2: a repeat is the first time's answer; a refusal is never cancelled."""
    async with simulator() as running, adapter(running) as wallet:
        running.fund("p", 1_000)
        running.misbehaves(DEBIT, fault)
        answer = await ask(wallet, moving(DEBIT))
        assert answer.outcome == (REFUSED if fault == "REFUSE" else DONE)
        assert running.simulator.books.balance("p", "EUR") == (1_000 if fault == "REFUSE" else 900)


async def test_another_amount_than_asked_for_is_seen() -> None:
    """Domain 4.2: a debit is undone whole, so that nothing is missing; of a credit somebody judges."""
    async with simulator() as running, adapter(running) as wallet:
        running.fund("p", 1_000)
        running.misbehaves("*", "WRONG_AMOUNT", times=2)
        debit = moving(DEBIT)
        answer = await ask(wallet, debit)
        assert (answer.outcome, answer.reason) == (UNKNOWN, AMOUNT_DIFFERS)
        credit = await ask(wallet, moving(CREDIT))
        assert (credit.outcome, credit.reason) == (REFUSED, AMOUNT_DIFFERS)
        cancel = moving(CANCEL, cancels=debit.movement_id)
        assert (await ask(wallet, cancel)).outcome == DONE
        assert running.simulator.books.balance("p", "EUR") == 1_101


async def test_a_wallet_that_forgets_cancels_says_so() -> None:
    """Domain 4.2, switch: UNKNOWN_DEBIT counts as done where the wallet is known to be so."""
    forgets = books.Switches(remembers_cancels=False)
    async with simulator(forgets) as running:
        cancel = moving(CANCEL, cancels="T1/w/never")
        async with adapter(running, remembers_cancels=False) as wallet:
            assert (await ask(wallet, cancel)).done
        async with adapter(running) as wallet:
            assert (await ask(wallet, cancel)).outcome == REFUSED


async def test_a_session_is_named_where_the_wallet_asks_for_it_and_never_needed_for_what_is_owed() -> (
    None
):
    """Domain 4.2, switch: tokens are checked for debits only; ALL names them, NONE never does."""
    asks = books.Switches(asks_for_session=True)
    for switch, named in (("DEBITS", [DEBIT]), ("ALL", [DEBIT, CANCEL, CREDIT, REVERSE])):
        async with simulator(asks) as running, adapter(running, session=switch) as wallet:
            running.fund("p", 1_000)
            context = PlayerContext(operator="acme", session="s1")
            debit = replace(moving(DEBIT), context=context)
            assert (await ask(wallet, debit)).done
            running.simulator.books.ended.add("s1")
            late = await ask(wallet, replace(moving(DEBIT), context=context))
            assert (late.outcome, late.reason) == (REFUSED, "SESSION_ENDED")
            for movement in (
                moving(CANCEL, cancels=debit.movement_id),
                moving(CREDIT),
                moving(REVERSE),
            ):
                assert (await ask(wallet, replace(movement, context=context))).done
            rows = running.simulator.books.movements()
            assert [row.verb for row in rows if row.session] == named
    async with simulator(asks) as running, adapter(running, session="NONE") as wallet:
        running.fund("p", 1_000)
        answer = await ask(wallet, replace(moving(DEBIT), context=context))
        assert (answer.outcome, answer.reason) == (REFUSED, "SESSION_MISSING")


async def test_a_wager_that_was_credited_is_cancelled_no_more() -> None:
    """Domain 4.2: such a cancel is never sent; a wallet that gets one refuses it, or takes it."""
    for refuses, outcome in ((True, REFUSED), (False, DONE)):
        switches = books.Switches(refuses_after_credit=refuses)
        async with simulator(switches) as running, adapter(running) as wallet:
            running.fund("p", 1_000)
            for verb in (DEBIT, CREDIT):
                assert (await ask(wallet, moving(verb))).done
            assert (await ask(wallet, moving(CANCEL))).outcome == outcome


async def test_a_wager_of_a_common_credit_is_cancelled_no_more(tmp_path: Path) -> None:
    """Domain 4.2: one credit for a player's coup pays each wager that it lists, won or lost.

    The simulator knows so after a restart too.
    """
    parts = tuple(
        Part(wager_id=wager, area=area, amount_minor=amount)
        for wager, area, amount in (("w1", "BANKER", 195), ("w2", "TIE", 0))
    )
    paid = replace(moving(CREDIT, 195), wager_id="", parts=parts)
    for refuses, outcome in ((True, REFUSED), (False, DONE)):
        switches = books.Switches(refuses_after_credit=refuses)
        file = tmp_path / f"{refuses}.jsonl"
        async with simulator(switches, file=file) as running, adapter(running) as wallet:
            running.fund("p", 1_000)
            for wager in ("w1", "w2", "w3"):
                assert (await ask(wallet, replace(moving(DEBIT), wager_id=wager))).done
            assert (await ask(wallet, paid)).done
        async with simulator(switches, file=file) as running, adapter(running) as wallet:
            for wager, wanted in (("w1", outcome), ("w2", outcome), ("w3", DONE)):
                answer = await ask(wallet, replace(moving(CANCEL), wager_id=wager))
                assert (wager, answer.outcome) == (wager, wanted)


async def test_what_goes_wrong_may_be_meant_for_one_player_and_every_answer_is_listed() -> None:
    """A test knows which movement a misbehaviour met, and what the caller was told."""
    async with simulator() as running, adapter(running) as wallet:
        for player in ("p", "q"):
            running.fund(player, 1_000)
        running.misbehaves(DEBIT, "ERROR", player="q")
        first, second = moving(DEBIT), replace(moving(DEBIT), player="q")
        assert (await ask(wallet, first)).done
        assert (await ask(wallet, second)).outcome == UNKNOWN
        assert (await ask(wallet, second)).done
        listed = [
            (each.key, each.fault, each.status, each.told_minor)
            for each in running.simulator.answers
        ]
        assert listed == [
            (first.movement_id, "", "DONE", 100),
            (second.movement_id, "ERROR", "", 0),
            (second.movement_id, "", "DONE", 100),
        ]


async def test_a_wallet_that_is_away_was_not_asked() -> None:
    """Domain 4.4: not sent is told from sent and unconfirmed."""
    async with simulator() as running, adapter(running) as wallet:
        await running.stop()
        answer = await ask(wallet, moving(DEBIT))
    assert (answer.outcome, answer.reason) == (UNKNOWN, NOT_SENT)


async def test_every_call_is_counted_by_verb_and_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of balances; what nobody can tell is UNKNOWN."""
    counted: list[tuple[str, str]] = []

    def count(name: str, **labels: str) -> None:
        if name == "sabot.wallet.calls":
            counted.append((labels["verb"], labels["outcome"]))

    monkeypatch.setattr(telemetry, "count", count)
    async with simulator() as running, adapter(running) as wallet:
        running.fund("p", 1_000)
        running.misbehaves(CREDIT, "ERROR")
        await wallet.balance("p", "EUR")
        for movement in (moving(DEBIT), moving(CANCEL), moving(CREDIT), moving(REVERSE, 10_000)):
            await ask(wallet, movement)
        await running.stop()
        await wallet.balance("p", "EUR")
    assert counted == [
        ("BALANCE", DONE), (DEBIT, DONE), (CANCEL, DONE), (CREDIT, UNKNOWN), (REVERSE, REFUSED),
        ("BALANCE", UNKNOWN),
    ]  # fmt: skip


async def test_an_open_breaker_asks_nobody() -> None:
    """After so many failures in a row nothing is sent for a while; then one call tries."""
    async with simulator() as running:
        running.fund("p", 1_000)
        limits = {"breaker_failures_max": 2, "breaker_open_s": 60.0}
        async with adapter(running, limits=limits) as wallet:
            running.misbehaves(DEBIT, "ERROR", times=2)
            for _ in range(2):
                assert (await ask(wallet, moving(DEBIT))).reason == "HTTP_500"
            assert (await ask(wallet, moving(DEBIT))).reason == NOT_SENT
            assert running.simulator.books.balance("p", "EUR") == 1_000


def test_the_breaker_lets_one_call_try_and_closes_with_an_answer() -> None:
    """Half open for one call at a time."""
    clock = ManualClock(0)
    breaker = Breaker(clock, failures_max=1, open_s=5.0)
    breaker.note(answered=False)
    assert not breaker.allows()
    clock.advance(5.0)
    assert breaker.allows()
    assert not breaker.allows()
    breaker.note(answered=True)
    assert breaker.allows()
    assert not breaker.is_open


def test_the_openapi_document_is_that_of_the_messages() -> None:
    """What integrators read is made from the code: `python -m services.wager.seamless.openapi`."""
    assert openapi.FILE.read_text() == openapi.written()
    schemas = openapi.document()["components"]["schemas"]
    assert set(schemas) == {"Asked", "Share", "Told"}
    assert schemas["Told"]["required"] == ["status"]
