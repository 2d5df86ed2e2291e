"""The house of `examples/`: areas that only its document knows."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from services.rulebooks.catalogue import document, load_catalogue
from services.rules.areas import AREAS
from services.rules.burns import new_shoe_burn
from services.rules.odds import area_odds, events, odds
from services.rules.outcome import early_win, outcome, worst_win
from services.rules.payout import settle_early, settle_wager
from services.rules.rulebook import Rulebook, RulebookRejected, rulebook_of
from tests.rules.oracle import CHECKOUT, cards, oracle, shared

Doc = dict[str, Any]

OWN = ("LUCKY_6", "DRAGON_7", "PANDA_8", "EITHER_PAIR", "PERFECT_PAIR")

EDGES = {
    6: {
        "LUCKY_6": "255060253289/1525814595305",
        "DRAGON_7": "116056364451/1525814595305",
        "PANDA_8": "11980441901/117370353485",
        "EITHER_PAIR": "721753/4965115",
        "PERFECT_PAIR": "124550/993023",
    },
    7: {
        "LUCKY_6": "831756864383/4981300211745",
        "DRAGON_7": "252687735151/3320866807830",
        "PANDA_8": "39069070561/383176939365",
        "EITHER_PAIR": "1111927/7906261",
        "PERFECT_PAIR": "788659/7906261",
    },
    8: {
        "LUCKY_6": "47209656769/282970916865",
        "DRAGON_7": "64613588827/848912750595",
        "PANDA_8": "153010345753/1501922558745",
        "EITHER_PAIR": "108091/788417",
        "PERFECT_PAIR": "135952/1689465",
    },
    10: {
        "LUCKY_6": "153873704351/923388794559",
        "DRAGON_7": "14508857683/190540544909",
        "PANDA_8": "93962231263/923388794559",
        "EITHER_PAIR": "3061265/23165219",
        "PERFECT_PAIR": "1237970/23165219",
    },
    12: {
        "LUCKY_6": "120719250023/724995631815",
        "DRAGON_7": "165664498177/2174986895445",
        "PANDA_8": "43474145591/427561526455",
        "EITHER_PAIR": "574213/4456319",
        "PERFECT_PAIR": "67604/1909851",
    },
}
"""The oracle's house edges, exactly, for each number of decks of the house that it knows."""

WINS: dict[str, Sequence[str]] = {
    "LUCKY_6": ("banker_wins_6_two_cards", "banker_wins_6_three_cards"),
    "DRAGON_7": ("dragon7_banker_three_card_7_wins",),
    "PANDA_8": ("panda8_player_three_card_8_wins",),
    "EITHER_PAIR": ("either_pair",),
    "PERFECT_PAIR": ("at_least_one_perfect_pair",),
}
"""The oracle's events that make up the wins of each area."""

SEVEN_HASHES = {
    "live-lobby": "b752f75db765e332d3a29ff9c47c2045ee53b1f28867997f5acd176c4c7a96ed",
    "live-studio": "4dfaa2e2dd77e66afc60986e5b144a35a1df7cdbebb36e1de6c8c13e9c696705",
    "nsw-baccarat": "2c063757d8022ab6c8498f092c68aad77b48c28b3b1a9df890917f92c19731a1",
    "nsw-mini": "a13ee6e4ac8d6142933f5645fa4fc9619319935a26fa286def4ae0c66dbce3ca",
    "nsw-mini-even-money": "eb3cce847b0e55e2e02aec0827b4cca7e7d2d97dcdfe6f81bb611fbee9d50057",
    "super-six": "316d4e4225a1f05e8e0ae663d9d2e839752ccaaa9c199b778f58af42b12943a0",
    "super-six-commission": "3633b760f79524ea8618e18c6b1f3114018be2a7a9b46f92caae49c36ea0d461",
}


def house_document() -> Doc:
    """The document of the example, a new one each time."""
    text = (CHECKOUT / "examples" / "house.json").read_text(encoding="utf-8")
    held: Doc = json.loads(text)
    return held


HOUSE = rulebook_of(house_document())


def with_areas(**definitions: Any) -> Rulebook:
    """The house with further areas."""
    doc = house_document()
    doc["areas"] += list(definitions)
    doc["area_definitions"] |= definitions
    return rulebook_of(doc)


