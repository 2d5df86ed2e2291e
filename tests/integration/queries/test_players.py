"""Roads of a shoe, and what is asked of a player and of a movement of his money."""

from __future__ import annotations

from typing import Any

import pytest

from sabot.query.v1 import query_service_pb2 as pb
from services.chassis.postgres import Pool
from services.chassis.rpc_errors import InvalidCommand, NotFound, PermissionDenied
from services.rules.roles import PLAYER
from services.settlement.queries import players, projection
from services.settlement.queries.api import QueryService
from services.settlement.queries.players import wager_key
from services.settlement.queries.resources import COUPS, SHOES, TABLES, WAGERS, Wager
from tests.integration.queries.calls import stored
from tests.support.queried import Log, projector, runtime, sign_in


@pytest.fixture
def service(queried: Pool) -> QueryService:
    """Signed in as an auditor."""
    sign_in()
    return QueryService(runtime(queried))


async def test_roads_of_a_shoe_by_its_id_and_by_its_table(
    service: QueryService, queried: Pool
) -> None:
    """The results of its coups without the void ones; one of the two arguments, and not both."""
    for table in await stored(queried, TABLES):
        if not table.shoe_id:
            continue
        answer = await service.GetRoads(pb.GetRoadsRequest(table_id=table.id), None)
        roads = answer.roads
        assert roads.shoe_id == f"{table.id}/{table.shoe_id}"
        same = await service.GetRoads(pb.GetRoadsRequest(id=roads.shoe_id), None)
        assert same.roads == roads
        wanted = [
            (coup.number, coup.winner[0])
            for coup in await stored(queried, COUPS)
            if coup.table_id == table.id
            and coup.shoe_id == table.shoe_id
            and coup.winner
            and coup.status in ("OPEN", "SETTLED", "NO_BET")
        ]
        assert [(bead.mark.coup, bead.mark.result) for bead in roads.bead_plate] == wanted
        tail = [(mark.coup, mark.result) for mark in table.road_tail]
        assert tail == wanted[-24:]
    for request in (pb.GetRoadsRequest(), pb.GetRoadsRequest(id="a/b", table_id="a")):
        with pytest.raises(InvalidCommand, match="which shoe"):
            await service.GetRoads(request, None)
    for request in (pb.GetRoadsRequest(id="a/b"), pb.GetRoadsRequest(table_id="a")):
        with pytest.raises(NotFound):
            await service.GetRoads(request, None)
    assert len(await stored(queried, SHOES)) > 100


async def test_a_wager_is_found_by_every_movement_of_its_money(
    service: QueryService, queried: Pool
) -> None:
    """Debits, refunds and payments alike; a key that nobody used finds nothing."""
    found = 0
    for wager in await stored(queried, WAGERS):
        for key in wager.movement_ids:
            answer = await service.FindWagers(pb.FindWagersRequest(movement_id=key), None)
            assert [each.id for each in answer.items] == [wager.id]
            found += 1
        for key in (f"{wager.id}/99", f"{wager.coup_id}/{wager.wager_id}/99"):
            answer = await service.FindWagers(pb.FindWagersRequest(movement_id=key), None)
            assert not answer.items
    assert found > 300
    sign_in(PLAYER, "somebody-else")
    known = pb.FindWagersRequest(movement_id=wager.movement_ids[0])
    assert not (await service.FindWagers(known, None)).items


async def test_wagers_of_one_credit_or_one_slip_are_found_together(own: Pool) -> None:
    """By the key of the credit, by the slip's debit and by the cancel of it; no others with them."""
    filling = projector(Log([]), own)
    live = await filling.prepare()
    of_credit = ("T:1:1/a/1", "T:1:1/#1")
    of_slip = ("T/s/1",)
    wagers = [
        Wager(id="T/a", coup_id="T:1:1", movement_ids=of_credit),
        Wager(id="T/b", coup_id="T:1:1", movement_ids=("T:1:1/b/1",)),
        Wager(id="T/s#1", movement_ids=of_slip),
        Wager(id="T/s#2", movement_ids=of_slip),
        Wager(id="T/s2", movement_ids=("T/s2/1",)),
    ]
    async with own.acquire() as connection:
        await projection._store(connection, live.schema, WAGERS, wagers)
    sign_in()
    service = QueryService(runtime(own))
    for key, wanted in (
        ("T:1:1/#1", ["T/a"]),
        ("T:1:1/#2", []),
        ("T/s/1", ["T/s#1", "T/s#2"]),
        ("T/s/2", ["T/s#1", "T/s#2"]),
        ("T/s/3", []),
        ("T/s2/1", ["T/s2"]),
    ):
        answer = await service.FindWagers(pb.FindWagersRequest(movement_id=key), None)
        assert [each.id for each in answer.items] == wanted, key


