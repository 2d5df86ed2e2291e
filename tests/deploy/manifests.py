"""The manifests as kustomize builds them, and what is asked of them again and again."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from tests.deploy import tools

K8S: Final = tools.ROOT / "k8s"
LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ENDING: Final = frozenset({"Job", "CronJob"})
"""Workloads whose pods do their work and end."""

WORKLOADS: Final = ENDING | {"Deployment", "StatefulSet"}
NAME: Final = "app.kubernetes.io/name"
COMPONENT: Final = "app.kubernetes.io/component"

Manifest = dict[str, Any]
Labels = Mapping[str, str]


class Unbuildable(Exception):
    """Kustomize refuses a folder; the text says why."""


def targets() -> list[str]:
    """The folders that are built: every overlay, and every combination of components."""
    return sorted(
        str(file.parent.relative_to(K8S))
        for pattern in ("overlays/*/kustomization.yaml", "tests/*/kustomization.yaml")
        for file in K8S.glob(pattern)
    )


def documents(text: str) -> list[Manifest]:
    """Read the objects of a file."""
    return [document for document in yaml.load_all(text, LOADER) if document]


def build(folder: Path) -> str:
    """Build a folder with kustomize. Raises `Unbuildable`."""
    result = tools.run("kubectl", "kustomize", folder)
    if result.returncode:
        raise Unbuildable(result.stderr.strip())
    return result.stdout


@functools.cache
def built(target: str) -> str:
    """The text of one target."""
    return build(K8S / target)


def examples() -> list[Manifest]:
    """The example for Argo CD, which is applied as it is."""
    return [d for file in sorted(K8S.glob("argocd/*.yaml")) for d in documents(file.read_text())]


def of_kind(objects: Iterable[Manifest], *kinds: str) -> Iterator[Manifest]:
    """The objects of some kinds."""
    return (each for each in objects if each["kind"] in kinds)


def name_of(manifest: Manifest) -> str:
    """The name of an object in its namespace."""
    return str(manifest["metadata"]["name"])


def title(manifest: Manifest) -> str:
    """Kind and name, for people."""
    return f"{manifest['kind']}/{name_of(manifest)}"


def pod_of(manifest: Manifest) -> Manifest:
    """The pod that a workload makes: its spec."""
    pod: Manifest = _template(manifest)["spec"]
    return pod


def _template(manifest: Manifest) -> Manifest:
    spec = manifest["spec"]
    if manifest["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    template: Manifest = spec["template"]
    return template


def labels_of(workload: Manifest) -> dict[str, str]:
    """The labels of the pods of a workload."""
    labels: dict[str, str] = _template(workload)["metadata"].get("labels") or {}
    return labels


def container_of(workload: Manifest) -> Manifest:
    """The only container of a workload of ours."""
    (container,) = pod_of(workload)["containers"]
    found: Manifest = container
    return found


def containers_of(workload: Manifest) -> list[Manifest]:
    """All containers of a workload, in the order in which they start."""
    pod = pod_of(workload)
    return [*(pod.get("initContainers") or ()), *pod["containers"]]


def is_ours(workload: Manifest) -> bool:
    """Whether a workload runs the image of this repository."""
    return "services." in " ".join(container_of(workload).get("args") or ())


def selects(selector: Manifest, labels: Labels) -> bool:
    """Whether a label selector, written out, fits some labels. An empty one fits all."""
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for expression in selector.get("matchExpressions") or ():
        key, operator = expression["key"], expression["operator"]
        values = expression.get("values") or ()
        fits = {
            "In": labels.get(key) in values,
            "NotIn": labels.get(key) not in values,
            "Exists": key in labels,
            "DoesNotExist": key not in labels,
        }[operator]
        if not fits:
            return False
    return True