def simple(pay: int, /, *, pushes: Any = None, **when: Any) -> Doc:
    """A definition with one case."""
    return {"pushes": pushes, "wins": [{"when": when, "pay": [pay, 1]}]}


# --- the document ---


def test_the_example_is_a_sound_rulebook_under_its_own_name() -> None:
    """A further house is data alone: no code knows its areas or its burn."""
    others = {name: book.document for name, book in load_catalogue().items()}
    book = Rulebook.from_document(house_document(), others=others)
    assert book.rulebook_id == "house"
    assert book.warnings == ()
    assert book.decks == (6, 7, 8, 9, 10, 11, 12)
    assert book.areas == ("PLAYER", "BANKER", "TIE", *OWN)
    assert tuple(book.definitions) == book.areas
    assert not set(OWN) & set(AREAS)


def test_the_pay_table_shows_every_case() -> None:
    """What is published to players has a line for each thing that is paid."""
    own = {name: pay for name, pay in HOUSE.pay.items() if name not in AREAS}
    assert own == {
        "LUCKY_6.1": 12,
        "LUCKY_6.2": 20,
        "DRAGON_7": 40,
        "PANDA_8": 25,
        "EITHER_PAIR": 5,
        "PERFECT_PAIR.1": 200,
        "PERFECT_PAIR.2": 25,
    }


def test_the_seven_rulebooks_are_what_they_were() -> None:
    """A used document never changes: what a past coup names is still there."""
    assert {name: book.hash for name, book in load_catalogue().items()} == SEVEN_HASHES
    assert all("area_definitions" not in book.document for book in load_catalogue().values())


def test_as_many_cards_burn_as_there_are_decks() -> None:
    """The first card does not matter, and need not be known; the decks must be."""
    for decks in HOUSE.decks:
        assert new_shoe_burn(HOUSE, None, decks=decks) == decks
        assert new_shoe_burn(HOUSE, "KS", decks=decks) == decks
    with pytest.raises(ValueError, match="decks"):
        new_shoe_burn(HOUSE, "KS")
    only = rulebook_of({**house_document(), "decks": [8]})
    assert new_shoe_burn(only, None) == 8


# --- odds ---


@pytest.mark.parametrize("decks", sorted(EDGES))
@pytest.mark.parametrize("area", OWN)
def test_house_edges_are_the_oracles_to_the_last_digit(area: str, decks: int) -> None:
    """Exact fractions, and every win as a whole number of deals."""
    held = odds(HOUSE, decks).areas[area]
    counted = oracle("odds")[str(decks)]["events"]
    assert held.house_edge == Fraction(EDGES[decks][area])
    assert held.wins == sum(int(counted[name]) for name in WINS[area])
    assert held.pushes == 0


BETS: dict[str, Doc] = {
    "SUPER_6 12:1 (Banker wins with 6)": simple(12, winner=["BANKER"], banker_points=[6]),
    "SMALL_TIGER 22:1 (Banker wins with two-card 6)": simple(
        22, winner=["BANKER"], banker_points=[6], banker_cards=[2]
    ),
    "TIGER_TIE 35:1 (tie on 6)": simple(35, winner=["TIE"], player_points=[6]),
    "PERFECT_PAIR 25:1 on one or both": simple(
        25, any=[{"player_pair": ["PERFECT"]}, {"banker_pair": ["PERFECT"]}]
    ),
    "TIGER_PAIR 4:1 one, 20:1 two different, 100:1 two same rank": {
        "pushes": None,
        "wins": [
            {"when": {"pairs_of_one_rank": [True]}, "pay": [100, 1]},
            {
                "when": {"not": {"any": [{"player_pair": ["NONE"]}, {"banker_pair": ["NONE"]}]}},
                "pay": [20, 1],
            },
            {
                "when": {"not": {"player_pair": ["NONE"], "banker_pair": ["NONE"]}},
                "pay": [4, 1],
            },
        ],
    },
    "PLAYER_NATURAL 4:1 (Player wins with natural)": simple(
        4, winner=["PLAYER"], player_cards=[2], player_points=[8, 9]
    ),
    "BANKER even money, three-card 7 pushes (EZ)": simple(
        1,
        pushes={
            "any": [
                {"winner": ["TIE"]},
                {"winner": ["BANKER"], "banker_points": [7], "banker_cards": [3]},
            ]
        },
        winner=["BANKER"],
    ),
}


