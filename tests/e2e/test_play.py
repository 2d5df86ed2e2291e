"""`sabot play` and `sabot replay` of the same logs: the whole system against one pure function."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sabot.settlement.v1 import settlement_service_pb2
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from services.tablelog.played import PlayedTable
from services.tablelog.reader import Malformed, read
from tests.cli.cases import cases_of, first_missing, json_lines
from tests.e2e.support import (
    CASES,
    OPEN,
    SHOE,
    Line,
    balances,
    coup,
    event_counts,
    fresh,
    movements,
    played,
    recorded,
    replayed,
    rows,
    sabot,
    short_table,
    value,
    written,
)
from tests.property.play import wander

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

RECORDINGS = {"martingale-on-punto": 3, "dalembert-on-banco": 4, "bet-on-egalite-tie": 4}


def by_file(printed: str) -> dict[str, list[Line]]:
    lines = [json.loads(line) for line in printed.splitlines()]
    return {
        name: [line for line in lines if line["file"] == name]
        for name in {line["file"] for line in lines}
    }


def test_several_recorded_tables_come_out_of_the_services_as_out_of_the_core(
    stack: Stack, tmp_path: Path
) -> None:
    """Byte for byte, with the file named in every line, and nothing of a run's prefixes left."""
    files = [written(tmp_path, name, recorded(name, n)) for name, n in RECORDINGS.items()]
    files.append(written(tmp_path, "short", short_table()))
    run = fresh("many")
    through_services = sabot(stack, "play", *files, "--run", run)
    through_core = sabot(stack, "replay", *files)
    assert through_services.returncode == 0, through_services.stderr
    assert through_services.stdout == through_core.stdout
    assert [json.loads(line)["file"] for line in through_core.stdout.splitlines()][-1] == files[-1]
    assert run not in through_services.stdout
    first, *told = through_services.stderr.splitlines()
    assert first == f"run {run}"
    assert all(line.startswith("played ") for line in told), told


async def test_every_family_of_cases_comes_out_the_same_and_can_be_rebuilt(
    stack: Stack, tmp_path: Path
) -> None:
    """One case of each family of the format: burns, cuts, limits, refusals, rulings, tokens, games.

    Every coup of them, folded from the log again, agrees with the cards and with what queries see.
    """
    families: dict[str, Any] = {}
    for case in map(json.loads, CASES.read_text().splitlines()):
        families.setdefault(case["id"].rpartition("-")[0], case)
    assert len(families) > 40
    files = [written(tmp_path, case["id"], case["log"]) for case in families.values()]
    run = fresh("cases")
    through_services = await asyncio.to_thread(sabot, stack, "play", *files, "--run", run)
    through_core = sabot(stack, "replay", *files)
    assert through_services.returncode == 0, through_services.stderr
    assert by_file(through_services.stdout) == by_file(through_core.stdout)

    played_coups = "select distinct coup_id from events where starts_with(coup_id, $1)"
    coups = [row[0] for row in await rows(stack, "settlement", played_coups, f"{run}.")]
    assert len(coups) > 40
    differing = {}
    async with Services(stack.targets) as services:
        for coup_id in coups:
            request = settlement_service_pb2.RebuildCoupRequest(coup_id=coup_id)
            rebuilt = await services.stub("settlement").RebuildCoup(request)
            if not rebuilt.matches:
                differing[coup_id] = list(rebuilt.differences)
    assert differing == {}


@pytest.mark.parametrize("rulebook", ["super-six", "nsw-mini"])
async def test_random_tables_come_out_of_the_services_as_out_of_the_core(
    stack: Stack, tmp_path: Path, rulebook: str
) -> None:
    """Every irregularity that a line can stand for, from a seed."""
    log = wander(rulebook, 5, steps=70, lines_only=True).log
    path = written(tmp_path, "random", log)
    assert await played(stack, path, fresh("random")) == replayed(path)


def test_the_standard_coups_come_out_of_the_services(stack: Stack, tmp_path: Path) -> None:
    """The shortest log of each family: both games of seven areas, and even money in chips."""
    cases = sorted(cases_of("coups.jsonl.gz"), key=lambda case: len(case.log))
    families = {case.id.rpartition("-")[0]: case for case in reversed(cases)}
    assert len(families) == 3
    files = [written(tmp_path, case.id, case.log) for case in families.values()]
    result = sabot(stack, "play", *files, "--run", fresh("coups"))
    assert result.returncode == 0, result.stderr
    printed = by_file(result.stdout)
    for file, case in zip(files, families.values(), strict=True):
        assert first_missing(case.expect, printed[file]) is None


async def test_every_malformed_case_stops_play_at_its_line(stack: Stack, tmp_path: Path) -> None:
    """Exit status 2 and FILE:LINE, before anything of that line took effect."""
    wrong = {}
    for case in json_lines(CASES.parent / "malformed.jsonl"):
        path = written(tmp_path, case["id"], case["lines"])
        with pytest.raises(Malformed) as caught:
            await played(stack, path, fresh("malformed"))
        if not str(caught.value).startswith(f"{path}:{case['error_line']}: "):
            wrong[case["id"]] = str(caught.value)
    assert wrong == {}


