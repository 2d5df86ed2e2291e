"""Evidence of coups that released versions recorded: the same bytes for ever."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.digest import digest_of
from services.chassis.registry import Registry
from services.contracts.core import Actor, Meta
from services.contracts.settlement import EvidenceExported, WagerSettled
from services.rules.rulebook import rulebook_hash
from services.settlement import domain
from services.settlement.evidence import Pack, packed
from services.settlement.reading import UNREADABLE, faults, read
from services.settlement.rebuild import digest, holds, named, of_coup, rebuilt, settings_in
from tests.golden.recorder import GOLDEN, load

FOLDER = GOLDEN / "v0.1.0"
HASHES = FOLDER / "evidence.json"
END = 1 << 60


def coup_id_of(record: Record) -> str:
    each = read(record)
    return each.coup_id if each is not None else ""


class Recorded(Struct, frozen=True):
    """Settlement's log of the release, and what of it belongs to each coup."""

    records: list[Record]
    coups: dict[str, list[Record]]
    activations: dict[str, list[Record]]
    """By table."""

    def pins(self, coup_id: str) -> list[Record]:
        return self.activations[coup_id.rsplit(":", 2)[0]]


def recorded(folder: Path) -> Recorded:
    log = Recorded(load(folder, "settlement"), {}, {})
    for record in log.records:
        if coup_id := coup_id_of(record):
            log.coups.setdefault(coup_id, []).append(record)
        if settings_in(record) is not None:
            log.activations.setdefault(record.stream, []).append(record)
    return log


@pytest.fixture(scope="module")
def log() -> Recorded:
    return recorded(FOLDER)


def one(log: Recorded) -> str:
    """A coup with a wager."""
    return list(log.coups)[5]


def pack(log: Recorded, coup_id: str, *, upto: int = END) -> Pack:
    found = packed(coup_id, log.coups[coup_id], log.pins(coup_id), upto=upto)
    assert found is not None
    return found


def hashes(log: Recorded) -> dict[str, str]:
    return {coup_id: pack(log, coup_id).digest for coup_id in log.coups}


def test_f_181_the_evidence_of_a_release_has_the_hash_it_had_then(log: Recorded) -> None:
    """F-181: what was exported once is made again byte by byte, by whatever version comes later."""
    kept = json.loads(HASHES.read_text())
    assert len(kept) > 50
    assert hashes(log) == kept


def test_f_181_evidence_up_to_a_position_does_not_change_with_what_comes_after(
    log: Recorded,
) -> None:
    """F-181: asked for with the position that it names, it is the same; half a coup is another."""
    coup_id = one(log)
    records = log.coups[coup_id]
    half = pack(log, coup_id, upto=records[3].position)
    whole = pack(log, coup_id)
    assert half.content != whole.content
    assert half.position == records[3].position
    assert whole.position == records[-1].position
    assert pack(log, coup_id, upto=half.position) == half
    assert pack(log, coup_id, upto=records[4].position - 1) == half
    assert pack(log, coup_id, upto=whole.position) == whole
    assert packed(coup_id, records, log.pins(coup_id), upto=records[0].position - 1) is None


def test_f_181_later_openings_of_the_table_do_not_change_the_evidence(log: Recorded) -> None:
    """F-181: whoever makes it may stop reading at the first record that holds the coup's rulebook."""
    for coup_id, records in list(log.coups.items())[:5]:
        pins = log.pins(coup_id)
        first = next(at for at, each in enumerate(pins) if holds(each, named(records)))
        found = packed(coup_id, records, pins[: first + 1], upto=END)
        assert found == pack(log, coup_id)
        assert packed(coup_id, records, pins[:first], upto=END) != found


def exported(log: Recorded, coup_id: str, found: Pack) -> Record:
    """The record that an export leaves at the end of the log."""
    event = EvidenceExported(
        coup_id=coup_id, position=found.position, digest=found.digest, purpose="asked for"
    )
    last = log.coups[coup_id][-1]
    body = Registry(domain.SERVICE, domain.EVENTS).encode(event)
    meta = msgspec.json.encode(
        Meta(
            table_id=last.stream,
            occurred_at_us=1,
            actor=Actor("i1", "INSPECTOR"),
            command_id="c",
            cause="c",
            depth=0,
            coup_id=coup_id,
        )
    )
    return msgspec.structs.replace(
        last,
        type=EvidenceExported.type,
        version=log.records[-1].version + 1,
        position=log.records[-1].position + 1,
        body=body,
        meta=meta,
    )


