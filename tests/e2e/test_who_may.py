"""Who may do what, on real processes with everything on: TLS, tokens, database users.

The stack is that of `tests.e2e.secured`. What Kafka lets whom do is in `test_permissions`.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg
import grpc
import pytest
import pytest_asyncio

from services.chassis.auth import KEY_CHECK_INTERVAL_S
from services.chassis.rpc import ClientTls
from services.chassis.rpc_errors import CallFailed, call_failed
from services.contracts.core import Actor
from services.devstack.brokers import SERVICES
from services.devstack.stack import database_name
from services.tablelog.calls import Services
from tests.e2e import secrecy
from tests.e2e.desk import DEALER, DECKS, PIT, Desk, betting, dealt, player, prepared
from tests.e2e.secured import OWNER, Secured, bearer
from tests.e2e.support import fresh, sabot, until
from tests.support.broker import chosen_kind
from tests.support.certificates import Authority
from tests.support.otlp import Receiver, receiving

pytestmark = pytest.mark.timeout(120)

CONNECTION_S = 5.0
ENDED_S = 30.0


@pytest.fixture(scope="module")
def received() -> Iterator[Receiver]:
    if chosen_kind() == "apache":
        pytest.skip("what Apache Kafka lets whom do is shown by test_permissions")
    with receiving() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def secured(received: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    with Secured(tmp_path_factory.mktemp("secured"), otlp=received.target) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def services(secured: Secured) -> AsyncIterator[Services]:
    async with Services(
        secured.targets, token=secured.trust.token_file, tls=secured.trust.tls
    ) as connected:
        yield connected


async def asked(services: Services, service: str, token: str) -> CallFailed | None:
    """What a service says to a query under a token; None for an answer."""
    desk = Desk(services, "nobody", lambda _: lambda: bearer(token))
    try:
        await desk.look(service, "GetTableProgress")
    except grpc.aio.AioRpcError as error:
        return call_failed(error)
    return None


# --- a coup, and the keys exchanged in it ---


async def test_a_coup_is_settled_while_the_issuer_exchanges_its_key(
    secured: Secured, services: Services
) -> None:
    """Stakes under the old key, cards and payment under the new one; the old one is out by then."""
    desk = Desk(services, fresh("secured"), secured.trust.credentials)
    await desk.open("live-studio", decks=DECKS, betting_seconds=1)
    await prepared(desk)
    await desk.act("shoe", "LoadShoe", DEALER, shoe_id=f"{desk.table_id}-1", source="SCANNED")
    await desk.waits_for("")
    for name in ("a", "b"):
        await desk.fund(name, 1_000)
    await betting(desk)
    assert (await desk.wager("w1", "a", "PLAYER", 1_000)).status == "ACCEPTED"
    assert (await desk.wager("w2", "b", "BANKER", 1_000)).status == "ACCEPTED"
    old = secured.trust.rotate().token("pit-1", "CASINO_SUPERVISOR")

    async def exchanged() -> bool:
        told = await asyncio.gather(*(asked(services, name, old) for name in SERVICES))
        return all(each is not None and each.reason == "TOKEN_INVALID" for each in told)

    await until(
        exchanged, what="every service to have the new keys", wait_s=3 * KEY_CHECK_INTERVAL_S
    )
    await dealt(desk, "9S", "7D", "KD", "TC")
    await desk.act("round", "AnnounceResult", DEALER, winner="PLAYER")
    await desk.coup_over()

    async def paid() -> bool:
        return (await desk.balance("a"), await desk.balance("b")) == (2_000, 0)

    await until(paid, what="the winner to be paid under settlement's new token")


async def test_every_database_connection_is_encrypted_and_of_a_services_own_user(
    secured: Secured,
) -> None:
    """Whoever is connected for a service has shown its certificate, and owns nothing."""
    connected = """
        select distinct usename, ssl, client_dn from pg_stat_ssl join pg_stat_activity using (pid)
        where datname = current_database() and pid <> pg_backend_pid() and usename is not null
    """
    for service in SERVICES:
        user = database_name(service)
        connection = await asyncpg.connect(secured.database_url(service))
        try:
            found = [tuple(row) for row in await connection.fetch(connected)]
        finally:
            await connection.close()
        assert found == [(user, True, f"/CN={user}")]


# --- who gets a connection ---


async def progress(target: str, token: str, tls: ClientTls | None) -> str:
    """The code with which the shoe service answers a call, or nobody does."""

    def content(name: str) -> bytes | None:
        return Path(name).read_bytes() if name else None

    if tls is None:
        channel = grpc.aio.insecure_channel(target)
    else:
        files = (content(tls.ca_file), content(tls.key_file), content(tls.certificate_file))
        channel = grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(*files))
    async with channel:
        call: Any = channel.unary_unary("/sabot.shoe.v1.ShoeService/GetTableProgress")
        try:
            await call(b"\n\x01x", metadata=bearer(token), timeout=CONNECTION_S)
        except grpc.aio.AioRpcError as error:
            return error.code().name
    return "OK"


async def test_a_caller_without_a_certificate_of_the_authority_gets_no_connection(
    secured: Secured, tmp_path: Path
) -> None:
    """A good token helps nobody who speaks in plain text, shows nothing, or shows a stranger's."""
    target = secured.targets["shoe"]
    token = secured.trust.issuer.token("pit-1", "CASINO_SUPERVISOR")
    stranger = Authority(tmp_path, "stranger")
    theirs = stranger.issue("client")
    ours = str(secured.trust.authority.certificate)
    assert await progress(target, token, secured.trust.tls) == "OK"
    for tls in (
        None,
        ClientTls(ours, "", ""),
        ClientTls(ours, str(theirs.certificate), str(theirs.key)),
        # This one does not believe that the server is the server.
        ClientTls(
            str(stranger.certificate),
            secured.trust.tls.certificate_file,
            secured.trust.tls.key_file,
        ),
    ):
        assert await progress(target, token, tls) == "UNAVAILABLE", tls


