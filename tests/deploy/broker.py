"""Topics, users and scaling by lag, against what the services publish and hear.

What they publish and hear is read twice: from the AsyncAPI documents, which others rely on, and from
the services' own definitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

from services.chassis import topics
from services.devstack.brokers import SERVICES
from tests.deploy import settings, tools
from tests.deploy.manifests import Manifest, name_of, of_kind, title

ASYNCAPI: Final = tools.ROOT / "services" / "contracts" / "asyncapi"
WRITES: Final = frozenset({"Describe", "Write"})
READS: Final = frozenset({"Describe", "Read"})
LOOKS: Final = frozenset({"Describe"})
WATCHER: Final = "keda"

Rules = set[tuple[str, str, frozenset[str]]]
"""Type of resource, its literal name, operations."""


def document(service: str) -> Manifest:
    """The AsyncAPI document of a service."""
    found: Manifest = json.loads((ASYNCAPI / f"{service}.json").read_text())
    return found


def partitions() -> dict[str, int]:
    """Every topic of the documents with its partitions."""
    return {
        channel["address"]: channel["bindings"]["kafka"]["partitions"]
        for service in SERVICES
        for channel in document(service)["channels"].values()
    }


def hears(service: str) -> set[str]:
    """The topics that a service listens to, by its document."""
    return {
        operation["channel"]["$ref"].removeprefix("#/channels/")
        for operation in document(service)["operations"].values()
        if operation["action"] == "receive"
    }


def rules_of(service: str) -> Rules:
    """What a service must be allowed, and nothing else."""
    rules: Rules = {("group", topics.consumer_group(service), READS)}
    for operation in document(service)["operations"].values():
        topic = operation["channel"]["$ref"].removeprefix("#/channels/")
        rules.add(("topic", topic, WRITES if operation["action"] == "send" else READS))
    return rules


def faults(objects: Sequence[Manifest]) -> Iterator[str]:
    """Compare; a tree without Kafka has nothing to compare."""
    yield from _of_documents()
    clusters = list(of_kind(objects, "Kafka"))
    if not clusters:
        return
    yield from _of_topics(objects, clusters[0])
    yield from _of_users(objects)
    yield from _of_scaling(objects)
    most = min(partitions()[topics.topic(service)] for service in SERVICES)
    for workload in of_kind(objects, "StatefulSet"):
        replicas = workload["spec"].get("replicas", 0)
        if replicas > most:
            yield f"{title(workload)}: {replicas} replicas share {most} partitions"


def _of_documents() -> Iterator[str]:
    for service in SERVICES:
        listening = {topics.topic(upstream) for upstream in settings.definition_of(service).hears}
        if listening != hears(service):
            yield f"the AsyncAPI document of {service} tells other topics than it listens to"
    for service in SERVICES:
        topic = topics.topic(service)
        wanted = {
            topic: topics.PARTITIONS_PER_TOPIC,
            topics.dead_letter_topic(topic): topics.DEAD_LETTER_PARTITIONS,
        }
        for name, count in wanted.items():
            if partitions().get(name) != count:
                yield f"the AsyncAPI documents do not tell {name} with {count} partitions"


def _of_topics(objects: Sequence[Manifest], cluster: Manifest) -> Iterator[str]:
    made = {name_of(topic): topic["spec"] for topic in of_kind(objects, "KafkaTopic")}
    wanted = partitions()
    yield from (f"KafkaTopic/{name}: is missing" for name in sorted(wanted.keys() - made.keys()))
    yield from (f"KafkaTopic/{name}: is nobody's" for name in sorted(made.keys() - wanted.keys()))
    brokers = sum(
        pool["spec"]["replicas"]
        for pool in of_kind(objects, "KafkaNodePool")
        if "broker" in pool["spec"]["roles"]
    )
    for name in sorted(wanted.keys() & made.keys()):
        spec = made[name]
        if spec["partitions"] != wanted[name]:
            yield f"KafkaTopic/{name}: has {spec['partitions']} partitions, not {wanted[name]}"
        if spec["replicas"] > brokers:
            yield f"KafkaTopic/{name}: {spec['replicas']} replicas on {brokers} brokers"
        if spec["config"]["min.insync.replicas"] >= spec["replicas"] > 1:
            yield f"KafkaTopic/{name}: stops when one broker is away"
        if spec["config"]["cleanup.policy"] != "delete":
            yield f"KafkaTopic/{name}: facts are not compacted away"
    if cluster["spec"]["kafka"]["config"].get("auto.create.topics.enable") is not False:
        yield "Kafka: a misspelt topic would be created"


def _rules(user: Manifest) -> Rules:
    return {
        (
            rule["resource"]["type"],
            rule["resource"]["name"],
            frozenset(rule["operations"]),
        )
        for rule in user["spec"]["authorization"]["acls"]
        if rule["resource"]["patternType"] == "literal" and rule.get("type", "allow") == "allow"
    }


def _of_users(objects: Sequence[Manifest]) -> Iterator[str]:
    users = {name_of(user): user for user in of_kind(objects, "KafkaUser")}
    for service in SERVICES:
        user = users.pop(f"{service}-kafka", None)
        if user is None:
            yield f"KafkaUser/{service}-kafka: is missing"
        else:
            yield from _compared(title(user), user, rules_of(service))
    watcher = users.pop(WATCHER, None)
    if watcher is not None:
        looks: Rules = {("topic", topics.topic(service), LOOKS) for service in SERVICES}
        looks |= {("group", topics.consumer_group(service), LOOKS) for service in SERVICES}
        yield from _compared(title(watcher), watcher, looks)
    yield from (f"KafkaUser/{name}: is nobody's" for name in users)


def _compared(name: str, user: Manifest, wanted: Rules) -> Iterator[str]:
    given = _rules(user)
    for kind, resource, operations in sorted(wanted - given, key=str):
        yield f"{name}: may not {', '.join(sorted(operations))} the {kind} {resource}"
    for kind, resource, operations in sorted(given - wanted, key=str):
        yield f"{name}: need not {', '.join(sorted(operations))} the {kind} {resource}"
    if len(given) != len(user["spec"]["authorization"]["acls"]):
        yield f"{name}: has rules that are no literal permissions, or one twice"


def _of_scaling(objects: Sequence[Manifest]) -> Iterator[str]:
    for scaled in of_kind(objects, "ScaledObject"):
        spec = scaled["spec"]
        service = spec["scaleTargetRef"]["name"].removesuffix("-worker")
        followed = set()
        for trigger in spec["triggers"]:
            followed.add(trigger["metadata"]["topic"])
            if trigger["metadata"]["consumerGroup"] != topics.consumer_group(service):
                yield f"{title(scaled)}: follows the group {trigger['metadata']['consumerGroup']}"
        if followed != hears(service):
            yield f"{title(scaled)}: follows other topics than {service} hears"
        if spec["maxReplicaCount"] > topics.PARTITIONS_PER_TOPIC:
            yield f"{title(scaled)}: scales beyond the partitions"
