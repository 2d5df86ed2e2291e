"""Every consumer writes out how it acknowledges and where it begins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.tidy.sources import Module, matching, nothing

# FastStream's defaults acknowledge before the work is done and skip what came before the start.
REQUIRED = frozenset({"ack_policy", "auto_offset_reset", "group_id"})


def silent_subscribers(module: Module) -> Iterator[str]:
    """Find subscribers that leave a decision about delivery to a default."""
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "subscriber"
        ):
            left_out = REQUIRED - {keyword.arg for keyword in node.keywords}
            if left_out:
                yield f"{module.place(node)} leaves out {', '.join(sorted(left_out))}"


def test_every_subscriber_says_how_it_acknowledges_and_where_it_begins() -> None:
    """At-most-once delivery never happens by omission."""
    found = [f for module in matching("services/*/*.py") for f in silent_subscribers(module)]
    nothing(found)


def test_the_check_sees_a_silent_subscriber() -> None:
    """The keyword has to be there in so many words."""
    text = "@broker.subscriber('t', group_id='g', **options)\ndef f(): ...\n"
    assert list(silent_subscribers(Module("example.py", text, ast.parse(text)))) == [
        "example.py:1 leaves out ack_policy, auto_offset_reset"
    ]
