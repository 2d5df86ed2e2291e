"""The services as the manifests deploy them: permissions, topics and roles, on a broker that enforces.

Kafka runs with its authorizer and one user for each service, whose permissions are those of
k8s/platform/kafka/users.yaml and nothing else; topics are made from topics.yaml, and no service may
create any. Both listeners are encrypted: on one a user is whom his certificate names, as in the
manifests, on the other he has a password (SCRAM). Two services use each. Workers and query servers
are processes of their own, and everything else is as in `tests.e2e.secured`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError, NoError, TopicAuthorizationFailedError, for_code
from confluent_kafka import admin as kafka_admin
from faststream.kafka.security import parse_security
from msgspec import Struct

from services.chassis import app, config
from services.chassis.auth import IMPORT_TABLE
from services.devstack import apache, leftovers
from services.devstack.brokers import SERVICES, TOPICS, ApacheBroker
from services.devstack.ports import LOOPBACK, accepts_connections, free_port
from services.devstack.processes import ManagedProcess
from services.devstack.services import ServiceProcess, serving
from services.devstack.stack import database_name
from services.tablelog.calls import IMPORTER, Services
from services.tablelog.played import play
from services.tablelog.rest import Stalled
from tests.deploy.manifests import K8S, documents, name_of
from tests.e2e.secured import SecuredPostgres, Trust
from tests.e2e.support import fresh, replayed, short_table, until, written
from tests.support.certificates import Authority

pytestmark = [pytest.mark.apache, pytest.mark.timeout(300)]

PLATFORM: Final = K8S / "platform" / "kafka"
ADMIN: Final = "admin"
STRANGER: Final = "stranger"
ADMIN_TIMEOUT_S: Final = 30.0
STOP_TIMEOUT_S: Final = 60.0
PROPERTIES: Final = """\
listeners=SASL_SSL://127.0.0.1:{port},SSL://127.0.0.1:{tls_port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=SASL_SSL://127.0.0.1:{port},SSL://127.0.0.1:{tls_port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL
inter.broker.listener.name=SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location={keystore}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
listener.name.ssl.ssl.client.auth=required
listener.name.ssl.ssl.principal.mapping.rules=RULE:^CN=(.*)$/$1/
sasl.enabled.mechanisms=SCRAM-SHA-512
sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=\
org.apache.kafka.common.security.scram.ScramLoginModule required \
username="admin" password="{password}";
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=false
super.users=User:admin;User:ANONYMOUS
"""
"""The controller's port, which only the broker itself uses, asks nobody who he is."""

BY_CERTIFICATE: Final = ("shoe", "round")
"""Services that show a certificate; the others have a password."""


def users() -> dict[str, list[dict[str, Any]]]:
    """The rules of every user of a service."""
    objects = documents((PLATFORM / "users.yaml").read_text())
    return {name_of(user): user["spec"]["authorization"]["acls"] for user in objects}