async def test_a_malformed_line_ends_the_run_after_all_before_it_took_effect(
    stack: Stack, tmp_path: Path
) -> None:
    """Exit status 2 and one line about it; the lines before are printed, the table is closed."""
    faulty = '{"do":"wager","id":"w1"}'
    lines: list[Line | str] = [OPEN, SHOE, {"do": "open_betting"}, faulty, {"do": "deal"}]
    path = written(tmp_path, "faulty", lines)
    run = fresh("malformed")
    result = sabot(stack, "play", path, "--run", run)
    expected = sabot(stack, "replay", path)
    assert (result.returncode, result.stdout) == (2, expected.stdout)
    assert '"burned"' in result.stdout
    first, about = result.stderr.splitlines()
    assert first == f"run {run}"
    assert about.startswith(f"{path}:4: ")
    assert about + "\n" == expected.stderr
    opened = "select count(*) from events where stream_id = $1 and type = 'betting-opened'"
    assert await value(stack, "round", opened, f"{run}.1.T1") == 1


async def test_the_same_run_again_prints_the_same_and_does_nothing_twice(
    stack: Stack, tmp_path: Path
) -> None:
    """Stored answers, refusals included: equal output, no further event, no further movement."""
    path = written(tmp_path, "again", short_table())
    run = fresh("again")
    first = await played(stack, path, run)
    counts, moved = await event_counts(stack, run), await movements(stack, run)
    had = await balances(stack, run)
    assert first == replayed(path)
    assert await played(stack, path, run) == first
    assert await event_counts(stack, run) == counts
    assert await movements(stack, run) == moved
    assert await balances(stack, run) == had
    kinds = [kind for _, kind, _ in moved]
    assert (kinds.count("FUND"), kinds.count("DEBIT")) == (6, 5)


async def test_a_run_that_was_cut_off_goes_on_where_it_was(stack: Stack, tmp_path: Path) -> None:
    """A longer log under the same run: the old lines are answered, only the new ones are played.

    The shorter log ends like a run whose process was killed: its table is still open.
    """
    lines = short_table()
    path = written(tmp_path, "whole", lines)
    run = fresh("resumed")
    async with Services(stack.targets) as services:
        table = PlayedTable(services, run=run, number=1, say=print)
        for line in list(read(path))[:8]:
            await table.line(line)
    counts = await event_counts(stack, run)
    assert counts["round"]["betting-opened"] == 1
    assert await played(stack, path, run) == replayed(path)
    after = await event_counts(stack, run)
    assert after["round"]["betting-opened"] == 3
    assert after["settlement"]["coup-settled"] == 3
    assert after["round"]["table-opened"] == 1


async def test_a_table_that_cannot_be_opened_answers_like_one_that_never_was(
    stack: Stack, tmp_path: Path
) -> None:
    """The services know nothing of it, and must not be waited for."""
    lines = [{**OPEN, "rulebook": "nowhere"}, SHOE, *coup(1, ("p1", "tie", 500))]
    path = written(tmp_path, "unopened", lines)
    assert await played(stack, path, fresh("unopened")) == replayed(path)


async def test_a_raised_stake_is_funded_and_sentences_name_players_as_the_log_does(
    stack: Stack, tmp_path: Path
) -> None:
    """`replay` knows no empty purse, and no prefix."""
    lines = [
        {**OPEN, "rulebook": "nsw-baccarat"},
        SHOE,
        {"do": "seat", "player": "p1", "seat": 1},
        {"do": "seat", "player": "p1", "seat": 2},
        {"do": "open_betting"},
        {"do": "wager", "id": "w1", "player": "p1", "area": "tie", "amount": 1_000},
        {"do": "change_wager", "id": "w1", "amount": 90_000},
        {"do": "no_more_bets"},
        {"do": "deal"},
    ]
    path = written(tmp_path, "raised", lines)
    printed = await played(stack, path, fresh("raised"))
    assert printed == replayed(path)
    assert [line["wagers"][0]["stake"] for line in printed if line["kind"] == "coup"] == [90_000]
    sentences = [line["message"] for line in printed if line["kind"] == "refused"]
    assert sentences == ["p1 has a seat already"]


async def test_what_a_log_leaves_unfinished_is_void_and_its_table_closed(
    stack: Stack, tmp_path: Path
) -> None:
    """Nothing of it is printed; the stake is back, and the table can be opened by somebody else."""
    lines = [OPEN, SHOE, *coup(1, ("p1", "tie", 700))[:2]]
    path = written(tmp_path, "unfinished", lines)
    run = fresh("unfinished")
    assert await played(stack, path, run) == replayed(path)
    assert await balances(stack, run) == {"1.p1": 700}
    ends = (
        "select type from events where stream_id = $1 and type in ('coup-voided', 'table-closed')"
    )
    assert [row[0] for row in await rows(stack, "round", ends, f"{run}.1.T1")] == [
        "coup-voided",
        "table-closed",
    ]
