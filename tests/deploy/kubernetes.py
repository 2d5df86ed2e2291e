"""Every check of the manifests, on every overlay and every combination of components."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from services.devstack.brokers import SERVICES
from tests.deploy import (
    anchors,
    broker,
    capacity,
    crds,
    environment,
    logins,
    network,
    pod_security,
    provided,
    references,
    tools,
)
from tests.deploy.manifests import (
    Manifest,
    Unbuildable,
    built,
    documents,
    examples,
    of_kind,
    targets,
    title,
)

KUBERNETES: Final = "1.32"
"""The version whose schemas the built-in kinds are held against."""

WHOLE: Final = "tests/everything"
"""The combination that holds every component but one, for the check that takes longest."""

CHECKOV_SKIPPED: Final = {
    "CKV_K8S_15": "images have fixed versions, so they need not be pulled at every start",
    "CKV_K8S_43": "the digest is known when a release is built: docs/operations/install.md",
}


def check() -> list[str]:
    """Run everything; returns what is wrong, each with the folder where it is."""
    found = [f"argocd: {fault}" for fault in _of_schemas(examples())]
    for target in targets():
        try:
            text = built(target)
        except Unbuildable as unbuildable:
            found.append(f"{target}: {unbuildable}")
            continue
        found += [f"{target}: {fault}" for fault in faults(documents(text))]
        found += [f"{target}: {fault}" for fault in strict(text)]
    found += [f"{WHOLE}: {fault}" for fault in checkov(built(WHOLE))]
    return found


def faults(objects: Sequence[Manifest]) -> Iterator[str]:
    """What needs no further tool: custom resources, security, references, settings, broker, network."""
    yield from _of_schemas(objects)
    for manifest in objects:
        yield from (f"{title(manifest)}: {fault}" for fault in pod_security.faults(manifest))
    yield from references.faults(objects)
    yield from environment.faults(objects, secrets(objects))
    yield from logins.faults(objects)
    yield from anchors.faults(objects, secrets(objects))
    yield from broker.faults(objects)
    yield from network.faults(objects)
    yield from capacity.faults(objects)
    for namespace in of_kind(objects, "Namespace"):
        labels = namespace["metadata"]["labels"]
        if labels.get("pod-security.kubernetes.io/enforce") != "restricted":
            yield f"{title(namespace)}: pods are not held to the restricted standard"


def secrets(objects: Sequence[Manifest]) -> dict[str, frozenset[str]]:
    """What pods may mount: what the tree makes, and what the platform gives beside it."""
    made = provided.secrets(objects)
    if not any(of_kind(objects, "ExternalSecret")):
        made |= provided.GIVEN
    if not any(of_kind(objects, "Kafka")):
        made |= provided.own_servers(SERVICES)
    return made


def _of_schemas(objects: Sequence[Manifest]) -> Iterator[str]:
    for manifest in objects:
        yield from (f"{title(manifest)}: {fault}" for fault in crds.faults(manifest))


def strict(text: str) -> Iterator[str]:
    """Hold built-in kinds against the schemas of Kubernetes; an unknown field is a fault."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "built.yaml")
        file.write_text(text)
        words = ("--strict", "--no-warn", "-k", KUBERNETES, file)
        result = tools.run("kubernetes-validate", *words)
    if result.returncode:
        yield from (
            line.replace(f"{file}", "").strip()
            for line in (result.stdout + result.stderr).splitlines()
            if line.startswith("ERROR")
        )


def checkov(text: str) -> Iterator[str]:
    """Let a scanner of known weaknesses read the manifests."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "built.yaml")
        file.write_text(text)
        result = tools.run(
            "checkov",
            *("-f", file, "--framework", "kubernetes", "--compact", "--quiet", "--skip-download"),
            *("--skip-check", ",".join(CHECKOV_SKIPPED)),
            seconds_max=300,
        )
    if result.returncode:
        yield f"checkov: {result.stdout}{result.stderr}"