def dragon_bonus() -> Doc:
    """A bet on by how much Player wins: the language at its longest."""
    natural: Doc = {"winner": ["PLAYER"], "player_cards": [2], "player_points": [8, 9]}
    by_margin = [(9, 30), (8, 10), (7, 6), (6, 4), (5, 2), (4, 1)]
    return {
        "pushes": {
            "winner": ["TIE"],
            "cards": [4],
            "player_points": [8, 9],
        },
        "wins": [
            {"when": natural, "pay": [1, 1]},
            *(
                {"when": {"winner": ["PLAYER"], "margin": [margin]}, "pay": [pay, 1]}
                for margin, pay in by_margin
            ),
        ],
    }


BETS["DRAGON_BONUS player (30/10/6/4/2/1, natural win 1:1, natural tie push)"] = dragon_bonus()


@pytest.mark.parametrize("bet", sorted(BETS))
def test_other_bets_can_be_said_and_have_the_oracles_edge(bet: str) -> None:
    """Bets that no rulebook here offers: margins, pushes, pairs of one rank, ties on a count."""
    reference = json.loads(shared("data/oracle.json").read_text(encoding="utf-8"))["decks"]
    book = with_areas(BET=BETS[bet])
    for decks in (1, 6, 8):
        expected = Fraction(reference[str(decks)]["bets"][bet]["ev_per_unit_exact"])
        assert area_odds(book.definitions["BET"], decks).expectation == expected


def test_a_natural_that_is_a_pair_has_exact_odds_though_no_table_names_it() -> None:
    """Facts of pairs and of the result are counted together, not one by one."""
    pair = area_odds(with_areas(X=simple(1, player_pair=["MIXED", "PERFECT"])).definitions["X"], 6)
    split = [
        area_odds(
            with_areas(X=simple(1, player_pair=["MIXED", "PERFECT"], winner=[winner])).definitions[
                "X"
            ],
            6,
        ).wins
        for winner in ("PLAYER", "BANKER", "TIE")
    ]
    assert sum(split) == pair.wins == events(6)["player_pair"]


# --- settlement ---


COUPS: list[tuple[str, str, str, str, int | None]] = [
    ("LUCKY_6", "7 K 8", "2 4", "a six of two cards", 12),
    ("LUCKY_6", "K 2 3", "K 3 3", "a six of three cards", 20),
    ("LUCKY_6", "6 K", "2 4", "a tie on six", None),
    ("LUCKY_6", "7 K", "2 4", "a six that lost", None),
    ("LUCKY_6", "K 5", "K 7", "a seven", None),
    ("LUCKY_6", "2 4", "K 3", "Player's six", None),
    ("DRAGON_7", "K 2 3", "K 3 4", "a seven of three cards", 40),
    ("DRAGON_7", "K 6", "K 7", "a seven of two cards", None),
    ("DRAGON_7", "K 2 5", "K 3 4", "a tie on seven", None),
    ("DRAGON_7", "K 2 6", "K 3 4", "a seven that lost", None),
    ("PANDA_8", "K 2 6", "K 3 4", "an eight of three cards", 25),
    ("PANDA_8", "K 8", "K 7", "a natural", None),
    ("PANDA_8", "K 2 6", "K 5 3", "a tie on eight", None),
    ("PANDA_8", "K 2 6", "K 5 4", "an eight that lost", None),
    ("PANDA_8", "K 2 5", "K 3 5", "Banker's eight", None),
    ("EITHER_PAIR", "JS JH 4D", "QS KS 7D", "Player's pair", 5),
    ("EITHER_PAIR", "QS KS 4D", "JS JS 7D", "Banker's pair", 5),
    ("EITHER_PAIR", "JS JH 4D", "QS QH 7D", "both", 5),
    ("EITHER_PAIR", "JS QS 4D", "KS TS 7D", "ten points in each, and no pair", None),
    ("EITHER_PAIR", "2S 3S 2D", "QS KS 7D", "a pair with the third card", None),
    ("PERFECT_PAIR", "JS JS 4D", "QS KS 7D", "Player's, of one suit", 25),
    ("PERFECT_PAIR", "QS KS 4D", "5C 5C 7D", "Banker's, of one suit", 25),
    ("PERFECT_PAIR", "JS JS 4D", "QC QH 7D", "one of two pairs is of one suit", 25),
    ("PERFECT_PAIR", "JS JS 4D", "QC QC 7D", "both", 200),
    ("PERFECT_PAIR", "JS JS 4D", "JS JS 7D", "both, and of one card", 200),
    ("PERFECT_PAIR", "JS JH 4D", "QC QH 7D", "of two suits", None),
    ("PERFECT_PAIR", "JS QS 4D", "5C 4C 7D", "one suit and no pair", None),
    ("PERFECT_PAIR", "2S 3S 2S", "QS KS 7D", "the same card as the third", None),
]


