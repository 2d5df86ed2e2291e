"""Every call of every service has a policy, and the policies are those that the clauses ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sabot.query.v1 import query_service_pb2, watch_service_pb2
from sabot.round.v1 import round_service_pb2
from sabot.settlement.v1 import report_service_pb2, settlement_service_pb2
from sabot.shoe.v1 import shoe_service_pb2
from sabot.wager.v1 import wager_service_pb2, wallet_service_pb2
from services.contracts.access import ACCESS, CASHIERS, COMMANDING, may_see
from services.contracts.core import Actor
from services.rules.roles import AUDITOR, PLAYER, ROLES

FILES = (
    shoe_service_pb2,
    round_service_pb2,
    wager_service_pb2,
    wallet_service_pb2,
    settlement_service_pb2,
    report_service_pb2,
    query_service_pb2,
    watch_service_pb2,
)


def methods() -> Iterator[tuple[str, bool]]:
    """Every method there is, and whether it is a command."""
    for file in FILES:
        for service in file.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                command = "meta" in method.input_type.fields_by_name
                yield f"{service.full_name}/{method.name}", command


def test_every_method_has_a_policy_and_every_policy_a_method() -> None:
    """A call that nobody thought of is closed, and this test says so before anybody meets it."""
    assert set(ACCESS) == {name for name, _ in methods()}
    assert all(roles and roles <= set(ROLES) for roles in ACCESS.values())


def test_an_auditor_commands_nothing_and_reads_everything() -> None:
    """Clauses 1.3: his role is in no command and in every query that moves or makes nothing."""
    moves = {"FundAccount", "CreditAccount", "ReverseAccount", "RebuildProjections", "PlaceWagers"}
    for name, command in methods():
        reads = not command and name.rpartition("/")[2] not in moves
        assert (AUDITOR in ACCESS[name]) == reads, name


def test_commands_are_for_the_rules_to_refuse() -> None:
    """Whoever may command at all is answered by the rules, but for those that seal cards first."""
    narrow = {name for name, command in methods() if command and ACCESS[name] != COMMANDING}
    assert {name.rpartition("/")[2] for name in narrow} == {"LoadShoe", "ResumeCoup"}


def test_a_player_reads_the_public_table_and_what_is_his_own() -> None:
    """Neither logs nor evidence nor rebuilds, and no money moves on his word alone."""
    open_to_players = {
        name.rpartition("/")[2]
        for name, command in methods()
        if not command and PLAYER in ACCESS[name]
    }
    assert open_to_players == {
        "GetShoe",
        "GetTable",
        "GetBook",
        "PlaceWagers",
        "GetBalance",
        "ListMovements",
        "GetCoup",
        "ListCoups",
        "GetRulebook",
        "GetWager",
        "GetLimits",
        *(
            f"{verb}{kind}"
            for verb in ("BatchGet", "List")
            for kind in ("Tables", "Shoes", "Coups", "Wagers", "LimitsHistory", "Rulebooks")
        ),
        "GetRoads",
        "FindWagers",
        "GetPlayerRecall",
        "GetPlayerStatement",
        "WatchTable",
        "WatchTables",
    }


@pytest.mark.parametrize(
    ("method", "roles"),
    [
        ("FundAccount", {"CASINO_SUPERVISOR", "DUTY_MANAGER", "SYSTEM"}),
        ("CreditAccount", {"SYSTEM"}),
        ("ReverseAccount", {"SYSTEM"}),
    ],
)
def test_money_is_brought_in_by_cashiers_and_paid_by_settlement(
    method: str, roles: set[str]
) -> None:
    """The roles of the wallet, one by one."""
    assert ACCESS[f"sabot.wager.v1.WalletService/{method}"] == roles
    assert "GAME_SUPERVISOR" not in CASHIERS


def test_a_player_sees_his_own_and_others_see_all() -> None:
    """Players are told apart by their ids, not by their role."""
    assert may_see(Actor("p1", PLAYER), "p1")
    assert not may_see(Actor("p1", PLAYER), "p2")
    assert all(may_see(Actor("p1", role), "p2") for role in ROLES if role != PLAYER)
