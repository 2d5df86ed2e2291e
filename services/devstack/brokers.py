"""The Kafka brokers of the local stack, and the choice between them.

`BROKER` names one: `external` (at `KAFKA_BOOTSTRAP_SERVERS`), `apache` (Apache Kafka from its Maven
Central artifacts), `embedded` (noida-db, a small broker from a wheel), or `auto`, the default:
`apache` where a Java of 17 or newer is found and its files are cached or can be fetched, else
`embedded`. docs/adr/0003-brokers.md compares them.
"""

from __future__ import annotations

import abc
import asyncio
import contextlib
import dataclasses
import enum
import importlib.metadata
import logging
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError, for_code

from services.chassis import topics
from services.devstack import apache, leftovers
from services.devstack.loops import run_apart
from services.devstack.ports import LOOPBACK, accepts_connections, free_port, free_ports
from services.devstack.processes import ManagedProcess

CHOICE_BUDGET_S = 10.0
START_TIMEOUT_S = 60.0
READY_POLL_S = 0.05
ADMIN_TIMEOUT_MS = 10_000
TOPIC_ALREADY_EXISTS = 36
AUTO = "auto"
ANY_GROUP = "sabot-devstack"
PARTITIONS_DEFAULT = topics.PARTITIONS_PER_TOPIC

SERVICES = ("shoe", "round", "wager", "settlement")
EVENT_TOPICS = tuple(topics.topic(service) for service in SERVICES)
TOPICS = (*EVENT_TOPICS, *(topics.dead_letter_topic(name) for name in EVENT_TOPICS))


class BrokerKind(enum.StrEnum):
    """What runs behind the Kafka protocol."""

    EXTERNAL = "external"
    APACHE = "apache"
    EMBEDDED = "embedded"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BrokerChoice:
    """Which broker runs and why."""

    kind: BrokerKind
    reason: str

    def sentence(self, address: str) -> str:
        """Say in one line what runs and how to choose another."""
        others = "|".join(kind for kind in BrokerKind if kind is not self.kind)
        return (
            f"broker: {DESCRIPTIONS[self.kind]} at {address} ({self.reason}); "
            f"choose another with BROKER={others}"
        )


DESCRIPTIONS: Mapping[BrokerKind, str] = {
    BrokerKind.EXTERNAL: "your Kafka",
    BrokerKind.APACHE: f"Apache Kafka {apache.KAFKA_VERSION}",
    BrokerKind.EMBEDDED: "embedded (noida-db, development only)",
}


class Probes(Protocol):
    """What the choice asks about this machine; tests answer in its place."""

    def java_version(self) -> int | None: ...
    def maven(self) -> bool: ...
    def cached(self) -> bool: ...
    def probe_artifacts(self, timeout_s: float) -> None: ...


class MachineProbes:
    """The answers of the real machine."""

    def java_version(self) -> int | None:
        return apache.java_version()

    def maven(self) -> bool:
        return apache.find_maven() is not None

    def cached(self) -> bool:
        return apache.cached_classpath() is not None

    def probe_artifacts(self, timeout_s: float) -> None:
        apache.probe_artifacts(timeout_s)


def asked_for(requested: str | None = None) -> str:
    """Return the word that asks for a broker. Raises `ValueError` where it means none."""
    word = (requested or os.environ.get("BROKER") or AUTO).strip().lower()
    if word not in {AUTO, *BrokerKind}:
        raise ValueError(
            f"BROKER={word} is unknown; choose one of {', '.join((AUTO, *BrokerKind))}"
        )
    return word


def check_request(requested: str | None = None) -> None:
    """Raise `ValueError` where what is asked for cannot be had, whatever the machine has."""
    if asked_for(requested) == BrokerKind.EXTERNAL:
        ExternalBroker()


