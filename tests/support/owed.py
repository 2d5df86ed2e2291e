"""What a person has to see to, told by the operator's simulated wallet alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from services.walletsim.app import Answered

KINDS: Final = {"CANCEL": "REFUND", "CREDIT": "CREDIT", "REVERSE": "REVERSAL"}
"""Kinds of open items, by the verb of the movement. A debit is undone, and never open for long."""


def unsettled(answers: Iterable[Answered]) -> dict[str, str]:
    """The open items that have to be there and no others, kinds by keys.

    A movement is asked for until an answer to it is on record: the last one that the wallet gave
    decides. It is an open item where that is a refusal, or tells of another amount than was asked
    for; a cancel by name gives back whatever its debit took.
    """
    last = {each.key: each for each in answers if each.status and each.verb in KINDS}
    return {
        key: KINDS[each.verb]
        for key, each in last.items()
        if each.status == "REFUSED" or (not each.cancels and each.told_minor != each.asked_minor)
    }
