"""What callers may ask the running services, by their roles, and whose ids are out of their reach."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio

from sabot.settlement.v1 import settlement_service_pb2 as settlement
from sabot.wager.v1 import wager_service_pb2 as wager
from sabot.wager.v1 import wallet_service_pb2 as wallet
from services.chassis.auth import development_credentials
from services.chassis.rpc_errors import call_failed
from services.contracts.core import Actor
from services.devstack.stack import Stack
from services.rules.roles import ROLES
from services.tablelog.calls import Services
from services.tablelog.render import SERVICES
from tests.e2e.support import fresh, played, short_table, written

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

CASHIER = Actor("cs1", "CASINO_SUPERVISOR")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def table_id(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table where p1, p2 and p3 played three coups."""
    path = written(tmp_path_factory.mktemp("access"), "table", short_table())
    run = fresh("access")
    await played(stack, path, run)
    return f"{run}.1.T1"


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


def player(table_id: str, number: int = 1) -> Actor:
    """One of those who played; ids of players are prefixed by run and file."""
    return Actor(f"{table_id.removesuffix('.T1')}.p{number}", "PLAYER")


async def asked(services: Services, service: str, method: str, request: Any, by: Actor) -> Any:
    call = getattr(services.stub(service), method)
    answer = call(request, metadata=development_credentials(by)())
    if hasattr(answer, "__aiter__"):
        return [part async for part in answer]
    return await answer


async def failed(services: Services, service: str, method: str, request: Any, by: Actor) -> Any:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await asked(services, service, method, request, by)
    return call_failed(error.value)


async def test_a_player_reads_no_logs_no_evidence_and_no_rebuilds(
    services: Services, table_id: str
) -> None:
    """F-181, clauses 1.3: refused before anything is read, with the roles that it needs."""
    coup_id = f"{table_id}:1:1"
    tries: list[tuple[str, str, Any]] = [
        ("settlement", "RebuildCoup", settlement.RebuildCoupRequest(coup_id=coup_id)),
        ("settlement", "GetEvidence", settlement.GetEvidenceRequest(coup_id=coup_id)),
        (
            "settlement",
            "ListEvidenceExports",
            settlement.ListEvidenceExportsRequest(coup_id=coup_id),
        ),
        ("settlement", "RebuildProjections", settlement.RebuildProjectionsRequest()),
    ]
    for name in SERVICES:
        module = __import__(f"sabot.{name}.v1.{name}_service_pb2", fromlist=["x"])
        tries += [
            (name, method, getattr(module, f"{method}Request")(table_id=table_id))
            for method in ("GetTableProgress", "ListCommandEvents")
        ]
    for service, method, request in tries:
        error = await failed(services, service, method, request, player(table_id))
        assert error.code is grpc.StatusCode.PERMISSION_DENIED, method
        assert (error.reason, error.metadata["has"]) == ("ROLE", "PLAYER"), method
        assert "DUTY_MANAGER" in error.metadata["needed"], method


async def test_an_auditor_reads_and_does_not_command(services: Services, table_id: str) -> None:
    """Clauses 1.3: what the player may not read he may; no wager, no dispute, no rebuild of all."""
    auditor = Actor("a1", "AUDITOR")
    request = settlement.RebuildCoupRequest(coup_id=f"{table_id}:1:1")
    assert (await asked(services, "settlement", "RebuildCoup", request, auditor)).matches
    dispute = settlement.OpenDisputeRequest(table_id=table_id, dispute_id="q", coup=1)
    dispute.meta.command_id = fresh("dispute")
    for method, wanted in (
        ("OpenDispute", dispute),
        ("RebuildProjections", settlement.RebuildProjectionsRequest()),
    ):
        error = await failed(services, "settlement", method, wanted, auditor)
        assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE")


