"""`sabot odds` and `sabot rulebook`."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from services.cli.__main__ import run
from services.cli.console import print_table
from services.cli.odds import percent
from services.rulebooks import catalogue
from services.rulebooks.catalogue import document, load_catalogue
from tests.cli.cases import ROOT

ORACLE = ROOT / "tests" / "data" / "oracle" / "odds.json"
AREA_KEYS = {
    "player": "PLAYER",
    "tie": "TIE",
    "player_pair": "PLAYER_PAIR",
    "banker_pair": "BANKER_PAIR",
    "big": "BIG",
    "small": "SMALL",
}
EVENTS = {
    "player": ("player_wins", "ties"),
    "banker": ("banker_wins", "ties"),
    "tie": ("ties", None),
    "player_pair": ("player_pair", None),
    "banker_pair": ("banker_pair", None),
    "small": ("cards_4", None),
}


@pytest.fixture(scope="module")
def oracle() -> Any:
    whole = json.loads(ORACLE.read_text())
    return whole.get("decks", whole)


@pytest.mark.parametrize("rulebook", ["nsw-mini", "super-six", "super-six-commission"])
@pytest.mark.parametrize("decks", [1, 6, 8])
def test_odds_are_the_integers_of_an_independent_count(
    rulebook: str, decks: int, oracle: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["odds", "--rulebook", rulebook, "--decks", str(decks), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    wanted = oracle[str(decks)]
    assert printed["total_deals"] == wanted["total_deals"]
    assert printed["mean_cards"] == wanted["mean_cards"]
    assert printed["events"]["banker_wins"] == wanted["events"]["banker_wins"]
    on_six = load_catalogue()[rulebook].pay_on_six is not None
    for area, found in printed["areas"].items():
        banker = "BANKER_HALF_ON_SIX" if on_six else "BANKER_COMMISSION"
        key = AREA_KEYS.get(area, banker)
        assert found["expectation"] == wanted["expectation"][key]
        assert Fraction(found["house_edge"]) == -Fraction(found["expectation"])
        deals = [int(found[name]) for name in ("wins", "pushes", "loses")]
        assert sum(deals) == int(printed["total_deals"])
        if area in EVENTS:
            wins, pushes = EVENTS[area]
            assert found["wins"] == wanted["events"][wins]
            assert found["pushes"] == (wanted["events"][pushes] if pushes else "0")


def test_odds_of_a_house_are_told_from_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the one argument or the option; a file that holds no rulebook is named with its fault."""
    assert run(["odds", "live-studio", "--json"]) == 0
    packaged = json.loads(capsys.readouterr().out)
    house: dict[str, Any] = {
        **document("live-studio"),
        "rulebook_id": "house",
        "base": "live-studio",
    }
    house["pay"] = {**house["pay"], "TIE": [9, 1]}
    file = tmp_path / "house.json"
    for given in ([str(file)], ["--rulebook", str(file)]):
        file.write_text(json.dumps(house))
        assert run(["odds", *given, "--json"]) == 0, capsys.readouterr().err
        found = json.loads(capsys.readouterr().out)
        assert found["rulebook"] == "house"
        assert found["areas"]["tie"]["house_edge"] != packaged["areas"]["tie"]["house_edge"]
        assert found["areas"]["player"] == packaged["areas"]["player"]
        file.write_text(json.dumps({**house, "decks": []}))
        assert run(["odds", *given]) == 2
        assert f"{file}:1: " in capsys.readouterr().err
    assert run(["odds"]) == 2
    assert run(["odds", str(tmp_path / "none.json")]) == 2


def test_odds_as_a_table_have_a_row_for_each_area(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["odds", "--rulebook", "super-six"]) == 0
    printed = capsys.readouterr()
    first, headers, *rows = printed.out.splitlines()
    assert first == "super-six, 8 decks, 4,998,398,275,503,360 deals"
    assert headers.split()[0] == "area"
    areas = ["player", "banker", "tie", "player_pair", "banker_pair", "big", "small"]
    assert [row.split()[0] for row in rows] == areas
    assert "1.2351" in rows[0]
    assert printed.err == ""


def test_decks_that_a_rulebook_does_not_allow_are_counted_and_remarked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["odds", "--rulebook", "nsw-mini", "--decks", "5"]) == 0
    assert "not dealt from 5 decks" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Fraction(0), "0.0000"),
        (Fraction(1), "100.0000"),
        (Fraction(-1, 3), "-33.3333"),
        (Fraction(2, 3), "66.6667"),
        (Fraction(1, 2_000_000), "0.0000"),
        (Fraction(3, 2_000_000), "0.0002"),
    ],
)
def test_percentages_are_rounded_exactly(part: Fraction, text: str) -> None:
    assert percent(part, digits=4) == text


