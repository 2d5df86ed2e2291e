"""Where the services are, and channels to them."""

from __future__ import annotations

import ipaddress
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import grpc

RESPONSE_BYTES_MAX = 16 << 20
KEEPALIVE_TIME_MS = 30_000
KEEPALIVE_TIMEOUT_MS = 10_000
OPTIONS = (
    # Every replica gets its share, and a call goes to one that answers.
    ("grpc.service_config", json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})),
    # This client repeats calls itself, with bounds that it can tell about.
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", KEEPALIVE_TIME_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
    ("grpc.max_receive_message_length", RESPONSE_BYTES_MAX),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where each service takes calls, as `host:port` or as a gRPC name such as `dns:///...`."""

    shoe: str
    round: str
    wager: str
    settlement: str
    query: str = ""
    """Of processes that answer queries alone; settlement's own where it is empty."""

    def of(self, service: str) -> str:
        """The address of a service by its name."""
        return str(getattr(self, service)) or self.settlement

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> Self:
        """Read SABOT_SHOE_TARGET, SABOT_ROUND_TARGET, SABOT_WAGER_TARGET, SABOT_SETTLEMENT_TARGET.

        SABOT_QUERY_TARGET may be left out. Raises `ValueError` naming what is not set.
        """
        names = {name: f"SABOT_{name.upper()}_TARGET" for name in cls.__dataclass_fields__}
        found = {name: variables.get(each, "") for name, each in names.items()}
        missing = [names[name] for name, each in found.items() if not each and name != "query"]
        if missing:
            raise ValueError(f"not set: {', '.join(missing)}")
        return cls(**found)


def on_this_machine(target: str) -> bool:
    """Whether what is sent to an address leaves the machine: a name that is not known as here does."""
    if target.startswith(("unix:", "unix-abstract:")):
        return True
    place = target.removeprefix("dns:").removeprefix("ipv4:").removeprefix("ipv6:")
    # A name may have an authority before it, as in dns://server/name; of a list, all are asked.
    hosts = [each.rpartition(":")[0].strip("[]") for each in place.rpartition("/")[2].split(",")]
    return all(each == "localhost" or _loopback(each) for each in hosts)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """Files of certificates in PEM; without `ca` the machine's own authorities are trusted."""

    ca: Path | None = None
    certificate: Path | None = None
    """The client's own, where services ask for one; it needs its `key`."""

    key: Path | None = None

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> Self | None:
        """Read SABOT_CLIENT_CA_FILE, SABOT_CLIENT_CERTIFICATE_FILE and SABOT_CLIENT_KEY_FILE.

        None, which is plain text, where none of them is set.
        """
        ca, certificate, key = (
            Path(found) if found else None
            for found in (
                variables.get(f"SABOT_CLIENT_{name}_FILE", "")
                for name in ("CA", "CERTIFICATE", "KEY")
            )
        )
        return cls(ca=ca, certificate=certificate, key=key) if ca or certificate or key else None

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files."""
        ca, key, certificate = (
            path.read_bytes() if path is not None else None
            for path in (self.ca, self.key, self.certificate)
        )
        return grpc.ssl_channel_credentials(ca, key, certificate)


def channel(target: str, tls: Tls | None) -> grpc.aio.Channel:
    """A channel to one service; it connects with its first call."""
    if tls is None:
        return grpc.aio.insecure_channel(target, options=OPTIONS)
    return grpc.aio.secure_channel(target, tls.credentials(), options=OPTIONS)
