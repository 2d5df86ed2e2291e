"""The OpenAPI document of the seamless wallet, made from the messages of the code.

`python -m services.wager.seamless.openapi` writes `openapi.json` beside this file; a test compares.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from services.wager.seamless.protocol import PATHS, Asked, Told
from services.wager.seamless.signing import KEY_ID, SIGNATURE, TIMESTAMP

FILE: Final = Path(__file__).parent / "openapi.json"

WHAT: Final = {
    "BALANCE": "What is in an account.",
    "DEBIT": "Take a stake. Refused with INSUFFICIENT_FUNDS where the account holds too little, and"
    " with CANCELLED where a cancel named this key before.",
    "CANCEL": "Give money back before settlement: so much of what was debited for the wager, or, with"
    " `cancels`, a whole debit, made or not. One that was never made is refused from then on.",
    "CREDIT": "Pay what a settlement owes. Not refused for an ended session.",
    "REVERSE": "Take back what a correction says was paid too much. Refused with INSUFFICIENT_FUNDS"
    " where the account holds too little.",
}
HEADERS: Final = {
    KEY_ID: "name of the key that signs",
    TIMESTAMP: "when it was sent, RFC 3339, UTC",
    SIGNATURE: "base64 of HMAC-SHA256 or RSA-SHA256 (PKCS #1 v1.5) over the lines POST, path,"
    " timestamp, and the hexadecimal SHA-256 of the body, joined by line feeds",
}


def document() -> dict[str, Any]:
    """The document."""
    schemas = msgspec.json.schema_components([Asked, Told], ref_template=_REF)[1]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Seamless wallet",
            "version": "1.0.0",
            "description": "The calls that Sabot makes of an operator's wallet. A key moves money"
            " once: asked again, the answer is that of the first time, or EXISTS with the amount"
            " that moved. Status 200 is the only answer; after anything else Sabot asks again, or"
            " cancels.",
        },
        "paths": {path: {"post": _operation(verb)} for verb, path in PATHS.items()},
        "components": {"schemas": schemas},
    }


_REF: Final = "#/components/schemas/{name}"


def _operation(verb: str) -> dict[str, Any]:
    return {
        "operationId": verb.lower(),
        "summary": WHAT[verb],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {"type": "string"},
            }
            for name, text in HEADERS.items()
        ],
        "requestBody": {"required": True, "content": _content(Asked)},
        "responses": {
            "200": {"description": "The answer.", "content": _content(Told)},
            "401": {"description": "The signature is not that of a known key."},
        },
    }


def _content(message: type) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REF.format(name=message.__name__)}}}


def written() -> str:
    """The text of the file."""
    return json.dumps(document(), indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(written())
