"""Two logs, one of which heard of the other, changed in every way that somebody with all rights has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from services.audit.anchors import (
    Anchor,
    BookFault,
    BookWriter,
    KeyFault,
    key_id,
    new_key,
    private_key,
    public_keys,
    read_book,
)
from services.audit.findings import Finding
from services.audit.logs import Row
from services.audit.verify import Refused, Summary, anchor_log, verify
from services.chassis.decider import Record
from services.chassis.store import EMPTY_HEAD, Batch

EVENTS = 30
TABLES = ("A", "B", "C")
EVERY = 10

Told = tuple[str, dict[str, object]]
"""Table and body of an event."""


class ListLog:
    """A log as a list, with the position that its head claims."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.head = len(rows)

    async def end(self) -> tuple[int, int]:
        return self.head, max((row.record.position for row in self.rows), default=0)

    async def read(self, *, after: int, limit: int) -> Sequence[Row]:
        rows = sorted(self.rows, key=lambda row: row.record.position)
        return [row for row in rows if row.record.position > after][: min(limit, 7)]

    async def digests(self, positions: Sequence[int]) -> Mapping[int, tuple[str, bytes]]:
        return {
            row.record.position: (row.record.event_id, row.record.digest)
            for row in self.rows
            if row.record.position in positions
        }

    def at(self, position: int) -> Record:
        (row,) = [row for row in self.rows if row.record.position == position]
        return row.record

    def put(self, position: int, **changes: object) -> None:
        """Change an event where it stands."""
        for number, row in enumerate(self.rows):
            if row.record.position == position:
                self.rows[number] = replace(row, record=replace(row.record, **changes))

    def without(self, position: int) -> None:
        self.rows = [row for row in self.rows if row.record.position != position]


def log_of(service: str, kind: str, told: Sequence[Told]) -> ListLog:
    """A log in which all fits: what an honest service writes, and what a forger with its code does."""
    batch = Batch(service, dict.fromkeys(TABLES, EMPTY_HEAD))
    commands = dict.fromkeys(TABLES, 0)
    for table_id, body in told:
        commands[table_id] += 1
        command_id = f"{table_id}-{commands[table_id]}"
        meta = msgspec.json.encode({"command_id": command_id, "coup_id": f"{table_id}:1:1"})
        batch.add(
            table_id,
            kind=kind,
            schema_version=1,
            published=True,
            coup_id=f"{table_id}:1:1",
            command_id=command_id,
            meta=meta,
            body=msgspec.json.encode(body),
        )
    records = batch.records(start=0, recorded_at_us=1)
    return ListLog(
        [
            Row(record, new.coup_id, new.command_id)
            for record, new in zip(records, batch.events, strict=True)
        ]
    )


def round_told() -> list[Told]:
    return [(TABLES[number % 3], {"card": number}) for number in range(EVENTS)]


def heard(source: ListLog) -> list[Told]:
    return [
        (
            row.record.stream,
            {
                "service": "round",
                "event_id": row.record.event_id,
                "position": row.record.position,
                "event_type": row.record.type,
                "event_version": row.record.schema_version,
                "meta": msgspec.Raw(row.record.meta),
                "body": msgspec.Raw(row.record.body),
                "previous_digest": row.record.previous_digest.hex(),
                "digest": row.record.digest.hex(),
                "more": "that the check need not read",
            },
        )
        for row in source.rows
    ]


class Logs:
    """Round's log, and settlement's, which holds what it heard of round."""

    def __init__(self) -> None:
        self.round = log_of("round", "card-dealt", round_told())
        self.settlement = log_of("settlement", "noted", heard(self.round))

    @property
    def all(self) -> dict[str, ListLog]:
        return {"round": self.round, "settlement": self.settlement}

    @property
    def alone(self) -> dict[str, ListLog]:
        """Only round's: what nobody else heard of."""
        return {"round": self.round}


@pytest.fixture
def logs() -> Logs:
    return Logs()


def quiet(_service: str, _position: int, _end: int) -> None:
    """Nobody watches."""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key(tmp_path / "anchor.pem")
    return tmp_path / "anchor.pem"


async def anchored(logs: Mapping[str, ListLog], key: Path, book: Path) -> list[Anchor]:
    """Sign the logs as they are now; return the whole book."""
    private = private_key(key)
    known = public_keys([key.with_name("anchor.pem.pub")])
    writer = BookWriter(book, private)
    try:
        before = read_book(book, known)
        for service, log in logs.items():
            await anchor_log(
                service, log, writer, before, every=EVERY, now_us=lambda: 7, progress=quiet
            )
    finally:
        writer.close()
    return read_book(book, known)