@pytest.mark.parametrize(("area", "player", "banker", "why", "pays"), COUPS, ids=str)
def test_each_area_at_its_boundaries(
    area: str, player: str, banker: str, why: str, pays: int | None
) -> None:
    """The same wager by hand-made coups: what wins, by which case, and what just does not."""
    end = outcome(cards(*player.split()), cards(*banker.split()))
    paid = settle_wager(HOUSE, area, 700, end, unit_minor=1)
    if pays is None:
        assert (paid.outcome, paid.returned_minor, paid.winnings_minor) == ("lost", 0, 0), why
    else:
        assert (paid.outcome, paid.returned_minor) == ("won", 700), why
        assert paid.winnings_minor == 700 * pays
        assert [paid.gross, paid.commission, paid.rounding] == [700 * pays, 0, 0]


def test_a_push_gives_the_stake_back_and_goes_before_a_win() -> None:
    """A definition may push where it would else have won."""
    seven: Doc = {"winner": ["BANKER"], "banker_points": [7], "banker_cards": [3]}
    book = with_areas(EZ=simple(1, pushes=seven, winner=["BANKER"]))
    dragon = outcome(cards("K", "2", "3"), cards("K", "3", "4"))
    assert settle_wager(book, "EZ", 33, dragon, unit_minor=1).outcome == "push"
    other = outcome(cards("K", "6"), cards("K", "7"))
    assert settle_wager(book, "EZ", 33, other, unit_minor=1).winnings_minor == 33


def test_exposure_counts_only_what_can_win_together() -> None:
    """8.6: Lucky 6, Dragon 7 and Panda 8 exclude each other; pairs come with any of them."""
    assert worst_win(HOUSE, {"LUCKY_6": 10, "DRAGON_7": 10, "PANDA_8": 10}) == 400
    assert worst_win(HOUSE, {"LUCKY_6": 10, "BANKER": 100}) == 295
    assert worst_win(HOUSE, {"EITHER_PAIR": 10, "PERFECT_PAIR": 10, "DRAGON_7": 1}) == 2090
    with pytest.raises(KeyError, match="BIG"):
        worst_win(HOUSE, {"BIG": 1})


def test_what_open_cards_have_won_is_known_for_defined_areas_too() -> None:
    """Procedure 13: pairs on the fourth card; what hangs on a count or a winner never early."""
    player, banker = cards("JS", "JS"), cards("QS", "4S")
    assert not early_win("EITHER_PAIR", player, banker[:1], HOUSE)
    for area in ("EITHER_PAIR", "PERFECT_PAIR"):
        assert early_win(area, player, banker, HOUSE)
    paid = settle_early(HOUSE, "PERFECT_PAIR", 100, player, banker, unit_minor=1)
    assert paid is not None
    assert (paid.outcome, paid.winnings_minor) == ("won", 2500)
    lost = settle_early(HOUSE, "PERFECT_PAIR", 100, banker, banker, unit_minor=1)
    assert lost is not None
    assert lost.outcome == "lost"
    for area in ("LUCKY_6", "DRAGON_7", "PANDA_8", "PLAYER"):
        assert settle_early(HOUSE, area, 100, player, banker, unit_minor=1) is None


