"""Arrays for the database: the driver takes our lists as before, and asks nothing of their elements."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from asyncpg import DataError
from asyncpg.protocol import protocol

from services.chassis.arrays import ARRAYS
from services.chassis.postgres import Pool

BACK = "select $1::text[], $2::bytea[], $3::bigint[], $4::boolean[]"


@pytest.mark.parametrize("kind", [list, tuple])
async def test_arrays_come_back_as_they_went(pool: Pool, kind: type[Any]) -> None:
    """Of texts, bytes, numbers and truths, with nothing among them, and empty."""
    columns = [["a", None, "é\\n{},"], [b"", b"\x00{}"], [1, None, -(2**62)], [True, False]]
    row = await pool.fetchrow(BACK, *map(kind, columns))
    assert row is not None
    assert list(row) == columns
    assert list(await pool.fetchrow(BACK, *[kind()] * 4) or ()) == [[]] * 4


async def test_nested_arrays_and_sets_are_arrays(pool: Pool) -> None:
    """What the driver could do before it still can."""
    assert await pool.fetchval("select $1::integer[]", [[1, 2], [3, 4]]) == [[1, 2], [3, 4]]
    assert await pool.fetchval("select $1::text[]", {"a"}) == ["a"]
    found = uuid.uuid4()
    assert await pool.fetchval("select $1::uuid[]", [found]) == [found]


@pytest.mark.parametrize("wrong", ["abc", b"abc", {"a": 1}.keys(), 5])
async def test_what_is_no_array_is_refused(pool: Pool, wrong: Any) -> None:
    """A text in the place of texts is a mistake that must not become an array of its letters."""
    with pytest.raises(DataError, match="sized iterable container"):
        await pool.fetchval("select $1::text[]", wrong)


async def test_the_driver_looks_for_types_and_no_abstract_classes(pool: Pool) -> None:
    """Else nothing is won, and nobody would notice."""
    await pool.fetchval("select $1::text[]", ["a"])
    assert (protocol.IterableABC, protocol.SizedABC) == (ARRAYS, ARRAYS)  # type: ignore[attr-defined]
