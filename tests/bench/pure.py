"""What needs no server: the shoe and the tableau, the codec, exact odds."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Annotated, Any, Literal, Union

import msgspec
from pydantic import ConfigDict, Field, TypeAdapter, create_model

from services.chassis.decider import Record
from services.chassis.registry import Registry
from services.rulebooks.catalogue import load_catalogue
from services.rules import odds as exact
from services.rules.cards import FULL_DECK, point_value
from services.rules.outcome import dealt
from services.rules.shuffling import pack, seed_stream, shuffle
from services.rules.tableau import next_hand
from services.wager import domain
from tests.bench import settling
from tests.bench.figures import Goal, Row

DECKS = 8
COUPS_MIN_CARDS = 6
SHOES = 12
CODEC_REPEATS = 5


def measure(rounds: int) -> list[Row]:
    """All of them."""
    return [coups(rounds), *codec(rounds), enumerated(), odds_time(rounds)]


def coups(rounds: int) -> Row:
    """Shuffled shoes dealt by the tableau, beside `random.shuffle` and a plain loop."""
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        ours.append(rate(partial(_played, number)))
        bare.append(rate(partial(plain, number)))
    return Row(
        name="G10",
        what="shoes from a seed, dealt by the tableau, with pairs",
        unit="coups/s",
        rates=tuple(ours),
        beside="random.shuffle and a plain loop",
        beside_rates=tuple(bare),
        goal=Goal(0.5, 0.9, 2),
    )


def rate(work: Callable[[], int]) -> float:
    """What the work counts a second of CPU."""
    began = time.process_time()
    return work() / (time.process_time() - began)


def _played(seed: int) -> int:
    played = wins = pairs = 0
    for number in range(SHOES):
        cards = shuffle(pack(DECKS), seed_stream(b"%d.%d" % (seed, number)))
        at, last = 0, len(cards) - COUPS_MIN_CARDS
        while at <= last:
            end = dealt(cards, at)
            at += end.cards
            pairs += end.player_pair + end.banker_pair
            wins += end.winner == "player"
            played += 1
    assert wins
    assert pairs
    return played


def plain(seed: int) -> int:
    """What anybody would write first, right rules, no events and no proof."""
    draw = random.Random(seed)
    dealt = wins = pairs = 0
    for _ in range(SHOES):
        cards = [number % 13 + 1 for number in range(52 * DECKS)]
        draw.shuffle(cards)
        at = 0
        while len(cards) - at >= COUPS_MIN_CARDS:
            p1, b1, p2, b2 = cards[at : at + 4]
            at += 4
            pairs += (p1 == p2) + (b1 == b2)
            values = [0 if card > 9 else card for card in (p1, b1, p2, b2)]
            player, banker = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
            if player < 8 and banker < 8:
                third = None
                if player <= 5:
                    third = 0 if cards[at] > 9 else cards[at]
                    player = (player + third) % 10
                    at += 1
                if _banker(banker, third):
                    banker = (banker + (0 if cards[at] > 9 else cards[at])) % 10
                    at += 1
            wins += player > banker
            dealt += 1
    assert wins
    assert pairs
    return dealt


def _banker(banker: int, third: int | None) -> bool:
    if third is None:
        return banker <= 5
    table = {3: third != 8, 4: 2 <= third <= 7, 5: 4 <= third <= 7, 6: third in (6, 7)}
    return banker <= 2 or table.get(banker, False)


def enumerated() -> Row:
    """Every sequence of six values, by the tableau and by a plain table of the same rules."""
    by_value = {point_value(card): card for card in FULL_DECK}
    cards = [by_value[value] for value in range(10)]
    different = 0
    for p1, b1, p2, b2, fifth in product(range(10), repeat=5):
        player, banker = [cards[p1], cards[p2]], [cards[b1], cards[b2]]
        drawn = []
        while (hand := next_hand(player, banker)) is not None:
            drawn.append(hand)
            (player if hand == "player" else banker).append(cards[fifth])
        # The sixth card changes what is held, never what is drawn: ten sequences each.
        different += 10 * (drawn != _drawn((p1 + p2) % 10, (b1 + b2) % 10, fifth))
    return Row(
        name="G10c",
        what="sequences of six values that the tableau decides otherwise than a plain table",
        unit="of 1,000,000",
        rates=(float(different),),
        goal=Goal(0, 0, 0, less=True),
    )


def _drawn(player: int, banker: int, fifth: int) -> list[str]:
    if player >= 8 or banker >= 8:
        return []
    draws = player <= 5
    return ["player"] * draws + ["banker"] * _banker(banker, fifth if draws else None)


def odds_time(rounds: int) -> Row:
    """Exact odds of all areas of a rulebook at eight decks, with nothing kept from before."""
    rulebook = next(iter(load_catalogue().values()))
    times: list[float] = []
    for _ in range(rounds):
        for each in vars(exact).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()
        began = time.process_time()
        exact.odds(rulebook, DECKS)
        times.append(time.process_time() - began)
    return Row(
        name="odds",
        what=f"exact odds of {rulebook.rulebook_id} at {DECKS} decks",
        unit="s",
        rates=tuple(times),
        goal=Goal(1, 1, 0.5, less=True),
    )


# The codec


def codec(rounds: int) -> list[Row]:
    """Events of wager and back, beside msgspec's own union and pydantic's of the same types."""
    records = [each for each in asyncio.run(settling.published()) if each.service == "wager"]
    registry = Registry(domain.SERVICE, domain.EVENTS)
    ours: list[float] = []
    bare: list[float] = []
    pydantic: list[float] = []
    union, pairs = _union(records)
    adapter, documents = _pydantic(records)
    for _ in range(rounds):
        ours.append(_repeated(len(records), lambda: _through(registry, records)))
        bare.append(_repeated(len(records), lambda: _bare(union, pairs)))
        pydantic.append(
            _repeated(
                len(records),
                lambda: [adapter.dump_json(adapter.validate_json(each)) for each in documents],
            )
        )
    shared = {"unit": "events/s", "rates": tuple(ours)}
    return [
        Row(
            name="G9",
            what="events read and written by the registry",
            beside="bare msgspec union of the same types",
            beside_rates=tuple(bare),
            goal=Goal(0.5, 0.75, 0.9),
            **shared,  # type: ignore[arg-type]
        ),
        Row(
            name="G9b",
            what="the same",
            beside="pydantic discriminated union",
            beside_rates=tuple(pydantic),
            goal=Goal(1.5, 2.5, 3),
            **shared,  # type: ignore[arg-type]
        ),
    ]


def _repeated(events: int, work: Callable[[], Any]) -> float:
    began = time.process_time()
    for _ in range(CODEC_REPEATS):
        work()
    return events * CODEC_REPEATS / (time.process_time() - began)


def _through(registry: Registry, records: Sequence[Record]) -> None:
    for record in records:
        registry.encode(registry.decode(record.type, record.schema_version, record.body))


def _kinds(records: Sequence[Record]) -> Iterator[tuple[str, type[Any]]]:
    for name in sorted({record.type for record in records}):
        yield name, domain.EVENTS[name]


def _union(records: Sequence[Record]) -> tuple[Any, list[bytes]]:
    """The same structs with a tag, and the same bodies with it."""
    tagged: list[type[Any]] = []
    for name, kind in _kinds(records):
        fields = [
            (field.name, field.type)
            if field.required
            else (field.name, field.type, msgspec.field(default=field.default))
            if field.default is not msgspec.NODEFAULT
            else (field.name, field.type, msgspec.field(default_factory=field.default_factory))
            for field in msgspec.structs.fields(kind)
        ]
        tagged.append(
            msgspec.defstruct(
                kind.__name__, fields, tag=name, kw_only=True, frozen=True, omit_defaults=True
            )
        )
    whole: Any = tagged[0]
    for each in tagged[1:]:
        whole |= each
    return msgspec.json.Decoder(whole), _tagged(records)


def _tagged(records: Sequence[Record]) -> list[bytes]:
    return [
        msgspec.json.encode({"type": record.type, **msgspec.json.decode(record.body)})
        for record in records
    ]


def _bare(decoder: Any, documents: Sequence[bytes]) -> None:
    encode = msgspec.json.Encoder().encode
    for document in documents:
        encode(decoder.decode(document))


def _pydantic(records: Sequence[Record]) -> tuple[Any, list[bytes]]:
    """Models with the fields of the events, told apart by their type."""
    models: list[Any] = []
    for name, kind in _kinds(records):
        fields: dict[str, Any] = {"type": (Literal[name], ...)}
        for field in msgspec.structs.fields(kind):
            plain = field.type if field.type in (str, int, bool, str | None, int | None) else Any
            fields[field.name] = (plain, ... if field.required else None)
        models.append(create_model(kind.__name__, __config__=ConfigDict(frozen=True), **fields))
    union: Any = Union[tuple(models)]  # noqa: UP007
    whole: Any = Annotated.__class_getitem__((union, Field(discriminator="type")))  # type: ignore[attr-defined]
    adapter: TypeAdapter[Any] = TypeAdapter(whole)
    return adapter, _tagged(records)
