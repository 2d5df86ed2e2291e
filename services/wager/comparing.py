"""The operator's list of movements against Sabot's: what is missing, extra or different. Pure.

A debit that nobody confirmed is undone by a cancel that names it: the operator has both, or neither.
A credit of zero moves nothing and is in no list's way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

MISSING, EXTRA, DIFFERENT = "MISSING", "EXTRA", "DIFFERENT"
"""Sabot has it and the operator has not; the other way round; both have it, and not the same."""

DONE, UNCONFIRMED = "DONE", "UNCONFIRMED"


class Line(Struct, frozen=True, kw_only=True):
    """A movement in a list. The amount is unsigned; the verb says which way."""

    key: str
    verb: str
    player: str
    currency: str
    amount_minor: int
    cancels: str = ""
    status: str = DONE
    """Of Sabot's lines; the operator lists what moved."""


class Difference(Struct, frozen=True, kw_only=True):
    """One thing in which the lists differ."""

    kind: str
    key: str
    problem: str
    player: str
    currency: str
    amount_minor: int
    """Of Sabot's line, or of the operator's where Sabot has none."""

    open_item: bool = False
    """Sabot knows that it is not done: the difference is explained."""


def differences(ours: Iterable[Line], theirs: Iterable[Line]) -> list[Difference]:
    """Every difference, in the order of the keys."""
    mine, listed, found = {}, {}, []
    for line in ours:
        mine[line.key] = line
    for line in theirs:
        if not line.amount_minor and line.key not in mine:
            continue
        if line.key in listed:
            found.append(_found(EXTRA, line, "is listed twice"))
        listed[line.key] = line
    for key in sorted({*mine, *listed}):
        found.extend(_of_key(mine.get(key), listed.get(key), mine, listed))
    return found


def _of_key(
    line: Line | None, other: Line | None, mine: Mapping[str, Line], listed: Mapping[str, Line]
) -> Iterator[Difference]:
    if line is None:
        assert other is not None, "a key is in one of the lists"
        yield _found(EXTRA, other, "Sabot did not ask for it")
        return
    if line.status == UNCONFIRMED:
        if other is not None and not _is_undone(line, other, mine, listed):
            yield _found(EXTRA, line, "was not confirmed, and no cancel undoes it", open_item=True)
        return
    if line.status != DONE:
        if other is not None:
            yield _found(EXTRA, line, f"is {line.status} with Sabot", open_item=True)
        return
    if other is None:
        if not line.amount_minor and not line.cancels:
            return
        debit = listed.get(line.cancels) if line.cancels else None
        if not line.cancels or debit is not None:
            yield _found(MISSING, line, "the operator does not list it")
        return
    for name in ("verb", "player", "currency", "amount_minor"):
        here, there = getattr(line, name), getattr(other, name)
        whole = name == "amount_minor" and line.cancels
        if here != there and not (whole and _is_whole(line, other, listed)):
            yield _found(DIFFERENT, line, f"{name} is {here} with Sabot, {there} there")


def _is_undone(
    debit: Line, other: Line, mine: Mapping[str, Line], listed: Mapping[str, Line]
) -> bool:
    """Whether the operator lists the cancel of this debit, over what the debit took."""
    return any(
        line.cancels == debit.key
        and line.key in listed
        and listed[line.key].amount_minor == other.amount_minor
        for line in mine.values()
    )


def _is_whole(cancel: Line, other: Line, listed: Mapping[str, Line]) -> bool:
    """Whether a cancel by name gave back just what its debit took, whatever that was."""
    debit = listed.get(cancel.cancels)
    return debit is not None and debit.amount_minor == other.amount_minor


def _found(kind: str, line: Line, problem: str, *, open_item: bool = False) -> Difference:
    return Difference(
        kind=kind,
        key=line.key,
        problem=problem,
        player=line.player,
        currency=line.currency,
        amount_minor=line.amount_minor,
        open_item=open_item,
    )
