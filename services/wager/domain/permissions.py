"""What supervisors allow beyond the default, and whom they bar."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from services.contracts.common import PlayerContext
from services.contracts.core import Command, Event, Refused
from services.contracts.guards import require_role
from services.contracts.wager import (
    AreaSharingPermitted,
    BarLifted,
    OpposingWagerApproved,
    PermissionRevoked,
    PlayerBarred,
    PlayerLimitsGranted,
    StandingWagerPermitted,
)
from services.rules.roles import CASINO_SUPERVISOR
from services.wager.commands import (
    ApproveOpposing,
    BarPlayer,
    ChangeWager,
    GrantLimits,
    LiftBar,
    PermitSharing,
    PermitStanding,
    PlaceSlip,
    PlaceWager,
    RevokePermission,
)
from services.wager.domain.facts import NOTHING, Facts
from services.wager.domain.state import (
    AREA_SHARING,
    CASINO,
    EVERYBODY,
    OPPOSING_WAGERS,
    PLAYER_LIMITS,
    STANDING,
    Book,
    BookState,
    clauses_for,
    is_box,
    is_late,
    rules_of,
    settings_of,
)


def opposing_approved(player: str, at_us: int, state: BookState, book: Book) -> bool:
    """Whether an approval for the player, or for the table, holds for a wager now (F-72)."""
    given = state.permissions.opposing
    return any(given[who].holds(book.coup, at_us) for who in (player, EVERYBODY) if who in given)


def _require(command: Command, wanted: str | None, state: BookState, *, what: str) -> None:
    """The rulebook's role, or NOT_PERMITTED where the rulebook knows no such thing."""
    if wanted is None:
        raise Refused("NOT_PERMITTED", f"this rulebook does not know {what}")
    counts = rules_of(state).games_supervisor_counts_as_casino_supervisor
    require_role(command, wanted, what=what, game_supervisor_counts=counts)


def permit_standing(command: PermitStanding, state: BookState) -> Sequence[Event]:
    if not command.permitted:
        taken_back = RevokePermission(
            at_us=command.at_us, by=command.by, permission=STANDING, player=command.player
        )
        return revoke(taken_back, state)
    wanted = rules_of(state).standing_players_by
    _require(command, wanted, state, what="letting players without a seat wager")
    return [StandingWagerPermitted(player=command.player, clauses=clauses_for(state, "standing"))]


def permit_sharing(command: PermitSharing, state: BookState) -> Sequence[Event]:
    rules = rules_of(state)
    _require(command, rules.box_sharing_by, state, what="sharing a box")
    most = rules.box_players_max or 1
    asked = most if command.players_max is None else command.players_max
    clauses = clauses_for(state, "box_sharing")
    if not 1 <= asked <= most:
        raise Refused("NOT_PERMITTED", f"a box takes 1 to {most} players, not {asked}", clauses)
    if command.box is not None and not is_box(command.box, state):
        raise Refused("UNKNOWN", f"there is no box {command.box}")
    return [AreaSharingPermitted(players_max=asked, box=command.box, clauses=clauses)]


def approve_opposing(command: ApproveOpposing, state: BookState) -> Sequence[Event]:
    wanted = rules_of(state).opposing_wagers_by
    _require(command, wanted, state, what="an approval of opposing wagers")
    coups = command.coups
    if coups is not None and coups < 1:
        raise Refused("NOT_PERMITTED", f"an approval is for 1 coup or more, not {coups}")
    return [
        OpposingWagerApproved(
            player=command.player,
            until_coup=None if coups is None else _next_betting(command.at_us, state) + coups - 1,
            until_us=command.until_us,
            clauses=clauses_for(state, "opposing_wagers"),
        )
    ]


def _next_betting(at_us: int, state: BookState) -> int:
    """Number of the coup that takes wagers now, or else takes them next."""
    book = state.book
    if book is None:
        return state.last_coup + 1
    return book.coup + 1 if book.no_bet or is_late(at_us, book) else book.coup