async def checked(logs: Mapping[str, ListLog], anchors: Sequence[Anchor] = ()) -> list[Finding]:
    found = [each async for each in verify(logs, anchors, progress=quiet)]
    return [each for each in found if isinstance(each, Finding)]


def places(findings: Sequence[Finding]) -> list[tuple[str, str, int]]:
    return [(each.kind.value, each.service, each.position) for each in findings]


async def test_honest_logs_give_no_finding(logs: Logs, key: Path, tmp_path: Path) -> None:
    anchors = await anchored(logs.all, key, tmp_path / "book")
    found = [each async for each in verify(logs.all, anchors, progress=quiet)]
    assert found == [
        Summary("round", events=EVENTS, heard=0, anchored=EVENTS),
        Summary("settlement", events=EVENTS, heard=EVENTS, anchored=EVENTS),
    ]


def edited(logs: Logs) -> None:
    logs.round.put(14, body=b'{"card":99}')


def moved_to_another_coup(logs: Logs) -> None:
    row = logs.round.rows[13]
    logs.round.rows[13] = replace(row, coup_id="B:1:2")


def edited_with_its_digest(logs: Logs) -> None:
    forged = log_of("round", "card-dealt", [*round_told()[:13], ("B", {"card": 99})])
    logs.round.put(14, body=forged.at(14).body, digest=forged.at(14).digest)


def envelope_edited(logs: Logs) -> None:
    logs.round.put(14, meta=b"{}")


def removed(logs: Logs) -> None:
    logs.round.without(14)


def last_removed(logs: Logs) -> None:
    logs.round.without(EVENTS)


def last_removed_and_the_head_moved(logs: Logs) -> None:
    logs.round.without(EVENTS)
    logs.round.head -= 1


def added(logs: Logs) -> None:
    longer = log_of("round", "card-dealt", [*round_told(), ("A", {"card": 99})])
    logs.round.rows.append(longer.rows[-1])


def swapped(logs: Logs) -> None:
    """Of one table: neither position nor version may be another."""
    first, second = logs.round.at(14), logs.round.at(17)
    logs.round.put(14, body=second.body)
    logs.round.put(17, body=first.body)


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (edited, [("EDITED", "round", 14)]),
        (moved_to_another_coup, [("EDITED", "round", 14)]),
        (envelope_edited, [("EDITED", "round", 14)]),
        (edited_with_its_digest, [("UNCHAINED", "round", 17)]),
        (removed, [("MISSING", "round", 14), ("MISSING", "round", 17)]),
        (last_removed, [("MISSING", "round", 30)]),
        (added, [("ADDED", "round", 31)]),
        (swapped, [("EDITED", "round", 14), ("EDITED", "round", 17)]),
    ],
)
async def test_a_log_alone_shows_what_does_not_fit(
    logs: Logs, tamper: Callable[[Logs], None], expected: list[tuple[str, str, int]]
) -> None:
    """Proves the place: one fault is told where it is, and not at all that follows it."""
    tamper(logs)
    assert places(await checked(logs.alone)) == expected


async def test_what_another_service_heard_shows_a_history_written_anew(logs: Logs) -> None:
    """All digests fit: only what others keep is otherwise, from the changed event of that table on."""
    told = round_told()
    told[13] = ("B", {"card": 99})
    logs.round = log_of("round", "card-dealt", told)
    assert await checked(logs.alone) == []
    later = list(range(14, EVENTS + 1, 3))
    assert places(await checked(logs.all)) == [("DIFFERS", "round", each) for each in later]


async def test_what_another_service_heard_shows_a_lost_end(logs: Logs) -> None:
    last_removed_and_the_head_moved(logs)
    assert await checked(logs.alone) == []
    (finding,) = await checked(logs.all)
    assert places([finding]) == [("MISSING", "round", 30)]
    assert finding.event_id == "round:C:10"
    assert "settlement:C:10" in finding.what


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"body": {"card": 99}}, "EDITED"),
        ({"meta": {"command_id": "x"}}, "EDITED"),
        ({"event_type": "coup-voided"}, "EDITED"),
        ({"digest": "zz"}, "EDITED"),
        ({"position": 2**70}, "EDITED"),
        ({"position": 0}, "EDITED"),
        ({"service": "nobody"}, "DIFFERS"),
    ],
)
async def test_what_a_service_says_that_it_heard_is_held_to_the_digest_beside_it(
    logs: Logs, change: dict[str, object], kind: str
) -> None:
    """A forger with the service's code: all digests of its own log fit. The check goes on behind it."""
    told = heard(logs.round)
    told[13][1].update(change)
    logs.settlement = log_of("settlement", "noted", told)
    logs.settlement.without(20)
    found = places(await checked(logs.all))
    assert found[0] == (kind, "settlement", 14)
    assert ("MISSING", "settlement", 20) in found


