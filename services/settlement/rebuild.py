"""Any coup again, from the log alone, with its proof (D9).

The evidence is canonical JSON: the same bytes on every machine, whatever the projections say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.chassis.decider import Record
from services.contracts.common import TableSettings
from services.contracts.settlement import EvidenceExported
from services.rules.outcome import outcome
from services.rules.rulebook import rulebook_hash
from services.settlement.reading import (
    UNREADABLE,
    Read,
    faults,
    published_digest,
    read,
    settings_of,
)
from services.settlement.story import Line, Story, told

CLAUSED: Final = "clauses"


class Evidence(Struct, frozen=True):
    """A coup rebuilt: what the log says, and what does not fit."""

    story: Story
    lines: tuple[Line, ...]
    rulebook: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    """Every event of the coup with its digest as published."""

    findings: tuple[str, ...]

    def written(self) -> bytes:
        """Canonical JSON."""
        return msgspec.json.encode(self, order="deterministic")


def digest(evidence: bytes) -> str:
    """SHA-256 of the evidence, hexadecimal."""
    return hashlib.sha256(evidence).hexdigest()


def rebuilt(coup_id: str, records: Sequence[Record], activations: Sequence[Record]) -> Evidence:
    """Fold the records of a coup, in log order, and check them.

    `activations` are the records that put rulebooks in force at the table.
    """
    findings: list[str] = []
    heard: list[Read] = []
    kept: list[Record] = []
    for record in records:
        found = faults(record)
        findings.extend(found)
        if any(UNREADABLE in fault for fault in found):
            continue
        each = read(record)
        if each is not None:
            heard.append(each)
            kept.append(record)
    findings.extend(_chain_findings(records))
    story = told(Story(coup_id), heard)
    findings.extend(_play_findings(story))
    document, faulty = _rulebook(story, activations)
    findings.extend(faulty)
    return Evidence(
        story=story,
        lines=tuple(_line(each) for each in heard),
        rulebook=document,
        events=tuple(map(_event, heard, kept)),
        findings=tuple(findings),
    )


def story_of(coup_id: str, records: Sequence[Record]) -> Story:
    """What the records of a coup tell, in log order, as far as they can be read."""
    readable = [r for r in records if not any(UNREADABLE in fault for fault in faults(r))]
    return told(Story(coup_id), [each for each in map(read, readable) if each is not None])


def of_coup(records: Sequence[Record], *, upto: int | None = None) -> list[Record]:
    """The records that a coup is told from, without what became of its file afterwards.

    `upto`: as the log was at that position.
    """
    return [
        record
        for record in records
        if record.type != EvidenceExported.type and (upto is None or record.position <= upto)
    ]


def _rulebook(story: Story, activations: Sequence[Record]) -> tuple[dict[str, Any], list[str]]:
    """The rulebook that the coup names, and what is wrong with the record that holds it."""
    unreadable: list[str] = []
    for record in activations:
        found = faults(record)
        if any(UNREADABLE in fault for fault in found):
            unreadable.extend(found)
            continue
        settings = settings_in(record)
        if settings is None or settings.rulebook_hash != story.rulebook_hash:
            continue
        if rulebook_hash(settings.rulebook) != settings.rulebook_hash:
            found.append(f"{record.event_id}: the rulebook is not the one that its hash names")
        return settings.rulebook, found
    missing = "the rulebook that the coup was played under is not in the log"
    return {}, [*unreadable, missing]


def named(records: Sequence[Record]) -> str:
    """The hash of the rulebook that a coup's records name, as its story does; empty where none can be read."""
    for record in records:
        if any(UNREADABLE in fault for fault in faults(record)):
            continue
        if (each := read(record)) is not None:
            return each.meta.rulebook_hash
    return ""


def holds(activation: Record, rulebook_hash: str) -> bool:
    """Whether it is the record that a coup with this rulebook is proved with, if it comes first."""
    if any(UNREADABLE in fault for fault in faults(activation)):
        return False
    settings = settings_in(activation)
    return settings is not None and settings.rulebook_hash == rulebook_hash


def settings_in(record: Record) -> TableSettings | None:
    """The settings that a record puts in force at its table; None where it does nothing like it."""
    each = read(record)
    return settings_of(each) if each else None


def _chain_findings(records: Sequence[Record]) -> list[str]:
    """Where an event does not rest on the one before it in the stream: one of them was changed."""
    return [
        f"{after.event_id}: does not follow {before.event_id} as that is stored"
        for before, after in pairwise(records)
        if after.version == before.version + 1 and after.previous_digest != before.digest
    ]


def _play_findings(story: Story) -> list[str]:
    """The result once more from the cards in draw order (invariant 2)."""
    if not story.winner or story.revision > 1:
        return []
    dealt = sorted(story.cards, key=lambda card: card.draw_number)
    player = tuple(c.card for c in dealt if c.hand == "PLAYER" and c.card is not None)
    banker = tuple(c.card for c in dealt if c.hand == "BANKER" and c.card is not None)
    end = outcome(player, banker)
    told_now = (story.player, story.banker, story.winner)
    computed = (player, banker, end.winner.upper())
    return [] if told_now == computed else [f"the cards give {computed}, the result is {told_now}"]


def _line(each: Read) -> Line:
    return Line(
        at_us=each.meta.occurred_at_us,
        service=each.service,
        event_id=each.event_id,
        what=each.event.type,
        actor=f"{each.meta.actor.id} ({each.meta.actor.role})",
        clauses=tuple(getattr(each.event, CLAUSED, ())),
    )


def _event(each: Read, record: Record) -> dict[str, Any]:
    return {
        "event_id": each.event_id,
        "type": each.event.type,
        "digest": published_digest(record),
        "position": record.position,
        "event": msgspec.to_builtins(each.event),
    }
