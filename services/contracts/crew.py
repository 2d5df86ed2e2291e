"""Who works at a table, and whether a command comes from them (000 definitions, 004 1.1).

Round decides who has a table; the others hear of it, and later than the new dealer acts. So every
change has a number, the shift, and a command may say in which shift its actor came: who has not
heard of that shift answers "not yet" instead of refusing the right person for good.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from services.contracts.core import Command, Event, NotYet, Refused
from services.contracts.round import DealerAssigned, DealerChanged
from services.contracts.round_table import SupervisorAssigned
from services.rules.roles import DEALER, GAME_SUPERVISOR


class Crew(Struct, frozen=True):
    """The dealer and the game supervisor who were assigned to a table; "" where nobody was."""

    dealer: str = ""
    supervisor: str = ""
    shift: int = 0
    """Number of the last change; it goes on counting from session to session."""


def _dealer(crew: Crew, event: DealerAssigned | DealerChanged) -> Crew:
    return replace(crew, dealer=event.dealer, shift=event.shift)


def _supervisor(crew: Crew, event: SupervisorAssigned) -> Crew:
    return replace(crew, supervisor=event.supervisor, shift=event.shift)


CHANGES: Final[dict[type[Event], Callable[[Crew, Any], Crew]]] = {
    DealerAssigned: _dealer,
    DealerChanged: _dealer,
    SupervisorAssigned: _supervisor,
}
"""How events of round change the crew."""


def next_session(crew: Crew) -> Crew:
    """Nobody is assigned to a table that opens again; the shifts go on."""
    return Crew(shift=crew.shift)


def require_heard(command: Command, crew: Crew, *, service: str) -> None:
    """Raise `NotYet` where the command rests on a shift that this service has not heard of."""
    if command.shift > crew.shift:
        raise NotYet(f"the {service} service has not heard yet of shift {command.shift}")


def require_shift(command: Command, crew: Crew, *, coming: bool) -> None:
    """Hold a command against the service that gives shifts their numbers.

    Refuses with UNKNOWN a shift that is neither one so far nor the next. Of the next one only who
    is `coming` to the table may speak; others get `NotYet` until it has begun.
    """
    if command.shift > crew.shift + 1:
        raise Refused(
            "UNKNOWN", f"there is no shift {command.shift} yet: this table is in shift {crew.shift}"
        )
    if command.shift > crew.shift and not coming:
        raise NotYet(f"shift {command.shift} has not begun")


def require_on_shift(command: Command, crew: Crew, *, hears_late: bool) -> None:
    """Refuse with ROLE another dealer, or game supervisor, than the one who is assigned.

    Where nobody is assigned yet, the role alone counts. Higher supervisors are assigned to no
    table and step in at all of them. `hears_late`: this service hears of changes after they were
    made, so whoever does not say in which shift he came may be the next one, and is refused for
    the moment only.
    """
    by = command.by
    assigned = {DEALER: crew.dealer, GAME_SUPERVISOR: crew.supervisor}.get(by.role, "")
    if assigned and by.id != assigned:
        raise Refused(
            "ROLE",
            f"in shift {crew.shift} the {by.role} of this table is {assigned}, not {by.id}",
            passing=hears_late and not command.shift,
        )
