"""`sabot verify` on real logs: what somebody with all rights changes in a database is found."""

from __future__ import annotations

import re
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from services.audit.logs import PostgresLog
from services.devstack.stack import Stack
from tests.audit.planting import CHANGES, Change, middle, planted
from tests.e2e.support import fresh, played, sabot, short_table, written

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

CLEAN = re.compile(r"^(shoe|round|wager|settlement)( +[\d,]+){3} +0$", re.MULTILINE)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def table_id(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table that was played to its end."""
    path = written(tmp_path_factory.mktemp("verify"), "table", short_table())
    run = fresh("verify")
    await played(stack, path, run)
    return f"{run}.1.T1"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("anchors")


@pytest_asyncio.fixture(loop_scope="session")
async def options(stack: Stack, table_id: str, keys: Path) -> list[str]:
    """Book and key, with the logs anchored as they are now."""
    key, book = keys / "anchor.pem", keys / "book"
    if not key.exists():
        assert sabot(stack, "anchor", "new-key", str(key)).returncode == 0
    done = sabot(stack, "anchor", "write", "--key", str(key), "--book", str(book))
    assert done.returncode == 0, done.stdout + done.stderr
    return ["--book", str(book), "--key", f"{key}.pub"]


async def test_the_logs_of_a_played_table_hold(stack: Stack, options: list[str]) -> None:
    """Against themselves, each other, and what was signed of them; nothing on standard error."""
    done = sabot(stack, "verify", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(CLEAN.findall(done.stdout)) == 4, done.stdout
    assert done.stderr == ""
    again = sabot(stack, "verify")
    assert again.returncode == 0


@pytest.mark.parametrize("change", CHANGES, ids=[change.name for change in CHANGES])
async def test_a_change_in_a_log_is_found_and_its_place_told(
    stack: Stack, table_id: str, options: list[str], change: Change
) -> None:
    at = await middle(stack, table_id)
    async with planted(stack, change, at):
        done = sabot(stack, "verify", *options)
    assert done.returncode == 1, done.stdout
    assert f"\n{change.found.format(at=at, table=table_id)}" in f"\n{done.stdout}"


async def test_the_auditor_cannot_write(stack: Stack) -> None:
    """The connection refuses it, so that a fault of the check could not do harm."""
    log = await PostgresLog.open("round", stack.database_url("round"))
    try:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await log._connection.execute("update log_head set position = position + 1")
    finally:
        await log.close()


async def test_a_book_of_another_installation_is_named(
    stack: Stack, options: list[str], tmp_path: Path
) -> None:
    key = tmp_path / "other.pem"
    assert sabot(stack, "anchor", "new-key", str(key)).returncode == 0
    done = sabot(stack, "verify", *options[:2], "--key", f"{key}.pub")
    assert done.returncode == 1
    assert done.stdout.startswith("BOOK anchors")
    assert sabot(stack, "verify", *options[:2]).returncode == 2
    assert sabot(stack, "anchor", "new-key", str(key)).returncode == 2