def test_keys_of_movements_name_their_wager() -> None:
    """Also where the wager's own id has slashes and colons in it."""
    assert wager_key("T1/w1/2") == "T1/w1"
    assert wager_key("T1:4:17/w1/2") == "T1/w1"
    assert wager_key("T1/a/b:c/2") == "T1/a/b:c"
    assert wager_key("T1:4:17/a/b:c/2") == "T1/a/b:c"
    assert wager_key("nonsense") == "nonsense/"


async def test_a_recall_has_the_last_coups_with_cards_decisions_and_wagers(
    service: QueryService, queried: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-01: the last coups he staked on, latest first, however many wagers a page holds.

    Where nothing of his was accepted he did not stake; beside what was, he is told of what was not.
    """
    mine = [each for each in await stored(queried, WAGERS) if each.player == "p1"]
    order = list(dict.fromkeys(each.coup_id for each in reversed(mine) if each.accepted_us))
    assert len(order) > 12
    assert {each.coup_id for each in mine} - {*order}
    assert {each.coup_id for each in mine if not each.accepted_us} & {*order}
    for page in (2, 500):
        monkeypatch.setattr(players, "WAGERS_AT_ONCE", page)
        for asked, wanted in ((0, 10), (3, 3), (1_000, len(order[:100]))):
            answer = await service.GetPlayerRecall(
                pb.GetPlayerRecallRequest(player="p1", coups=asked), None
            )
            assert answer.recall
            assert [each.coup.id for each in answer.coups] == order[:wanted]
    for each in answer.coups:
        of_coup = [wager.id for wager in mine if wager.coup_id == each.coup.id]
        assert [wager.id for wager in each.wagers] == of_coup
        if each.coup.status == "SETTLED":
            assert len(each.coup.cards) >= 4
            assert each.coup.decisions


async def test_a_statement_adds_up(service: QueryService, queried: Pool) -> None:
    """Its sums are those of his wagers, day by day; tokens and TEST tables by themselves."""
    values = await stored(queried, WAGERS)
    for player in sorted({each.player for each in values}):
        answer = await service.GetPlayerStatement(pb.GetPlayerStatementRequest(player=player), None)
        mine = [
            each
            for each in values
            if each.player == player and each.status not in ("PENDING", "REJECTED")
        ]
        assert sum(line.wagers for line in answer.lines) == len(mine)
        for line in answer.lines:
            these = [each for each in mine if belongs(each, line)]
            assert line.turnover_minor == sum(each.turnover_minor for each in these)
            assert line.valid_bet_minor == sum(each.valid_bet_minor for each in these)
            assert line.net_minor == sum(map(net, these)), line
            still = [each.stake_minor for each in these if each.status == "OPEN"]
            assert line.open_minor == sum(still)


async def test_a_statement_is_of_a_time(service: QueryService, queried: Pool) -> None:
    """From an instant on, and up to another one."""
    mine = [
        each
        for each in await stored(queried, WAGERS)
        if each.player == "p1" and each.status not in ("PENDING", "REJECTED")
    ]
    first, last = mine[len(mine) // 3].at_us, mine[len(mine) // 2].at_us
    answer = await service.GetPlayerStatement(
        pb.GetPlayerStatementRequest(player="p1", from_us=first, until_us=last), None
    )
    wanted = [each for each in mine if first <= each.at_us < last]
    assert sum(line.wagers for line in answer.lines) == len(wanted) > 0


async def test_a_player_asks_for_himself_only(service: QueryService) -> None:
    """Others get a refusal and not an empty answer: nobody takes it for a fact."""
    sign_in(PLAYER, "p1")
    await service.GetPlayerRecall(pb.GetPlayerRecallRequest(player="p1"), None)
    await service.GetPlayerStatement(pb.GetPlayerStatementRequest(player="p1"), None)
    with pytest.raises(PermissionDenied):
        await service.GetPlayerRecall(pb.GetPlayerRecallRequest(player="p2"), None)
    with pytest.raises(PermissionDenied):
        await service.GetPlayerStatement(pb.GetPlayerStatementRequest(player="p2"), None)


def belongs(wager: Any, line: Any) -> bool:
    return (wager.gaming_day, wager.currency, wager.funding, wager.test) == (
        line.gaming_day,
        line.currency,
        line.funding,
        line.test,
    )


def net(wager: Any) -> int:
    """What the wager changed in the player's account, in the end."""
    if wager.funding == "PROMO":
        return int(wager.winnings_minor)
    if wager.status in ("WON", "LOST", "PUSH"):
        return int(wager.returned_minor + wager.winnings_minor - wager.stake_minor)
    return -int(wager.stake_minor) if wager.status == "FORFEITED" else 0