def choose_broker(
    requested: str | None = None,
    *,
    probes: Probes | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> BrokerChoice:
    """Decide which broker to run; `requested` stands for the variable BROKER. Takes under 10 s."""
    deadline = clock() + CHOICE_BUDGET_S
    word = asked_for(requested)
    if word != AUTO:
        return BrokerChoice(kind=BrokerKind(word), reason=f"BROKER={word}")
    machine = MachineProbes() if probes is None else probes
    java = machine.java_version()
    if java is None:
        return _fall_back("no Java found")
    if java < apache.JAVA_VERSION_MIN:
        return _fall_back(f"Java {java} is older than {apache.JAVA_VERSION_MIN}")
    if machine.cached():
        return BrokerChoice(kind=BrokerKind.APACHE, reason="its files are cached")
    if not machine.maven():
        return _fall_back("no Maven found")
    try:
        # A second is kept for starting and ending the probe's process.
        machine.probe_artifacts(deadline - clock() - 1.0)
    except apache.FetchTooSlow:
        return _fall_back(
            f"Maven did not answer within the {CHOICE_BUDGET_S:g} s that this choice may take;"
            " BROKER=apache waits for it"
        )
    except apache.FetchFailed as error:
        return _fall_back(f"Apache Kafka cannot be fetched now: {error}")
    return BrokerChoice(kind=BrokerKind.APACHE, reason="its files can be fetched")


def _fall_back(reason: str) -> BrokerChoice:
    return BrokerChoice(kind=BrokerKind.EMBEDDED, reason=reason)


class Broker(abc.ABC):
    """One broker and its data directory. `start` after `stop` or `kill` keeps what it had kept."""

    kind: BrokerKind

    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.process: ManagedProcess | None = None

    @abc.abstractmethod
    def start(self) -> Self:
        """Start the broker and return once it answers."""

    def stop(self) -> None:
        """Stop the broker in order: it may write what it has in memory."""
        process, self.process = self.process, None
        if process is not None:
            process.stop()

    def kill(self) -> None:
        """End the broker as a crash would."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Stop the broker and delete its data if they were temporary."""
        self.stop()

    def delete_data(self) -> None:
        """Forget every topic, record and offset of a stopped broker."""
        raise RuntimeError(f"the data of the {self.kind} broker are not ours to delete")

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.close()


class ExternalBroker(Broker):
    """Somebody else's Kafka: it is used, never started, stopped or cleaned."""

    kind = BrokerKind.EXTERNAL

    def __init__(self, bootstrap_servers: str | None = None) -> None:
        servers = bootstrap_servers or os.environ.get("KAFKA_BOOTSTRAP_SERVERS", "")
        if not servers:
            raise ValueError("BROKER=external needs KAFKA_BOOTSTRAP_SERVERS (host:port,...)")
        super().__init__(servers)

    def start(self) -> Self:
        run_apart(wait_until_answering(self.bootstrap_servers, START_TIMEOUT_S))
        return self


class LocalBroker(Broker):
    """A broker that we start on the loopback address."""

    def __init__(self, root: Path | None, *, port: int) -> None:
        super().__init__(f"{LOOPBACK}:{port}")
        self.port = port
        self._temporary = root is None
        self._record: leftovers.Record | None = None
        self.root = (
            Path(tempfile.mkdtemp(prefix=f"sabot-{self.kind}-")) if root is None else root.resolve()
        )
        self.root.mkdir(parents=True, exist_ok=True)

    @property
    def log(self) -> Path:
        return self.root / "broker.log"

    @abc.abstractmethod
    def _launch(self) -> ManagedProcess:
        """Start the process."""

    def start(self) -> Self:
        process = self.process = self._launch()
        if self._temporary:
            self._record = leftovers.Record.write(process, directory=self.root)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not accepts_connections(self.port):
            if not process.running() or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"the broker did not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(READY_POLL_S)
        run_apart(wait_until_answering(self.bootstrap_servers, deadline - time.monotonic()))
        return self

    def stop(self) -> None:
        super().stop()
        self._forget_record()

    def kill(self) -> None:
        super().kill()
        self._forget_record()

    def close(self) -> None:
        self.stop()
        if self._temporary:
            shutil.rmtree(self.root, ignore_errors=True)

    def delete_data(self) -> None:
        assert self.process is None, "stopped before"
        for name in ("data", "logs"):
            shutil.rmtree(self.root / name, ignore_errors=True)

    def _forget_record(self) -> None:
        record, self._record = self._record, None
        if record is not None:
            record.remove()


class EmbeddedBroker(LocalBroker):
    """The `noida-db` binary, with nothing but its Kafka protocol switched on.

    It keeps records in memory and writes them to its directory a little later and when it is
    stopped: a crash loses what it acknowledged last. The binary is started itself, because the
    command of the same name is a Python program that would leave it behind when it is killed.
    """

    kind = BrokerKind.EMBEDDED

    def __init__(self, root: Path | None = None, *, port: int | None = None) -> None:
        super().__init__(root, port=free_port() if port is None else port)

    def _launch(self) -> ManagedProcess:
        distribution = importlib.metadata.distribution("noida-db")
        binary = Path(str(distribution.locate_file("noida_db/noida-db")))
        command = [str(binary), "start", "--data-dir", str(self.root / "data")]
        command += ["--host", LOOPBACK, "--only", "kafka", "--kafka-port", str(self.port)]
        return ManagedProcess.start(
            "broker",
            command,
            environment={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.root)},
            directory=self.root,
            log=self.log,
        )


class ApacheBroker(LocalBroker):
    """Apache Kafka in KRaft mode: one node, broker and controller in one process."""

    kind = BrokerKind.APACHE

    def __init__(self, root: Path | None = None, *, port: int | None = None) -> None:
        chosen, self.controller_port = free_ports(2)
        super().__init__(root, port=chosen if port is None else port)

    def _launch(self) -> ManagedProcess:
        server = apache.prepare(
            self.root,
            port=self.port,
            controller_port=self.controller_port,
            jars=apache.fetch_classpath(timeout_s=apache.FETCH_TIMEOUT_S),
        )
        return ManagedProcess.start(
            "broker",
            server.command,
            environment=dict(os.environ),
            directory=self.root,
            log=self.log,
        )