def grant_limits(command: GrantLimits, state: BookState) -> Sequence[Event]:
    _require(command, rules_of(state).personal_limits_by, state, what="a player's own limits")
    least, most = command.minimum_minor, command.maximum_minor
    if least is None and most is None:
        raise Refused("STATE", "neither a minimum nor a maximum is named")
    currency = settings_of(state).currency
    for area, limit in state.sign.limits.get(currency, {}).items():
        low = limit.min_minor if least is None else least
        high = limit.max_minor if most is None else most
        if low > high:
            raise Refused("STATE", f"on {area} no stake is from {low} to {high}")
    return [
        PlayerLimitsGranted(
            player=command.player,
            currency=currency,
            minimum_minor=least,
            maximum_minor=most,
            until_us=command.until_us,
            clauses=clauses_for(state, "personal_limits"),
        )
    ]


def revoke(command: RevokePermission, state: BookState) -> Sequence[Event]:
    """Take a permission back, by the role that gives it."""
    rules, held = rules_of(state), state.permissions
    known: dict[str, tuple[str | None, Collection[str]]] = {
        STANDING: (rules.standing_players_by, held.standing),
        AREA_SHARING: (rules.box_sharing_by, held.sharing),
        OPPOSING_WAGERS: (rules.opposing_wagers_by, held.opposing),
        PLAYER_LIMITS: (rules.personal_limits_by, held.limits),
    }
    wanted, given = known[command.permission]
    _require(command, wanted, state, what=f"the permission {command.permission}")
    whose = command.box if command.permission == AREA_SHARING else command.player
    if not given or (whose is not None and whose not in given):
        return ()
    from_coup = 0
    if command.permission == PLAYER_LIMITS:
        from_coup = (state.book.coup if state.book else state.last_coup) + 1
    return [
        PermissionRevoked(
            permission=command.permission,
            player=command.player,
            box=command.box,
            from_coup=from_coup,
        )
    ]


def bar(command: BarPlayer, state: BookState) -> Sequence[Event]:
    _require(command, CASINO_SUPERVISOR, state, what="barring a player")
    return [
        PlayerBarred(
            player=command.player,
            scope=command.scope,
            reason=command.reason,
            clauses=clauses_for(state, "prohibited_device"),
        )
    ]


def lift_bar(command: LiftBar, state: BookState) -> Sequence[Event]:
    """A bar ends by the word of whoever may give it (004 14.3 says nothing of its end)."""
    _require(command, CASINO_SUPERVISOR, state, what="lifting a bar")
    if command.scope not in state.permissions.barred.get(command.player, ()):
        raise Refused("UNKNOWN", f"{command.player} is not barred from the {command.scope.lower()}")
    return [
        BarLifted(
            player=command.player,
            scope=command.scope,
            reason=command.reason,
            clauses=clauses_for(state, "prohibited_device"),
        )
    ]


def changes_casino_bar(command: Command, state: BookState) -> str:
    """The player whom the command bars from the casino at a live table, or lets back; "" for others."""
    if state.settings is None or state.settings.test:
        return ""
    if isinstance(command, BarPlayer | LiftBar) and command.scope == CASINO:
        return command.player
    return ""


def staking_player(command: Command, state: BookState) -> str:
    """The player of whom the command would take a stake at a live table; "" where it takes none."""
    if state.settings is None or state.settings.test:
        return ""
    if isinstance(command, PlaceWager | PlaceSlip):
        return command.player
    if isinstance(command, ChangeWager) and state.book is not None:
        wager = state.book.wagers.get(command.wager_id)
        return "" if wager is None else wager.player
    return ""


def staked_under(command: Command, state: BookState) -> PlayerContext | None:
    """The context that a command stakes under: of the token that came with it, or the wager's."""
    if isinstance(command, PlaceWager | PlaceSlip):
        return command.context
    if not isinstance(command, ChangeWager) or command.context is not None:
        return getattr(command, "context", None)
    held = state.book.wagers.get(command.wager_id) if state.book else None
    return held.context if held else None


def with_facts(state: BookState, facts: Facts) -> BookState:
    """The table with what holds for all tables, as if it had barred those players itself.

    Who is out of the casino is what all live tables together say (004 14.3.3). What a table in TEST
    mode shows is not the casino's.
    """
    if facts is NOTHING or settings_of(state).test:
        return state
    state = replace(state, facts=facts)
    if facts.barred is None:
        return state
    own = state.permissions.barred
    barred = {player: scopes - {CASINO} for player, scopes in own.items() if scopes - {CASINO}}
    for player in facts.barred:
        barred[player] = barred.get(player, frozenset()) | {CASINO}
    return replace(state, permissions=replace(state.permissions, barred=barred))
