"""Orders that the platform shuffles: as many cards as the shoe is said to hold, or it is not loaded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from sabot.common.v1 import common_pb2
from sabot.shoe.v1 import shoe_service_pb2 as pb
from services.chassis.auth import Identity, set_identity
from services.contracts.core import Actor, NotYet, Refused
from services.contracts.shoe import ShoeLoaded, ShoeRetired
from services.rules.cards import FULL_DECK
from services.rules.rulebook import rulebook_of
from services.shoe import domain as shoe
from services.shoe.api import ShoeService
from services.shoe.commands import LoadShoe
from services.tablelog.inprocess import KnownOrder
from tests.support.played import Played, person
from tests.support.spec import AT_US, spec
from tests.support.tables import opened

DEALER = person("DEALER", "d1")


def load(**fields: Any) -> LoadShoe:
    return LoadShoe(at_us=AT_US, by=DEALER, shoe_id="S1", source="GENERATED", **fields)


def test_a_live_shoe_of_too_few_shuffled_cards_is_refused() -> None:
    """A-68: an order for the decks of another day is none for those of today."""
    took_up = opened("live-studio", mode="LIVE")
    document = {**took_up.settings.rulebook, "card_sources": ["GENERATED"]}
    rules = rulebook_of(document)
    settings = replace(took_up.settings, rulebook=document, rulebook_hash=rules.hash)
    at = spec(shoe).given(replace(took_up, settings=settings)).state
    for decks in (1, 7):
        with pytest.raises(Refused, match=f"{52 * decks} cards were shuffled, and 8 decks") as no:
            shoe.decide(load(), at, KnownOrder(FULL_DECK * decks, b"s" * 32), shoe.NO_CARDS)
        assert no.value.reason == "INTEGRITY"


def test_what_is_left_of_a_shuffled_front_of_a_shoe_is_what_was_in_it() -> None:
    """A recording may have the platform's order as far as it went."""
    story = Played("nsw-mini")
    few = FULL_DECK[:40]
    story.send("shoe", load(stands_for_preparation=True), order=few, secret=b"s" * 32)
    assert story.refused is None
    [loaded] = story.events(ShoeLoaded)
    story.do("load_shoe", shoe="S2")
    [gone] = story.events(ShoeRetired)
    assert loaded.cards == 40
    assert gone.left == 40 - gone.burned
    assert gone.burned > 0


class Edge:
    """A service that has not heard of the table, or has; it keeps what is sealed."""

    def __init__(self, state: Any) -> None:
        self.sealed: list[tuple[str, int]] = []
        self.pool = self
        self.executor = self
        self._state = state

    async def state(self, _: str) -> Any:
        return self._state

    async def seal(self, _: Any, order_id: str, _table_id: str, order: Any) -> None:
        self.sealed.append((order_id, len(order.cards)))

    async def carry_out(self, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(result=common_pb2.CommandResult())


async def test_no_order_is_sealed_before_it_is_known_how_many_decks_there_are() -> None:
    """A command that comes again has the order that was sealed first: it must be of the right size."""
    set_identity(Identity(Actor("d1", "DEALER"), frozenset(), None))
    request = pb.LoadShoeRequest(table_id="T1", shoe_id="S1", source="GENERATED")
    request.meta.command_id = "c1"
    early: Any = Edge(shoe.initial_state())
    with pytest.raises(NotYet, match="not heard yet that this table is open"):
        await ShoeService(early, early).LoadShoe(request, None)
    assert early.sealed == []
    later: Any = Edge(spec(shoe).given(opened("live-studio", mode="LIVE")).state)
    service = ShoeService(later, later)
    await service.LoadShoe(request, None)
    request.decks = 6
    await service.LoadShoe(request, None)
    (first, many), (second, fewer) = later.sealed
    assert (many, fewer) == (416, 312)
    assert first != second
