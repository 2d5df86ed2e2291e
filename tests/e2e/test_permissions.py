"""The services as the manifests deploy them: permissions, topics and roles, on a broker that enforces.

Kafka runs with its authorizer and one user for each service, whose permissions are those of
k8s/platform/kafka/users.yaml and nothing else; topics are made from topics.yaml, and no service may
create any. Workers and query servers are processes of their own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from confluent_kafka import admin as kafka_admin

from services.devstack import apache, leftovers
from services.devstack.brokers import SERVICES, ApacheBroker
from services.devstack.ports import accepts_connections
from services.devstack.processes import ManagedProcess
from services.devstack.services import ServiceProcess, serving
from services.tablelog.calls import Services
from services.tablelog.played import play
from services.tablelog.rest import Stalled
from tests.deploy.manifests import K8S, documents, name_of
from tests.e2e.support import fresh, replayed, short_table, until, written
from tests.support.postgres import MakeDatabase

pytestmark = [pytest.mark.apache, pytest.mark.timeout(300)]

PLATFORM: Final = K8S / "platform" / "kafka"
ADMIN: Final = "admin"
STRANGER: Final = "stranger"
ADMIN_TIMEOUT_S: Final = 30.0
STOP_TIMEOUT_S: Final = 60.0
PROPERTIES: Final = """\
listeners=SASL_PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=SASL_PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
inter.broker.listener.name=SASL_PLAINTEXT
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config=\
org.apache.kafka.common.security.plain.PlainLoginModule required \
username="admin" password="admin" {users};
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=false
super.users=User:admin;User:ANONYMOUS
"""
"""Logins by name; the controller's port, which only the broker itself uses, has none."""


def users() -> dict[str, list[dict[str, Any]]]:
    """The rules of every user of a service."""
    objects = documents((PLATFORM / "users.yaml").read_text())
    return {name_of(user): user["spec"]["authorization"]["acls"] for user in objects}


class GuardedBroker(ApacheBroker):
    """Apache Kafka that knows who calls, and lets nobody do what no rule allows."""

    def _launch(self) -> ManagedProcess:
        server = apache.prepare(
            self.root,
            port=self.port,
            controller_port=self.controller_port,
            jars=apache.fetch_classpath(timeout_s=apache.FETCH_TIMEOUT_S),
        )
        names = [ADMIN, STRANGER, *users()]
        logins = " ".join(f'user_{name}="{name}"' for name in names)
        ports = {"port": self.port, "controller_port": self.controller_port}
        with (self.root / "server.properties").open("a") as file:
            file.write("\n" + PROPERTIES.format(users=logins, **ports))
        return ManagedProcess.start(
            "broker",
            server.command,
            environment=dict(os.environ),
            directory=self.root,
            log=self.log,
        )


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """A guarded broker with the topics and rules of the manifests; its address."""
    leftovers.sweep()
    broker = GuardedBroker()
    process = broker.process = broker._launch()
    record = leftovers.Record.write(process, directory=broker.root)
    try:
        asyncio.run(_answering(broker, process))
        _equip(broker.bootstrap_servers)
        yield broker.bootstrap_servers
    finally:
        broker.close()
        record.remove()


async def _answering(broker: ApacheBroker, process: ManagedProcess) -> None:
    async def up() -> bool:
        assert process.running(), broker.log.read_text()[-3000:]
        return accepts_connections(broker.port)

    await until(up, what="the broker answers")


def _equip(bootstrap_servers: str) -> None:
    login = {"sasl.username": ADMIN, "sasl.password": ADMIN, "sasl.mechanism": "PLAIN"}
    address = {"bootstrap.servers": bootstrap_servers, "security.protocol": "SASL_PLAINTEXT"}
    api: Any = kafka_admin  # its names are those of the library in C, which no type checker knows
    admin = api.AdminClient({**address, **login})
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


def _process(
    service: str, role: str, *, url: str, servers: str, folder: Path, login: str, **more: str
) -> ServiceProcess:
    kafka = {
        "SABOT_KAFKA_GROUP_INSTANCE_ID": f"{service}-{role}-0",
        "SABOT_KAFKA_TOPIC_REPLICATION": "0",
        "SABOT_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
        "SABOT_KAFKA_SASL_MECHANISM": "PLAIN",
        "SABOT_KAFKA_SASL_USERNAME": login,
        "SABOT_KAFKA_SASL_PASSWORD": login,
    }
    return ServiceProcess(
        service,
        database_url=url,
        bootstrap_servers=servers if role == "worker" else "",
        log=folder / f"{service}-{role}.log",
        environment={"SABOT_ROLE": role, **(kafka if role == "worker" else {}), **more},
    )


Deployed = Mapping[str, Mapping[str, ServiceProcess]]
"""Processes by role and service."""


@pytest_asyncio.fixture(loop_scope="session")
async def deployed(
    guarded: str, make_database: MakeDatabase, tmp_path: Path
) -> AsyncIterator[Deployed]:
    """A worker and a query server of every service, ready."""
    urls = {service: await make_database() for service in SERVICES}
    workers: dict[str, ServiceProcess] = {}
    queries: dict[str, ServiceProcess] = {}
    started: list[ManagedProcess] = []
    records: list[leftovers.Record] = []
    try:
        for service in SERVICES:
            login, more = f"{service}-kafka", {}
            if service == "settlement":
                more["SABOT_WALLET_TARGET"] = workers["wager"].target
            known = {"url": urls[service], "servers": guarded, "login": login}
            worker = _process(service, "worker", folder=tmp_path, **known, **more)
            query = _process(service, "query", folder=tmp_path, **known)
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
    deployed: Deployed, tmp_path: Path
) -> None:
    """What the core prints; the query servers know it, and take no commands."""
    path = written(tmp_path, "short", short_table())
    targets = {name: process.target for name, process in deployed["worker"].items()}
    run = fresh("guarded")
    async with Services(targets) as services:
        lines = [line async for line in play(services, path, run=run, number=1, say=print)]
        told = await services.progress(f"{run}.1.T1")
    assert lines == replayed(path)
    async with Services({n: p.target for n, p in deployed["query"].items()}) as services:
        assert {name: each.own_position for name, each in told.items()} == {
            name: each.own_position
            for name, each in (await services.progress(f"{run}.1.T1")).items()
        }
        with pytest.raises(Stalled, match="QUERIES_ONLY"):
            async for _ in play(services, path, run=fresh("refused"), number=1, say=print):
                pass


async def test_a_user_without_rules_gets_nowhere(
    guarded: str, make_database: MakeDatabase, tmp_path: Path
) -> None:
    """The broker enforces: a worker under another name hears nothing, and is not ready."""
    url = await make_database()
    worker = _process("shoe", "worker", url=url, servers=guarded, folder=tmp_path, login=STRANGER)
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