def test_a_win_that_is_sure_in_an_unsure_case_is_the_least_one() -> None:
    """What the cards have won is won; more than that would hang on a result there is not."""
    definition = {
        "pushes": None,
        "wins": [
            {"when": {"player_pair": ["PERFECT"], "winner": ["PLAYER"]}, "pay": [9, 1]},
            {"when": {"player_pair": ["PERFECT"]}, "pay": [4, 1]},
        ],
    }
    book = with_areas(X=definition)
    paid = settle_early(book, "X", 100, cards("JS", "JS"), cards("2S", "3S"), unit_minor=1)
    assert paid is not None
    assert paid.winnings_minor == 400


# --- what is refused ---


def definition(**changes: Any) -> Callable[[Doc], None]:
    """Puts parts of Dragon 7's definition otherwise."""

    def change(doc: Doc) -> None:
        doc["area_definitions"]["DRAGON_7"].update(changes)

    return change


def when(condition: Any) -> Callable[[Doc], None]:
    return definition(wins=[{"when": condition, "pay": [40, 1]}])


def named(name: str) -> Callable[[Doc], None]:
    """A further area under this name."""

    def change(doc: Doc) -> None:
        doc["areas"].append(name)
        doc["area_definitions"][name] = simple(2, winner=["TIE"])

    return change


def field(name: str, value: Any) -> Callable[[Doc], None]:
    def change(doc: Doc) -> None:
        doc[name] = value

    return change


def without(area: str) -> Callable[[Doc], None]:
    def change(doc: Doc) -> None:
        del doc["area_definitions"][area]

    return change


def nested(depth: int) -> Doc:
    """A condition so many levels deep."""
    condition: Doc = {"winner": ["TIE"]}
    for _ in range(depth - 1):
        condition = {"not": condition}
    return condition


IN = "area_definitions.DRAGON_7"
CASE = f"{IN}.wins.1"

BROKEN: list[tuple[str, str, Callable[[Doc], None]]] = [
    ("area_definitions", "at least one definition", field("area_definitions", {})),
    ("area_definitions", "at least one definition", field("area_definitions", [1])),
    ("areas", "DRAGON_7 has no definition", without("DRAGON_7")),
    ("areas", "an area's name", field("areas", ["PLAYER", "BANKER", "dragon"])),
    (IN, "must be among `areas`", field("areas", ["PLAYER", "BANKER", "TIE"])),
    (IN, "must be an object", lambda doc: doc["area_definitions"].update(DRAGON_7=7)),
    ("area_definitions.TIE", "built in", named("TIE")),
    ("area_definitions.BIG", "built in", named("BIG")),
    ("area_definitions.BANKER_ON_SIX", "built in", named("BANKER_ON_SIX")),
    ("area_definitions.lucky", "capital letters", named("lucky")),
    (f"{IN}.pushes", "missing", lambda doc: doc["area_definitions"]["DRAGON_7"].pop("pushes")),
    (f"{IN}.wins", "missing", lambda doc: doc["area_definitions"]["DRAGON_7"].pop("wins")),
    (f"{IN}.loses", "unknown", definition(loses=None)),
    (f"{IN}.wins", "1 to 32 cases", definition(wins=[])),
    (f"{IN}.wins", "1 to 32 cases", definition(wins={"when": {}, "pay": [1, 1]})),
    (f"{CASE}", "an object with when and pay", definition(wins=["always"])),
    (f"{CASE}.pay", "missing", definition(wins=[{"when": {"winner": ["TIE"]}}])),
    (f"{CASE}.pay", "positive whole", definition(wins=[{"when": {"cards": [4]}, "pay": [0, 1]}])),
    (f"{CASE}.pay", "positive whole", definition(wins=[{"when": {"cards": [4]}, "pay": "40:1"}])),
    (f"{CASE}.when", "at least one fact", when({})),
    (f"{CASE}.when", "at least one fact", when("banker_points == 7")),
    (f"{CASE}.when.jokers", "unknown", when({"jokers": [1]})),
    (f"{CASE}.when.winner", "PLAYER, BANKER, TIE", when({"winner": ["DEALER"]})),
    (f"{CASE}.when.winner", "must be a list", when({"winner": "BANKER"})),
    (f"{CASE}.when.winner", "must be a list", when({"winner": []})),
    (f"{CASE}.when.winner", "without repeats", when({"winner": ["TIE", "TIE"]})),
    (f"{CASE}.when.banker_points", "0, 1", when({"banker_points": [10]})),
    (f"{CASE}.when.banker_points", "0, 1", when({"banker_points": [True]})),
    (f"{CASE}.when.banker_points", "0, 1", when({"banker_points": [[7]]})),
    (f"{CASE}.when.pairs_of_one_rank", "true, false", when({"pairs_of_one_rank": [1]})),
    (f"{CASE}.when.any", "at least one of them", when({"any": []})),
    (f"{CASE}.when.all", "at least one of them", when({"all": {"winner": ["TIE"]}})),
    (f"{CASE}.when.any.2.points", "unknown", when({"any": [{"cards": [4]}, {"points": [7]}]})),
    (f"{CASE}.when.not.cards", "4, 5, 6", when({"not": {"cards": [7]}})),
    (f"{CASE}.when{'.not' * 8}", "too long", when(nested(9))),
    (f"{CASE}.when.any.256", "too long", when({"any": [{"cards": [4]}] * 256})),
    (f"{IN}.pushes.winner", "PLAYER, BANKER", definition(pushes={"winner": [None]})),
    (f"{CASE}", "no coup wins", when({"winner": ["BANKER"], "banker_points": [6], "cards": [4]})),
    (
        f"{IN}.wins.2",
        "no coup wins",
        definition(wins=[{"when": {"cards": [4]}, "pay": [1, 1]}] * 2),
    ),
    (f"{IN}.pushes", "no coup ends so", definition(pushes={"winner": ["TIE"], "margin": [1]})),
    (f"{IN}", "could never lose", when({"cards": [4, 5, 6]})),
]


