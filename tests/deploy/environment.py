"""Each container of ours started on paper: its volumes as files, its variables into its settings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from services.chassis import config
from services.chassis.app import plan
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.lifecycle import Lifecycle
from services.chassis.runtime import Runtime
from services.console.config import ConsoleSettings
from services.shoe.sealing import KEY_BYTES, key_from
from tests.deploy import provided, settings
from tests.deploy.manifests import Manifest, container_of, is_ours, name_of, of_kind, pod_of, title

SAMPLES: Final[Mapping[str, bytes]] = {
    "url": b"postgresql://owner:password@db:5432/name",
    "token": b"a token",
    "key": b"k" * KEY_BYTES,
    "secret": b"s" * KEY_BYTES,
}
"""What stands for the content of a mounted file, by its name there."""

CONSOLE: Final = "services.console"
Secrets = Mapping[str, frozenset[str]]


def faults(objects: Sequence[Manifest], secrets: Secrets) -> Iterator[str]:
    """What the services would say at their start, and whether they have the time to stop."""
    for workload in objects:
        if workload["kind"] in {"StatefulSet", "Deployment", "Job"} and is_ours(workload):
            with tempfile.TemporaryDirectory() as directory:
                container = container_of(workload)
                machine = Machine(workload, container, objects, secrets, Path(directory))
                yield from (f"{title(workload)}: {fault}" for fault in _of_workload(machine))


class Machine:
    """A container's files in a directory, and its variables with the paths turned there."""

    def __init__(
        self,
        workload: Manifest,
        container: Manifest,
        objects: Sequence[Manifest],
        secrets: Secrets,
        root: Path,
    ) -> None:
        self.workload = workload
        self.container = container
        self.missing: list[str] = []
        self._root = root
        self._config_maps = provided.config_maps(objects)
        self._mounts = self._mounted(secrets)
        self.environment = self._variables()

        self.services = {name_of(service) for service in of_kind(objects, "Service")}
        self.brokers = {f"{name_of(kafka)}-kafka-bootstrap" for kafka in of_kind(objects, "Kafka")}

    def _mounted(self, secrets: Secrets) -> dict[str, Path]:
        volumes = {volume["name"]: volume for volume in pod_of(self.workload).get("volumes") or ()}
        mounts = {}
        for mount in self.container.get("volumeMounts") or ():
            place = self._root / mount["name"]
            place.mkdir()
            mounts[mount["mountPath"]] = place
            volume = volumes.get(mount["name"])
            if volume is None:
                self.missing.append(f"there is no volume {mount['name']}")
                continue
            for source in _sources(volume):
                self._write(place, source, secrets)
        return mounts

    def _write(self, place: Path, source: Manifest, secrets: Secrets) -> None:
        name = source["name"]
        if name not in secrets:
            self.missing.append(f"nobody makes the Secret {name}")
            return
        items = source.get("items") or [{"key": key, "path": key} for key in secrets[name]]
        for item in items:
            if item["key"] not in secrets[name]:
                self.missing.append(f"the Secret {name} has no {item['key']}")
                continue
            file = place / item["path"]
            file.write_bytes(SAMPLES.get(file.name, b"content"))

    def _variables(self) -> dict[str, str]:
        variables: dict[str, str] = {}
        for source in self.container.get("envFrom") or ():
            name = source["configMapRef"]["name"]
            if name not in self._config_maps:
                self.missing.append(f"there is no ConfigMap {name}")
            variables.update(self._config_maps.get(name, {}))
        for variable in self.container.get("env") or ():
            # What the cluster fills in is something; the pod's name is all we use.
            value = variable.get("value", "filled-in-0")
            if key := (variable.get("valueFrom") or {}).get("configMapKeyRef"):
                value = self._config_maps.get(key["name"], {}).get(key["key"])
                if value is None:
                    self.missing.append(f"there is no {key['key']} in the ConfigMap {key['name']}")
                    continue
            variables[variable["name"]] = value
        return {name: self.turned(text) for name, text in variables.items()}

    def turned(self, text: str) -> str:
        """Replace paths under what is mounted by those of the files here."""
        parts = text.split(",")
        for path, place in self._mounts.items():
            parts = [str(place) + p[len(path) :] if p.startswith(f"{path}/") else p for p in parts]
        return ",".join(parts)


