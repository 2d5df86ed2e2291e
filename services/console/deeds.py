"""What supervisors decide from a table's screen: each a command of a service, as a form.

The form says what is asked for; who may do it, and whether it may be done now, is for the services
to say. A form carries its command's id, so that one that is sent twice is one command.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from sabot.round.v1 import round_service_pb2
from sabot.settlement.v1 import settlement_service_pb2
from sabot.shoe.v1 import shoe_service_pb2
from sabot.wager.v1 import wager_service_pb2
from sabot_client import Answer, Client
from services.console.session import Session, shown_as_it_is
from services.round.domain.incidents import RULES as INCIDENTS
from services.round.domain.rulings import INVALIDATE_REASONS, VOID_REASONS

TEXT_MAX: Final = 500
DIGITS_MAX: Final = 9
"""Of a number that every field of numbers holds."""

MODULES: Final[Mapping[str, Any]] = {
    "shoe": shoe_service_pb2,
    "round": round_service_pb2,
    "wager": wager_service_pb2,
    "settlement": settlement_service_pb2,
}


class Asked(Struct, frozen=True):
    """One field of a form."""

    name: str
    label: str
    kind: str = "text"
    """text, number, instant (UTC), cards (several, with blanks between), list (several, with commas), choice or yes."""

    choices: tuple[str, ...] = ()
    needed: bool = True
    hint: str = ""


class Deed(Struct, frozen=True):
    """A command that may be sent from here."""

    name: str
    """Of the call, such as ConfirmResult."""

    service: str
    title: str
    asked: tuple[Asked, ...] = ()
    second: bool = False
    """It takes, or may take, a second person."""

    about: str = ""

    @property
    def key(self) -> str:
        """Its name in addresses."""
        return f"{self.service}.{self.name}"


COUP: Final = Asked("coup", "Coup number", "number")
REASON: Final = Asked("reason", "Reason")
_BOTH: Final = ("CORRECT_PLACEMENT", "RECONSTRUCT", "NOT_RECONSTRUCTIBLE")

DEEDS: Final = (
    Deed(
        "ConfirmResult",
        "round",
        "Confirm the result",
        (COUP,),
        about="The cards win over the words that did not fit them.",
    ),
    Deed(
        "CorrectResult",
        "round",
        "Correct the result",
        (
            COUP,
            Asked("player", "Player's cards", "cards", hint="such as 7H 4C"),
            Asked("banker", "Banker's cards", "cards", hint="such as KH 2D 5S"),
            REASON,
        ),
        second=True,
        about="Says what the hands really were; wagers are settled again.",
    ),
    Deed(
        "RuleOnDeal",
        "round",
        "Rule on cards that were laid wrong",
        (COUP, Asked("ruling", "Ruling", "choice", _BOTH)),
        second=True,
    ),
    Deed(
        "ApproveError",
        "round",
        "Confirm cards pulled together, or needless ones",
        (COUP, Asked("what", "What", "choice", ("MULTI_PULL", "EXTRA_CARDS"))),
        second=True,
    ),
    Deed(
        "AttestCard",
        "round",
        "Say whether the early card was seen",
        (COUP, Asked("seen", "The card had been seen", "yes", needed=False)),
        second=True,
    ),
    Deed(
        "EnterCard",
        "shoe",
        "Enter a card that was not read",
        (
            Asked("draw_number", "Draw number", "number"),
            Asked("card", "Card", hint="such as TH"),
        ),
        second=True,
    ),
    Deed(
        "RegisterShoeDevice",
        "shoe",
        "Put another electronic shoe in place",
        (
            Asked("device_id", "The new one"),
            Asked("replaces", "In place of"),
            Asked("certificate", "Certificate of the new one", needed=False),
            REASON,
        ),
        about="The count of cards goes on; of the old one no further report is taken.",
    ),
    Deed("ApproveErrorBurn", "shoe", "Agree to burn cards after a game error", (COUP,)),
    Deed(
        "ExtendWithdrawals",
        "round",
        "Keep withdrawals open",
        (Asked("seconds", "Seconds in all", "number"),),
    ),
    Deed("CloseWithdrawals", "round", "Close withdrawals", about="Everybody was asked."),
    Deed(
        "VoidCoup",
        "round",
        "Void the coup",
        (
            COUP,
            Asked(
                "reason",
                "Reason",
                "choice",
                ("BEFORE_FIRST_CARD", *sorted(VOID_REASONS)),
                hint="after the first card one of the listed ones",
            ),
        ),
        second=True,
        about="Stakes go back. After the first card it takes a second person.",
    ),
    Deed(
        "InvalidateOutcome",
        "round",
        "Set an outcome aside",
        (
            COUP,
            Asked("reason", "Reason", "choice", tuple(sorted(INVALIDATE_REASONS))),
            Asked("player", "Who alone committed the fraud", needed=False),
            Asked("forfeit", "Players whose stakes are kept", "list", needed=False),
        ),
        second=True,
    ),
    Deed(
        "VoidWager",
        "wager",
        "Void a wager before the result",
        (Asked("wager_id", "Wager"), REASON),
        second=True,
    ),
    Deed(
        "VoidWager",
        "settlement",
        "Void a wager that was paid",
        (Asked("wager_id", "Wager"), REASON),
        second=True,
    ),
    Deed(
        "BackfillCoup",
        "round",
        "Enter a coup of an outage",
        (
            COUP,
            Asked("cards", "Cards in draw order", "cards", hint="such as 6S 7H TD KC"),
            Asked("winner", "Winner", "choice", ("PLAYER", "BANKER", "TIE")),
            Asked("dealt_at_us", "Dealt at", "instant", hint="UTC, such as 2026-03-01 01:10:05"),
            REASON,
            Asked("video", "Video reference"),
            Asked("device_id", "Electronic shoe", needed=False, hint="if it counts its reports"),
            Asked("sequence", "Its report of the last card", "number", needed=False),
        ),
        second=True,
        about="Dealt without wagers while the platform was down. It takes a second person.",
    ),
    Deed("SuspendTable", "round", "Suspend the table", (REASON,)),
    Deed(
        "ResumeTable",
        "round",
        "Resume the table",
        second=True,
        about="After an integrity breach it takes a second person and a new shoe.",
    ),
    Deed(
        "RecordIncident",
        "round",
        "Record an incident",
        (
            Asked("code", "Code", "choice", tuple(sorted(INCIDENTS))),
            Asked("note", "Note", needed=False),
            Asked("person", "Whom it is about", needed=False),
        ),
    ),
    Deed(
        "RepeatReversal",
        "settlement",
        "Ask for an outstanding debit again",
        (Asked("movement_id", "Movement"),),
    ),
    Deed(
        "RepeatCredit",
        "settlement",
        "Deliver an outstanding credit again",
        (Asked("movement_id", "Movement"),),
    ),
    Deed(
        "RepeatRefund",
        "wager",
        "Deliver an outstanding refund again",
        (Asked("movement_id", "Movement"),),
    ),
)
BY_KEY: Final[Mapping[str, Deed]] = {deed.key: deed for deed in DEEDS}

_CALLED_FOR: Final[Mapping[str, tuple[str, ...]]] = {
    "ANNOUNCEMENT_MISMATCH": ("round.ConfirmResult", "round.CorrectResult"),
    "MISDEAL": ("round.RuleOnDeal", "round.ApproveError"),
    "CARD_BEFORE_CLOSE": ("round.AttestCard",),
    "SCAN_GAP": ("shoe.EnterCard",),
}
"""By what holds the coup: the decisions that it waits for."""

REPEATS: Final[Mapping[tuple[str, str], str]] = {
    ("settlement", "REVERSAL"): "settlement.RepeatReversal",
    ("settlement", "CREDIT"): "settlement.RepeatCredit",
    ("wager", "REFUND"): "wager.RepeatRefund",
    ("wager", "CANCEL"): "wager.RepeatRefund",
}
"""By service and kind of an open item: what has it done again."""


def called_for(table: Any, waits_for: str) -> tuple[Deed, ...]:
    """What the table waits for a supervisor to decide."""
    keys = list(_CALLED_FOR.get(table.held, ()))
    if "withdrawal" in waits_for:
        keys += ["round.CloseWithdrawals", "round.ExtendWithdrawals"]
    if table.status == "SUSPENDED":
        keys.append("round.ResumeTable")
    return tuple(BY_KEY[key] for key in keys)


def others(waiting: tuple[Deed, ...]) -> tuple[Deed, ...]:
    """What may be decided beside that."""
    movements = frozenset(REPEATS.values())
    return tuple(deed for deed in DEEDS if deed not in waiting and deed.key not in movements)


def new_command_id() -> str:
    """An id for the command of a form that is shown now."""
    return f"console-{uuid.uuid4()}"


class FaultyForm(ValueError):
    """A field of a form that cannot be taken, in words."""


async def done(
    client: Client, session: Session, deed: Deed, table_id: str, form: Mapping[str, str]
) -> Answer[Any]:
    """Send the command under the name of who sits here, and of the second person. Raises `FaultyForm`."""
    request = _request(deed, table_id, form)
    second = form.get("second", "").strip() if deed.second else ""
    second_role = form.get("second_role", "").strip().upper()
    if not shown_as_it_is(second + second_role):
        raise FaultyForm("What says who the second person is has signs in it that cannot be.")
    if second and not session.token and not second_role:
        raise FaultyForm("Which role has the second person?")
    acting = client.acting(session.credentials(second, second_role))
    stub = getattr(acting, deed.service)
    answer: Answer[Any] = await acting.command(getattr(stub, deed.name), request)
    return answer


def _request(deed: Deed, table_id: str, form: Mapping[str, str]) -> Any:
    request = getattr(MODULES[deed.service], f"{deed.name}Request")(table_id=table_id)
    command_id = form.get("command_id", "").strip()
    if not command_id:
        raise FaultyForm("The form has lost its command id: open the table again.")
    request.meta.command_id = command_id
    shift = form.get("shift", "")
    if shift:
        if not _whole(shift):
            raise FaultyForm("The form has lost its shift: open the table again.")
        request.meta.shift = int(shift)
    for asked in deed.asked:
        value = form.get(asked.name, "").strip()
        if not value:
            if asked.needed:
                raise FaultyForm(f"{asked.label} is missing.")
            continue
        _put(request, asked, value)
    return request


def _put(request: Any, asked: Asked, value: str) -> None:
    if len(value) > TEXT_MAX:
        raise FaultyForm(f"{asked.label} is longer than {TEXT_MAX} characters.")
    match asked.kind:
        case "number":
            if not _whole(value):
                raise FaultyForm(f"{asked.label} is a whole number.")
            setattr(request, asked.name, int(value))
        case "instant":
            setattr(request, asked.name, _instant_us(asked, value))
        case "cards":
            getattr(request, asked.name).extend(value.upper().replace(",", " ").split())
        case "list":
            getattr(request, asked.name).extend(_several(value))
        case "yes":
            setattr(request, asked.name, value == "yes")
        case "choice":
            if value not in asked.choices:
                raise FaultyForm(f"{asked.label} is none of {', '.join(asked.choices)}.")
            setattr(request, asked.name, value)
        case _:
            setattr(request, asked.name, value)


def _instant_us(asked: Asked, value: str) -> int:
    try:
        instant = dt.datetime.fromisoformat(value)
    except ValueError:
        raise FaultyForm(f"{asked.label} is an instant such as 2026-03-01 01:10:05.") from None
    if instant.tzinfo is not None:
        raise FaultyForm(f"{asked.label} is in UTC: leave the zone out.")
    return int(instant.replace(tzinfo=dt.UTC).timestamp() * 1_000_000)


def _whole(value: str) -> bool:
    return value.isdecimal() and len(value) <= DIGITS_MAX


def _several(value: str) -> Iterator[str]:
    for part in value.split(","):
        if part.strip():
            yield part.strip()