@pytest.mark.parametrize(("path", "problem", "change"), BROKEN)
def test_a_broken_definition_is_refused_with_the_place_and_the_fault(
    path: str, problem: str, change: Callable[[Doc], Any]
) -> None:
    """V-5: every fault is told by where it stands, so that a house can mend its document."""
    doc = house_document()
    change(doc)
    with pytest.raises(RulebookRejected) as refused:
        Rulebook.from_document(doc)
    told = [held for held in refused.value.failed if held.field == path]
    assert [held.check for held in told] == ["V-5"]
    assert problem in told[0].problem


def test_depth_and_length_at_their_bounds_are_accepted() -> None:
    """The last condition that is not too long."""
    assert "X" in with_areas(X=simple(2, **nested(7))).definitions
    parts = [{"cards": [4]}] * 255
    assert "X" in with_areas(X=simple(2, any=parts)).definitions


def test_all_faults_of_all_definitions_are_told_at_once() -> None:
    """8.3: one refusal lists everything that can be told."""
    doc = house_document()
    when({"winner": ["DEALER"], "cards": [9]})(doc)
    doc["area_definitions"]["PANDA_8"]["pushes"] = {}
    doc["pay"]["LUCKY_6"] = [12, 1]
    with pytest.raises(RulebookRejected) as refused:
        Rulebook.from_document(doc)
    assert refused.value.unknown == ("pay.LUCKY_6",)
    assert {held.field for held in refused.value.failed} == {
        f"{CASE}.when.winner",
        f"{CASE}.when.cards",
        "area_definitions.PANDA_8.pushes",
    }


def test_definitions_belong_to_the_rulebook_alone() -> None:
    """V-1, V-5: without the group the seven know no further area, with it they do."""
    doc = document("live-studio")
    doc["areas"].append("LUCKY_6")  # type: ignore[attr-defined]
    with pytest.raises(RulebookRejected, match="LUCKY_6 has no definition"):
        rulebook_of(doc)
    own = copy.deepcopy(house_document()["area_definitions"]["LUCKY_6"])
    book = rulebook_of({**doc, "area_definitions": {"LUCKY_6": own}})
    assert book.definitions["LUCKY_6"] == HOUSE.definitions["LUCKY_6"]
    assert book.hash != load_catalogue()["live-studio"].hash
    assert rulebook_of(book.document) is book