def test_the_command_shows_certificate_and_token(secured: Secured) -> None:
    """`sabot` is told of them as every client is; without them it says what is missing."""
    told = {
        "SABOT_CLIENT_CA_FILE": secured.trust.tls.ca_file,
        "SABOT_CLIENT_CERTIFICATE_FILE": secured.trust.tls.certificate_file,
        "SABOT_CLIENT_KEY_FILE": secured.trust.tls.key_file,
        "SABOT_AUTH_TOKEN_FILE": str(secured.trust.token_file),
    }
    listed = sabot(secured, "report", "--list", more=told)
    assert listed.returncode == 0, listed.stderr
    assert "settlement does not answer" in sabot(secured, "report", "--list").stderr
    gone = sabot(secured, "report", "--list", more={**told, "SABOT_CLIENT_CA_FILE": "nowhere"})
    assert "SABOT_CLIENT_CA_FILE names 'nowhere', which is no file" in gone.stderr


# --- who has a token that is good ---


async def test_a_token_that_is_not_for_here_and_now_is_refused(
    secured: Secured, services: Services
) -> None:
    """In every service, with a reason; so is a call that shows none."""
    issuer = secured.trust.issuer
    tries = {
        "TOKEN_AUDIENCE": issuer.token("pit-1", "CASINO_SUPERVISOR", aud="others"),
        "TOKEN_ISSUER": issuer.token("pit-1", "CASINO_SUPERVISOR", iss="https://stranger"),
        "TOKEN_EXPIRED": issuer.token("pit-1", "CASINO_SUPERVISOR", exp=int(time.time()) - 60),
        "TOKEN_EARLY": issuer.token("pit-1", "CASINO_SUPERVISOR", nbf=int(time.time()) + 60),
        "TOKEN_INVALID": f"{issuer.token('pit-1', 'CASINO_SUPERVISOR')[:-4]}AAAA",
    }
    for reason, token in tries.items():
        for service in SERVICES:
            refused = await asked(services, service, token)
            assert refused is not None, (service, reason)
            assert refused.code is grpc.StatusCode.UNAUTHENTICATED
            assert refused.reason == reason
            assert token not in refused.message


