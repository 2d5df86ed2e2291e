"""The compose files, as the real Compose reads them, held against the services."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from services.chassis import grants, topics
from services.console.config import ConsoleSettings
from services.devstack.brokers import SERVICES
from tests.deploy import settings, tools

DEPLOY: Final = tools.ROOT / "deploy"
BASE: Final = (DEPLOY / "compose.yaml",)
OBSERVED: Final = (*BASE, DEPLOY / "compose.observability.yaml")
WITH_WALLET: Final = (*BASE, DEPLOY / "compose.wallet.yaml")
STACKS: Final = (BASE, OBSERVED, WITH_WALLET)
LOOPBACK: Final = "127.0.0.1"
OWNER: Final = "postgres"
_UNITS: Final = {"h": 3600, "m": 60, "s": 1}

CONSOLE: Final = "services.console"
Model = dict[str, Any]


class Unreadable(Exception):
    """Compose refuses the files; the text says why."""


def read(files: Sequence[Path]) -> Model:
    """Resolve and check the files with Compose. Raises `Unreadable`."""
    words: list[str | Path] = []
    for file in files:
        words += ["-f", file]
    result = tools.run("docker-compose", *words, "config", "--format", "json")
    if result.returncode:
        raise Unreadable(result.stderr.strip())
    model: Model = json.loads(result.stdout)
    return model


def _of_console(services: dict[str, Model]) -> Iterator[str]:
    """The console calls each service where it listens."""
    told = services["console"]["environment"]
    for name in SERVICES:
        port = services[name]["environment"]["SABOT_GRPC_PORT"]
        if told.get(f"SABOT_{name.upper()}_TARGET") != f"{LOOPBACK}:{port}":
            yield f"console: does not call {name} at port {port}"


def faults(model: Model) -> Iterator[str]:
    """Yield one sentence for each thing that would not work, or not be safe, on a machine."""
    services: dict[str, Model] = model["services"]
    yield from (f"there is no {name}" for name in SERVICES if name not in services)
    for name, service in services.items():
        yield from (f"{name}: {fault}" for fault in _of_service(service))
    yield from _of_console(services)
    yield from _of_ports(services)
    yield from _of_topics(services)
    yield from _of_databases(model)


def _of_service(service: Model) -> Iterator[str]:
    if ":" not in service["image"].partition("@")[0] or service["image"].endswith(":latest"):
        yield f"the image {service['image']} has no version"
    if "no-new-privileges:true" not in service.get("security_opt", ()) and "build" in service:
        yield "may gain privileges"
    if "build" in service and (not service.get("read_only") or service.get("cap_drop") != ["ALL"]):
        yield "is not read-only without capabilities"
    for port in service.get("ports", ()):
        if port.get("host_ip") != LOOPBACK:
            yield f"port {port['target']} is open to other machines"
    command = service.get("command") or []
    if command == [CONSOLE]:
        yield from settings.model_faults(ConsoleSettings, service.get("environment") or {})
    started = settings.service_of(command)
    if started is None:
        return
    environment = service.get("environment") or {}
    yield from settings.faults(started, environment)
    if "--migrate" in command:
        return
    grace_s = settings.load(started, environment).grace_period_s
    stop_s = seconds(service.get("stop_grace_period", "10s"))
    if stop_s < grace_s:
        yield f"is killed after {stop_s} s, but may take {grace_s:g} s to stop"
    if "healthcheck" not in service:
        yield "has no health check"


def seconds(text: str) -> int:
    """Read a duration as Compose writes it, such as 1m0s."""
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([hms])", text))


def _of_ports(services: dict[str, Model]) -> Iterator[str]:
    """All share the host's addresses, so no port may be taken twice."""
    taken: Counter[str] = Counter()
    for service in services.values():
        environment = service.get("environment") or {}
        if "--migrate" not in (service.get("command") or []):
            taken.update(v for k, v in environment.items() if re.fullmatch(r"SABOT_\w+_PORT", k))
        taken.update(str(port["published"]) for port in service.get("ports", ()))
    yield from (f"port {port} is taken {n} times" for port, n in taken.items() if n > 1)


