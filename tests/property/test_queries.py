"""Whatever happens at a table, and in whatever order topics arrive, queries can be folded from it."""

from __future__ import annotations

from random import Random

import pytest

from services.contracts.core import Heard
from services.settlement.queries.desk import Desk, Said, further_keys, keys
from services.settlement.queries.folding import FOLDS, TOLD
from services.settlement.queries.resources import (
    COUPS,
    INCIDENTS,
    SHOES,
    WAGERS,
    Coup,
    Incident,
    Kind,
    Resource,
    Shoe,
    Table,
    Wager,
)
from tests.property.play import wander
from tests.property.test_tables import COVERING

PHASES = {"IDLE", "BETTING", "BETTING_CLOSED", "DEALING", "RESULT", "CLOSED"}
STATUSES = {
    "PENDING",
    "OPEN",
    "WON",
    "LOST",
    "PUSH",
    "REJECTED",
    "CANCELLED",
    "WITHDRAWN",
    "VOIDED",
    "REFUNDED",
    "FORFEITED",
}


def arrived(sent: list[Heard], chance: Random) -> list[Heard]:
    """Topics in an order of chance, each in its own order."""
    topics: dict[str, list[Heard]] = {}
    for each in sent:
        topics.setdefault(each.service, []).append(each)
    left = {name: iter(topic) for name, topic in topics.items()}
    order = [name for name, topic in topics.items() for _ in topic]
    # Topics run beside each other, some way apart.
    order = [name for _, name in sorted(enumerate(order), key=lambda it: chance.random())]
    return [next(left[name]) for name in order]


def folded(sent: list[Heard]) -> Desk:
    """All resources, and after each event that its table is in a state that there is."""
    desk = Desk()
    for position, each in enumerate(sent, start=1):
        if type(each.event) not in TOLD:
            continue
        said = Said(each.event, each.meta, each.event_id, position)
        for key in keys(said):
            known = desk.held.setdefault(key, None)
            for further in further_keys(known) if known is not None else ():
                desk.held.setdefault(further, None)
        desk.fold(said, FOLDS)
        table = desk.held["tables", each.meta.table_id]
        assert table is None or (isinstance(table, Table) and table.phase in PHASES)
    return desk


def all_of(desk: Desk, kind: Kind) -> list[Resource]:
    return [each for (name, _), each in desk.changed.items() if name == kind.name]


def check(desk: Desk) -> None:
    """What is true of resources, whatever their table went through."""
    for shoe in all_of(desk, SHOES):
        assert isinstance(shoe, Shoe)
        results = [mark.result for mark in shoe.kept_road]
        counts = (shoe.banker_wins, shoe.player_wins, shoe.ties)
        assert counts == tuple(map(results.count, "BPT"))
    for coup in all_of(desk, COUPS):
        assert isinstance(coup, Coup)
        assert coup.id == f"{coup.table_id}:{coup.session}:{coup.number}"
        assert len({card.draw_number for card in coup.cards}) == len(coup.cards)
    for wager in all_of(desk, WAGERS):
        assert isinstance(wager, Wager)
        assert wager.status in STATUSES
        assert wager.valid_bet_minor <= wager.turnover_minor <= wager.stake_minor
    for table in (each for each in desk.changed.values() if isinstance(each, Table)):
        opened = {
            each.id
            for each in all_of(desk, INCIDENTS)
            if isinstance(each, Incident) and each.id in table.kept_incidents.values()
        }
        assert len(opened) == table.incidents_open


@pytest.mark.timeout(600)
@pytest.mark.parametrize("rulebook", COVERING)
def test_any_table_can_be_folded_in_any_order_of_topics(rulebook: str) -> None:
    """Tables that between them leave out nothing that a service says."""
    for seed in COVERING[rulebook]:
        sent = wander(rulebook, seed).sent
        check(folded(sent))
        check(folded(arrived(sent, Random(seed))))
