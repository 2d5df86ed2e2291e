"""Stops: no new wagers of a player, of a session, on an area, at a table, under a rulebook."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from sabot.common.v1 import common_pb2
from sabot.wager.v1 import wager_service_pb2 as pb
from services.chassis.auth import Identity, Stamp, identity, set_identity
from services.chassis.rpc_errors import PermissionDenied
from services.contracts.common import PlayerContext
from services.contracts.core import SYSTEM
from services.contracts.round import TableOpened
from services.contracts.wager import (
    BettingStopped,
    DebitRequested,
    SlipRejected,
    StopLifted,
    WagerAccepted,
    WagerCancelled,
    WagerChanged,
    WagerRejected,
)
from services.wager import domain as wager
from services.wager.api import WagerService
from services.wager.commands import (
    CancelWager,
    ChangeWager,
    LiftStop,
    OrderStop,
    PlaceSlip,
    RecordDebit,
    Stake,
)
from services.wager.domain.facts import Facts, Stop
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import accepted, betting, opened, place, settings, sign

SUPERVISOR = person("CASINO_SUPERVISOR")
PLAYER = person("PLAYER", "p1")
ACME = PlayerContext(operator="acme", session="s1")


def table(mode: str = "LIVE") -> Spec:
    return spec(wager).given(opened("live-studio", mode=mode), sign(), betting())


def order(of: str, value: str = "", **more: Any) -> OrderStop:
    return OrderStop(**{"at_us": AT_US, "by": SUPERVISOR, "of": of, "value": value, **more})


def lift(ordered: OrderStop) -> LiftStop:
    return LiftStop(
        at_us=AT_US,
        by=ordered.by,
        of=ordered.of,
        value=ordered.value,
        operator=ordered.operator,
        everywhere=ordered.everywhere,
    )


BINDS = [
    (order("PLAYER", "p1"), True),
    (order("PLAYER", "p2"), False),
    (order("SESSION", "s1"), True),
    (order("SESSION", "s2"), False),
    (order("AREA", "BANKER"), True),
    (order("AREA", "TIE"), False),
    (order("TABLE"), True),
    (order("RULEBOOK", "live-studio"), True),
    (order("RULEBOOK", "nsw-mini"), False),
    (order("TABLE", operator="acme"), True),
    (order("TABLE", operator="other"), False),
    (order("PLAYER", "p1", operator="other"), False),
]


@pytest.mark.parametrize(("ordered", "binds"), BINDS)
def test_a_stop_refuses_new_wagers_until_it_is_lifted(ordered: OrderStop, *, binds: bool) -> None:
    """Wagers, slips and increases of what it binds, at once; everything else goes on."""
    mine = replace(accepted(), context=ACME)
    stopped = table().given(mine).when(ordered).then(like(BettingStopped, of=ordered.of))
    staking = replace(place("w2"), context=ACME)
    more = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=2_000)
    slip = PlaceSlip(
        at_us=AT_US, by=PLAYER, slip_id="s", player="p1", context=ACME,
        wagers=(Stake(area="BANKER", amount_minor=500),),
    )  # fmt: skip
    if binds:
        stopped.when(staking).then(like(WagerRejected, code="STOPPED"))
        stopped.when(slip).then(like(SlipRejected, code="STOPPED"), like(WagerRejected))
        stopped.when(more).then_raises("STOPPED")
    else:
        stopped.when(staking).then(like(DebitRequested))
    lifted = stopped.when(lift(ordered)).then(like(StopLifted, of=ordered.of))
    lifted.when(staking).then(like(DebitRequested))
    lifted.when(more).then(like(DebitRequested))
    lifted.when(lift(ordered)).then_raises("UNKNOWN")


def test_what_was_accepted_stands_under_a_stop() -> None:
    """It may be lowered and taken back, and a debit that was under way is decided as ever."""
    waiting = table().given(accepted("w1"), *table().when(place("w2")).events)
    stopped = waiting.when(order("TABLE")).then(like(BettingStopped))
    less = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=500)
    stopped.when(less).then(like(WagerChanged, to_minor=500))
    back = CancelWager(at_us=AT_US, by=PLAYER, wager_id="w1")
    stopped.when(back).then(like(WagerCancelled))
    paid = RecordDebit(at_us=AT_US, by=PLAYER, movement_id="T1/w2/1", outcome="DONE")
    stopped.when(paid).then(like(WagerAccepted, wager_id="w2"))


def test_a_stop_is_ordered_once_and_outlasts_the_session() -> None:
    """The same words again change nothing; a stop ends by being lifted."""
    stopped = table().when(order("AREA", "BANKER")).then(like(BettingStopped))
    stopped.when(order("AREA", "BANKER", reason="again")).then_nothing()
    stopped.when(order("AREA", "BANKER", operator="acme")).then(like(BettingStopped))
    reopened = stopped.when_heard(TableOpened(session=2, settings=settings("live-studio")))
    again = reopened.before.given(*reopened.events, betting())
    again.when(place()).then(like(WagerRejected, code="STOPPED"))


@pytest.mark.parametrize(
    ("ordered", "code"),
    [
        (order("TABLE", by=person("GAME_SUPERVISOR")), "ROLE"),
        (order("TABLE", by=PLAYER), "ROLE"),
        (order("TABLE", "T2"), "NOT_PERMITTED"),
        (order("PLAYER"), "NOT_PERMITTED"),
        (order("AREA", "MOON"), "UNKNOWN_AREA"),
    ],
)
def test_a_stop_says_what_is_stopped_and_by_whom(ordered: OrderStop, code: str) -> None:
    """A casino supervisor, or a machine of the operator; a table is stopped where it stands."""
    table().when(ordered).then_raises(code)
    table().when(order("TABLE", by=SYSTEM, operator="acme")).then(
        like(BettingStopped, operator="acme")
    )


def test_a_stop_at_all_tables_is_looked_up_and_kept_by_none() -> None:
    """The register has it; a table in TEST mode keeps its own, and knows of no other."""
    everywhere = order("AREA", "MOON", everywhere=True)
    told = table().when(everywhere).then(like(BettingStopped, everywhere=True))
    assert told.state.permissions.stops == ()
    stop = Stop(of="AREA", value="BANKER")
    (refused,) = wager.decide(place(), table().state, Facts(stops=(stop,)))
    assert like(WagerRejected, code="STOPPED").fits(refused)
    known = replace(everywhere, value="BANKER")
    assert not wager.decide(known, table().state, Facts(stops=(stop,)))
    assert wager.decide(lift(known), table().state, Facts(stops=(stop,)))
    table().when(lift(known)).then_raises("UNKNOWN")
    here = table().when(order("AREA", "BANKER")).then(like(BettingStopped))
    lifted = here.given(*wager.decide(lift(known), here.state, Facts(stops=(stop,))))
    lifted.when(place()).then(like(WagerRejected, code="STOPPED"))
    trial = table("TEST").when(known).then(like(BettingStopped))
    trial.when(place()).then(like(WagerRejected, code="STOPPED"))
    trial.when(lift(known)).then(like(StopLifted)).when(place()).then(like(DebitRequested))


class Edge:
    """What the calls need of the service: it keeps the command, and has one stop in its register."""

    def __init__(self) -> None:
        self.made: Any = None
        self.pool = self
        self.executor = self

    async def carry_out(self, request: Any, table_id: str, command: Any, **_: Any) -> Any:
        del request, table_id
        self.made = command(Stamp(AT_US, identity().actor, None, None))
        return SimpleNamespace(result=common_pb2.CommandResult())

    async def fetch(self, _: str) -> list[tuple[Any, ...]]:
        return [("AREA", "TIE", "", "T9", "ALERT", "cs-1", 7)]

    async def state(self, _: str) -> Any:
        return table().given(BettingStopped(of="PLAYER", value="p1", operator="acme")).state


async def test_a_token_that_names_an_operator_commands_for_him_alone() -> None:
    """It need not say so in the request; another operator's players are not his to stop."""
    edge: Any = Edge()
    service = WagerService(edge)
    request = pb.OrderStopRequest(table_id="T1", of="TABLE", everywhere=True)
    set_identity(Identity(SYSTEM, frozenset(), None, {"operator": "acme"}))
    await service.OrderStop(request, None)
    assert edge.made == OrderStop(
        at_us=AT_US, by=SYSTEM, of="TABLE", operator="acme", everywhere=True
    )
    request.operator = "other"
    with pytest.raises(PermissionDenied, match="acme alone"):
        await service.OrderStop(request, None)
    set_identity(Identity(SUPERVISOR, frozenset(), None))
    await service.LiftStop(pb.LiftStopRequest(of="TABLE", operator="other"), None)
    assert (edge.made.of, edge.made.operator) == ("TABLE", "other")


