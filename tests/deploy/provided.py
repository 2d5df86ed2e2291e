"""What can be mounted: ConfigMaps and Secrets with their keys, and who makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from services.devstack.brokers import SERVICES
from tests.deploy.manifests import Manifest, name_of, of_kind

USER_KEYS: Final = frozenset({"ca.crt", "user.crt", "user.key", "user.p12", "user.password"})
APP_KEYS: Final = frozenset(
    {"username", "password", "host", "port", "dbname", "uri", "fqdn-uri", "jdbc-uri", "pgpass"}
)

GIVEN: Final[Mapping[str, frozenset[str]]] = {
    "sabot-auth-keys": frozenset({"jwks.json"}),
    "shoe-sealing-key": frozenset({"key"}),
    "settlement-token": frozenset({"token"}),
    "reporting-password": frozenset({"username", "password"}),
    "wager-wallet": frozenset({"secret"}),
    "backup-account": frozenset({"id", "key"}),
    "anchors-db": frozenset({"username", "password", *SERVICES}),
    "anchors-key": frozenset({"anchor.pem", "anchor.pem.pub"}),
    **{f"{service}-db-service": frozenset({"username", "password", "uri"}) for service in SERVICES},
}
"""Secrets that no operator makes: the platform gives them, by hand or from its vault."""


def config_maps(objects: Sequence[Manifest]) -> dict[str, Mapping[str, str]]:
    """The ConfigMaps of a tree, by name."""
    return {name_of(m): m.get("data") or {} for m in of_kind(objects, "ConfigMap")}


def secrets(objects: Sequence[Manifest]) -> dict[str, frozenset[str]]:
    """The keys of every Secret that an object of the tree leads to, by name."""
    return dict(_secrets(objects))


def own_servers(services: Sequence[str]) -> dict[str, frozenset[str]]:
    """Secrets that somebody has to give where Kafka and PostgreSQL are not part of the tree."""
    found = {"sabot-cluster-ca-cert": frozenset({"ca.crt"})}
    for service in services:
        found[f"{service}-kafka"] = USER_KEYS
        found[f"{service}-db-app"] = APP_KEYS
        found[f"{service}-db-ca"] = frozenset({"ca.crt"})
    return found


def keys_of(external: Manifest) -> frozenset[str]:
    """The keys of the Secret that an ExternalSecret makes."""
    spec = external["spec"]
    made = (spec["target"].get("template") or {}).get("data")
    return frozenset(made or (item["secretKey"] for item in spec["data"]))


def _secrets(objects: Sequence[Manifest]) -> Iterator[tuple[str, frozenset[str]]]:
    for manifest in objects:
        kind, name = manifest["kind"], name_of(manifest)
        if kind == "Cluster":
            yield f"{name}-app", APP_KEYS
            yield f"{name}-ca", frozenset({"ca.crt", "ca.key"})
        elif kind == "KafkaUser":
            yield name, USER_KEYS
        elif kind == "Kafka":
            yield f"{name}-cluster-ca-cert", frozenset({"ca.crt", "ca.p12", "ca.password"})
        elif kind == "Certificate":
            yield manifest["spec"]["secretName"], frozenset({"tls.crt", "tls.key", "ca.crt"})
        elif kind == "ExternalSecret":
            yield manifest["spec"]["target"]["name"], keys_of(manifest)
        elif kind == "Secret":
            yield name, frozenset(manifest.get("data") or {})
