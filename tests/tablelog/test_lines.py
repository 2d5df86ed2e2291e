"""Lines of a table log: values, defaults, strictness, and what the page about them says."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from services.contracts.core import Actor
from services.tablelog import lines, reader
from services.tablelog.clock import FIRST_LINE_US, instant_us, rfc3339
from services.tablelog.faults import fault_in
from services.tablelog.lines import ACTIONS, AT_REQUIRED, FIELDS, RULING_NEEDS, STAFF
from services.tablelog.reader import Malformed, read_stream
from services.tablelog.values import ROLES, Hands, Limit
from tests.cli.cases import CASES, RECORDED, cases_of, json_lines, log_bytes
from tests.support.logs import OPEN, SECOND, last, parsed, refused

SCHEMA = Path(lines.__file__).with_name("schema.md")


# What lines become


@pytest.mark.parametrize("name", ["coups.jsonl.gz", "table.jsonl"])
def test_every_line_of_every_case_is_read(name: str) -> None:
    for case in cases_of(name):
        found = list(read_stream(BytesIO(log_bytes(case.log)), case.id))
        assert [line.do for line in found] == [line["do"] for line in case.log]
        assert [line.number for line in found] == list(range(1, len(case.log) + 1))


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*-*.jsonl.gz")), ids=lambda path: path.name)
def test_every_line_of_the_recorded_tables_is_read(path: Path) -> None:
    if ".expect." not in path.name:
        log = json_lines(path)
        assert len(list(read_stream(BytesIO(log_bytes(log)), path.name))) == len(log)


@pytest.mark.parametrize("case", json_lines(CASES / "malformed.jsonl"), ids=lambda case: case["id"])
def test_malformed_cases_name_their_line_and_give_the_lines_before(case: dict[str, Any]) -> None:
    raw = "".join(f"{line}\n" for line in case["lines"]).encode()
    given: list[int] = []
    with pytest.raises(Malformed) as caught:
        given.extend(line.number for line in read_stream(BytesIO(raw), "log"))
    assert caught.value.line == case["error_line"]
    assert len(given) == case["error_line"] - 1


def test_open_table_has_the_defaults_of_the_format() -> None:
    [line] = parsed()
    assert line == lines.OpenTable(
        number=1,
        at_us=FIRST_LINE_US,
        by=Actor("casino-supervisor-1", "CASINO_SUPERVISOR"),
        table="T1",
        rulebook="nsw-mini",
        decks=None,
        currency="EUR",
        chip=1,
        seats=9,
        left_of_dealer=None,
        layout="A",
        method="A",
        auto_burn=True,
    )


def test_open_table_takes_everything_that_the_format_has() -> None:
    limits = {"*": {"min": 100, "max": 1000}, "tie": {"min": 1, "max": 2, "unit": 1}}
    raw = {
        **OPEN,
        "decks": 6,
        "currency": "JPY",
        "limits": limits,
        "currencies": {"USD": {"*": {"min": 5, "max": 10}}},
        "differential": 600,
        "chip": 25,
        "seats": 7,
        "left_of_dealer": 7,
        "layout": "C",
        "method": "D",
        "auto_burn": False,
        "player_coup_maximum": 10**15,
        "maximum_win": 0,
        "exposure": 1,
        "options": {"betting_seconds": 20, "burn": {"x": [None, 1.5]}},
    }
    [line] = read_stream(BytesIO(json.dumps(raw).encode()), "log")
    assert isinstance(line, lines.OpenTable)
    assert line.limits == {"*": Limit(100, 1000), "TIE": Limit(1, 2, 1)}
    assert line.currencies == {"USD": {"*": Limit(5, 10)}}
    assert (line.layout, line.method, line.auto_burn) == ("C", "D", False)
    assert line.options == {"betting_seconds": 20, "burn": {"x": [None, 1.5]}}


def test_a_wager_is_the_player_s_and_its_area_is_the_core_s() -> None:
    line = last({"do": "wager", "id": "w1", "player": "p1", "area": "player_pair", "amount": 5})
    assert line == lines.Wager(
        number=2,
        at_us=FIRST_LINE_US + SECOND // 10,
        by=Actor("p1", "PLAYER"),
        id="w1",
        player="p1",
        area="PLAYER_PAIR",
        amount=5,
    )


@pytest.mark.parametrize(
    ("written", "card"),
    [("10h", "TH"), ("10H", "TH"), ("Th", "TH"), ("tH", "TH"), ("as", "AS"), ("2D", "2D")],
)
def test_cards_are_read_in_any_case_and_ten_in_both_spellings(written: str, card: str) -> None:
    assert last({"do": "draw", "card": written}).card == card
    assert last({"do": "load_shoe", "shoe": "S1", "cards": [written]}).cards == (card,)
    assert last({"do": "shuffler_fault", **FAULT, "damaged": [written]}).damaged == (card,)


FAULT = {"disadvantage": False, "spare": True, "transferable": True}


@pytest.mark.parametrize(
    "card",
    ["JOKER", "1S", "10", "H", "", "T", "AX", "TH ", "010H", "1OH", "\uff21S", "a\u017f", "ASS"],
)
def test_what_is_no_card_is_malformed(card: str) -> None:
    assert "`card` must be a card" in refused({"do": "draw", "card": card})
    assert "`cards`" in refused({"do": "load_shoe", "shoe": "S", "cards": ["AS", card]})


def test_hands_and_winners_are_upper_case_and_other_choices_stay() -> None:
    assert last({"do": "draw", "to": "banker", "face": "down"}).to == "BANKER"
    assert last({"do": "announce", "winner": "tie"}).winner == "TIE"
    assert last({"do": "offer_cards", "hand": "player", "seat": 3}).hand == "PLAYER"
    assert last({"do": "burn", "reason": "game_error"}).reason == "game_error"
    assert last({"do": "approve", "what": "opposing_wagers", "area": "tie"}).area == "TIE"


def test_a_ruling_has_two_persons_and_both_hands() -> None:
    line = last(
        {
            "do": "ruling",
            "kind": "correct_result",
            "coup": 1,
            "reason": "misread",
            "cards": {"player": ["10h", "3d"], "banker": ["7H", "KC"]},
            "by": {"id": "gs1", "role": "game_supervisor"},
            "second": {"id": "cs1", "role": "casino_supervisor"},
        }
    )
    assert line.cards == Hands(("TH", "3D"), ("7H", "KC"))
    assert line.by == Actor("gs1", "GAME_SUPERVISOR")
    assert line.second == Actor("cs1", "CASINO_SUPERVISOR")


# Times


def test_default_times_are_a_second_apart_a_tenth_for_wagers_ten_for_betting() -> None:
    wager = {"do": "wager", "id": "w", "player": "p", "area": "tie", "amount": 1}
    found = parsed(
        {"do": "load_shoe", "shoe": "S1"}, {"do": "open_betting"}, wager, b"", wager, {"do": "deal"}
    )
    since = [(line.at_us - FIRST_LINE_US) / SECOND for line in found]
    assert since == [0, 1, 11, 11.1, 11.2, 12.2]
    assert [line.number for line in found] == [1, 2, 3, 4, 6, 7]


def test_a_given_time_moves_the_defaults_after_it() -> None:
    found = parsed({"do": "deal", "at": "2026-01-01T00:05:00.25Z"}, {"do": "deal"})
    assert [rfc3339(line.at_us) for line in found] == [
        "2026-01-01T00:00:00Z",
        "2026-01-01T00:05:00.25Z",
        "2026-01-01T00:05:01.25Z",
    ]


def test_time_may_stand_still_and_never_goes_back() -> None:
    same = "2026-01-01T00:00:00Z"
    assert last({"do": "deal", "at": same}).at_us == FIRST_LINE_US
    assert "time goes back" in refused({"do": "deal", "at": "2025-12-31T23:59:59.999999Z"})
    assert "time goes back" in refused({"do": "deal"}, {"do": "deal", "at": same})


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t00:00:00z", 0),
        ("1970-01-01T00:00:00+00:00", 0),
        ("1970-01-01T00:00:00-00:00", 0),
        ("1969-12-31T23:59:59.5Z", -500_000),
        ("1970-01-01T00:00:00.1Z", 100_000),
        ("1970-01-01T00:00:00.1234569Z", 123_456),
        ("1970-01-01T00:00:01.000000000001Z", 1_000_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ],
)
def test_instants_are_read_to_the_microsecond(text: str, us: int) -> None:
    assert instant_us(text) == us
    assert instant_us(rfc3339(us)) == us


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00+01:00",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T23:59:60Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Z\n",
        "٢٠٢٦-01-01T00:00:00Z",
        "12026-01-01T00:00:00Z",
    ],
)
def test_what_is_no_instant_in_utc_is_malformed(text: str) -> None:
    with pytest.raises(ValueError, match=r"is none|must be in|out of range|Invalid|invalid"):
        instant_us(text)
    assert "`at` must be an RFC 3339 instant" in refused({"do": "tick", "at": text})
    sign = {"do": "notice", "change": "close", "effective_at": text}
    assert "`effective_at`" in refused(sign)


def test_a_tick_is_nothing_without_a_time() -> None:
    assert "`at`" in refused({"do": "tick"})


def test_time_ends_with_the_year_9999() -> None:
    end = {"do": "tick", "at": "9999-12-31T23:59:59.9Z"}
    assert "9999" in refused(end, {"do": "deal"})


# Who acts


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ({"do": "burn", "reason": "new_shoe"}, "DEALER"),
        ({"do": "burn", "reason": "discretion", "count": 5}, "GAME_SUPERVISOR"),
        ({"do": "cut", "position": 60}, "GAME_SUPERVISOR"),
        ({"do": "cut", "position": 60, "seat": 3}, "PLAYER"),
        ({"do": "approve", "what": "method", "method": "B"}, "INSPECTOR"),
        ({"do": "approve", "what": "method", "method": "C"}, "DUTY_MANAGER"),
        ({"do": "approve", "what": "opposing_wagers"}, "DUTY_MANAGER"),
        ({"do": "approve", "what": "three_card_burn"}, "GAME_SUPERVISOR"),
        ({"do": "ruling", "kind": "attest", "seen": True}, "GAME_SUPERVISOR"),
        ({"do": "ruling", "kind": "void", "coup": 1, "reason": "x"}, "CASINO_SUPERVISOR"),
        (
            {"do": "decide_dispute", "id": "q", "level": 1, "decision": "upheld"},
            "GAME_SUPERVISOR",
        ),
        (
            {"do": "decide_dispute", "id": "q", "level": 2, "decision": "upheld"},
            "CASINO_SUPERVISOR",
        ),
        ({"do": "standing", "permitted": True}, "GAME_SUPERVISOR"),
        ({"do": "change_game", "rulebook": "x"}, "CASINO_SUPERVISOR"),
        ({"do": "deal"}, "DEALER"),
        ({"do": "dispute", "id": "q", "coup": 1, "claim": ""}, "PLAYER"),
        ({"do": "tick", "at": "2026-01-01T00:00:00Z"}, "SYSTEM"),
    ],
)
def test_a_line_without_by_is_of_the_role_it_belongs_to(line: dict[str, Any], role: str) -> None:
    assert last(line).by.role == role


def test_a_wager_s_own_player_changes_it() -> None:
    wager = {"do": "wager", "id": "w1", "player": "p1", "area": "tie", "amount": 1}
    other = {**wager, "player": "p2"}
    for do in ("cancel_wager", "withdraw_wager", "keep_wager"):
        assert last(wager, other, {"do": do, "id": "w1"}).by == Actor("p1", "PLAYER")
    assert last(wager, {"do": "cancel_wager", "id": "w2"}).by == STAFF["PLAYER"]


def test_the_player_in_a_seat_acts_from_it() -> None:
    seat = {"do": "seat", "player": "p1", "seat": 3}
    cut = {"do": "decline_cut", "seat": 3}
    taken = {"do": "seat", "player": "p2", "seat": 3}
    assert last(cut).by == Actor("seat-3", "PLAYER")
    assert last(seat, taken, cut).by == Actor("p1", "PLAYER")
    assert last(seat, {"do": "unseat", "player": "p2", "seat": 3}, cut).by.id == "p1"
    assert last(seat, {"do": "unseat", "player": "p1", "seat": 3}, taken, cut).by.id == "p2"
    assert last(seat, {"do": "ruling", "kind": "vacate_seat", "seat": 3}, cut).by.id == "seat-3"


@pytest.mark.parametrize("role", ROLES)
def test_by_takes_every_role_of_the_format(role: str) -> None:
    line = last({"do": "deal", "by": {"id": "x", "role": role}})
    assert line.by == Actor("x", role.upper())


def test_the_players_of_old_wagers_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WAGERS_REMEMBERED", 2)
    log: list[dict[str, Any]] = [
        {"do": "wager", "id": f"w{n}", "player": f"p{n}", "area": "tie", "amount": 1}
        for n in range(5)
    ]
    owners = [last(*log, {"do": "cancel_wager", "id": f"w{n}"}).by.id for n in range(5)]
    assert owners == ["player-1", "player-1", "p2", "p3", "p4"]


# What is malformed


WAGER: dict[str, Any] = {"do": "wager", "id": "w1", "player": "p1", "area": "tie", "amount": 1}


@pytest.mark.parametrize(
    "amount",
    [-1, 10**15 + 1, 10**30, 0.5, 1000.0, "1000", True, None, [1], {}],
    ids=repr,
)
def test_money_is_whole_minor_units_up_to_10_to_the_15(amount: Any) -> None:
    assert "`amount` must be whole minor units" in refused({**WAGER, "amount": amount})


@pytest.mark.parametrize("amount", [0, 1, 10**15])
def test_money_in_its_range_is_taken(amount: int) -> None:
    assert last({**WAGER, "amount": amount}).amount == amount


@pytest.mark.parametrize(
    "line",
    [
        {**WAGER, "box": True},
        {**WAGER, "box": 3.0},
        {**WAGER, "box": 10**9 + 1},
        {**WAGER, "token": ""},
        {**WAGER, "token": None},
        {**WAGER, "player": 7},
        {**WAGER, "id": "x" * 257},
        {**WAGER, "channel": "SCREEN"},
        {**WAGER, "currency": "eur"},
        {**WAGER, "currency": "EUR\n"},
        {**WAGER, "currency": "EURO"},
        {**WAGER, "area": "Tie"},
        {**WAGER, "area": "tie\n"},
        {**WAGER, "area": ""},
        {"do": "standing", "permitted": 1},
        {"do": "standing", "permitted": "true"},
        {"do": "shuffle", "procedure": "wash"},
        {"do": "burn", "reason": "card_before_close"},
        {"do": "draw", "count": 0},
        {"do": "draw", "to": "tie"},
        {"do": "draw", "face": "sideways"},
        {"do": "announce", "winner": None},
        {"do": "open_betting", "closes_in_s": 0},
        {"do": "open_betting", "closes_in_s": 1.5},
        {"do": "load_shoe", "shoe": "S1", "cards": "AS"},
        {"do": "load_shoe", "shoe": "S1", "source": "box"},
        {"do": "load_shoe", "shoe": "S1", "cut_card_after": -1},
        {"do": "approve", "what": "everything"},
        {"do": "approve", "what": "method", "method": "E"},
        {"do": "consent", "player": "p1", "change": "limits"},
        {"do": "decide_dispute", "id": "q", "level": 1, "decision": "maybe"},
        {"do": "inspect_cards", "witness": "x", "video": "v", "stage": "during"},
        {"do": "notice", "change": "max", "effective_at": "2026-01-01T00:00:00Z"},
        {"do": "change_limits", "limits": {"Tie": {"min": 1, "max": 2}}},
        {"do": "change_limits", "limits": {"tie": {"min": 1}}},
        {"do": "change_limits", "limits": {"tie": {"min": 1, "max": 2, "unit": 0}}},
        {"do": "change_limits", "limits": {"tie": {"min": 1, "max": 2.0}}},
        {"do": "change_limits", "limits": {"tie": {"min": 1, "max": 2, "step": 1}}},
        {"do": "change_limits", "limits": {"tie": {"min": 1, "max": 10**15 + 1}}},
        {"do": "change_limits", "limits": [1]},
        {"do": "ruling", "kind": "pardon"},
        {"do": "ruling", "kind": "attest", "seen": True, "second": {"id": "x"}},
        {"do": "ruling", "kind": "attest", "seen": True, "second": {"id": "x", "role": "DEALER"}},
        {"do": "deal", "by": {"id": "x", "role": "auditor"}},
        {"do": "deal", "by": {"id": "", "role": "dealer"}},
        {"do": "deal", "by": {"id": "x", "role": "dealer", "name": "y"}},
        {"do": "deal", "by": "dealer"},
        {"do": "deal", "by": None},
        {"do": "deal", "at": None},
        {"do": "deal", "at": 0},
    ],
    ids=json.dumps,
)
def test_a_value_outside_what_is_listed_is_malformed_and_named(line: dict[str, Any]) -> None:
    what = refused(line)
    named = re.match(r"`(\w+)` must be .+", what)
    assert named is not None
    assert named[1] in line


@pytest.mark.parametrize("do", ACTIONS)
def test_a_missing_key_is_named(do: str) -> None:
    for field in FIELDS[do]:
        if field.required:
            line = {**SAMPLES[do], "do": do}
            del line[field.name]
            raw = json.dumps(line).encode()
            assert f"the key `{field.name}`" in fault_in(raw)
            with pytest.raises(Malformed, match=f"the key `{field.name}`"):
                list(read_stream(BytesIO(raw), "log"))


@pytest.mark.parametrize("do", ACTIONS)
def test_an_unknown_key_is_named(do: str) -> None:
    line = {**SAMPLES[do], "do": do, "colour": "red"}
    assert f"{do} has no key `colour`" in fault_in(json.dumps(line).encode())


@pytest.mark.parametrize("key", ["number", "at_us", "line", "Do", "DO", "type"])
def test_our_own_names_are_no_keys_of_a_log(key: str) -> None:
    assert f"no key `{key}`" in refused({"do": "deal", key: 1})


SAMPLES: dict[str, dict[str, Any]] = {
    "open_table": OPEN,
    "seat": {"player": "p1", "seat": 1},
    "unseat": {"player": "p1", "seat": 1},
    "standing": {"permitted": True},
    "assign_dealer": {"dealer": "d1"},
    "change_dealer": {"dealer": "d1"},
    "inspect_cards": {"witness": "gs1", "video": "cam"},
    "shuffle": {"procedure": "manual"},
    "request_riffle": {"player": "p1"},
    "offer_cut": {"seat": 1},
    "decline_cut": {"seat": 1},
    "cut": {"position": 60},
    "place_cut_card": {"from_back": 14},
    "load_shoe": {"shoe": "S1"},
    "burn": {"reason": "new_shoe"},
    "wager": WAGER,
    "change_wager": {"id": "w1", "amount": 1},
    "cancel_wager": {"id": "w1"},
    "reject_wager": {"id": "w1"},
    "offer_cards": {"hand": "player", "seat": 1},
    "accept_cards": {"hand": "player", "seat": 1},
    "decline_cards": {"hand": "player", "seat": 1},
    "return_cards": {"hand": "player", "seat": 1},
    "offer_shoe": {"seat": 1},
    "accept_shoe": {"seat": 1, "hand": "banker"},
    "decline_shoe": {"seat": 1},
    "pass_shoe": {"seat": 1},
    "approve": {"what": "method"},
    "ruling": {"kind": "forfeit_shoe"},
    "withdraw_wager": {"id": "w1"},
    "keep_wager": {"id": "w1"},
    "shuffler_fault": FAULT,
    "notice": {"change": "close", "effective_at": "2026-01-01T00:00:00Z"},
    "consent": {"player": "p1", "change": "game"},
    "change_limits": {"limits": {"*": {"min": 1, "max": 2}}},
    "grant_limits": {"player": "p1", "min": 1},
    "change_game": {"rulebook": "nsw-mini"},
    "dispute": {"id": "q1", "coup": 1, "claim": "late"},
    "decide_dispute": {"id": "q1", "level": 1, "decision": "upheld"},
    "advise_inspector": {"id": "q1"},
    "incident": {"code": "ADVICE", "note": ""},
    "tick": {"at": "2026-01-01T00:00:00Z"},
} | {
    do: {}
    for do in (
        "open_betting",
        "no_more_bets",
        "close_book",
        "draw",
        "deal",
        "announce",
        "expose_next",
        "close_withdrawals",
        "resume_coup",
        "resume_table",
        "close_table",
    )
}


def test_there_is_a_sample_of_every_action_and_all_are_read() -> None:
    assert set(SAMPLES) == set(ACTIONS)
    assert len(ACTIONS) == 53
    for do, fields in SAMPLES.items():
        if do != "open_table":
            assert last({**fields, "do": do}).do == do


@pytest.mark.parametrize("kind", RULING_NEEDS)
def test_a_ruling_needs_the_keys_of_its_kind(kind: str) -> None:
    every: dict[str, Any] = {
        "coup": 1,
        "reason": "",
        "cards": {"player": ["AS", "2S"], "banker": ["3S", "4S"]},
        "wager": "w1",
        "player": "p1",
        "seat": 1,
        "seen": False,
    }
    assert last({"do": "ruling", "kind": kind, **every}).kind == kind
    needed = {key: every[key] for key in RULING_NEEDS[kind]}
    assert last({"do": "ruling", "kind": kind, **needed}).kind == kind
    for key in needed:
        rest = {other: value for other, value in needed.items() if other != key}
        assert f"`{key}`" in refused({"do": "ruling", "kind": kind, **rest})


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ({"change": "min"}, "value"),
        ({"change": "min", "value": "2000"}, "value"),
        ({"change": "min", "value": -1}, "value"),
        ({"change": "min", "value": 10**15 + 1}, "value"),
        ({"change": "min", "value": True}, "value"),
        ({"change": "game"}, "value"),
        ({"change": "game", "value": 5}, "value"),
        ({"change": "close", "value": 5}, "value"),
    ],
)
def test_a_notice_has_the_value_of_its_change(line: dict[str, Any], named: str) -> None:
    sign = {"do": "notice", "effective_at": "2026-01-01T00:00:00Z", **line}
    assert f"`{named}`" in refused(sign)


def test_granted_limits_are_at_least_one() -> None:
    assert last({"do": "grant_limits", "player": "p1", "max": 5}).max == 5
    assert "`min` and `max`" in refused({"do": "grant_limits", "player": "p1"})


# The page


def test_the_page_lists_every_action_with_its_keys() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", SCHEMA.read_text(), re.MULTILINE)
    listed = {do: (keys, who) for do, keys, who in rows if do in ACTIONS}
    assert list(listed) == list(ACTIONS)
    for do, (keys, who) in listed.items():
        wanted = [f"`{field.name}`" + ("" if field.required else "?") for field in FIELDS[do]]
        if do in AT_REQUIRED:
            wanted.insert(0, "`at`")
        assert keys.split() == wanted, do
        role = parsed({**SAMPLES[do], "do": do} if do != "open_table" else b"")[-1].by.role
        named = "player" if role == "PLAYER" else role
        assert named.lower() in who.lower() or "see below" in who, do


def test_the_page_lists_every_ruling_and_approval() -> None:
    page = SCHEMA.read_text()
    for kind, needs in RULING_NEEDS.items():
        role = last({"do": "ruling", "kind": kind, **dict.fromkeys(needs, 1), **_of(needs)}).by.role
        keys = " ".join(f"`{name}`" for name in needs)
        assert f"| `{kind}` | {keys} | {role} |".replace("|  |", "| |") in page
    for what in ("area_sharing", "act_as_player", "multi_pull", "extra_cards", "opposing_wagers"):
        assert f"| `{what}` | {last({'do': 'approve', 'what': what}).by.role} |" in page


def _of(needs: tuple[str, ...]) -> dict[str, Any]:
    values: dict[str, Any] = {
        "reason": "x",
        "cards": {"player": [], "banker": []},
        "wager": "w",
        "player": "p",
        "seen": True,
    }
    return {name: values[name] for name in needs if name in values}