def _of_topics(services: dict[str, Model]) -> Iterator[str]:
    script = "\n".join(services["topics"]["command"])
    made = {
        (f"sabot.{service}.{suffix}", int(count))
        for service in SERVICES
        for suffix, count in re.findall(r'create "sabot\.\$+service\.([\w.]+)" (\d+)', script)
    }
    named = re.search(r"for service in ([\w ]+);", script)
    if named is None or set(named[1].split()) != set(SERVICES):
        yield "topics: the services are not those that publish"
    wanted = {(topics.topic(s), topics.PARTITIONS_PER_TOPIC) for s in SERVICES}
    wanted |= {
        (topics.dead_letter_topic(topics.topic(s)), topics.DEAD_LETTER_PARTITIONS) for s in SERVICES
    }
    yield from (f"topics: {topic} with {n} partitions is missing" for topic, n in wanted - made)
    yield from (f"topics: {topic} with {n} partitions is nobody's" for topic, n in made - wanted)


def _of_databases(model: Model) -> Iterator[str]:
    """Each service has a database, and a user there who owns nothing and is given rights."""
    script = model["configs"]["databases"]["content"]
    made = set(re.findall(r"create database (\w+);", script))
    users = set(re.findall(r"create role (\w+) login;", script))
    if grants.ANCHORS not in users:
        yield f"databases: nobody creates {grants.ANCHORS}, who proves the logs"
    for name, service in model["services"].items():
        told = service.get("environment") or {}
        address = urlsplit(told.get("SABOT_DATABASE_URL", ""))
        database, user = address.path.removeprefix("/"), address.username
        if not database:
            continue
        if database not in made:
            yield f"{name}: nobody creates the database {database}"
        if "--migrate" in service["command"]:
            if user != OWNER:
                yield f"{name}: migrates as {user}, who owns no table"
            if told.get("SABOT_DATABASE_SERVICE_ROLE") != database:
                yield f"{name}: does not give its rights to {database}"
        elif user not in users or user != database:
            yield f"{name}: logs in as {user}, not as a user of its own"


def collector_faults(text: str) -> Iterator[str]:
    """A collector's pipelines name components that are defined, and all that are defined."""
    collector = yaml.safe_load(text)
    for kind in ("receivers", "processors", "exporters"):
        pipelines = collector["service"]["pipelines"].values()
        used = {name for pipeline in pipelines for name in pipeline.get(kind, ())}
        defined = set(collector.get(kind) or {})
        yield from (f"{kind}: {name} is not defined" for name in sorted(used - defined))
        yield from (f"{kind}: {name} is in no pipeline" for name in sorted(defined - used))


def check() -> list[str]:
    """Run every check of image and compose files; returns what is wrong."""
    found = []
    for name, words in (
        ("hadolint", ("deploy/Dockerfile",)),
        (
            "check-jsonschema",
            (
                "--builtin-schema",
                "vendor.compose-spec",
                *(str(file) for file in (*OBSERVED, WITH_WALLET[-1])),
            ),
        ),
    ):
        result = tools.run(name, *words)
        if result.returncode:
            found.append(f"{name}: {result.stdout}{result.stderr}")
    promtool = tools.run("promtool", "check", "config", "deploy/observability/prometheus.yaml")
    if promtool.returncode:
        found.append(f"promtool: {promtool.stdout}{promtool.stderr}")
    for files in STACKS:
        try:
            found += [f"{files[-1].name}: {fault}" for fault in faults(read(files))]
        except Unreadable as unreadable:
            found.append(f"{files[-1].name}: {unreadable}")
    collector = DEPLOY / "observability" / "collector.yaml"
    found += [f"collector.yaml: {fault}" for fault in collector_faults(collector.read_text())]
    return found
