"""Commands of the wager service."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Struct

from services.contracts.common import Limits, PlayerContext, TableSettings
from services.contracts.core import Command
from services.contracts.guards import OneOf


class ActivateRulebook(Command, frozen=True, kw_only=True):
    """Take up a table that round opened."""

    session: int
    settings: TableSettings


class PlaceWager(Command, frozen=True, kw_only=True):
    """Stake an amount, minor units, on an area of the coup that is open for betting."""

    wager_id: str
    """The client's idempotency key, unique at the table for ever."""

    player: str
    area: str
    amount_minor: int
    currency: str | None = None
    """The table's own where it is left out."""

    channel: Annotated[str, OneOf(("SCREEN", "LAYOUT"))] | None = None
    """SCREEN or LAYOUT; by the rulebook's kind of table where it is left out."""

    box: str | None = None
    token: str | None = None
    coup_id: str | None = None
    """The coup that the player saw; another one is never meant instead."""

    context: PlayerContext | None = None
    """Of the player's token; none where somebody else stakes for him."""


class Stake(Struct, frozen=True, kw_only=True):
    """A stake of a slip: minor units on an area."""

    area: str
    amount_minor: int


class PlaceSlip(Command, frozen=True, kw_only=True):
    """Stake on several areas at once, all of them or none, with one debit.

    The wagers are checked in their order, each as if those before it stood. Promotional tokens are
    staked one by one.
    """

    slip_id: str
    """The client's idempotency key, unique at the table for ever, among wagers too."""

    player: str
    wagers: tuple[Stake, ...]
    currency: str | None = None
    """The table's own where it is left out."""

    channel: Annotated[str, OneOf(("SCREEN", "LAYOUT"))] | None = None
    """As in PlaceWager."""

    box: str | None = None
    coup_id: str | None = None
    """As in PlaceWager."""

    context: PlayerContext | None = None
    """As in PlaceWager."""


class ChangeWager(Command, frozen=True, kw_only=True):
    """Set a wager's amount to a new total, before the close."""

    wager_id: str
    amount_minor: int
    context: PlayerContext | None = None
    """Of the player's token."""


class CancelWager(Command, frozen=True, kw_only=True):
    """Take a wager back, before the close."""

    wager_id: str


class RejectWager(Command, frozen=True, kw_only=True):
    """The dealer refuses a wager outside the limits, before the book closes (004 6.3)."""

    wager_id: str


class RecordDebit(Command, frozen=True, kw_only=True):
    """The wallet's answer to a debit that was asked for."""

    movement_id: str
    outcome: str
    """DONE, REFUSED, or UNKNOWN: then the debit is cancelled until the wallet acknowledges that."""

    reason: str = ""


class RecordRefund(Command, frozen=True, kw_only=True):
    """The wallet's answer to a refund that it refused, or that had been outstanding."""

    movement_id: str
    outcome: str
    """DONE or REFUSED."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    reason: str = ""
    context: PlayerContext | None = None


class RepeatRefund(Command, frozen=True, kw_only=True):
    """Deliver an outstanding refund again."""

    movement_id: str


class WithdrawWager(Command, frozen=True, kw_only=True):
    """Take a wager off, whole, while a withdrawal window is open (004 12.2, 13.5.1)."""

    wager_id: str


class KeepWager(Command, frozen=True, kw_only=True):
    """Let a wager stay, where silence in the window would take it off (004 13.5.1)."""

    wager_id: str


class VoidWager(Command, frozen=True, kw_only=True):
    """Void a wager whose coup has no result yet, and give the stake back (004 14.3.1).

    Refused with STATE or UNKNOWN once there is a result: then settlement has it, and corrects.
    """

    wager_id: str
    reason: str = ""


class PermitStanding(Command, frozen=True, kw_only=True):
    """A player without a seat may wager, or may no longer (003 5.5)."""

    permitted: bool
    player: str | None = None
    """Every player of the table where it is left out."""


class PermitSharing(Command, frozen=True, kw_only=True):
    """Let several players wager on one box (004 5.5)."""

    players_max: int | None = None
    """As many as the rulebook allows where it is left out."""

    box: str | None = None
    """Every box of the table where it is left out."""


class ApproveOpposing(Command, frozen=True, kw_only=True):
    """Let a player stake on both hands (003 5.6.6, 004 5.6.6)."""

    player: str | None = None
    """Every player of the table where it is left out."""

    coups: int | None = None
    """For so many coups from the next one that takes wagers; without an end where left out."""

    until_us: int | None = None


class GrantLimits(Command, frozen=True, kw_only=True):
    """Give a player limits of his own, in the table's currency (004 6.5)."""

    player: str
    minimum_minor: int | None = None
    maximum_minor: int | None = None
    until_us: int | None = None


