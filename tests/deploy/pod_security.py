"""Pods against the Pod Security Standard "restricted", and beyond it what every pod of ours keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.deploy.manifests import WORKLOADS, Manifest, pod_of

ALLOWED_VOLUMES: Final = frozenset(
    {
        *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral"),
        *("persistentVolumeClaim", "projected", "secret"),
    }
)
ALLOWED_CAPABILITIES: Final = frozenset({"NET_BIND_SERVICE"})
ALLOWED_SECCOMP: Final = frozenset({"RuntimeDefault", "Localhost"})
KINDS: Final = WORKLOADS | {"DaemonSet", "ReplicaSet", "ReplicationController"}


def faults(manifest: Manifest) -> Iterator[str]:
    """One sentence for each rule that a pod in this manifest breaks."""
    kind = manifest["kind"]
    if kind == "Pod":
        pod = manifest["spec"]
    elif kind in KINDS:
        pod = pod_of(manifest)
    else:
        return
    context = pod.get("securityContext") or {}
    yield from (f"{flag} is set" for flag in ("hostNetwork", "hostPID", "hostIPC") if pod.get(flag))
    for volume in pod.get("volumes") or ():
        for source in sorted(set(volume) - {"name"} - ALLOWED_VOLUMES):
            yield f"volume {volume['name']}: type {source} is not allowed"
    if pod.get("automountServiceAccountToken") is not False:
        yield "a token for the Kubernetes API is mounted"
    if pod.get("enableServiceLinks") is not False:
        yield "enableServiceLinks adds a variable for every Service"
    for group in ("initContainers", "containers", "ephemeralContainers"):
        for container in pod.get(group) or ():
            yield from (f"{container['name']}: {f}" for f in _of_container(container, context))


def _of_container(container: Manifest, pod_context: Manifest) -> Iterator[str]:
    context = container.get("securityContext") or {}

    def effective(field: str) -> Any:
        own = context.get(field)
        return own if own is not None else pod_context.get(field)

    if context.get("privileged"):
        yield "privileged"
    if context.get("allowPrivilegeEscalation") is not False:
        yield "allowPrivilegeEscalation must be false"
    if effective("runAsNonRoot") is not True:
        yield "runAsNonRoot must be true"
    if not effective("runAsUser"):
        yield "runAsUser must be another than root"
    if (effective("seccompProfile") or {}).get("type") not in ALLOWED_SECCOMP:
        yield "seccompProfile must be RuntimeDefault or Localhost"
    capabilities = context.get("capabilities") or {}
    if "ALL" not in (capabilities.get("drop") or ()):
        yield "capabilities.drop must contain ALL"
    for name in sorted(set(capabilities.get("add") or ()) - ALLOWED_CAPABILITIES):
        yield f"capability {name} must not be added"
    if any(port.get("hostPort") for port in container.get("ports") or ()):
        yield "hostPort is set"
    if context.get("readOnlyRootFilesystem") is not True:
        yield "readOnlyRootFilesystem must be true"
    resources = container.get("resources") or {}
    for kind in ("requests", "limits"):
        if {"cpu", "memory"} - set(resources.get(kind) or ()):
            yield f"resources.{kind} must name cpu and memory"
