"""What is asked of one player, and of one movement of his money."""

from __future__ import annotations

from typing import Any, Final

from sabot.query.v1 import query_service_pb2 as pb
from sabot.query.v1 import resources_pb2
from services.chassis.auth import identity
from services.chassis.rpc_errors import PermissionDenied
from services.contracts.access import may_see
from services.settlement.queries.messages import shown
from services.settlement.queries.reading import BASIC, Reader, Snapshot
from services.settlement.queries.resources import COUPS, WAGERS, Wager

RECALL: Final = 10
RECALL_MAX: Final = 100
WAGERS_AT_ONCE: Final = 500

_DECIDED: Final = "status in ('WON', 'LOST', 'PUSH') and turnover_minor <> 0"
"""By a result: what a void coup had won already has its stake back undecided."""

_SUMS: Final = f"""
    gaming_day, currency, funding, test,
    count(*)::bigint,
    coalesce(sum(stake_minor) filter (where status = 'OPEN'), 0)::bigint,
    sum(turnover_minor)::bigint,
    sum(valid_bet_minor)::bigint,
    coalesce(sum(returned_minor) filter (where {_DECIDED}), 0)::bigint,
    sum(winnings_minor)::bigint,
    coalesce(sum(stake_minor) filter (where status = 'FORFEITED'), 0)::bigint
"""


def only_himself(player: str) -> None:
    """A player is told of nobody else."""
    if not may_see(identity().actor, player):
        raise PermissionDenied("a player may ask for himself only", reason="NOT_YOURS")


def wager_key(movement_id: str) -> str:
    """The id of the wager that a movement is for: keys are made of it and a number at the end.

    Before the coup's end it is `table/wager/number`, after it `coup/wager/revision`.
    """
    place, _, rest = movement_id.partition("/")
    return f"{place.partition(':')[0]}/{rest.rpartition('/')[0]}"


async def find_wagers(reader: Reader, request: Any) -> pb.FindWagersResponse:
    """The wager that has this movement, or all of a slip."""
    actor = identity().actor
    key = wager_key(request.movement_id)
    # Wagers of a slip have its id with "#slip-" and a number behind it; "$" comes after "#".
    tail = "where id = $1 or (id >= $1 || '#' and id < $1 || '$') order by at_us, id"
    arguments = [key]
    coup_id, _, number = request.movement_id.partition("/#")
    if ":" in coup_id and number.isdecimal():  # one credit for all that a player had in a coup
        tail, arguments = "where coup_id = $1 order by at_us, id", [coup_id]
    table_id = WAGERS.table_of(key)
    async with reader.snapshot(request.min_position, table_id=table_id) as snapshot:
        found = await snapshot.fetch(WAGERS, tail, arguments)
    answer = pb.FindWagersResponse()
    for each in found:
        assert isinstance(each, Wager)
        if _has(each, key, request.movement_id) and may_see(actor, each.player):
            full = request.view != BASIC
            answer.items.append(shown(resources_pb2.Wager, WAGERS, each, actor, full=full))
    return reader.stamp(answer, snapshot.as_of)  # type: ignore[no-any-return]


def _has(wager: Wager, key: str, movement_id: str) -> bool:
    """Whether the movement is one of the wager's; a slip's debit is 1, and the cancel of it 2."""
    of_slip = wager.id != key and movement_id == f"{key}/2" and f"{key}/1" in wager.movement_ids
    return of_slip or movement_id in wager.movement_ids


async def recall(reader: Reader, request: Any) -> pb.GetPlayerRecallResponse:
    """The last coups that a wager of his was accepted for, latest first."""
    only_himself(request.player)
    most = min(request.coups or RECALL, RECALL_MAX)
    actor = identity().actor
    async with reader.snapshot(request.min_position) as snapshot:
        by_coup = await _last_wagers(snapshot, request.player, most)
        coups = {
            each.id: each
            for each in await snapshot.fetch(COUPS, "where id = any($1::text[])", [list(by_coup)])
        }
    answer = pb.GetPlayerRecallResponse(recall=True)
    for coup_id, wagers in by_coup.items():
        told = answer.coups.add()
        if coup_id in coups:
            coup = shown(resources_pb2.Coup, COUPS, coups[coup_id], actor, full=True)
            told.coup.CopyFrom(coup)
        else:  # its wagers were heard of first
            told.coup.id = coup_id
        told.wagers.extend(
            shown(resources_pb2.Wager, WAGERS, each, actor, full=True) for each in wagers
        )
    return reader.stamp(answer, snapshot.as_of)  # type: ignore[no-any-return]


async def _last_wagers(snapshot: Snapshot, player: str, coups_max: int) -> dict[str, list[Wager]]:
    """His wagers of so many coups, by coup: the one that he staked on last comes first."""
    by_coup: dict[str, list[Wager]] = {}
    where = "player = $1"
    arguments: list[Any] = [player]
    while len(by_coup) < coups_max:
        tail = f"where {where} order by at_us desc, id desc limit {WAGERS_AT_ONCE}"
        found = await snapshot.fetch(WAGERS, tail, arguments)
        for each in found:
            assert isinstance(each, Wager)
            # What was rejected at once was staked on nothing.
            if each.accepted_us and len(by_coup) < coups_max:
                by_coup.setdefault(each.coup_id, [])
        if len(found) < WAGERS_AT_ONCE:
            break
        where = "player = $1 and (at_us, id) < ($2, $3)"
        arguments = [player, found[-1].at_us, found[-1].id]
    # Apart from that: who plays at several tables has wagers of a coup between those of others.
    tail = "where player = $1 and coup_id = any($2::text[]) order by at_us, id"
    for each in await snapshot.fetch(WAGERS, tail, [player, list(by_coup)]):
        assert isinstance(each, Wager)
        by_coup[each.coup_id].append(each)
    return by_coup


async def statement(reader: Reader, request: Any) -> pb.GetPlayerStatementResponse:
    """His stakes and what became of them, by gaming day and currency."""
    only_himself(request.player)
    where, arguments = ["player = $1", "status not in ('PENDING', 'REJECTED')"], [request.player]
    for value, operator in ((request.from_us, ">="), (request.until_us, "<")):
        if value:
            arguments.append(value)
            where.append(f"at_us {operator} ${len(arguments)}")
    tail = (
        f"where {' and '.join(where)} group by gaming_day, currency, funding, test "
        "order by gaming_day, currency, funding, test"
    )
    async with reader.snapshot(request.min_position) as snapshot:
        rows = await snapshot.rows(_SUMS, WAGERS, tail, arguments)
    answer = pb.GetPlayerStatementResponse()
    for day, currency, funding, test, wagers, still_open, turnover, valid, back, won, kept in rows:
        cash = funding == "CASH"
        answer.lines.add(
            gaming_day=day,
            currency=currency,
            funding=funding,
            test=test,
            wagers=wagers,
            open_minor=still_open,
            turnover_minor=turnover,
            valid_bet_minor=valid,
            returned_minor=back,
            winnings_minor=won,
            forfeited_minor=kept,
            net_minor=back + won - turnover - kept if cash else won,
        )
    return reader.stamp(answer, snapshot.as_of)  # type: ignore[no-any-return]
