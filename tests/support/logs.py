"""Reading small logs in tests: what comes of them, and what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pytest

from services.tablelog.lines import Line
from services.tablelog.reader import Malformed, read_stream

OPEN: dict[str, Any] = {"do": "open_table", "table": "T1", "rulebook": "nsw-mini"}
SECOND = 1_000_000


def parsed(*log: Mapping[str, Any] | bytes) -> list[Line]:
    """The lines of a log that begins with `open_table`."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in (OPEN, *log)]
    return list(read_stream(BytesIO(b"\n".join(raw)), "log"))


def last(*log: Mapping[str, Any] | bytes) -> Any:
    return parsed(*log)[-1]


def refused(*log: Mapping[str, Any] | bytes, line: int | None = None) -> str:
    """What is wrong with the last line of a log, which must be the one that is malformed."""
    with pytest.raises(Malformed) as caught:
        parsed(*log)
    assert caught.value.line == (line or len(log) + 1)
    assert "\n" not in str(caught.value)
    assert str(caught.value) == f"log:{caught.value.line}: {caught.value.what}"
    return caught.value.what
