"""The job that proves the logs: it knows every log, and nobody else holds what it signs and reads with."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import typer

from services.chassis.config import FILE_SUFFIX
from services.chassis.grants import ANCHORS
from services.cli.main import app
from services.devstack.brokers import SERVICES
from tests.deploy.environment import Machine, Secrets
from tests.deploy.manifests import (
    WORKLOADS,
    Manifest,
    containers_of,
    name_of,
    of_kind,
    pod_of,
    title,
)

JOB: Final = "anchors"
KEY: Final = "anchors-key"
LOGIN: Final = "anchors-db"
PRIVATE: Final = "anchor.pem"
OF_DRIVER: Final = frozenset({"PGSSLMODE"})


def faults(objects: Sequence[Manifest], secrets: Secrets) -> Iterator[str]:
    """Yield one sentence for each thing that weakens the proof, or keeps it from being made."""
    for workload in of_kind(objects, *WORKLOADS):
        if (workload["kind"], name_of(workload)) == ("CronJob", JOB):
            found = _of_job(workload, objects, secrets)
        else:
            found = _of_stranger(workload)
        yield from (f"{title(workload)}: {fault}" for fault in found)
    if any(name_of(job) == JOB for job in of_kind(objects, "CronJob")):
        yield from _of_logins(objects)


def _of_stranger(workload: Manifest) -> Iterator[str]:
    named = set(_texts(pod_of(workload)))
    if KEY in named:
        yield f"is shown {KEY}, with which anchors are signed"
    if LOGIN in named:
        yield f"is shown {LOGIN}, with which all logs are read"


def _texts(part: Any) -> Iterator[str]:
    """Every text in a manifest: a Secret can be named as a volume or for a variable."""
    if isinstance(part, dict):
        for each in part.values():
            yield from _texts(each)
    elif isinstance(part, list):
        for each in part:
            yield from _texts(each)
    elif isinstance(part, str):
        yield part


def _of_job(job: Manifest, objects: Sequence[Manifest], secrets: Secrets) -> Iterator[str]:
    spec = job["spec"]
    if spec.get("concurrencyPolicy") != "Forbid":
        yield "may run beside itself, and a book has one writer"
    if not spec["jobTemplate"]["spec"].get("activeDeadlineSeconds"):
        yield "may hang for ever"
    containers = containers_of(job)
    if [tuple(each["args"][1:3]) for each in containers] != [
        ("verify", "--book"),
        ("anchor", "write"),
    ]:
        yield "does not verify the logs before it signs them"
    for container in containers:
        with tempfile.TemporaryDirectory() as directory:
            machine = Machine(job, container, objects, secrets, Path(directory))
            yield from (f"{container['name']}: {fault}" for fault in _of_container(machine))


def _of_container(machine: Machine) -> Iterator[str]:
    yield from machine.missing
    program, *words = machine.container["args"]
    if program != "services.cli":
        yield f"runs {program}"
        return
    yield from _of_command([machine.turned(word) for word in words])
    for word in words:
        if word.startswith("/") and not Path(machine.turned(word)).parent.is_dir():
            yield f"nothing is mounted for {word}"
    mounts = {mount["name"]: mount for mount in machine.container["volumeMounts"]}
    if "verify" in words:
        if any(
            Path(machine.turned(m["mountPath"] + "/" + PRIVATE)).exists() for m in mounts.values()
        ):
            yield "checks with the key that signs before its eyes"
        if not mounts["book"].get("readOnly"):
            yield "may write in the book that it checks"
    yield from _of_environment(machine.environment)


def _of_command(words: Sequence[str]) -> Iterator[str]:
    """What the command would say of its words; it is not run."""
    command: Any = typer.main.get_command(app)
    try:
        context = command.make_context("sabot", list(words))
        while hasattr(command, "resolve_command"):
            rest = [*context._protected_args, *context.args]
            name, command, rest = command.resolve_command(context, rest)
            context = command.make_context(name, rest, parent=context)
    except Exception as error:  # noqa: BLE001 - typer's and those of what it rests on
        yield f"{' '.join(words)}: {getattr(error, 'message', error)}"
        return
    for name in ("key", "earlier_key"):
        given = context.params.get(name) or ()
        for file in given if isinstance(given, list | tuple) else (given,):
            if not Path(file).is_file():
                yield f"there is no key {Path(file).name}"


def _of_environment(environment: Mapping[str, str]) -> Iterator[str]:
    wanted = {f"SABOT_{service.upper()}_DATABASE_URL{FILE_SUFFIX}" for service in SERVICES}
    for name in sorted(wanted):
        if not Path(environment.get(name, "/nowhere")).is_file():
            yield f"{name} names no file"
    yield from (
        f"{name} is read by nobody" for name in sorted(set(environment) - wanted - OF_DRIVER)
    )
    if environment.get("PGSSLMODE") != "verify-full":
        yield "believes any server"


def _of_logins(objects: Sequence[Manifest]) -> Iterator[str]:
    """The user is there at every database, and the addresses are his."""
    for role in of_kind(objects, "DatabaseRole"):
        names = (role["spec"]["name"], role["spec"]["passwordSecret"]["name"])
        if (ANCHORS in names or LOGIN in names) and names != (ANCHORS, LOGIN):
            yield f"{title(role)}: logs {names[0]} in with {names[1]}"
    known = {
        role["spec"]["cluster"]["name"]
        for role in of_kind(objects, "DatabaseRole")
        if role["spec"]["name"] == ANCHORS
    }
    for cluster in of_kind(objects, "Cluster"):
        if name_of(cluster) not in known:
            yield f"{title(cluster)}: does not know {ANCHORS}"
    for secret in of_kind(objects, "ExternalSecret"):
        if name_of(secret) == LOGIN:
            made = secret["spec"]["target"]["template"]["data"]
            yield from (f"{title(secret)}: {fault}" for fault in _of_addresses(made))


def _of_addresses(made: Mapping[str, str]) -> Iterator[str]:
    for service in SERVICES:
        address = urlsplit(made[service])
        wanted = (ANCHORS, f"{service}-db-rw", f"/sabot_{service}")
        if (address.username, address.hostname, address.path) != wanted:
            yield f"{service} is not that of {ANCHORS} at {wanted[1]}{wanted[2]}"
        options = parse_qs(address.query)
        authority = options.get("sslrootcert", [""])[0]
        if options.get("sslmode") != ["verify-full"] or Path(authority).stem != service:
            yield f"{service} does not hold the server to its authority"
