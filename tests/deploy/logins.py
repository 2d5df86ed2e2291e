"""Who logs in at the databases as whom: services as users who own nothing, migrations as the owner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlsplit

from services.chassis.grants import ANCHORS
from tests.deploy import settings
from tests.deploy.manifests import Manifest, container_of, is_ours, name_of, of_kind, pod_of, title

ADDRESS: Final = "url"
"""The name under which a pod mounts the address of its database."""

ROLE: Final = "SABOT_DATABASE_SERVICE_ROLE"


def faults(objects: Sequence[Manifest]) -> Iterator[str]:
    """Yield one sentence for each workload that could change its log, or would be without rights."""
    users = {
        role["spec"]["passwordSecret"]["name"]: role["spec"]["name"]
        for role in of_kind(objects, "DatabaseRole")
    }
    for workload in objects:
        if workload["kind"] in {"StatefulSet", "Deployment", "Job"} and is_ours(workload):
            service = settings.service_of(container_of(workload)["args"])
            if service is not None:
                found = _of_workload(workload, service, users)
                yield from (f"{title(workload)}: {fault}" for fault in found)
    yield from _of_users(objects, users)


def _of_workload(workload: Manifest, service: str, users: dict[str, str]) -> Iterator[str]:
    owner, own = f"{service}-db-app", f"{service}-db-service"
    shown = set(_addresses(workload))
    if workload["kind"] != "Job":
        if shown != {own}:
            yield f"logs in with {', '.join(sorted(shown))}, not with {own}"
        return
    if shown != {owner}:
        yield f"migrates with {', '.join(sorted(shown))}, not with {owner}"
    told = {each["name"]: each.get("value") for each in container_of(workload)["env"]}.get(ROLE)
    if not told or (users and told != users.get(own)):
        yield f"gives its rights to {told or 'nobody'}, not to {users.get(own, 'a user')}"


def _addresses(workload: Manifest) -> Iterator[str]:
    """The Secrets out of which a pod takes the address of a database."""
    for volume in pod_of(workload)["volumes"]:
        for source in (volume.get("projected") or {}).get("sources") or ():
            if any(item["path"] == ADDRESS for item in source["secret"].get("items") or ()):
                yield source["secret"]["name"]


def _of_users(objects: Sequence[Manifest], users: dict[str, str]) -> Iterator[str]:
    """The Secret of a user is about this user, in this service's database."""
    for secret in of_kind(objects, "ExternalSecret"):
        made = (secret["spec"]["target"].get("template") or {}).get("data")
        user = users.get(name_of(secret))
        if made is None or user is None or user == ANCHORS:
            continue
        service = name_of(secret).removesuffix("-db-service")
        address = urlsplit(made["uri"])
        wanted = (user, f"{service}-db-rw", f"/sabot_{service}")
        if (address.username, address.hostname, address.path) != wanted:
            yield f"{title(secret)}: the address is not that of {user} at {wanted[1]}{wanted[2]}"
        if made["username"] != user:
            yield f"{title(secret)}: names {made['username']}, not {user}"