async def test_an_envelope_that_is_none_stops_no_check(logs: Logs) -> None:
    batch = Batch("round", {"A": EMPTY_HEAD})
    new = batch.add(
        "A", kind="k", schema_version=1, published=True, coup_id="", command_id="", meta=b"[1]",
        body=b"{}",
    )  # fmt: skip
    log = ListLog([Row(batch.records(start=0, recorded_at_us=1)[0], "", "")])
    assert new.version == 1
    assert places(await checked({"round": log})) == [("EDITED", "round", 1)]


def rewritten(logs: Logs) -> None:
    told = round_told()
    told[13] = ("B", {"card": 99})
    logs.round = log_of("round", "card-dealt", told)


def taken_out_without_a_trace(logs: Logs) -> None:
    told = round_told()
    del told[13]
    logs.round = log_of("round", "card-dealt", told)


def put_in_without_a_trace(logs: Logs) -> None:
    told = round_told()
    told.insert(13, ("B", {"card": 99}))
    logs.round = log_of("round", "card-dealt", told)


def order_changed(logs: Logs) -> None:
    """Of two tables: both streams are as they were."""
    told = round_told()
    told[13], told[14] = told[14], told[13]
    logs.round = log_of("round", "card-dealt", told)


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (rewritten, [("REWRITTEN", "round", 20), ("REWRITTEN", "round", 30)]),
        (
            taken_out_without_a_trace,
            [("REWRITTEN", "round", 20), ("MISSING", "round", 30)],
        ),
        (put_in_without_a_trace, [("REWRITTEN", "round", 20), ("REWRITTEN", "round", 30)]),
        (order_changed, [("REWRITTEN", "round", 20)]),
        (last_removed_and_the_head_moved, [("MISSING", "round", 30)]),
    ],
)
async def test_anchors_show_what_was_written_anew_without_a_fault(
    logs: Logs,
    key: Path,
    tmp_path: Path,
    tamper: Callable[[Logs], None],
    expected: list[tuple[str, str, int]],
) -> None:
    """Proves that neither digests nor order can be made anew, and that what held is told apart."""
    anchors = await anchored(logs.alone, key, tmp_path / "book")
    tamper(logs)
    assert await checked(logs.alone) == []
    assert places(await checked(logs.alone, anchors)) == expected


async def test_anchors_go_on_from_the_last_one(key: Path, tmp_path: Path) -> None:
    """Proves that several runs give the same chain as one, and that nothing new writes nothing."""
    whole = log_of("round", "card-dealt", round_told())
    begun = log_of("round", "card-dealt", round_told()[:17])
    await anchored({"round": begun}, key, tmp_path / "book")
    anchors = await anchored({"round": whole}, key, tmp_path / "book")
    assert [anchor.position for anchor in anchors] == [10, 17, 20, 30]
    assert await anchored({"round": whole}, key, tmp_path / "book") == anchors
    once = await anchored({"round": whole}, key, tmp_path / "other")
    assert once[-1].chain == anchors[-1].chain
    assert await checked({"round": whole}, anchors) == []


@pytest.mark.parametrize("tamper", [edited, removed, last_removed_and_the_head_moved])
async def test_nothing_wrong_is_signed(
    logs: Logs, key: Path, tmp_path: Path, tamper: Callable[[Logs], None]
) -> None:
    book = tmp_path / "book"
    before = await anchored({"round": log_of("round", "card-dealt", round_told()[:10])}, key, book)
    if tamper is last_removed_and_the_head_moved:
        before = await anchored(logs.alone, key, book)
    tamper(logs)
    with pytest.raises(Refused, match="round"):
        await anchored(logs.alone, key, book)
    assert read_book(book, public_keys([key.with_name("anchor.pem.pub")])) == before


def lines_changed(change: Callable[[list[bytes]], None], book: Path) -> None:
    lines = book.read_bytes().splitlines()
    change(lines)
    book.write_bytes(b"".join(line + b"\n" for line in lines))


def chain_changed(lines: list[bytes]) -> None:
    anchor = msgspec.json.decode(lines[0], type=Anchor)
    lines[0] = msgspec.json.encode(replace(anchor, chain="00" * 32))


