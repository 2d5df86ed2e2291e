"""`sabot wallet`: the conformance suite, and what a comparison of books finds."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from services.cli import wallet
from services.cli.errors import WrongInput
from services.wager.comparing import DIFFERENT, EXTRA, MISSING, Line, differences
from services.wager.seamless.amounts import FORMS, Form
from services.wager.seamless.client import Switches
from services.walletsim import books
from services.walletsim.books import Result, Row
from tests.support.walletsim import Running, simulator


async def faults(running: Running, switches: Switches | None = None, **told: bool) -> list[str]:
    """Names of the checks that the simulator fails; `told`: how it wants to be told of credits."""
    running.fund("tester", 10_000)
    outcomes = await wallet.checks(
        running.url,
        running.signer,
        "key",
        player="tester",
        currency="EUR",
        switches=switches or Switches(),
        session="s1",
        **told,
    )
    assert len(outcomes) == 16 + sum(told.values())
    return [f"{each.name}: {each.fault}" for each in outcomes if each.fault]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rsa_keys", [False, True], ids=["hmac", "rsa"])
async def test_the_simulator_conforms_however_it_writes_and_checks(
    form: str, rsa_keys: bool
) -> None:
    """Every form of amounts, with both signatures."""
    written = Form(form, 6)
    async with simulator(form=written, rsa_keys=rsa_keys) as running:
        assert await faults(running, Switches(form=written)) == []


SESSIONS = [(False, "NONE"), (False, "DEBITS"), (True, "DEBITS"), (True, "ALL")]
"""Whether the wallet asks for a session, and in which requests it is named."""


@pytest.mark.parametrize("says_exists", [False, True])
@pytest.mark.parametrize("remembers_cancels", [False, True])
@pytest.mark.parametrize("partial_cancel", [False, True])
@pytest.mark.parametrize(("asks", "session_in"), SESSIONS)
async def test_the_simulator_conforms_in_every_switch_setting(
    says_exists: bool, remembers_cancels: bool, partial_cancel: bool, asks: bool, session_in: str
) -> None:
    """Domain 4.2: answer to a repeat, cancel of an unknown debit or after a credit, partial cancel,
    session; amounts, signatures, credits of zero and for a whole coup take turns.
    """
    turn = (
        says_exists
        + 2 * remembers_cancels
        + 4 * partial_cancel
        + SESSIONS.index((asks, session_in))
    )
    has = books.Switches(
        says_exists=says_exists,
        remembers_cancels=remembers_cancels,
        partial_cancel=partial_cancel,
        asks_for_session=asks,
        refuses_after_credit=bool(turn % 2),
    )
    form = Form(FORMS[turn % len(FORMS)], 6)
    told = Switches(
        form=form,
        remembers_cancels=remembers_cancels,
        partial_cancel=partial_cancel,
        session=session_in,
    )
    paid_by = {"zero_credits": bool(turn % 2), "coup_credits": bool(turn // 2 % 2)}
    async with simulator(has, form, rsa_keys=bool(turn // 2 % 2)) as running:
        assert await faults(running, told, **paid_by) == []


async def test_a_wallet_that_asks_for_sessions_after_the_debit_does_not_conform() -> None:
    """What a player is owed is paid though his session is over."""

    class Strict(books.Books):
        def _session_fault(self, asked: Row) -> str:
            return "" if asked.session in ("s1", "") else "SESSION_ENDED"

    async with simulator() as running:
        running.simulator.books = Strict(books.Switches())
        found = await faults(running, Switches(session="ALL"))
        assert [fault.partition(":")[0] for fault in found] == [
            "what is owed is paid without an open session"
        ]


class Forgetful(books.Books):
    """A wallet that knows no keys."""

    def move(self, asked: Row, *, more_minor: int = 0) -> Result:
        self.rows.pop(asked.key, None)
        return super().move(asked, more_minor=more_minor)


class Generous(books.Books):
    """A wallet that undoes a debit as often as it is asked to."""

    def move(self, asked: Row, *, more_minor: int = 0) -> Result:
        self._undone.clear()
        return super().move(asked, more_minor=more_minor)


class Strict(books.Books):
    """A wallet that takes a credit for one wager only, and none of nothing."""

    def move(self, asked: Row, *, more_minor: int = 0) -> Result:
        if asked.verb == "CREDIT" and (asked.wagers or not asked.amount_minor):
            return Result(status="REFUSED", code="MALFORMED")
        return super().move(asked, more_minor=more_minor)


async def test_a_wallet_that_pays_wager_by_wager_is_not_told_otherwise() -> None:
    """Domain 4.2, switches: the checks are made for wallets that want to be told so."""
    async with simulator() as running:
        running.simulator.books = Strict(books.Switches())
        assert await faults(running) == []
        found = await faults(running, zero_credits=True, coup_credits=True)
        assert [fault.partition(":")[0] for fault in found] == [
            "a lost wager is taken note of by a credit of zero",
            "one credit pays all wagers of a coup, once",
        ]


@pytest.mark.parametrize(
    ("made", "check"), [(Forgetful, "once however often"), (Generous, "under a second key")]
)
async def test_a_wallet_that_moves_twice_does_not_conform(
    made: type[books.Books], check: str
) -> None:
    """The suite finds what would cost money."""
    async with simulator() as running:
        running.simulator.books = made(books.Switches())
        assert any(check in fault for fault in await faults(running))


async def test_a_switch_that_is_set_wrongly_is_found() -> None:
    """A wallet that forgets cancels is not taken for one that remembers them."""
    async with simulator(books.Switches(remembers_cancels=False)) as running:
        assert any("unknown debit" in fault for fault in await faults(running))


async def test_amounts_that_are_wrong_are_found() -> None:
    """One minor unit too much is seen, at whichever verb."""
    async with simulator() as running:
        running.misbehaves("*", "WRONG_AMOUNT", times=100)
        assert len(await faults(running)) >= 5


# --- books ---


def line(key: str, amount: int = 100, **more: str) -> Line:
    values = {"verb": "DEBIT", "player": "p", "currency": "EUR", **more}
    return Line(key=key, amount_minor=amount, **values)


def test_equal_books_have_no_difference() -> None:
    """Also with a debit that nobody confirmed and its cancel, there or not."""
    debit = line("d", status="UNCONFIRMED")
    cancel = line("c", verb="CANCEL", cancels="d")
    ours = [line("a"), debit, cancel]
    assert differences(ours, [line("a"), line("d"), line("c", verb="CANCEL")]) == []
    assert differences(ours, [line("a")]) == []


def test_a_credit_of_zero_is_in_no_lists_way() -> None:
    """Domain 4.2: whether the operator lists it or not; but not where money moved under its key."""
    zero = line("z", 0, verb="CREDIT")
    assert differences([zero], [zero]) == differences([zero], []) == differences([], [zero]) == []
    (found,) = differences([zero], [line("z", 1, verb="CREDIT")])
    assert found.kind == DIFFERENT


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        ([line("a")], [], MISSING),
        ([], [line("a")], EXTRA),
        ([line("a")], [line("a"), line("a")], EXTRA),
        ([line("a")], [line("a", 101)], DIFFERENT),
        ([line("a")], [line("a", verb="CREDIT")], DIFFERENT),
        ([line("a")], [line("a", player="q")], DIFFERENT),
        ([line("a")], [line("a", currency="USD")], DIFFERENT),
        ([line("d", status="UNCONFIRMED")], [line("d")], EXTRA),
        (
            [line("d", status="UNCONFIRMED"), line("c", verb="CANCEL", cancels="d")],
            [line("d"), line("c", 99, verb="CANCEL")],
            EXTRA,
        ),
        (
            [line("d", status="UNCONFIRMED"), line("c", verb="CANCEL", cancels="d")],
            [line("d")],
            MISSING,
        ),
    ],
)
def test_each_kind_of_planted_difference_is_found(
    ours: list[Line], theirs: list[Line], kind: str
) -> None:
    """Missing, extra, listed twice, another amount, verb, player, currency, half undone."""
    assert kind in [each.kind for each in differences(ours, theirs)]


def test_what_is_open_is_explained() -> None:
    """A movement that Sabot knows to be open is said to be so."""
    (found,) = differences([line("a", status="REFUSED")], [line("a")])
    assert (found.kind, found.open_item) == (EXTRA, True)
    out = io.StringIO()
    wallet.write([found], out, as_json=False, ours=1, theirs=1)
    assert "EXTRA      a  p 100 EUR: is REFUSED with Sabot (an open item)" in out.getvalue()


def test_a_list_that_cannot_be_read_names_the_line(tmp_path: Path) -> None:
    """Nothing is guessed."""
    file = tmp_path / "list.csv"
    head = "key,verb,player,currency,amount_minor\n"
    for text, fault in (
        ("key,verb\n", "player, currency, amount_minor are missing"),
        (head + "a,DEBIT,p,EUR,1.5\n", ":2: amount_minor '1.5'"),
        (head + "a,DEBIT,p\n", ":2: has not all columns"),
    ):
        file.write_text(text)
        with pytest.raises(WrongInput, match=fault):
            wallet.listed(file)
    file.write_text(head + "a,DEBIT,p,EUR,150\n")
    assert wallet.listed(file) == [line("a", 150)]