def test_the_list_has_every_packaged_rulebook(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rulebook", "list"]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == list(load_catalogue())


def test_the_list_as_json_has_full_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rulebook", "list", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["rulebook"]: row["hash"] for row in rows} == {
        name: rulebook.hash for name, rulebook in load_catalogue().items()
    }


@pytest.mark.parametrize("name", load_catalogue())
def test_packaged_rulebooks_are_sound(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(document(name)))
    assert run(["rulebook", "check", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"{name} {load_catalogue()[name].hash}"


def test_every_fault_of_a_broken_document_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken: dict[str, Any] = document("nsw-mini")
    del broken["betting_close"]
    broken["house_edge"] = 1
    broken["two\nlines"] = 1
    broken["decks"] = [0]
    broken["cut_depth"]["cards"] = 5
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(broken))
    assert run(["rulebook", "check", str(file)]) == 1
    printed = capsys.readouterr()
    for fault in (
        "betting_close: missing",
        "house_edge: unknown",
        "two\\nlines",
        "decks",
        "cut_depth.cards",
    ):
        assert any(fault in line for line in printed.out.splitlines()), fault
    assert len(printed.out.splitlines()) >= 4
    assert str(file) in printed.err


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", 1),
        (b"{\n  'rulebook_id': 1}", 2),
        (b'{"decks": [8],\n"decks": [6]}', 1),
        (b'{"a": NaN}', 1),
        (b"[]", 1),
        (b'{"a":\n"\xff"}', 2),
        (b"\xef\xbb\xbf{}", 1),
        (b'{"a":' + b"[" * 100_000, 1),
        (b" " * (1 << 20) + b"{}", 1),
        (b'{"a": ' + b"1" * 5000 + b"}", 1),
    ],
    ids=["empty", "quotes", "twice", "nan", "list", "utf8", "mark", "deep", "long", "digits"],
)
def test_a_file_that_holds_no_json_object_is_malformed(
    content: bytes, line: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rules.json"
    file.write_bytes(content)
    assert run(["rulebook", "check", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"{file}:{line}: ")
    assert printed.err.count("\n") == 1


def test_a_table_is_drawn_on_a_terminal_only(capsys: pytest.CaptureFixture[str]) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    drawn, plain = Terminal(), io.StringIO()
    for out in (drawn, plain):
        print_table(out, ("area", "n"), [("tie", "1"), ("banker", "22")])
    assert plain.getvalue() == "area     n\ntie      1\nbanker  22\n"
    assert "banker" in drawn.getvalue()
    assert "─" in drawn.getvalue()


def test_a_packaged_rulebook_is_shown_by_its_id_and_by_its_hash(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No server is asked for what is packaged; the document is the one that was hashed."""
    rulebook = load_catalogue()["nsw-mini"]
    for name in (rulebook.rulebook_id, rulebook.hash):
        assert run(["rulebook", "show", name]) == 0
        assert json.loads(capsys.readouterr().out) == document("nsw-mini")
    assert run(["rulebook", "show", "nsw-mini", "--text"]) == 0
    assert capsys.readouterr().out.startswith("Rules of nsw-mini\n")


def test_a_rulebook_that_nobody_knows_is_not_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an id that is not packaged, nor a hash where there is no service to ask."""
    monkeypatch.setattr("services.cli.local.use_local_stack", lambda: None)
    for service in ("SHOE", "ROUND", "WAGER", "SETTLEMENT"):
        monkeypatch.delenv(f"SABOT_{service}_TARGET", raising=False)
    assert run(["rulebook", "show", "nsw-maxi"]) == 1
    assert "there is no rulebook nsw-maxi; packaged are live-lobby, " in capsys.readouterr().err
    assert run(["rulebook", "show", "0" * 64]) == 1
    assert "no services" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [
        ("--export", "x"),
        ("--by", "gs1"),
        ("--dispute", "q1"),
        ("--export", "x", "--by", "gs1", "--position", "4"),
    ],
)
def test_evidence_is_handed_out_by_somebody_for_something(
    options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Options that make no sense together are wrong use, before anything is asked."""
    assert run(["evidence", "T1:1:1", *options]) == 2
    assert "--" in capsys.readouterr().err


def test_a_faulty_document_among_the_packaged_ones_is_checked_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes a rulebook in its place is told every fault, as elsewhere."""
    copied = {**document("nsw-mini"), "rulebook_id": "mine", "base": "nsw-mini", "decks": []}
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(copied))
    files = {**catalogue._files(), "mine": file.read_bytes()}
    monkeypatch.setattr(catalogue, "_files", lambda: files)
    load_catalogue.cache_clear()
    try:
        assert run(["rulebook", "check", str(file)]) == 1
    finally:
        load_catalogue.cache_clear()
    printed = capsys.readouterr()
    assert "V-9 variant_change_to: nsw-mini-even-money does not name this one back" in printed.out
    assert "decks" in printed.out
    assert "is refused" in printed.err
