"""The whole local stack: PostgreSQL, a broker, the services. Several may run at the same time.

    with Stack() as stack:                          # throwaway: own directory, own ports
        channel = grpc.aio.insecure_channel(stack.targets["round"])
        stack.kill_service("settlement")            # as a crash
        stack.start_service("settlement")

All methods are synchronous; asynchronous callers use `asyncio.to_thread`.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from services.chassis.grants import ANCHORS
from services.devstack import leftovers
from services.devstack.brokers import (
    PARTITIONS_DEFAULT,
    SERVICES,
    TOPICS,
    Broker,
    BrokerChoice,
    check_request,
    create_topics,
    make_broker,
)
from services.devstack.console import ConsoleProcess
from services.devstack.loops import run_apart
from services.devstack.postgres import PostgresServer, kept_directory
from services.devstack.processes import ManagedProcess
from services.devstack.services import ServiceProcess, missing
from services.devstack.state import (
    SERVICE_STOP_TIMEOUT_S,
    STATE_FILE,
    Entry,
    State,
    default_directory,
    stop_recorded,
)

__all__ = ["STATE_FILE", "Entry", "Stack", "State", "default_directory", "stop_recorded"]

LOG_BYTES_MAX = 16 * 1024 * 1024


class Stack:
    """PostgreSQL with one database per service, a broker with the topics, and the services."""

    def __init__(
        self,
        directory: Path | None = None,
        *,
        services: Sequence[str] = SERVICES,
        broker: str | None = None,
        durable: bool = False,
        partitions: int = PARTITIONS_DEFAULT,
        topics: Sequence[str] = TOPICS,
        environment: Mapping[str, str] | None = None,
        environment_of: Mapping[str, Mapping[str, str]] | None = None,
        postgres_settings: Mapping[str, str] | None = None,
        console: bool = False,
        report: Callable[[str], None] = print,
    ) -> None:
        """Describe a stack; nothing runs before `start`.

        A `directory` keeps data and logs and what `python -m services.devstack` needs to find the
        processes again; without one everything is temporary. `broker` stands for the variable
        BROKER, `environment` is added to that of every service, `environment_of` to that
        of the service that it names; `postgres_settings` are the server's own. `console` starts the
        console beside all services.
        """
        unknown = set(services) - set(SERVICES)
        if unknown:
            raise ValueError(f"unknown services: {', '.join(sorted(unknown))}")
        check_request(broker)  # before anything is started or written for nothing
        self.temporary = directory is None
        self.service_names = tuple(name for name in SERVICES if name in services)
        self.durable = durable
        self.partitions = partitions
        self.topics = tuple(topics)
        self.services: dict[str, ServiceProcess] = {}
        self.console: ConsoleProcess | None = None
        self.postgres: PostgresServer
        self.broker: Broker
        self.choice: BrokerChoice
        self._requested_broker = broker
        self._extra_environment = dict(environment or {})
        self._environment_of = dict(environment_of or {})
        self._postgres_settings = dict(postgres_settings or {})
        self._with_console = console and len(self.service_names) == len(SERVICES)
        self._report = report
        self._records: list[leftovers.Record] = []
        self.directory = (
            Path(tempfile.mkdtemp(prefix="sabot-stack-"))
            if directory is None
            else directory.resolve()
        )

    @property
    def state_file(self) -> Path:
        return self.directory / STATE_FILE

    @property
    def logs(self) -> Path:
        return self.directory / "log"

    @property
    def bootstrap_servers(self) -> str:
        """The address of the broker."""
        return self.broker.bootstrap_servers

    @property
    def targets(self) -> dict[str, str]:
        """The address for calls of every service."""
        return {name: service.target for name, service in self.services.items()}

    def database_url(self, service: str) -> str:
        """Return the address of a service's database, as its owner."""
        return self.postgres.dsn(database_name(service))

    def env(self) -> dict[str, str]:
        """Return the addresses as environment variables, for the command line and other clients."""
        result = {"SABOT_KAFKA_BOOTSTRAP_SERVERS": self.bootstrap_servers}
        for name in SERVICES:
            result[f"SABOT_{name.upper()}_DATABASE_URL"] = self.database_url(name)
        for name, service in self.services.items():
            result[f"SABOT_{name.upper()}_TARGET"] = service.target
        if self.console is not None:
            result["SABOT_CONSOLE_URL"] = self.console.url
        return result

    def start(self) -> Self:
        """Start everything; when a part does not start, stop what runs and raise."""
        try:
            self._start_servers()
            self._start_services()
            if self._with_console:
                self.start_console()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop services, broker and PostgreSQL, in this order; delete what is temporary."""
        running = [service.process for service in self.services.values() if service.process]
        if self.console is not None and self.console.process is not None:
            running.append(self.console.process)
        for process in reversed(running):
            process.ask_to_stop()
        for process in reversed(running):
            process.finish(SERVICE_STOP_TIMEOUT_S)
        if hasattr(self, "broker"):
            self.broker.close()
        if hasattr(self, "postgres"):
            self.postgres.close()
        self._forget_records()
        self.state_file.unlink(missing_ok=True)
        if self.temporary:
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Failures and restarts

    def start_service(self, name: str) -> None:
        """Start a service that was stopped or killed and wait until it is ready."""
        self._launch(self.services[name])
        self._write_state()
        self.services[name].wait_until_ready()

    def stop_service(self, name: str) -> bool:
        """Stop a service in order; tell whether SIGTERM was enough."""
        return self._process(name).stop(SERVICE_STOP_TIMEOUT_S)

    def kill_service(self, name: str) -> None:
        """End a service at once (SIGKILL), as a crash would."""
        self._process(name).kill()

    def restart_service(self, name: str) -> None:
        """Stop a service in order and start it again on the same ports."""
        self.stop_service(name)
        self.start_service(name)

    def pause_service(self, name: str) -> None:
        """Freeze a service (SIGSTOP): it holds its connections and answers nothing."""
        self._process(name).send(signal.SIGSTOP)

    def resume_service(self, name: str) -> None:
        """Let a frozen service go on (SIGCONT)."""
        self._process(name).send(signal.SIGCONT)

    def replica(self, name: str) -> ServiceProcess:
        """One more process of a service, on ports of its own: not started, and the caller's to stop."""
        process = self._describe_service(name)
        process.tell({"SABOT_KAFKA_GROUP_INSTANCE_ID": f"{name}-2"})
        return process

    def start_console(self) -> ConsoleProcess:
        """Start the console beside the services and wait until they answer it."""
        began = time.monotonic()
        self.console = ConsoleProcess(targets=self.targets, log=self.logs / "console.log")
        self._launch(self.console)
        self._write_state()
        self.console.wait_until_ready()
        self._report(f"console: ready at {self.console.url} after {_since(began)}")
        return self.console

    def start_broker(self) -> None:
        """Start a broker that was stopped or killed, on the same port."""
        self.broker.start()
        self._write_state()

    def stop_broker(self) -> None:
        """Stop the broker in order."""
        self.broker.stop()

    def kill_broker(self) -> None:
        """End the broker at once; the embedded one loses what it acknowledged last."""
        self.broker.kill()

    def start_postgres(self) -> None:
        """Start PostgreSQL after a stop or a crash, on the same port."""
        self.postgres.start()
        self._write_state()

    def crash_postgres(self) -> None:
        """Stop PostgreSQL without a checkpoint; acknowledged commits survive if `durable`."""
        self.postgres.crash()

    def kill_postgres(self) -> None:
        """End PostgreSQL's first process (SIGKILL); acknowledged commits survive if `durable`."""
        self.postgres.kill()

    def wipe_broker(self) -> None:
        """Stop the broker, delete its data, start it and create the topics again."""
        self.broker.stop()
        self.broker.delete_data()
        self.broker.start()
        run_apart(create_topics(self.bootstrap_servers, self.topics, partitions=self.partitions))
        self._write_state()

    # The parts of the start

    def _start_servers(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        rotate_logs(self.logs)
        # PostgreSQL and the broker do not know each other: they start side by side.
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as executor:
            postgres = executor.submit(self._start_postgres)
            broker = executor.submit(self._start_broker)
            concurrent.futures.wait((postgres, broker))
        postgres.result()
        broker.result()
        self._write_state()

    def _start_postgres(self) -> None:
        began = time.monotonic()
        root = None
        if not self.temporary:
            root = kept_directory(self.directory / "postgres", str(self.directory))
        self.postgres = self._make_postgres(root)
        self.postgres.start()
        names = [database_name(name) for name in SERVICES]
        run_apart(self.postgres.create_users([*names, ANCHORS]))
        run_apart(self.postgres.create_databases(names))
        kept = "" if root is None else f", data in {root}"
        self._report(
            f"postgres: ready at {self.postgres.address} after {_since(began)}"
            f" ({'durable' if self.durable else 'fast and unsafe'} settings{kept})"
        )

    def _make_postgres(self, root: Path | None) -> PostgresServer:
        return PostgresServer(root, durable=self.durable, settings=self._postgres_settings)

    def _start_broker(self) -> None:
        began = time.monotonic()
        root = None if self.temporary else self.directory
        self.broker, self.choice = make_broker(
            self._requested_broker, root=root, report=self._report
        )
        self.broker.start()
        run_apart(create_topics(self.bootstrap_servers, self.topics, partitions=self.partitions))
        self._report(self.choice.sentence(self.bootstrap_servers))
        self._report(
            f"broker: ready after {_since(began)}, {len(self.topics)} topics,"
            f" events in {self.partitions} partitions"
        )

    def _start_services(self) -> None:
        absent = missing(self.service_names)
        if absent:
            self._report(f"services: not in this checkout yet: {', '.join(absent)}")
        for name in self.service_names:
            if name not in absent:
                self.services[name] = self._describe_service(name)
        if not self.services:
            return
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(max_workers=len(self.services)) as executor:
            list(executor.map(ServiceProcess.migrate, self.services.values()))
        self._report(f"services: databases migrated after {_since(began)}")
        for service in self.services.values():
            self._launch(service)
        self._write_state()
        for name, service in self.services.items():
            service.wait_until_ready()
            self._report(f"{name}: ready at {service.target} after {_since(began)}")

    def _launch(self, service: ServiceProcess | ConsoleProcess) -> None:
        process = service.launch()
        if self.temporary:
            self._records.append(leftovers.Record.write(process, directory=self.directory))

    def _describe_service(self, name: str) -> ServiceProcess:
        environment = {**self._extra_environment, **self._environment_of.get(name, {})}
        if name == "settlement" and "wager" in self.services:
            environment.setdefault("SABOT_WALLET_TARGET", self.services["wager"].target)
        user = database_name(name)
        return ServiceProcess(
            name,
            database_url=self.postgres.dsn(user, user),
            bootstrap_servers=self.bootstrap_servers,
            log=self.logs / f"{name}.log",
            environment=environment,
            migration=self._migration(name),
        )

    def _migration(self, name: str) -> dict[str, str]:
        """As outside development: the owner migrates, and the service is somebody who owns nothing."""
        return {
            "SABOT_DATABASE_URL": self.database_url(name),
            "SABOT_DATABASE_SERVICE_ROLE": database_name(name),
        }

    # Bookkeeping

    def _process(self, name: str) -> ManagedProcess:
        process = self.services[name].process
        if process is None:
            raise RuntimeError(f"{name} was not started")
        return process

    def entries(self) -> tuple[Entry, ...]:
        """Return what runs, in the order of its start."""
        result = []
        if self.postgres.process is not None:
            result.append(
                _entry(self.postgres.process, self.postgres.address, self.postgres.log, {})
            )
        if self.broker.process is not None:
            log = getattr(self.broker, "log", Path(os.devnull))
            result.append(_entry(self.broker.process, self.bootstrap_servers, log, {}))
        for service in self.services.values():
            if service.process is not None:
                ports = dataclasses.asdict(service.ports)
                result.append(_entry(service.process, service.target, service.log, ports))
        if self.console is not None and self.console.process is not None:
            console, ports = self.console, {"http": self.console.port}
            result.append(_entry(self.console.process, console.url, console.log, ports))
        return tuple(result)

    def _write_state(self) -> None:
        state = State(
            broker=self.choice.sentence(self.bootstrap_servers),
            environment=self.env(),
            entries=self.entries(),
        )
        state.write(self.state_file)

    def _forget_records(self) -> None:
        for record in self._records:
            record.remove()
        self._records.clear()


def database_name(service: str) -> str:
    """The name of a service's database, and of the user that the service logs in as."""
    return f"sabot_{service}"


def rotate_logs(directory: Path) -> None:
    """Set logs aside that have grown large, keeping one older file of each."""
    for log in directory.glob("*.log"):
        if log.stat().st_size > LOG_BYTES_MAX:
            log.replace(log.with_suffix(".log.1"))


def _entry(process: ManagedProcess, address: str, log: Path, ports: Mapping[str, int]) -> Entry:
    return Entry(
        name=process.name,
        identity=process.identity,
        stop_signal=process.stop_signal.name,
        address=address,
        log=str(log),
        ports=dict(ports),
    )


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.1f} s"