class GuardedBroker(ApacheBroker):
    """Apache Kafka that knows who calls, and lets nobody do what no rule allows."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tls_port = free_port()
        self.authority = Authority(folder, "authority")
        self.passwords = {name: secrets.token_hex() for name in (ADMIN, STRANGER, *users())}
        self.certified = {name: self.authority.issue(name) for name in users()}
        own = self.authority.issue("broker", names=(LOOPBACK,))
        self._keystore = folder / "broker-keystore.pem"
        self._keystore.write_bytes(own.key.read_bytes() + own.certificate.read_bytes())

    def _launch(self) -> ManagedProcess:
        server = apache.prepare(
            self.root,
            port=self.port,
            controller_port=self.controller_port,
            jars=apache.fetch_classpath(timeout_s=apache.FETCH_TIMEOUT_S),
            logins=self.passwords,
        )
        told = PROPERTIES.format(
            port=self.port,
            tls_port=self.tls_port,
            controller_port=self.controller_port,
            keystore=self._keystore,
            authority=self.authority.certificate,
            password=self.passwords[ADMIN],
        )
        with (self.root / "server.properties").open("a") as file:
            file.write("\n" + told)
        return ManagedProcess.start(
            "broker",
            server.command,
            environment=dict(os.environ),
            directory=self.root,
            log=self.log,
        )

    def settings(self, user: str, *, certificate: bool) -> dict[str, str]:
        """What a service is told of the broker, under the name of a user."""
        told = {"SABOT_KAFKA_CA_FILE": str(self.authority.certificate)}
        if certificate:
            own = self.certified[user]
            return told | {
                "SABOT_KAFKA_BOOTSTRAP_SERVERS": f"{LOOPBACK}:{self.tls_port}",
                "SABOT_KAFKA_SECURITY_PROTOCOL": "SSL",
                "SABOT_KAFKA_CERTIFICATE_FILE": str(own.certificate),
                "SABOT_KAFKA_KEY_FILE": str(own.key),
            }
        return told | {
            "SABOT_KAFKA_BOOTSTRAP_SERVERS": self.bootstrap_servers,
            "SABOT_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
            "SABOT_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
            "SABOT_KAFKA_SASL_USERNAME": user,
            "SABOT_KAFKA_SASL_PASSWORD": self.passwords[user],
        }


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedBroker]:
    """A guarded broker with the topics and rules of the manifests."""
    leftovers.sweep()
    broker = GuardedBroker(tmp_path_factory.mktemp("guarded"))
    process = broker.process = broker._launch()
    record = leftovers.Record.write(process, directory=broker.root)
    try:
        asyncio.run(_answering(broker, process))
        _equip(broker)
        yield broker
    finally:
        broker.close()
        record.remove()


async def _answering(broker: ApacheBroker, process: ManagedProcess) -> None:
    async def up() -> bool:
        assert process.running(), broker.log.read_text()[-3000:]
        return accepts_connections(broker.port)

    await until(up, what="the broker answers")


def _equip(broker: GuardedBroker) -> None:
    address = {
        "bootstrap.servers": broker.bootstrap_servers,
        "security.protocol": "SASL_SSL",
        "ssl.ca.location": str(broker.authority.certificate),
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": ADMIN,
        "sasl.password": broker.passwords[ADMIN],
    }
    api: Any = kafka_admin  # its names are those of the library in C, which no type checker knows
    admin = api.AdminClient(address)
    made = [
        api.NewTopic(name_of(topic), topic["spec"]["partitions"], 1)
        for topic in documents((PLATFORM / "topics.yaml").read_text())
    ]
    rules = [
        api.AclBinding(
            api.ResourceType[rule["resource"]["type"].upper()],
            rule["resource"]["name"],
            api.ResourcePatternType.LITERAL,
            f"User:{name}",
            "*",
            api.AclOperation[operation.upper()],
            api.AclPermissionType.ALLOW,
        )
        for name, acls in users().items()
        for rule in acls
        for operation in rule["operations"]
    ]
    for answers in (admin.create_topics(made), admin.create_acls(rules)):
        for answer in answers.values():
            answer.result(timeout=ADMIN_TIMEOUT_S)


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Trust:
    return Trust(tmp_path_factory.mktemp("trust"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def postgres(trust: Trust) -> AsyncIterator[SecuredPostgres]:
    """A database for each service, and a user of its own."""
    with SecuredPostgres(trust.authority, trust.users) as server:
        names = [database_name(service) for service in SERVICES]
        await server.create_users(names)
        await server.create_databases(names)
        yield server


class Place(Struct):
    """Where processes find everything."""

    broker: GuardedBroker
    postgres: SecuredPostgres
    trust: Trust
    folder: Path

    def process(self, service: str, role: str, user: str, **more: str) -> ServiceProcess:
        """A process of a service, under the name of a user of the broker."""
        kafka = {
            "SABOT_KAFKA_GROUP_INSTANCE_ID": f"{service}-{role}-0",
            "SABOT_KAFKA_TOPIC_REPLICATION": "0",
            **self.broker.settings(
                user, certificate=service in BY_CERTIFICATE and user != STRANGER
            ),
        }
        database = database_name(service)
        return ServiceProcess(
            service,
            database_url=self.postgres.plain_dsn(database, database),
            bootstrap_servers="",
            log=self.folder / f"{service}-{role}.log",
            environment={
                **self.trust.settings(service),
                "SABOT_ROLE": role,
                **(kafka if role == "worker" else {}),
                **more,
            },
            migration={
                "SABOT_DATABASE_URL": self.postgres.dsn(database),
                "SABOT_DATABASE_SERVICE_ROLE": database,
            },
        )

    @property
    def importer(self) -> Path:
        """A file with the token of somebody who brings in recorded tables."""
        file = self.folder / "importer-token"
        file.write_text(
            self.trust.issuer.token(IMPORTER.id, IMPORTER.role, permissions=[IMPORT_TABLE])
        )
        return file


@pytest.fixture
def place(guarded: GuardedBroker, postgres: SecuredPostgres, trust: Trust, tmp_path: Path) -> Place:
    return Place(guarded, postgres, trust, tmp_path)


Deployed = Mapping[str, Mapping[str, ServiceProcess]]
"""Processes by role and service."""


@pytest_asyncio.fixture(loop_scope="session")
async def deployed(place: Place) -> AsyncIterator[Deployed]:
    """A worker and a query server of every service, ready."""
    workers: dict[str, ServiceProcess] = {}
    queries: dict[str, ServiceProcess] = {}
    started: list[ManagedProcess] = []
    records: list[leftovers.Record] = []
    try:
        for service in SERVICES:
            user, more = f"{service}-kafka", {}
            if service == "settlement":
                more["SABOT_WALLET_TARGET"] = workers["wager"].target
            worker = place.process(service, "worker", user, **more)
            query = place.process(service, "query", user)
            workers[service], queries[service] = worker, query
            await asyncio.to_thread(worker.migrate)
            started += [worker.launch(), query.launch()]
            records += [leftovers.Record.write(p, directory=None) for p in started[-2:]]
        for each in (*workers.values(), *queries.values()):
            await asyncio.to_thread(each.wait_until_ready)
        yield {"worker": workers, "query": queries}
    finally:
        for process in started:
            process.ask_to_stop()
        for process in started:
            process.finish(STOP_TIMEOUT_S)
        for record in records:
            record.remove()


async def test_a_table_is_played_with_the_permissions_of_the_manifests(
    deployed: Deployed, place: Place, tmp_path: Path
) -> None:
    """What the core prints; the query servers know it, and take no commands."""
    path = written(tmp_path, "short", short_table())
    targets = {name: process.target for name, process in deployed["worker"].items()}
    run = fresh("guarded")
    shown: dict[str, Any] = {"token": place.importer, "tls": place.trust.tls}
    async with Services(targets, **shown) as services:
        lines = [line async for line in play(services, path, run=run, number=1, say=print)]
        told = await services.progress(f"{run}.1.T1")
    assert lines == replayed(path)
    queries = {name: process.target for name, process in deployed["query"].items()}
    async with Services(queries, **shown) as services:
        assert {name: each.own_position for name, each in told.items()} == {
            name: each.own_position
            for name, each in (await services.progress(f"{run}.1.T1")).items()
        }
        with pytest.raises(Stalled, match="QUERIES_ONLY"):
            async for _ in play(services, path, run=fresh("refused"), number=1, say=print):
                pass


async def test_a_user_without_rules_gets_nowhere(place: Place) -> None:
    """The broker enforces: a worker under another name hears nothing, and is not ready."""
    worker = place.process("shoe", "worker", STRANGER)
    await asyncio.to_thread(worker.migrate)
    process = worker.launch()
    try:

        async def refused() -> bool:
            return "AuthorizationFailed" in worker.log.read_text()

        await until(refused, what="the log tells that the broker refuses")
        assert process.running()
        assert not serving(worker.ports.health)
    finally:
        process.ask_to_stop()
        process.finish(STOP_TIMEOUT_S)


def _client(broker: GuardedBroker, **changes: str) -> dict[str, Any]:
    """What a client library of a service is told, from the settings that it has."""
    told = {
        "SABOT_ENVIRONMENT": "development",
        "SABOT_DATABASE_URL": "postgresql://nobody@nowhere/none",
        **broker.settings("shoe-kafka", certificate=False),
        **changes,
    }
    kafka = config.load(config.Settings, told, {}).kafka
    return {"bootstrap_servers": kafka.bootstrap_servers, **parse_security(app._security(kafka))}


@asynccontextmanager
async def _administration(told: dict[str, Any]) -> AsyncIterator[Any]:
    client = AIOKafkaAdminClient(request_timeout_ms=2_000, **told)
    try:
        await client.start()
        yield client
    finally:
        await client.close()


async def test_a_user_reads_and_writes_what_his_rules_name_and_nothing_else(
    guarded: GuardedBroker,
) -> None:
    """The shoe's user, as its service logs in: no foreign money, and no words in another's mouth."""
    told = _client(guarded)
    named = {
        rule["resource"]["name"]
        for rule in users()["shoe-kafka"]
        if rule["resource"]["type"] == "topic"
    }
    async with _administration(told) as client:
        seen = {
            topic["topic"]: for_code(topic["error_code"])
            for topic in await client.describe_topics(list(TOPICS))
        }
    assert {name for name, error in seen.items() if error is NoError} == named
    assert set(seen.values()) == {NoError, TopicAuthorizationFailedError}
    async with AIOKafkaProducer(**told) as producer:
        with pytest.raises(TopicAuthorizationFailedError):
            await producer.send_and_wait("sabot.round.events", b"{}", key=b"T")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"SABOT_KAFKA_SASL_PASSWORD": "guessed"}, "invalid credentials"),
        ({"SABOT_KAFKA_SECURITY_PROTOCOL": "PLAINTEXT"}, "Connection"),
        ({"SABOT_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT"}, "Connection"),
        ({"SABOT_KAFKA_CA_FILE": ""}, "certificate verify failed"),
    ],
)
async def test_nobody_gets_in_without_the_password_or_in_plain_text(
    guarded: GuardedBroker,
    changes: dict[str, str],
    problem: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nor does a service believe a broker that its authority did not vouch for."""
    with pytest.raises(KafkaError, match="Unable to bootstrap"):
        async with _administration(_client(guarded, **changes)):
            pass
    assert problem in caplog.text
