"""What one object says of another: selectors, ports, names. No schema sees these faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from services.chassis.health import LIVENESS, READINESS, STARTUP
from tests.deploy.manifests import (
    ENDING,
    WORKLOADS,
    Manifest,
    container_of,
    containers_of,
    is_ours,
    labels_of,
    name_of,
    of_kind,
    pod_of,
    selects,
    title,
)

PROBES: Final = {
    "startupProbe": STARTUP,
    "livenessProbe": LIVENESS,
    "readinessProbe": READINESS,
}


PAGES: Final = {
    "startupProbe": "/health/live",
    "livenessProbe": "/health/live",
    "readinessProbe": "/health/ready",
}
"""What the console is asked for, which has no port for probes."""


def faults(objects: Sequence[Manifest]) -> Iterator[str]:
    """Yield one sentence for each reference that leads nowhere."""
    workloads = list(of_kind(objects, *WORKLOADS))
    by_kind: dict[str, set[str]] = {}
    for manifest in objects:
        by_kind.setdefault(manifest["kind"], set()).add(name_of(manifest))
    for manifest in objects:
        for fault in _of_object(manifest, objects, workloads, by_kind):
            yield f"{title(manifest)}: {fault}"
    yield from _of_disruption(objects, workloads)


def _of_object(
    manifest: Manifest,
    objects: Sequence[Manifest],
    workloads: Sequence[Manifest],
    names: Mapping[str, set[str]],
) -> Iterator[str]:
    kind, spec = manifest["kind"], manifest.get("spec") or {}
    if kind == "Service":
        yield from _of_service(spec, workloads)
    elif kind == "PodDisruptionBudget":
        if not any(selects(spec["selector"], labels_of(w)) for w in workloads):
            yield "selects no pod"
    elif kind == "ServiceMonitor":
        yield from _of_service_monitor(spec, objects)
    elif kind in {"HorizontalPodAutoscaler", "ScaledObject"}:
        yield from _of_scaler(spec["scaleTargetRef"], workloads)
    elif kind == "Certificate":
        if spec["issuerRef"]["name"] not in names.get("Issuer", set()):
            yield f"there is no Issuer {spec['issuerRef']['name']}"
        yield from _of_certificate(spec, objects, workloads)
    elif kind in {"ScheduledBackup", "DatabaseRole"}:
        if spec["cluster"]["name"] not in names.get("Cluster", set()):
            yield f"there is no Cluster {spec['cluster']['name']}"
    elif kind in {"KafkaTopic", "KafkaUser", "KafkaNodePool"}:
        cluster = manifest["metadata"]["labels"]["strimzi.io/cluster"]
        if cluster not in names.get("Kafka", set()):
            yield f"there is no Kafka {cluster}"
    elif kind in WORKLOADS:
        yield from _of_workload(manifest, names)


def _of_service(spec: Manifest, workloads: Sequence[Manifest]) -> Iterator[str]:
    chosen = [w for w in workloads if selects({"matchLabels": spec["selector"]}, labels_of(w))]
    if not chosen:
        yield "selects no pod"
    for workload in chosen:
        ports = container_of(workload).get("ports") or ()
        known = {port["name"] for port in ports} | {port["containerPort"] for port in ports}
        for port in spec["ports"]:
            if port["targetPort"] not in known:
                yield f"{title(workload)} has no port {port['targetPort']}"
            # Behind a headless Service a client dials the pod's port, whatever the Service says.
            numbers = {p["name"]: p["containerPort"] for p in ports}
            if spec.get("clusterIP") == "None" and numbers.get(port["targetPort"]) != port["port"]:
                yield f"is headless, and port {port['port']} is another on the pod"


def _of_service_monitor(spec: Manifest, objects: Sequence[Manifest]) -> Iterator[str]:
    chosen = [
        service
        for service in of_kind(objects, "Service")
        if selects(spec["selector"], service["metadata"].get("labels") or {})
    ]
    if not chosen:
        yield "selects no Service"
    for service in chosen:
        ports = {port["name"] for port in service["spec"]["ports"]}
        for endpoint in spec["endpoints"]:
            if endpoint["port"] not in ports:
                yield f"{title(service)} has no port {endpoint['port']}"


def _of_certificate(
    spec: Manifest, objects: Sequence[Manifest], workloads: Sequence[Manifest]
) -> Iterator[str]:
    """A client that dials a Service finds its name in the certificate of the pods behind it."""
    showing = [
        workload
        for workload in workloads
        for volume in pod_of(workload).get("volumes") or ()
        if (volume.get("secret") or {}).get("secretName") == spec["secretName"]
    ]
    if not showing and not spec.get("isCA"):
        yield "no pod shows it"
    for service in of_kind(objects, "Service"):
        selector = {"matchLabels": service["spec"]["selector"]}
        namespace = service["metadata"].get("namespace", "sabot")
        for name in (name_of(service), f"{name_of(service)}.{namespace}.svc"):
            if name not in spec.get("dnsNames", ()) and any(
                selects(selector, labels_of(workload)) for workload in showing
            ):
                yield f"does not name {name}"


def _of_scaler(target: Manifest, workloads: Sequence[Manifest]) -> Iterator[str]:
    named = [w for w in workloads if (w["kind"], name_of(w)) == (target["kind"], target["name"])]
    if not named:
        yield f"there is no {target['kind']} {target['name']}"
    for workload in named:
        if "replicas" in workload["spec"]:
            yield f"{title(workload)} names its replicas too: every release would undo the scaling"


def _of_workload(manifest: Manifest, names: Mapping[str, set[str]]) -> Iterator[str]:
    spec, pod = manifest["spec"], pod_of(manifest)
    if pod["serviceAccountName"] not in names.get("ServiceAccount", set()):
        yield f"there is no ServiceAccount {pod['serviceAccountName']}"
    if manifest["kind"] == "StatefulSet" and spec["serviceName"] not in names.get("Service", set()):
        yield f"there is no Service {spec['serviceName']}"
    if manifest["kind"] not in ENDING and not selects(spec["selector"], labels_of(manifest)):
        yield "does not select its own pods"
    for volume in pod.get("volumes") or ():
        config_map = (volume.get("configMap") or {}).get("name")
        if config_map and config_map not in names.get("ConfigMap", set()):
            yield f"there is no ConfigMap {config_map}"
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim and claim not in names.get("PersistentVolumeClaim", set()):
            yield f"there is no PersistentVolumeClaim {claim}"
    for container in containers_of(manifest):
        yield from _of_image(container["image"])
        if is_ours(manifest) and manifest["kind"] not in ENDING:
            yield from _of_probes(container)
    for spread in pod.get("topologySpreadConstraints") or ():
        if not selects(spread["labelSelector"], labels_of(manifest)):
            yield "spreads pods that are not its own"


def _of_image(image: str) -> Iterator[str]:
    name, _, digest = image.partition("@")
    tag = name.rpartition("/")[2].partition(":")[2]
    if not digest and (not tag or tag == "latest"):
        yield f"the image {image} has no version"


def _of_probes(container: Manifest) -> Iterator[str]:
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    if "health" not in ports:
        for probe, path in PAGES.items():
            asked = (container.get(probe) or {}).get("httpGet") or {}
            if asked.get("port") not in ports or asked.get("path") != path:
                yield f"{probe} does not ask for {path}"
        return
    for probe, service in PROBES.items():
        asked = (container.get(probe) or {}).get("grpc") or {}
        if asked.get("port") != ports["health"] or asked.get("service") != service:
            yield f"{probe} does not ask the health port for {service}"


def _of_disruption(objects: Sequence[Manifest], workloads: Sequence[Manifest]) -> Iterator[str]:
    """Every workload that goes on is kept from being drained as a whole."""
    for workload in workloads:
        if workload["kind"] in ENDING:
            continue
        budgets = [
            budget
            for budget in of_kind(objects, "PodDisruptionBudget")
            if selects(budget["spec"]["selector"], labels_of(workload))
        ]
        if len(budgets) != 1:
            yield f"{title(workload)}: has {len(budgets)} disruption budgets"
