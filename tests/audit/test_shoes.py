"""A generated shoe proves itself from what was published of it, and nothing else."""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from services.audit.shoes import Malformed, Published, check, read
from services.cli import shoe as command
from services.cli.errors import WrongInput
from services.rules.cards import FULL_DECK
from services.rules.shuffling import commitment

SECRET = bytes(range(32))
DECKS = 6


def order() -> list[str]:
    cards = list(FULL_DECK * DECKS)
    random.Random(7).shuffle(cards)
    return cards


def event(kind: str, **data: object) -> Published:
    return Published(kind, "T1", f"shoe:T1:{kind}", {"shoe_id": "S1", **data})


def honest() -> list[Published]:
    """A burn with its first card shown, and four cards, one of them face down."""
    cards = order()
    drawn = [
        event("card-drawn", draw_number=number, card=cards[number - 1] if number != 8 else None)
        for number in range(6, 10)
    ]
    return [
        event("shoe-committed", number=3, commitment=commitment(SECRET, cards)),
        event("cards-burned", first_draw_number=1, count=5, first_card=cards[0]),
        *drawn,
        event("shoe-revealed", number=3, order=cards, secret=SECRET.hex()),
    ]


def changed(events: list[Published], kind: str, **data: object) -> None:
    for at, each in enumerate(events):
        if each.type == kind:
            events[at] = replace(each, data={**each.data, **data})
            return


def test_an_honest_shoe_holds() -> None:
    """D8: bound before it is dealt, revealed at its end; a hidden card needs no proof."""
    checked = check(honest())
    assert checked.faults == ()
    assert (checked.number, checked.decks, checked.compared) == (3, DECKS, 4)
    by_hand = hashlib.sha256(SECRET + "".join(order()).encode()).hexdigest()
    assert checked.commitment == by_hand


def other_order(events: list[Published]) -> None:
    cards = order()
    cards[100], cards[101] = cards[101], cards[100]
    changed(events, "shoe-revealed", order=cards)


def other_secret(events: list[Published]) -> None:
    changed(events, "shoe-revealed", secret=bytes(32).hex())


def no_secret(events: list[Published]) -> None:
    changed(events, "shoe-revealed", secret="none")


def other_commitment(events: list[Published]) -> None:
    changed(events, "shoe-revealed", number=4)


def other_card(events: list[Published]) -> None:
    right = order()[5]
    changed(events, "card-drawn", card="2H" if right != "2H" else "3H")


def other_burned_card(events: list[Published]) -> None:
    right = order()[0]
    changed(events, "cards-burned", first_card="2H" if right != "2H" else "3H")


def beyond_the_end(events: list[Published]) -> None:
    events.append(event("card-drawn", draw_number=DECKS * 52 + 1, card="2H"))


def chosen_cards(events: list[Published]) -> None:
    """Bound and dealt rightly, but nine cards of one kind: no shoe has them."""
    cards = ["AS" if card == "2H" else card for card in order()]
    changed(events, "shoe-committed", commitment=commitment(SECRET, cards))
    changed(events, "shoe-revealed", order=cards)
    changed(events, "cards-burned", first_card=cards[0])
    for at, each in enumerate(events):
        if each.type == "card-drawn" and each.data["card"]:
            card = cards[int(each.data["draw_number"]) - 1]
            events[at] = replace(each, data={**each.data, "card": card})


def no_cards(events: list[Published]) -> None:
    """Not even text that a digest could be made of."""
    changed(events, "shoe-revealed", order=["\u2660", None, *order()[2:]])


def never_committed(events: list[Published]) -> None:
    del events[0]


def never_revealed(events: list[Published]) -> None:
    del events[-1]


@pytest.mark.parametrize(
    ("cheat", "fault"),
    [
        (other_order, "not the one that was committed"),
        (other_secret, "not the one that was committed"),
        (no_secret, "not the one that was committed"),
        (other_commitment, "of another commitment"),
        (other_card, "draw 6 was"),
        (other_burned_card, "draw 1 was"),
        (beyond_the_end, "no card there"),
        (chosen_cards, "not those of whole decks"),
        (no_cards, "not the one that was committed"),
        (never_committed, "0 events shoe-committed"),
        (never_revealed, "0 events shoe-revealed"),
    ],
)
def test_each_way_to_cheat_is_told(cheat: Callable[[list[Published]], None], fault: str) -> None:
    events = honest()
    cheat(events)
    faults = check(events).faults
    assert fault in faults[0]
    assert len(faults) == 1 or cheat is no_cards, faults


def test_the_command_tells_it_and_ends_so(tmp_path: Path) -> None:
    file, out = tmp_path / "proof", io.StringIO()
    file.write_bytes(b"\n".join(map(msgspec.json.encode, honest())))
    assert command.check(file, out) == 0
    assert "fixed before it was dealt" in out.getvalue()
    events = honest()
    other_card(events)
    file.write_bytes(b"\n".join(map(msgspec.json.encode, events)))
    assert command.check(file, out) == 1
    assert "FAULT      draw 6 was" in out.getvalue()
    file.write_bytes(msgspec.json.encode(honest()[0]) + b"\nnonsense\n")
    with pytest.raises(WrongInput, match="proof:2: "):
        command.check(file, out)


def test_a_proof_is_of_one_shoe() -> None:
    other = replace(honest()[0], data={"shoe_id": "S2"})
    with pytest.raises(Malformed, match="more than one shoe"):
        read(map(msgspec.json.encode, [honest()[0], other]), "proof")