async def test_a_player_sees_the_coup_and_his_own_wagers_only(
    services: Services, table_id: str
) -> None:
    """Cards and result are public; who staked what is not."""
    request = settlement.GetCoupRequest(coup_id=f"{table_id}:1:1")
    whole = await asked(services, "settlement", "GetCoup", request, CASHIER)
    assert {each.player for each in whole.coup.wagers} == {
        player(table_id, 1).id,
        player(table_id, 2).id,
    }
    for who, count in (
        (player(table_id, 1), 2),
        (player(table_id, 2), 1),
        (player(table_id, 9), 0),
    ):
        seen = await asked(services, "settlement", "GetCoup", request, who)
        assert [each.player for each in seen.coup.wagers] == [who.id] * count
        assert list(seen.coup.banker) == list(whole.coup.banker)
        listed = await asked(
            services,
            "settlement",
            "ListCoups",
            settlement.ListCoupsRequest(table_id=table_id),
            who,
        )
        assert {each.player for coup in listed.coups for each in coup.wagers} <= {who.id}


async def test_nobody_calls_under_a_role_that_does_not_exist(
    services: Services, table_id: str
) -> None:
    """A role that nobody knows would be refused nowhere; the answer names those that there are."""
    request = wager.GetBookRequest(table_id=table_id)
    error = await failed(services, "wager", "GetBook", request, Actor("x", "NOBODY"))
    assert error.code is grpc.StatusCode.UNAUTHENTICATED
    assert all(role in str(error) for role in ROLES)


async def test_money_moves_for_cashiers_and_settlement_only(
    services: Services, table_id: str
) -> None:
    """A player, a dealer or a game supervisor neither funds an account nor pays into it."""
    fields = {"player": "x", "currency": "EUR", "amount_minor": 100, "movement_id": fresh("m")}
    tries = {
        "FundAccount": ("PLAYER", "DEALER", "GAME_SUPERVISOR", "INSPECTOR", "AUDITOR"),
        "CreditAccount": ("PLAYER", "DEALER", "CASINO_SUPERVISOR", "DUTY_MANAGER"),
        "ReverseAccount": ("PLAYER", "DEALER", "CASINO_SUPERVISOR", "DUTY_MANAGER"),
    }
    for method, roles in tries.items():
        request = getattr(wallet, f"{method}Request")(**fields)
        for role in roles:
            error = await failed(services, "wallet", method, request, Actor("x", role))
            assert error.code is grpc.StatusCode.PERMISSION_DENIED, (method, role)
    balance = wallet.GetBalanceRequest(player="x", currency="EUR")
    assert (await asked(services, "wallet", "GetBalance", balance, CASHIER)).balance_minor == 0
    other = await failed(services, "wallet", "GetBalance", balance, player(table_id))
    assert other.code is grpc.StatusCode.PERMISSION_DENIED


async def test_a_deposit_never_has_the_key_of_a_payment(services: Services, table_id: str) -> None:
    """Else a cashier's key could swallow a stake or a credit: under the same name both are made."""
    who = player(table_id).id
    listing = wallet.ListMovementsRequest(player=who, currency="EUR")
    before = (await asked(services, "wallet", "ListMovements", listing, CASHIER)).movements
    payment = next(each for each in before if each.kind == "CREDIT")
    fund = wallet.FundAccountRequest(
        movement_id=payment.movement_id, player=who, currency="EUR", amount_minor=7
    )
    answer = await asked(services, "wallet", "FundAccount", fund, CASHIER)
    assert not answer.duplicate
    assert answer.balance_minor == before[-1].balance_minor + 7
    assert (await asked(services, "wallet", "FundAccount", fund, CASHIER)).duplicate


async def test_ids_of_settlements_own_commands_cannot_be_taken(
    services: Services, table_id: str
) -> None:
    """What it records about a debit goes under `reversal/POSITION`; no id from outside has a slash."""
    request = settlement.RepeatReversalRequest(table_id=table_id, movement_id="m")
    request.meta.command_id = "reversal/1"
    error = await failed(services, "settlement", "RepeatReversal", request, CASHIER)
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