def line_removed(lines: list[bytes]) -> None:
    del lines[1]


def lines_swapped(lines: list[bytes]) -> None:
    lines[0], lines[1] = lines[1], lines[0]


def garbage(lines: list[bytes]) -> None:
    lines[1] = b"{}"


@pytest.mark.parametrize(
    ("change", "line"),
    [(chain_changed, 1), (line_removed, 2), (lines_swapped, 1), (garbage, 2)],
)
async def test_a_changed_book_is_not_believed(
    logs: Logs, key: Path, tmp_path: Path, change: Callable[[list[bytes]], None], line: int
) -> None:
    book = tmp_path / "book"
    await anchored(logs.alone, key, book)
    lines_changed(change, book)
    with pytest.raises(BookFault, match=rf"book:{line}: "):
        read_book(book, public_keys([key.with_name("anchor.pem.pub")]))


async def test_a_book_of_another_key_is_not_believed(logs: Logs, key: Path, tmp_path: Path) -> None:
    book = tmp_path / "book"
    await anchored(logs.alone, key, book)
    other = new_key(tmp_path / "other.pem")
    with pytest.raises(BookFault, match="none of those given"):
        read_book(book, public_keys([other]))
    both = public_keys([other, key.with_name("anchor.pem.pub")])
    assert len(read_book(book, both)) == EVENTS // EVERY
    own = private_key(key).public_key()
    impostor = {key_id(own): private_key(tmp_path / "other.pem").public_key()}
    with pytest.raises(BookFault, match="something else"):
        read_book(book, impostor)


async def test_a_line_torn_by_a_crash_is_written_again(
    logs: Logs, key: Path, tmp_path: Path
) -> None:
    book = tmp_path / "book"
    anchors = await anchored(logs.alone, key, book)
    book.write_bytes(book.read_bytes()[:-20])
    assert read_book(book, public_keys([key.with_name("anchor.pem.pub")])) == anchors[:-1]
    writer = BookWriter(book, private_key(key))
    with pytest.raises(BookFault, match="somebody else"):
        BookWriter(book, private_key(key))
    writer.close()
    assert await anchored(logs.alone, key, book) == anchors


@pytest.mark.parametrize("content", ["notes", "notes\nmore\n", '{"a":1}\n', "x\n{"])
def test_a_file_that_is_no_book_stays_as_it_is(tmp_path: Path, key: Path, content: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(content)
    with pytest.raises(BookFault, match="no book of anchors"):
        BookWriter(file, private_key(key))
    assert file.read_text() == content


async def test_anchors_before_a_fault_of_the_book_still_count(
    logs: Logs, key: Path, tmp_path: Path
) -> None:
    book = tmp_path / "book"
    anchors = await anchored(logs.alone, key, book)
    lines_changed(lambda lines: lines.append(b"{}"), book)
    with pytest.raises(BookFault) as raised:
        read_book(book, public_keys([key.with_name("anchor.pem.pub")]))
    assert list(raised.value.good) == anchors


async def test_a_book_goes_on_with_another_key(logs: Logs, key: Path, tmp_path: Path) -> None:
    """Both public keys prove it afterwards."""
    book = tmp_path / "book"
    begun = {"round": log_of("round", "card-dealt", round_told()[:10])}
    await anchored(begun, key, book)
    keys = public_keys([new_key(tmp_path / "next.pem"), key.with_name("anchor.pem.pub")])
    writer = BookWriter(book, private_key(tmp_path / "next.pem"))
    before = read_book(book, keys)
    await anchor_log(
        "round", logs.round, writer, before, every=EVERY, now_us=lambda: 8, progress=quiet
    )
    writer.close()
    anchors = read_book(book, keys)
    assert len({anchor.key for anchor in anchors}) == 2
    assert await checked(logs.alone, anchors) == []


def test_keys_are_never_replaced_and_nobody_else_reads_them(tmp_path: Path) -> None:
    file = tmp_path / "anchor.pem"
    new_key(file)
    before = file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(FileExistsError):
        new_key(file)
    assert file.read_bytes() == before


def wrong_files(folder: Path) -> Iterator[Path]:
    folder.joinpath("garbage").write_bytes(b"no key")
    yield folder / "garbage"
    yield new_key(folder / "pair.pem")


def test_a_wrong_key_file_is_named(tmp_path: Path) -> None:
    for file in wrong_files(tmp_path):
        with pytest.raises(KeyFault, match=file.name):
            private_key(file)
    with pytest.raises(KeyFault, match="garbage"):
        public_keys([tmp_path / "garbage"])
