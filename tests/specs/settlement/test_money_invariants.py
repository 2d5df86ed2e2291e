"""Whatever happens at a table, every wager ends once and every unit of money is somewhere.

Random stories of a table: wagers of cash and tokens, changes, cancels, rejections, rulings before
and after payment. Nothing here knows how a payment is computed; it adds up what moved.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts import wager as book
from services.contracts.core import Caused, Event, Heard
from services.settlement import domain as settlement
from tests.property.accounts import AFTER_RESULT, BEFORE_RESULT, endings, final, moved
from tests.support.spec import heard
from tests.support.stories import TWO, Line, Story, opening, play, ruling, shoe, stake

RULEBOOKS = ("nsw-mini", "nsw-mini-even-money", "live-studio", "super-six", "super-six-commission")
MAIN = ("player", "banker", "tie")
SIDE = ("player_pair", "banker_pair", "big", "small")
ENDS = (
    (("9S", "KD"), ("7D", "TC")),
    (("6S", "TD"), ("7H", "KC")),
    (("7S", "KH"), ("7C", "QC")),
    (("2S", "3D", "KD"), ("6H", "KC")),
    (("KS", "KD", "4C"), ("2H", "2C", "5D")),
    (("2S", "3H", "KD"), ("AD", "2C", "4S")),
)
"""Hands that can be what really lay there: both winners, a tie, pairs, sixes, four to six cards."""

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


def shoes() -> st.SearchStrategy[list[str]]:
    """Two decks, shuffled; drawn as one number, for a hundred drawn cards would take long."""
    return st.integers(0, 1_000_000).map(lambda seed: Random(seed).sample(CARDS * 2, 104))


@st.composite
def wagers(draw: Any, number: int, rulebook: str) -> list[Line]:
    """What players do while betting is open."""
    side = SIDE if rulebook.startswith("super") else ()
    made = draw(
        st.lists(
            st.tuples(
                st.sampled_from(("p1", "p2", "p3")),
                st.sampled_from((*MAIN, *side)),
                st.integers(1, 60).map(lambda units: units * 25),
                st.sampled_from((None, None, "k1", "k2")),
            ),
            max_size=6,
        )
    )
    lines = []
    for at, (player, area, amount, token) in enumerate(made):
        name = f"w{number}-{at}"
        more = {"token": token} if token and rulebook.startswith("nsw") else {}
        lines.append(stake(name, player, area, amount, **more))
        then = draw(st.sampled_from(("", "", "cancel", "change")))
        if then == "cancel":
            lines.append({"do": "cancel_wager", "id": name})
        elif then == "change":
            other = draw(st.integers(1, 60)) * 25
            lines.append({"do": "change_wager", "id": name, "amount": other})
    return lines


@st.composite
def rulings(draw: Any, number: int, *, after: bool) -> list[Line]:
    """What supervisors do to a coup, before its result or after it."""
    wager = f"w{draw(st.integers(1, number))}-{draw(st.integers(0, 3))}"
    player, banker = draw(st.sampled_from(ENDS))
    hands = {"player": list(player), "banker": list(banker)}
    void_one = ruling("void_wager", wager=wager, reason="PROHIBITED_DEVICE", **TWO)
    void = ruling("void", coup=number, reason="EQUIPMENT_FAILED", **TWO)
    correct = ruling("correct_result", coup=number, reason="misread", cards=hands, **TWO)
    names = draw(st.sampled_from((["p1"], ["p2"], ["p1", "p2"])))
    fraud = ruling("invalidate", coup=number, reason="FRAUD", forfeit=names, **TWO)
    fire = ruling("invalidate", coup=number, reason="FIRE", **TWO)
    choices = (void_one, correct, fraud, fire) if after else (void_one, void)
    return list(draw(st.lists(st.sampled_from(choices), max_size=2)))


@st.composite
def stories(draw: Any) -> tuple[str, list[Line]]:
    """Some coups of a table."""
    rulebook = draw(st.sampled_from(RULEBOOKS))
    seated = rulebook.startswith("nsw")
    more: dict[str, Any] = {"chip": 25} if seated else {}
    if seated and draw(st.booleans()):
        more["differential"] = draw(st.integers(0, 40)) * 25
    lines = [opening(rulebook, **more), shoe(draw(shoes()))]
    if seated and draw(st.booleans()):
        boss = {"id": "dm1", "role": "duty_manager"}
        lines.append({"do": "approve", "what": "opposing_wagers", "by": boss})
    for number in range(1, draw(st.integers(1, 3)) + 1):
        lines.append({"do": "open_betting"})
        lines += draw(wagers(number, rulebook))
        lines.append({"do": "no_more_bets"})
        lines += [{"do": "draw"}] * draw(st.integers(0, 5))
        lines += draw(rulings(number, after=False))
        lines.append({"do": "deal"})
        lines += draw(rulings(number, after=True))
    return rulebook, lines


def events_of(story: Story) -> list[Event]:
    """All events of a story, in order."""
    return [each.event for each in story.told]


@settings(max_examples=60, deadline=None)
@given(stories())
def test_every_accepted_wager_ends_exactly_once(told: tuple[str, list[Line]]) -> None:
    """Invariant 4, A-27: one end; every further decision follows the reversal of the one before."""
    story = play(told[1])
    reversed_ids = [event.settlement_id for event in story.events(money.SettlementReversed)]
    assert len(reversed_ids) == len(set(reversed_ids))
    for wager_id, ends in endings(events_of(story)).items():
        assert ends, f"{wager_id} never ended"
        first, *later = ends
        if isinstance(first, BEFORE_RESULT):
            assert not later, f"{wager_id} ended twice: {ends}"
            continue
        assert first.revision == 1
        decided = [event.settlement_id for event in ends]
        assert len(set(decided)) == len(decided)
        assert set(decided[:-1]) == {each for each in reversed_ids if f"/{wager_id}/" in each}


@settings(max_examples=60, deadline=None)
@given(stories())
def test_money_adds_up_in_every_coup_and_currency(told: tuple[str, list[Line]]) -> None:
    """Invariants 5 and 10, A-27, F-171: what moved is what the books say, to the minor unit."""
    story = play(told[1])
    books = final(events_of(story))
    for (coup_id, currency), gained in moved(events_of(story)).items():
        totals = books[coup_id].totals.get(currency) if coup_id in books else None
        assert gained == (totals.house_minor if totals else 0), coup_id
    for done in books.values():
        for totals in done.totals.values():
            lost = totals.lost_minor + totals.forfeited_minor
            assert totals.staked_minor == totals.returned_minor + lost
            assert totals.house_minor == lost - totals.winnings_minor
    for event in story.events(money.WagerSettled, money.WagerResettled):
        exact = Fraction(event.winnings_exact) + Fraction(event.rounding_exact)
        assert event.winnings_minor == exact
    printed = story.summary()
    assert printed["house"] == sum(moved(events_of(story)).values())
    assert printed["staked"] - printed["returned"] - printed["winnings"] == printed["house"]


@settings(max_examples=60, deadline=None)
@given(stories())
def test_void_coups_leave_everybody_as_he_was(told: tuple[str, list[Line]]) -> None:
    """Invariant 10, F-16, F-146: but for what BETTER_FOR_PLAYER pays on the open cards."""
    rulebook, lines = told
    story = play(lines)
    gained = moved(events_of(story))
    for event in story.events(table.CoupVoided):
        paid = final(events_of(story)).get(event.coup_id)
        better = rulebook.startswith(("live", "super")) and event.reason == "SUPERVISOR"
        assert paid is None or better
        if paid is None:
            assert gained[event.coup_id, "EUR"] == 0


@settings(max_examples=60, deadline=None)
@given(stories())
def test_tokens_are_consumed_or_returned_and_never_paid_out(told: tuple[str, list[Line]]) -> None:
    """Invariant 5, F-05, D-20: each stake of a token is one or the other, and no cash of it moves."""
    story = play(told[1])
    tokens = {
        event.wager_id: event.token
        for event in story.events(book.WagerAccepted)
        if event.token is not None
    }
    fate: dict[str, str] = {}
    for event in story.events(book.PromoTokenConsumed):
        fate[event.token] = "gone"
    for wager_id, ends in endings(events_of(story)).items():
        if wager_id not in tokens:
            continue
        last = ends[-1]
        back = getattr(last, "refund_minor", 0) or getattr(last, "returned_minor", 0)
        assert back == 0
        spent = isinstance(last, money.WagerForfeited) or getattr(last, "outcome", "") in {
            "WON",
            "LOST",
        }
        if spent:
            assert fate.get(tokens[wager_id]) == "gone"
    known = story.states["wager"].tokens.known
    assert set(known) == set(tokens.values())


@settings(max_examples=60, deadline=None)
@given(stories(), st.integers(0, 40))
def test_the_book_closes_within_the_differential(told: tuple[str, list[Line]], units: int) -> None:
    """Invariant 6, F-14, F-77: whatever was staked, raised, cancelled or rejected before."""
    lines = told[1]
    first = {**lines[0], "rulebook": "nsw-mini", "chip": 25, "differential": units * 25}
    story = play([first, *lines[1:]])
    for event in story.events(book.BookClosed):
        areas = event.totals.get("EUR", {})
        player, banker = (
            areas[area].cash_minor + areas[area].tokens_minor if area in areas else 0
            for area in ("PLAYER", "BANKER")
        )
        assert abs(player - banker) <= units * 25
    for cut in story.events(book.WagerReduced):
        assert 0 < cut.to_minor < cut.from_minor
        assert cut.excess_minor == cut.from_minor - cut.to_minor


@settings(max_examples=60, deadline=None)
@given(stories(), st.randoms(use_true_random=False))
def test_settlement_pays_the_same_whatever_order_the_topics_arrive_in(
    told: tuple[str, list[Line]], chance: Any
) -> None:
    """D6, A-26: round's and wager's events keep their own order and mix as they like."""
    story = play(told[1])
    topics: dict[str, list[Heard]] = {"round": [], "wager": [], "shoe": []}
    for each in sorted(story.told, key=lambda told: told.version):
        if each.service in topics and each.event.published:
            topics[each.service].append(heard(each.event, service=each.service))
    state = settlement.initial_state()
    decided: list[Any] = []
    while waiting := [name for name, events in topics.items() if events]:
        event = topics[chance.choice(waiting)].pop(0)
        if type(event.event).type not in settlement.HEARS.get(event.service, {}):
            continue
        state = settlement.evolve(state, event)
        for reaction in settlement.react(event, state):
            command = reaction.command if isinstance(reaction, Caused) else reaction
            for made in settlement.decide(command, state):
                decided.append(made)
                state = settlement.evolve(state, made)
    kinds = (*AFTER_RESULT, money.CoupSettled)
    if any(event.reason == "PROHIBITED_DEVICE" for event in story.events(money.CoupSettled)):
        return  # a paid wager was voided in settlement itself: no topic tells of it
    wanted = Counter(repr(event) for event in story.events(*kinds))
    assert Counter(repr(event) for event in decided if type(event) in kinds) == wanted


def test_a_correction_of_a_void_coup_is_told_with_its_money() -> None:
    """A fifth card had won on BIG when the coup was void: paid, then taken back with the wager."""
    cards = [rank + "H" for rank in "KQA29436TJ5"] + ["6D", "7C", "4S", "5H", "6H", "7H"]
    story = play(
        [
            opening("super-six"),
            shoe(cards),
            {"do": "open_betting"},
            stake("w1", "p1", "big", 100),
            {"do": "no_more_bets"},
            *[{"do": "draw"}] * 5,
            ruling("void", coup=1, reason="EQUIPMENT_FAILED", **TWO),
            ruling("void_wager", wager="w1", reason="PROHIBITED_DEVICE", **TWO),
        ]
    )
    told = [line for line in story.printed if line["kind"] == "coup"]
    assert [(line["revision"], line["status"], line["reason"]) for line in told] == [
        (1, "void", "SUPERVISOR"),
        (2, "void", "SUPERVISOR"),
    ]
    assert [line["wagers"][0]["winnings"] for line in told] == [54, 0]
    assert story.summary()["house"] == 0
