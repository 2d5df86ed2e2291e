"""A typed client for Sabot: commands that may be repeated, queries, pages, feeds, typed errors.

    async with Client.connect(Addresses.from_environment(), bearer(token)) as client:
        request = OpenBettingRequest(table_id="T07")
        answer = await client.command(client.round.OpenBetting, request)

Requests and responses are the generated messages of `sabot.<service>.v1`.
"""

from sabot_client.answers import Answer, Refusal, Refused
from sabot_client.client import Client
from sabot_client.connecting import Addresses, Tls
from sabot_client.credentials import Credentials, Person, bearer, development
from sabot_client.errors import CallFailed, FieldFault
from sabot_client.timing import Timing

__all__ = [
    "Addresses",
    "Answer",
    "CallFailed",
    "Client",
    "Credentials",
    "FieldFault",
    "Person",
    "Refusal",
    "Refused",
    "Timing",
    "Tls",
    "bearer",
    "development",
]
