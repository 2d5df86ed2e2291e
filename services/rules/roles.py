"""Who may do what: the roles of the rule texts and which one stands in for which.

A "second person" is somebody other than the actor who is GAME_SUPERVISOR or higher.

A supervisor may step in for a dealer. A dealer is defined by his work, not by a rank: whoever is
responsible for the operation of the game (004 1.1). The texts give some of his work to supervisors
by name: checking the cards (000 3.1, 004 3.4), cutting them (004 4.4). They forbid the rest nowhere,
and somebody has to go on where a dealer falls ill in a coup; so here every role that stands above
him does what he does, and no other does. His own name and role stand in the event, and where a text
asks for two persons, nobody is both. Whose dealer and whose supervisor somebody is at a live table
is asked beside his role: `services.contracts.crew`.
"""

from __future__ import annotations

PLAYER = "PLAYER"
DEALER = "DEALER"
GAME_SUPERVISOR = "GAME_SUPERVISOR"
CASINO_SUPERVISOR = "CASINO_SUPERVISOR"
DUTY_MANAGER = "DUTY_MANAGER"
INSPECTOR = "INSPECTOR"
AUDITOR = "AUDITOR"
SYSTEM = "SYSTEM"

ROLES = (
    PLAYER,
    DEALER,
    GAME_SUPERVISOR,
    CASINO_SUPERVISOR,
    DUTY_MANAGER,
    INSPECTOR,
    AUDITOR,
    SYSTEM,
)

_STANDS_IN: dict[str, frozenset[str]] = {  # by the role that is asked for
    PLAYER: frozenset({PLAYER}),
    DEALER: frozenset({DEALER, GAME_SUPERVISOR, CASINO_SUPERVISOR, DUTY_MANAGER}),
    GAME_SUPERVISOR: frozenset({GAME_SUPERVISOR, CASINO_SUPERVISOR, DUTY_MANAGER}),
    CASINO_SUPERVISOR: frozenset({CASINO_SUPERVISOR, DUTY_MANAGER}),
    DUTY_MANAGER: frozenset({DUTY_MANAGER}),
    INSPECTOR: frozenset({INSPECTOR}),
    AUDITOR: frozenset({AUDITOR}),
    SYSTEM: frozenset({SYSTEM}),
}


def may_act_as(role: str, wanted: str, *, game_supervisor_counts: bool = False) -> bool:
    """Whether somebody of `role` is accepted where `wanted` is asked for.

    The policies of the platform itself (SYSTEM) do a dealer's work. `game_supervisor_counts` is
    the house's choice that a game supervisor counts as a casino supervisor (004 1.1).
    """
    if role == SYSTEM:
        return wanted in (SYSTEM, DEALER, PLAYER)
    if game_supervisor_counts and wanted == CASINO_SUPERVISOR and role == GAME_SUPERVISOR:
        return True
    return role in _STANDS_IN[wanted]
