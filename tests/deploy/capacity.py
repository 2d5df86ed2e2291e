"""Sums over a tree that nobody does in his head: connections of a database, and a namespace's share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from services.chassis.config import DatabaseSettings
from services.devstack.brokers import SERVICES
from tests.deploy.manifests import WORKLOADS, Manifest, name_of, of_kind, pod_of

POOL: Final[int] = DatabaseSettings.model_fields["connections_max"].default
"""Connections that one process opens at the most."""

RELAY: Final = 1
"""And the one that holds a worker's lock on the relay."""

RESERVED: Final = 20
"""For superusers, the operator, its exporter, and the roles for reports and for the proof."""

SURGE: Final = 1
"""A release starts one query server more than there are."""

_UNITS: Final = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "m": 0.001}


def faults(objects: Sequence[Manifest]) -> Iterator[str]:
    """What a busy hour or a release would find out."""
    replicas = {name: count for name, _, count in _most(objects)}
    for cluster in of_kind(objects, "Cluster"):
        service = name_of(cluster).removesuffix("-db")
        if service not in SERVICES:
            yield f"Cluster/{name_of(cluster)}: is nobody's"
            continue
        needed = replicas[f"{service}-worker"] * (POOL + RELAY)
        needed += (replicas[f"{service}-query"] + SURGE) * POOL + 1
        offered = int(cluster["spec"]["postgresql"]["parameters"]["max_connections"]) - RESERVED
        if needed > offered:
            yield f"Cluster/{name_of(cluster)}: {needed} connections wanted, {offered} offered"
    for quota in of_kind(objects, "ResourceQuota"):
        yield from _of_quota(objects, quota["spec"]["hard"])


def _most(objects: Sequence[Manifest]) -> Iterator[tuple[str, Manifest, int]]:
    """Workloads with the most replicas that they may have: name, pod, number."""
    scaled = {
        item["spec"]["scaleTargetRef"]["name"]: item["spec"].get("maxReplicas")
        or item["spec"].get("maxReplicaCount")
        for item in of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject")
    }
    for workload in of_kind(objects, *WORKLOADS):
        name = name_of(workload)
        count = scaled.get(name) or workload["spec"].get("replicas", 1)
        yield name, pod_of(workload), count


def _of_quota(objects: Sequence[Manifest], hard: Mapping[str, str]) -> Iterator[str]:
    """The namespace's share holds everything at its largest."""
    used = {"requests.cpu": 0.0, "requests.memory": 0.0, "limits.memory": 0.0, "pods": 0.0}
    demands = [(pod["containers"][0]["resources"], count) for _, pod, count in _most(objects)]
    servers = [m["spec"] for m in of_kind(objects, "KafkaNodePool", "Cluster")]
    demands += [(spec["resources"], spec.get("replicas") or spec["instances"]) for spec in servers]
    for resources, count in demands:
        used["pods"] += count
        for name in ("requests.cpu", "requests.memory", "limits.memory"):
            kind, _, what = name.partition(".")
            used[name] += count * quantity(resources[kind].get(what, "0"))
    for name, amount in used.items():
        if amount > quantity(hard[name]):
            yield f"ResourceQuota: {name} is {hard[name]}, and {amount:.0f} may be used"


def quantity(text: str | int) -> float:
    """Read an amount as Kubernetes writes it: 250m, 2, 384Mi."""
    for unit, factor in _UNITS.items():
        if str(text).endswith(unit):
            return float(str(text).removesuffix(unit)) * factor
    return float(text)
