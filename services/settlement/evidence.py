"""Evidence to hand out: a coup as the log had it up to a position, as one document (004 14.13).

The document is canonical JSON and made of the log alone, so that the same position gives the same
bytes whenever and wherever they are made. It holds every event as it was published, envelope and
body in base64 with the digests over them, the rulebook, and what follows from these: the story with
cards, decisions, book and payments, and whatever does not fit.

`FORM` names what the document holds. What would change the bytes of an old coup is another form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.chassis.decider import Record
from services.contracts.core import Noted
from services.settlement.reading import OWN, UNREADABLE, faults
from services.settlement.rebuild import digest, of_coup, rebuilt, settings_in

FORM: Final = "sabot-evidence/1"

TOLD: Final = (
    "table_id",
    "number",
    "shoe_id",
    "status",
    "reason",
    "rulebook_id",
    "rulebook_hash",
    "test",
    "opened_at_us",
    "closed_at_us",
    "cards",
    "player",
    "banker",
    "player_points",
    "banker_points",
    "winner",
    "natural",
    "decisions",
    "book_revision",
    "book_digest",
    "wagers",
    "totals",
    "incidents",
    "revision",
)
"""Fields of the story that are in the document, by name: a new one does not change old evidence."""


class Pack(Struct, frozen=True):
    """The evidence of one coup."""

    position: int
    """Of the last record that went into it, in settlement's log."""

    content: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the content, hexadecimal."""
        return digest(self.content)


def packed(
    coup_id: str, records: Sequence[Record], activations: Sequence[Record], *, upto: int
) -> Pack | None:
    """The evidence up to a position of the log; None where there was no such coup by then.

    `records` are those of the coup in log order, `activations` those that put rulebooks in force at
    its table. What became of the evidence itself is left out.
    """
    kept = of_coup(records, upto=upto)
    if not kept:
        return None
    known = [record for record in activations if record.position <= upto]
    evidence = rebuilt(coup_id, kept, known)
    position = max(kept[-1].position, _pinned(evidence.story.rulebook_hash, known))
    story = {name: getattr(evidence.story, name) for name in TOLD}
    document = {
        "form": FORM,
        "coup_id": coup_id,
        "position": position,
        "story": story,
        "lines": evidence.lines,
        "rulebook": evidence.rulebook,
        "events": [_as_published(record) for record in kept],
        "findings": evidence.findings,
    }
    return Pack(position, msgspec.json.encode(document, order="deterministic"))


def _pinned(rulebook_hash: str, activations: Sequence[Record]) -> int:
    """Where the log first holds the rulebook; 0 where it does not."""
    for record in activations:
        if any(UNREADABLE in fault for fault in faults(record)):
            continue
        settings = settings_in(record)
        if settings is not None and settings.rulebook_hash == rulebook_hash:
            return record.position
    return 0


def _as_published(record: Record) -> dict[str, Any]:
    """An event with what its digest covers, and its place in the log that keeps it."""
    kept = {"position": record.position, "digest": record.digest.hex()}
    if record.type == Noted.type and not any(UNREADABLE in fault for fault in faults(record)):
        event = OWN.decode(record.type, record.schema_version, record.body)
        assert isinstance(event, Noted)
        return {
            "service": event.service,
            "event_id": event.event_id,
            "type": event.event_type,
            "schema_version": event.event_version,
            "position": event.position,
            "previous_digest": event.previous_digest,
            "digest": event.digest,
            "meta": bytes(event.meta),
            "body": bytes(event.body),
            "journal": kept,
        }
    return {
        "service": record.service,
        "event_id": record.event_id,
        "type": record.type,
        "schema_version": record.schema_version,
        "position": record.position,
        "previous_digest": record.previous_digest.hex(),
        "digest": record.digest.hex(),
        "meta": record.meta,
        "body": record.body,
        "journal": kept,
    }