def resolve_broker(
    requested: str | None = None, *, report: Callable[[str], None] = print
) -> BrokerChoice:
    """Choose a broker and fetch what it needs; says so when `auto` has to fall back."""
    choice = choose_broker(requested)
    if choice.kind is not BrokerKind.APACHE:
        return choice
    asked_for = choice.reason.startswith("BROKER=")
    timeout_s = apache.FETCH_TIMEOUT_S if asked_for else apache.FETCH_TIMEOUT_AUTO_S
    try:
        apache.fetch_classpath(timeout_s=timeout_s, report=report)
    except apache.FetchFailed as error:
        if asked_for:
            raise
        report(f"broker: fetching Apache Kafka failed ({error}); falling back to the embedded one")
        return _fall_back("fetching Apache Kafka failed")
    return choice


def build_broker(kind: BrokerKind, root: Path | None = None) -> Broker:
    """Make a broker of this kind ready to be started.

    `root` is a directory that keeps data; each kind uses a directory of its own below it.
    """
    directory = None if root is None else root / f"broker-{kind}"
    if kind is BrokerKind.EXTERNAL:
        return ExternalBroker()
    if kind is BrokerKind.EMBEDDED:
        return EmbeddedBroker(directory)
    return ApacheBroker(directory)


def make_broker(
    requested: str | None = None,
    *,
    root: Path | None = None,
    report: Callable[[str], None] = print,
) -> tuple[Broker, BrokerChoice]:
    """Choose a broker, fetch what it needs and make it ready to be started."""
    choice = resolve_broker(requested, report=report)
    return build_broker(choice.kind, root), choice


async def wait_until_answering(bootstrap_servers: str, timeout_s: float) -> None:
    """Return once the broker describes its cluster; raise `TimeoutError` when it does not."""
    logger = logging.getLogger("aiokafka")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # it reports every refused connection while we wait
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                try:
                    async with administration(bootstrap_servers) as client:
                        if (await client.describe_cluster())["brokers"]:
                            return
                except (KafkaError, OSError):
                    await asyncio.sleep(READY_POLL_S)
    except TimeoutError as error:
        raise TimeoutError(f"no Kafka answers at {bootstrap_servers}") from error
    finally:
        logger.setLevel(level)


@contextlib.asynccontextmanager
async def administration(bootstrap_servers: str) -> AsyncIterator[AIOKafkaAdminClient]:
    """Open an administration client and close it in any case."""
    client = AIOKafkaAdminClient(
        bootstrap_servers=bootstrap_servers, request_timeout_ms=ADMIN_TIMEOUT_MS
    )
    try:
        await client.start()
        yield client
    finally:
        await client.close()


async def create_topics(
    bootstrap_servers: str,
    names: Iterable[str] = TOPICS,
    *,
    partitions: int = PARTITIONS_DEFAULT,
    replication_factor: int = 1,
) -> tuple[str, ...]:
    """Create the topics that do not exist yet and return their names.

    Dead letters have the few partitions of their own, whatever `partitions` says.
    A topic is made before anybody asks for it: the embedded broker creates a topic of its own
    accord, with another number of partitions, as soon as a client wants to know about it.
    """
    wanted = [
        NewTopic(
            name,
            topics.DEAD_LETTER_PARTITIONS
            if name.endswith(topics.DEAD_LETTER_SUFFIX)
            else partitions,
            replication_factor,
        )
        for name in names
    ]
    created: list[TopicPartition] = []
    async with administration(bootstrap_servers) as client:
        response = await client.create_topics(wanted)
        counts = {topic.name: topic.num_partitions for topic in wanted}
        for name, code, *message in response.topic_errors:
            if code == 0:
                created += [TopicPartition(name, number) for number in range(counts[name])]
            elif code != TOPIC_ALREADY_EXISTS:
                raise for_code(code)(f"topic {name}: {message}")
        # The controller has them. The broker hears of them a moment later, and again a moment
        # later it leads their partitions: a write in between is refused.
        async with asyncio.timeout(START_TIMEOUT_S):
            while not await _all_led(client, list(counts)):
                await asyncio.sleep(READY_POLL_S)
            if created:
                await _ask_every_leader(bootstrap_servers, created)
            while not await _has_coordinator(client):
                await asyncio.sleep(READY_POLL_S)
    return tuple(dict.fromkeys(partition.topic for partition in created))


async def _ask_every_leader(bootstrap_servers: str, partitions: list[TopicPartition]) -> None:
    """Return once the leader of every partition has answered as such."""
    async with AIOKafkaConsumer(bootstrap_servers=bootstrap_servers) as consumer:
        await consumer.end_offsets(partitions)


async def _has_coordinator(client: AIOKafkaAdminClient) -> bool:
    """Tell whether consumer groups can be joined.

    Apache Kafka makes the topic of the groups when it is first asked for one, and refuses until
    then: a service that asked first would log that as an error.
    """
    try:
        await client.find_coordinator(ANY_GROUP)
    except KafkaError:
        return False
    return True


async def _all_led(client: AIOKafkaAdminClient, names: Sequence[str]) -> bool:
    """Tell whether every partition of these topics has a leader to write to."""
    return all(
        topic["error_code"] == 0
        and topic["partitions"]
        and all(partition["leader"] >= 0 for partition in topic["partitions"])
        for topic in await client.describe_topics(list(names))
    )