async def test_stops_in_force_are_told() -> None:
    """Those of all tables with who, where and why; those of the table that is asked about."""
    set_identity(Identity(SUPERVISOR, frozenset(), None))
    service = WagerService(Edge())  # type: ignore[arg-type]
    everywhere = pb.Stop(
        of="AREA", value="TIE", everywhere=True, table_id="T9", reason="ALERT",
        ordered_by="cs-1", at_us=7,
    )  # fmt: skip
    answer = await service.ListStops(pb.ListStopsRequest(), None)
    assert list(answer.stops) == [everywhere]
    answer = await service.ListStops(pb.ListStopsRequest(table_id="T1"), None)
    here = pb.Stop(of="PLAYER", value="p1", operator="acme", table_id="T1")
    assert list(answer.stops) == [everywhere, here]


async def test_an_operators_token_is_told_of_no_stop_of_another() -> None:
    """Their players are none of his affair; what binds everybody binds his."""
    service = WagerService(Edge())  # type: ignore[arg-type]
    request = pb.ListStopsRequest(table_id="T1")
    for operator, told in (("other", {"TIE"}), ("acme", {"TIE", "p1"})):
        set_identity(Identity(SYSTEM, frozenset(), None, {"operator": operator}))
        answer = await service.ListStops(request, None)
        assert {stop.value for stop in answer.stops} == told