async def test_roles_are_looked_at_by_the_edge_and_by_the_rules(
    secured: Secured, services: Services
) -> None:
    """A role that a call is closed to, and one that may ask but not do it; a good one does it."""
    desk = Desk(services, fresh("roles"), secured.trust.credentials)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await desk.look("round", "GetTableProgress", player("p1"))
    found = call_failed(refused.value)
    assert (found.code, found.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE")
    await desk.open("live-studio", mode="TEST", decks=DECKS)
    for by in (player("p1"), DEALER, Actor("i1", "INSPECTOR")):
        answer = await desk.ask("round", "SuspendTable", by, reason="EVACUATION")
        assert answer.result.refusal.reason == "ROLE", by
    await desk.act("round", "SuspendTable", PIT, reason="EVACUATION")


# --- who gets into a database ---


async def test_a_database_lets_nobody_in_without_his_own_certificate(
    secured: Secured, tmp_path: Path
) -> None:
    """Not in plain text, not with a stranger's certificate, and not under another's name."""
    postgres = secured.postgres
    shoe, other = database_name("shoe"), database_name("round")
    plain = postgres.plain_dsn(shoe, shoe)
    stranger = Authority(tmp_path, "stranger").issue(shoe)
    own = postgres.tls(shoe)
    tries: list[tuple[dict[str, str], str]] = [
        ({"sslmode": "disable"}, "no pg_hba.conf entry .* no encryption"),
        ({**own, "sslcert": "", "sslkey": ""}, "valid client certificate|certificate required"),
        (
            {**own, "sslcert": str(stranger.certificate), "sslkey": str(stranger.key)},
            "unknown ca|[Cc]onnection|SSL",
        ),
        (postgres.tls(other), "certificate authentication failed"),
    ]
    for said, problem in tries:
        query = urlencode({name: text for name, text in said.items() if text})
        with pytest.raises((asyncpg.PostgresError, OSError), match=problem):
            await asyncpg.connect(f"{plain}?{query}")
    connection = await asyncpg.connect(f"{plain}?{urlencode(own)}")
    await connection.close()


async def test_a_service_believes_no_other_database(secured: Secured, tmp_path: Path) -> None:
    """`verify-full`: another name than that of the certificate, or another authority, is refused."""
    postgres, shoe = secured.postgres, database_name("shoe")
    plain, own = postgres.plain_dsn(shoe, shoe), postgres.tls(shoe)
    stranger = Authority(tmp_path, "stranger").certificate
    for address, said in (
        (plain.replace("127.0.0.1", "localhost"), own),
        (plain, {**own, "sslrootcert": str(stranger)}),
    ):
        with pytest.raises(ssl.SSLCertVerificationError):
            await asyncpg.connect(f"{address}?{urlencode(said)}")


def test_a_service_that_is_told_wrong_ends_at_once_and_says_why(
    secured: Secured, tmp_path: Path
) -> None:
    """Waiting would mend nothing: a stranger's authority, no encryption, another's certificate."""
    stranger = Authority(tmp_path, "stranger").certificate
    other = secured.trust.users[database_name("round")]
    tries: list[tuple[dict[str, str], str]] = [
        ({"PGSSLROOTCERT": str(stranger)}, "CERTIFICATE_VERIFY_FAILED"),
        ({"PGSSLMODE": "disable"}, "no encryption"),
        (
            {"PGSSLCERT": str(other.certificate), "PGSSLKEY": str(other.key)},
            "certificate authentication failed",
        ),
    ]
    started = []
    for number, (told, problem) in enumerate(tries):
        service = secured._describe_service("shoe")
        service.tell(told)
        service.log = tmp_path / f"{number}.log"
        started.append((service.launch(), service.log, problem))
    try:
        for process, log, problem in started:
            assert process.wait(ENDED_S), log.read_text()
            assert process.exit_code == 1
            assert problem in log.read_text()
    finally:
        for process, _, _ in started:
            process.kill()


async def test_a_services_user_changes_no_log_and_sees_no_other_database(secured: Secured) -> None:
    """The certificate that is good for the shoe's database is so for no other, nor for editing."""
    postgres, shoe = secured.postgres, database_name("shoe")
    connection = await asyncpg.connect(postgres.dsn(shoe, shoe))
    try:
        assert await connection.fetchval("select count(*) from events")
        for statement in ("update events set body = body", "delete from events", "truncate events"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()
    for other in SERVICES:
        if other != "shoe":
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied"):
                await asyncpg.connect(postgres.dsn(database_name(other), shoe))
    connection = await asyncpg.connect(postgres.dsn(shoe, OWNER))
    try:
        with pytest.raises(asyncpg.RaiseError, match="never edited"):
            await connection.execute("delete from events")
    finally:
        await connection.close()


# --- what nobody may know ---


async def test_no_undealt_card_is_in_any_place_of_a_run(
    secured: Secured, services: Services, received: Receiver
) -> None:
    """Tables, logs, topics and answers; spans, refusals of all calls, and all the database was asked."""
    desk = Desk(services, fresh("secret"), secured.trust.credentials)
    scan = secrecy.Scan()
    await secrecy.loaded(desk)
    await scan.misread(desk)
    await scan.refusals(services, desk, secured.trust.credentials(player("p9")))
    await secrecy.coup_of(desk)
    await scan.refusals(services, desk, secured.trust.credentials(Actor("a1", "AUDITOR")))
    await scan.everywhere(secured, services, desk)
    await secrecy.exported(services, desk, received)
    scan.spans(received.spans)
    scan.statements(secured.postgres.log, desk.table_id)
    assert scan.leaks == []


async def test_no_secret_is_in_any_log(secured: Secured) -> None:
    """Neither keys nor tokens, in whatever form they are handled."""
    key = secured.trust.sealing_key.read_bytes()
    secret = {
        secured.trust.token_file.read_text().encode(),
        key.hex().encode(),
        base64.b64encode(key),
        b"PRIVATE KEY",
        b"Bearer ey",
    }
    for log in (*secured.logs.iterdir(), secured.postgres.log):
        content = log.read_bytes()
        assert content
        assert [each for each in secret if each in content] == [], log.name