def _sources(volume: Manifest) -> Iterator[Manifest]:
    if "secret" in volume:
        secret = volume["secret"]
        yield {"name": secret["secretName"], "items": secret.get("items")}
    for source in (volume.get("projected") or {}).get("sources") or ():
        yield source["secret"]


def _of_workload(machine: Machine) -> Iterator[str]:
    yield from machine.missing
    words = machine.container["args"]
    if words == [CONSOLE]:
        yield from _of_console(machine)
        return
    service = settings.service_of(words)
    if service is None:
        yield f"{words[0]} is no service"
        return
    found = list(settings.faults(service, machine.environment))
    yield from found
    if found or machine.workload["kind"] == "Job":
        return
    loaded = settings.load(service, machine.environment)
    if service == "shoe":
        try:
            key_from(loaded.sealing.key_file, loaded.environment)  # type: ignore[attr-defined]
        except ValueError as error:
            yield str(error)
    yield from _of_process(machine, service, loaded)
    yield from _of_addresses(machine, service, loaded)


def _of_console(machine: Machine) -> Iterator[str]:
    """The console's settings, its port and its time to stop, and whom it calls."""
    found = list(settings.model_faults(ConsoleSettings, machine.environment))
    yield from found
    if found:
        return
    loaded = config.load(ConsoleSettings, machine.environment, {})
    (port,) = machine.container["ports"]
    if port["containerPort"] != loaded.console.port:
        yield f"names the port {port['containerPort']}, but the process opens {loaded.console.port}"
    pre_stop_s = machine.container["lifecycle"]["preStop"]["sleep"]["seconds"]
    if (
        pre_stop_s + loaded.grace_period_s
        >= pod_of(machine.workload)["terminationGracePeriodSeconds"]
    ):
        yield "is killed before it has stopped"
    targets = loaded.targets
    for name in ("shoe", "round", "wager", "settlement", "query"):
        target: str = getattr(targets, name)
        host = target.removeprefix("dns:///").partition(":")[0].partition(".")[0]
        role = "query" if name == "query" else "worker"
        if host not in machine.services or not host.endswith(role):
            yield f"calls {target or 'nobody'} as {name}, and there is no such Service"


def _of_process(machine: Machine, service: str, loaded: config.Settings) -> Iterator[str]:
    """Ports, role and stop times: what the process does, against what the pod says of it."""
    runtime = Runtime(settings.definition_of(service), loaded, SYSTEM_CLOCK)
    try:
        Lifecycle(plan(runtime), grace_period_s=loaded.grace_period_s, clock=SYSTEM_CLOCK)
    except ValueError as error:
        yield str(error)
    pre_stop_s = machine.container["lifecycle"]["preStop"]["sleep"]["seconds"]
    granted_s = pod_of(machine.workload)["terminationGracePeriodSeconds"]
    if pre_stop_s + loaded.grace_period_s >= granted_s:
        yield (
            f"is killed after {granted_s} s, but preStop and stopping may take"
            f" {pre_stop_s + loaded.grace_period_s:g} s"
        )
    named = {port["name"]: port["containerPort"] for port in machine.container["ports"]}
    opened = {
        "grpc": loaded.grpc.port,
        "health": loaded.health.port,
        "metrics": loaded.metrics.port,
    }
    if named != opened:
        yield f"names the ports {named}, but the process opens {opened}"
    for name in ("grpc", "health", "metrics"):
        host = getattr(loaded, name).host
        if config.is_loopback(host):
            yield f"{name} listens on {host}, where no other pod comes"
    if not name_of(machine.workload).endswith(loaded.role):
        yield f"runs in the role {loaded.role}"


def _of_addresses(machine: Machine, service: str, loaded: config.Settings) -> Iterator[str]:
    """Whoever is called is there, and is told who calls."""
    if loaded.role == "query":
        return
    broker = loaded.kafka.bootstrap_servers.partition(":")[0]
    if machine.brokers and broker not in machine.brokers:
        yield f"there is no broker {broker}"
    if service == "settlement":
        target: str = loaded.wallet.target  # type: ignore[attr-defined]
        if target.partition(":")[0] not in machine.services:
            yield f"credits go to {target or 'nobody'}, and there is no such Service"
        if not loaded.auth.token_file:
            yield "calls wager without a token"