def test_f_181_an_export_does_not_change_the_evidence(log: Recorded) -> None:
    """F-181: neither what is handed out next nor what is rebuilt, and nothing that queries read."""
    coup_id = one(log)
    before = pack(log, coup_id)
    record = exported(log, coup_id, before)
    records = [*log.coups[coup_id], record]
    pins = log.pins(coup_id)
    assert coup_id_of(record) == ""
    assert packed(coup_id, records, pins, upto=END) == before
    rebuilds = [
        digest(rebuilt(coup_id, of_coup(each), pins).written()) for each in (records[:-1], records)
    ]
    assert rebuilds[0] == rebuilds[1]


def test_f_181_the_evidence_proves_itself_without_the_system(log: Recorded) -> None:
    """F-181: the digest of every event fits its bytes, the rulebook its hash; both are inside."""
    document: dict[str, Any] = json.loads(pack(log, one(log)).content)
    assert document["form"] == "sabot-evidence/1"
    assert document["findings"] == []
    for event in document["events"]:
        found = digest_of(
            bytes.fromhex(event["previous_digest"]),
            event["event_id"],
            event["type"],
            event["schema_version"],
            base64.b64decode(event["meta"]),
            base64.b64decode(event["body"]),
        )
        assert found.hex() == event["digest"], event["event_id"]
    assert rulebook_hash(document["rulebook"]) == document["story"]["rulebook_hash"]
    services = {event["service"] for event in document["events"]}
    assert services == {"shoe", "round", "wager", "settlement"}
    told = document["story"]
    assert told["decisions"][0]["clause"].count(":") == 1
    assert told["totals"]
    assert {wager["outcome"] for wager in told["wagers"].values()} <= {"WON", "LOST", "PUSH"}


def test_f_181_altered_evidence_says_so(log: Recorded) -> None:
    """F-181: a stored event that was changed is named in the evidence."""
    coup_id = one(log)
    records = list(log.coups[coup_id])
    place = next(n for n, each in enumerate(records) if each.type == "wager-settled")
    records[place] = msgspec.structs.replace(
        records[place], body=records[place].body.replace(b'"stake_minor":3', b'"stake_minor":4', 1)
    )
    found = packed(coup_id, records, log.pins(coup_id), upto=END)
    assert found is not None
    said = json.loads(found.content)["findings"]
    assert any(records[place].event_id in finding for finding in said)


def test_f_181_the_hash_is_the_one_that_anybody_computes(log: Recorded) -> None:
    """F-181: SHA-256 of the bytes."""
    found = pack(log, one(log))
    assert hashlib.sha256(found.content).hexdigest() == found.digest


@pytest.mark.parametrize("folder", sorted(GOLDEN.glob("v*")), ids=lambda folder: folder.name)
def test_f_182_rules_of_a_release_are_told_by_their_hash(folder: Path) -> None:
    """F-182: an old coup's evidence holds the document of its own hash, whatever is packaged now."""
    log = recorded(folder)
    for coup_id, records in log.coups.items():
        found = rebuilt(coup_id, records, log.pins(coup_id))
        assert rulebook_hash(found.rulebook) == found.story.rulebook_hash


@pytest.mark.parametrize("part", ["body", "meta"])
def test_a_record_that_fits_its_digest_and_cannot_be_read_is_a_finding(
    log: Recorded, part: str
) -> None:
    """Events and envelopes are decoded when somebody looks: evidence looks at all of them."""
    record = next(each for each in log.coups[one(log)] if each.type == WagerSettled.type)
    changed = msgspec.structs.replace(record, **{part: b"{}"})
    broken = msgspec.structs.replace(
        changed,
        digest=digest_of(
            changed.previous_digest,
            changed.event_id,
            changed.type,
            changed.schema_version,
            changed.meta,
            changed.body,
        ),
    )
    assert faults(record) == []
    assert faults(broken) == [f"{record.event_id}: {UNREADABLE} (ValidationError)"]