class RevokePermission(Command, frozen=True, kw_only=True):
    """Take a permission back; accepted wagers stand.

    The role is that which gives it. A player's own limits end with the coup in progress.
    """

    permission: Annotated[
        str, OneOf(("STANDING", "AREA_SHARING", "OPPOSING_WAGERS", "PLAYER_LIMITS"))
    ]
    """STANDING, AREA_SHARING, OPPOSING_WAGERS or PLAYER_LIMITS."""

    player: str | None = None
    """All, whoever it was given to, where it is left out."""

    box: str | None = None
    """All boxes where it is left out."""


class BarPlayer(Command, frozen=True, kw_only=True):
    """Take no more wagers of a player (004 14.3.2, 14.3.3)."""

    player: str
    scope: Annotated[str, OneOf(("GAME", "CASINO"))] = "GAME"
    """GAME or CASINO."""

    reason: str = ""


class LiftBar(Command, frozen=True, kw_only=True):
    """Take wagers of a barred player again; the bar from the casino ends at every table."""

    player: str
    scope: Annotated[str, OneOf(("GAME", "CASINO"))] = "GAME"
    """GAME or CASINO: which bar ends."""

    reason: str = ""


STOPPED = ("PLAYER", "SESSION", "AREA", "TABLE", "RULEBOOK")


class OrderStop(Command, frozen=True, kw_only=True):
    """Take no new wagers that this binds, from now on; accepted ones stand, and are paid."""

    of: Annotated[str, OneOf(STOPPED)]
    """PLAYER, SESSION, AREA, TABLE or RULEBOOK."""

    value: str = ""
    """Which player, session, area or rulebook; nothing for a table."""

    operator: str = ""
    """Whose players it binds; everybody's where it is left out."""

    everywhere: bool = False
    """At all live tables; otherwise at this one."""

    reason: str = ""


class LiftStop(Command, frozen=True, kw_only=True):
    """End a stop that was ordered in the same words."""

    of: Annotated[str, OneOf(STOPPED)]
    value: str = ""
    operator: str = ""
    everywhere: bool = False
    reason: str = ""


class ChangeLimits(Command, frozen=True, kw_only=True):
    """Put other limits on the sign, in the table's currency (004 6.4).

    Limits with "*" replace all of them, limits without it those of the areas that they name.
    """

    limits: Limits
    differential_minor: int | None = None
    """As it was where it is left out."""


class NotifyMinimum(Command, frozen=True, kw_only=True):
    """Show the sign of a higher minimum, from now on (004 6.4)."""

    minimum_minor: int
    effective_at_us: int


class RemoveSign(Command, frozen=True, kw_only=True):
    """Take the sign of a higher minimum down."""


class ExpireDebits(Command, frozen=True, kw_only=True):
    """Time has passed: debits still pending behind the drain time are confirmed no more (N-1)."""


class ReturnTokens(Command, frozen=True, kw_only=True):
    """What a settled coup made of the promotional tokens that were staked on it."""

    coup_id: str
    spent: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()


class Lock(Command, frozen=True, kw_only=True):
    """The first card is out."""


class Proceed(Command, frozen=True, kw_only=True):
    """Do what has fallen due by what was heard."""


COMMANDS: dict[str, type[Any]] = {
    command.__name__: command
    for command in (
        PlaceWager,
        PlaceSlip,
        ChangeWager,
        CancelWager,
        RejectWager,
        WithdrawWager,
        KeepWager,
        VoidWager,
        PermitStanding,
        PermitSharing,
        ApproveOpposing,
        GrantLimits,
        RevokePermission,
        BarPlayer,
        LiftBar,
        OrderStop,
        LiftStop,
        ChangeLimits,
        NotifyMinimum,
        RemoveSign,
        RepeatRefund,
    )
}
"""What people and machines may ask for; the others belong to reactions and to the wallet."""
