"""Network policies as a whole: who reaches whom, against who has to.

The policies are evaluated as the network does it: a connection needs a rule on the way out and one
on the way in; a pod that no policy selects is open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from services.devstack.brokers import SERVICES
from tests.deploy.manifests import (
    WORKLOADS,
    Labels,
    Manifest,
    container_of,
    labels_of,
    name_of,
    of_kind,
    selects,
)

CALLS: Final = 50051
METRICS: Final = 9464
PROBES: Final = 50052
DATABASE: Final = 5432
BROKER: Final = 9093
TRACES: Final = 4317
WALLET: Final = 443
PAGES: Final = 8080
PORTS: Final = (CALLS, METRICS, PROBES, DATABASE, BROKER, TRACES, WALLET, PAGES, 8000, 9187)
BLOCK: Final = "203.0.113.0/24"
"""Where an operator's wallet is, in the manifests; an address outside the cluster."""

OWN: Final = "sabot"


class Pod(Struct, frozen=True):
    """A pod, or a kind of pods, as policies see it."""

    name: str
    labels: Labels
    namespace: Labels


def pods(objects: Sequence[Manifest]) -> list[Pod]:
    """The pods of a tree, those that its operators make, and one of each kind from outside."""
    here = {"kubernetes.io/metadata.name": OWN}
    found = [Pod(name_of(w), labels_of(w), here) for w in of_kind(objects, *WORKLOADS)]
    databases = [name_of(cluster) for cluster in of_kind(objects, "Cluster")]
    found += [Pod(name, {"cnpg.io/cluster": name}, here) for name in databases]
    for kafka in of_kind(objects, "Kafka"):
        labels = {"strimzi.io/cluster": name_of(kafka), "strimzi.io/kind": "Kafka"}
        found.append(Pod("kafka", labels, here))
    outside = {
        "caller": {"sabot/calls": "allowed"},
        "reporting": {"sabot/reporting": "allowed"},
        "browsers": {"sabot/console": "allowed"},
        "monitoring": {"kubernetes.io/metadata.name": "monitoring"},
        "stranger": {"kubernetes.io/metadata.name": "default"},
        "wallet": {"address": BLOCK},
        "internet": {"address": "0.0.0.0/0"},
    }
    return [*found, *(Pod(name, {}, labels) for name, labels in outside.items())]


def wanted(objects: Sequence[Manifest]) -> set[tuple[str, str, int]]:
    """Who has to reach whom at which port: the architecture, written once more."""
    edges: set[tuple[str, str, int]] = {("settlement-worker", "wager-worker", CALLS)}
    names = {pod.name for pod in pods(objects)}
    for service in SERVICES:
        worker, query, database = f"{service}-worker", f"{service}-query", f"{service}-db"
        for pod in (worker, query, f"{service}-migration"):
            edges.add((pod, database, DATABASE))
        for pod in (worker, query):
            edges |= {("caller", pod, CALLS), ("monitoring", pod, METRICS)}
            edges.add((pod, "collector", TRACES))
        edges |= {("reporting", query, CALLS), (worker, "kafka", BROKER)}
        edges |= {(database, database, DATABASE), (database, database, 8000)}
        edges |= {("monitoring", database, 9187), ("anchors", database, DATABASE)}
    edges |= {("reporting", "settlement-db", DATABASE)}
    edges |= {("browsers", "console", PAGES), ("console", "settlement-query", CALLS)}
    edges |= {("console", f"{service}-worker", CALLS) for service in SERVICES}
    for workload in of_kind(objects, "StatefulSet", "Deployment"):
        told = container_of(workload).get("env") or ()
        if {"name": "SABOT_WALLET_KIND", "value": "http"} in told:
            edges.add((name_of(workload), "wallet", WALLET))
    return {edge for edge in edges if edge[0] in names and edge[1] in names}


def faults(objects: Sequence[Manifest]) -> Iterator[str]:
    """Every connection that is needed and refused, and every one that is open and not needed."""
    policies = [*of_kind(objects, "NetworkPolicy"), *_of_listeners(objects)]
    if not any(p["spec"]["podSelector"] == {} for p in policies):
        return  # without default deny nothing is promised
    needed = wanted(objects)
    everybody = pods(objects)
    for source in everybody:
        for target in everybody:
            if not (_here(source) or _here(target)):
                continue
            for port in PORTS:
                if port == WALLET and not _ours(source):
                    continue  # operators' servers speak with the Kubernetes API and object stores
                edge = (source.name, target.name, port)
                is_open = allowed(policies, source, target, port)
                if is_open and edge not in needed:
                    yield f"{source.name} reaches {target.name} at {port}, and need not"
                elif not is_open and edge in needed:
                    yield f"{source.name} does not reach {target.name} at {port}"


def _ours(pod: Pod) -> bool:
    return pod.labels.get("app.kubernetes.io/part-of") == OWN


def _here(pod: Pod) -> bool:
    return OWN in pod.namespace.values()


def allowed(policies: Sequence[Manifest], source: Pod, target: Pod, port: int) -> bool:
    """Whether a connection is let out and in."""
    return _passes(policies, source, target, port, "Egress") and _passes(
        policies, target, source, port, "Ingress"
    )


def _passes(policies: Sequence[Manifest], pod: Pod, other: Pod, port: int, direction: str) -> bool:
    if not _here(pod):
        return True  # the policies of other namespaces are not ours
    chosen = [
        policy["spec"]
        for policy in policies
        if direction in policy["spec"]["policyTypes"]
        and selects(policy["spec"]["podSelector"], pod.labels)
    ]
    if not chosen:
        return True
    peers, rules = ("to", "egress") if direction == "Egress" else ("from", "ingress")
    return any(_fits(rule, peers, other, port) for spec in chosen for rule in spec.get(rules) or ())


def _fits(rule: Manifest, peers: str, other: Pod, port: int) -> bool:
    ports = rule.get("ports")
    if ports and not any(p.get("port") == port and p.get("protocol") != "UDP" for p in ports):
        return False
    if peers not in rule:
        return True
    for peer in rule[peers]:
        if "address" in other.namespace or "ipBlock" in peer:
            if other.namespace.get("address") == (peer.get("ipBlock") or {}).get("cidr", ""):
                return True
            continue
        namespaces = peer.get("namespaceSelector")
        if namespaces is None and not _here(other):
            continue
        if namespaces is not None and not selects(namespaces, other.namespace):
            continue
        if selects(peer.get("podSelector") or {}, other.labels):
            return True
    return False


def _of_listeners(objects: Sequence[Manifest]) -> Iterator[Manifest]:
    """The policies that Strimzi makes for the listeners of a cluster."""
    for kafka in of_kind(objects, "Kafka"):
        labels = {"strimzi.io/cluster": name_of(kafka)}
        selector = {"matchLabels": {**labels, "strimzi.io/kind": "Kafka"}}
        for listener in kafka["spec"]["kafka"]["listeners"]:
            peers = [*(listener.get("networkPolicyPeers") or [{"namespaceSelector": {}}])]
            rule = {"from": peers, "ports": [{"port": listener["port"]}]}
            yield {
                "kind": "NetworkPolicy",
                "spec": {
                    "podSelector": selector,
                    "policyTypes": ["Ingress"],
                    "ingress": [rule],
                },
            }
