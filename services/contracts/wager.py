"""Events of the wager service: limits, permissions, and the book of each coup."""

from __future__ import annotations

from msgspec import Struct

from services.contracts.common import BookTotals, Limits, PlayerContext, RulebookActivated
from services.contracts.core import Event

SERVICE = "wager"


class LimitsPublished(Event, frozen=True, kw_only=True):
    """The sign at the table: each accepted wager names the version it saw."""

    type = "limits-published"
    limits_version: int
    limits: dict[str, Limits]
    differential_minor: int | None = None


class LimitChangeNotified(Event, frozen=True, kw_only=True):
    """A sign shows the higher minimum to come (004 6.4). A later sign replaces it."""

    type = "limit-change-notified"
    new_minimum_minor: int
    displayed_at_us: int
    effective_at_us: int
    clauses: tuple[str, ...] = ()


class SignRemoved(Event, frozen=True, kw_only=True):
    """The sign of a higher minimum was taken down: its notice counts no more."""

    type = "sign-removed"
    new_minimum_minor: int
    effective_at_us: int


class LimitsChanged(Event, frozen=True, kw_only=True):
    """Other limits are on the sign; they bind from the first betting opened under their version."""

    type = "limits-changed"
    limits_version: int
    minimum_raised: bool
    notice_effective_at_us: int | None = None
    """Of the notice that a higher minimum rests on."""

    clauses: tuple[str, ...] = ()


class PlayerLimitsGranted(Event, frozen=True, kw_only=True):
    """One player's own limits, on every area, in place of the table's (004 6.5)."""

    type = "player-limits-granted"
    player: str
    currency: str
    minimum_minor: int | None = None
    """None: the table's."""

    maximum_minor: int | None = None
    until_us: int | None = None
    clauses: tuple[str, ...] = ()


class StandingWagerPermitted(Event, frozen=True, kw_only=True):
    """A player without a seat may wager, also on the box that he names (003 5.5)."""

    type = "standing-wager-permitted"
    player: str | None = None
    """None: every player of the table."""

    clauses: tuple[str, ...] = ()


class AreaSharingPermitted(Event, frozen=True, kw_only=True):
    """So many players may wager on one box (004 5.5)."""

    type = "area-sharing-permitted"
    players_max: int
    box: str | None = None
    """None: every box of the table."""

    clauses: tuple[str, ...] = ()


class OpposingWagerApproved(Event, frozen=True, kw_only=True):
    """A player may stake on both hands of a coup (003 5.6.6, 004 5.6.6)."""

    type = "opposing-wager-approved"
    player: str | None = None
    """None: every player of the table."""

    until_coup: int | None = None
    """Number of the last coup that it holds for."""

    until_us: int | None = None
    """The instant from which it holds no more."""

    clauses: tuple[str, ...] = ()


class PermissionRevoked(Event, frozen=True, kw_only=True):
    """A permission holds no more. Accepted wagers stand."""

    type = "permission-revoked"
    permission: str
    """STANDING, AREA_SHARING, OPPOSING_WAGERS or PLAYER_LIMITS."""

    player: str | None = None
    """None: for all, whoever it was given to."""

    box: str | None = None
    """None: for all boxes."""

    from_coup: int = 0
    """Number of the first coup without it; 0: from this moment."""


class PlayerBarred(Event, frozen=True, kw_only=True):
    """No wager of this player is taken any more (004 14.3)."""

    type = "player-barred"
    player: str
    scope: str
    """GAME: at this table. CASINO: at every table."""

    reason: str = ""
    clauses: tuple[str, ...] = ()


class BarLifted(Event, frozen=True, kw_only=True):
    """A bar of this player ended: from now on his wagers are taken again, unless the other holds."""

    type = "bar-lifted"
    player: str
    scope: str
    """The bar that ended. GAME: at this table. CASINO: at every table."""

    reason: str = ""
    clauses: tuple[str, ...] = ()


class BettingStopped(Event, frozen=True, kw_only=True):
    """No new wager is taken that this stop binds; accepted ones stand, and are paid.

    An operator's stop binds his own players alone.
    """

    type = "betting-stopped"
    of: str
    """PLAYER, SESSION, AREA, TABLE or RULEBOOK."""

    value: str = ""
    """Which player, session, area or rulebook; empty for a table."""

    operator: str = ""
    """Whose players it binds; empty: everybody's."""

    everywhere: bool = False
    """At all live tables; otherwise at this one."""

    reason: str = ""


class StopLifted(Event, frozen=True, kw_only=True):
    """A stop ended; other stops may still bind."""

    type = "stop-lifted"
    of: str
    value: str = ""
    operator: str = ""
    everywhere: bool = False
    reason: str = ""


class DebitRequested(Event, frozen=True, kw_only=True):
    """The wallet is asked for the stake; the wager exists once it has answered."""

    type = "debit-requested"
    coup_id: str
    wager_id: str
    movement_id: str
    """Key of the money movement, unique for ever; a repeat moves nothing."""

    player: str
    currency: str
    amount_minor: int
    area: str
    stake_minor: int
    """The wager's stake once the debit is done; more than the amount where it is an increase."""

    channel: str
    limits_version: int
    out_of_limits: bool = False
    box: str | None = None
    standing: bool = False
    """It rests on a permission for players without a seat."""

    requested_at_us: int = 0
    """When the wager was asked for: the wallet has so long to answer from then on (N-1)."""

    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None
    """Of the player's token; it stays with the wager."""


class SlipStake(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A wager of a slip that was asked for."""

    wager_id: str
    """The slip's id, "#slip-", and the wager's number in it."""

    area: str
    stake_minor: int
    out_of_limits: bool = False


class SlipDebitRequested(Event, frozen=True, kw_only=True):
    """The wallet is asked for all stakes of a slip at once; its wagers exist once it has answered.

    Then each is a `WagerAccepted`, or none of them is.
    """

    type = "slip-debit-requested"
    coup_id: str
    slip_id: str
    """Unique at the table, among wagers too."""

    movement_id: str
    player: str
    currency: str
    amount_minor: int
    wagers: tuple[SlipStake, ...]
    channel: str
    limits_version: int
    box: str | None = None
    standing: bool = False
    """They rest on a permission for players without a seat."""

    requested_at_us: int = 0
    context: PlayerContext | None = None


class SlipRejected(Event, frozen=True, kw_only=True):
    """No wager of the slip stands; each is a `WagerRejected` with the same reason.

    What was debited for them goes back whole, by a cancel of that one debit.
    """

    type = "slip-rejected"
    coup_id: str
    slip_id: str
    player: str
    currency: str
    amount_minor: int
    code: str
    message: str
    movement_id: str | None = None
    """Of the cancel; none where nothing had been asked for, or the wallet had refused."""

    cancelled_movement_id: str | None = None
    """The debit that is cancelled, made or not (N-1)."""

    context: PlayerContext | None = None


class WagerAccepted(Event, frozen=True, kw_only=True):
    """The stake is in: the wager stands."""

    type = "wager-accepted"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    channel: str
    limits_version: int
    out_of_limits: bool = False
    box: str | None = None
    standing: bool = False
    funding: str = "CASH"
    """CASH or PROMO."""

    token: str | None = None
    """The promotional token that is staked; the stake is its face value."""

    accepted_at_us: int = 0
    context: PlayerContext | None = None


class WagerRejected(Event, frozen=True, kw_only=True):
    """The wager does not stand; whatever was debited for it goes back."""

    type = "wager-rejected"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    amount_minor: int
    code: str
    message: str
    accepted: bool = False
    """The wager had been accepted before: it leaves the book. Otherwise a wager, or an increase of
    one, never came into it."""

    refund_minor: int = 0
    movement_id: str | None = None
    """Of what goes back, or of the cancel of a debit that nobody confirmed."""

    cancelled_movement_id: str | None = None
    """A debit that nobody confirmed: it is cancelled until the wallet has acknowledged that (N-1)."""

    cancelled_minor: int = 0
    """What that debit asked for."""

    token: str | None = None
    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None


class WagerChanged(Event, frozen=True, kw_only=True):
    """The player changed his stake before the close."""

    type = "wager-changed"
    coup_id: str
    wager_id: str
    player: str
    currency: str
    from_minor: int
    to_minor: int
    movement_id: str
    """Of the debit of what was added, or of the partial cancel of what was taken off."""

    refund_minor: int = 0
    changed_at_us: int = 0
    reason: str = ""
    """LATE where an increase fell behind the card that closed betting; else it was the player's."""

    context: PlayerContext | None = None


class WagerCancelled(Event, frozen=True, kw_only=True):
    """The player took his wager back before the close."""

    type = "wager-cancelled"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    refund_minor: int
    """In cash; 0 for a token, which goes back as a token."""

    movement_id: str | None
    token: str | None = None
    context: PlayerContext | None = None


class WagerReduced(Event, frozen=True, kw_only=True):
    """The differential cut the wager at the close of the book (004 6.2)."""

    type = "wager-reduced"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    from_minor: int
    to_minor: int
    excess_minor: int
    """What goes back, by partial cancel."""

    movement_id: str
    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None

    @property
    def refund_minor(self) -> int:
        """What goes back, under the name that it has everywhere else."""
        return self.excess_minor


class WagerWithdrawn(Event, frozen=True, kw_only=True):
    """The wager was taken off in a withdrawal window, for good in this coup (004 12.2, 13.5.1)."""

    type = "wager-withdrawn"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    refund_minor: int
    movement_id: str | None
    token: str | None = None
    answered: bool = True
    """False where nobody said anything and the rulebook returns the stake then."""

    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None


class WagerKept(Event, frozen=True, kw_only=True):
    """The player said in a withdrawal window that this wager stays."""

    type = "wager-kept"
    coup_id: str
    wager_id: str


class WagerVoided(Event, frozen=True, kw_only=True):
    """A supervisor voided the wager before its coup had a result (004 14.3.1)."""

    type = "wager-voided"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    refund_minor: int
    movement_id: str | None
    reason: str
    token: str | None = None
    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None


class WagerRefunded(Event, frozen=True, kw_only=True):
    """The coup has no result, or is dealt without wagers: the stake goes back whole."""

    type = "wager-refunded"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    refund_minor: int
    movement_id: str | None
    reason: str
    """VOID, TERMINATED or NO_BET_COUP."""

    stake_minor: int = 0
    token: str | None = None
    would_have_paid_minor: int | None = None
    """Where a supervisor voided the coup: what the open cards would have given, the stake with it;
    none where they do not decide the wager (procedure 13)."""

    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None


class RefundOutstanding(Event, frozen=True, kw_only=True):
    """The wallet refused for good what goes back to a player: it stays owed until it is delivered."""

    type = "refund-outstanding"
    movement_id: str
    """Of the event that gave the money back."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    reason: str
    """The wallet's word, such as BALANCE_MAXIMUM."""

    attempts: int
    context: PlayerContext | None = None


class RefundRepeated(Event, frozen=True, kw_only=True):
    """An outstanding refund is delivered again, under its own key."""

    type = "refund-repeated"
    movement_id: str
    coup_id: str
    wager_id: str
    player: str
    currency: str
    refund_minor: int
    context: PlayerContext | None = None


class RefundDelivered(Event, frozen=True, kw_only=True):
    """An outstanding refund has arrived. One that arrives at once needs no saying."""

    type = "refund-delivered"
    movement_id: str
    player: str
    currency: str
    amount_minor: int


class PromoTokenConsumed(Event, frozen=True, kw_only=True):
    """The token's wager was won or lost: the token is gone (004 1.1)."""

    type = "promo-token-consumed"
    token: str
    coup_id: str


class PromoTokenReturned(Event, frozen=True, kw_only=True):
    """The token's wager was neither won nor lost when its coup was settled: it can be staked again.

    What goes back before a result says so by itself: cancelled, refunded, withdrawn, voided.
    """

    type = "promo-token-returned"
    token: str
    coup_id: str


class WagerLocked(Event, frozen=True, kw_only=True):
    """The first card is out: nothing moves in the book but by a ruling or a window (004 5.4)."""

    type = "wager-locked"
    coup_id: str
    revision: int
    wagers: int


class DifferentialUpdated(Event, frozen=True, kw_only=True):
    """The gap between both hands came to lie on the other side of the differential."""

    type = "differential-updated"
    coup_id: str
    currency: str
    player_minor: int
    banker_minor: int
    differential_minor: int
    within: bool


class DifferentialBreached(Event, frozen=True, kw_only=True):
    """The book is about to close with too wide a gap: the larger hand is cut (004 6.2)."""

    type = "differential-breached"
    coup_id: str
    currency: str
    player_minor: int
    banker_minor: int
    differential_minor: int
    clauses: tuple[str, ...] = ()


class PlayerStakes(Struct, frozen=True):
    """What one player has in the book: minor units by area, tokens at face value."""

    player: str
    stakes: dict[str, int]
    box: str | None = None


class BookClosed(Event, frozen=True, kw_only=True):
    """The book is complete: no wager joins it any more."""

    type = "book-closed"
    coup_id: str
    revision: int
    wagers: int
    totals: dict[str, dict[str, BookTotals]]
    """By currency, then area."""

    digest: str
    """SHA-256, hexadecimal, over the live wagers in order of acceptance."""

    players: tuple[PlayerStakes, ...] = ()
    """In order of their first wager; at seated tables only, where cards and shoe are offered by it."""


class BookRevised(Event, frozen=True, kw_only=True):
    """The closed book changed, by withdrawal or refund: a new revision replaces it."""

    type = "book-revised"
    coup_id: str
    revision: int
    wagers: int
    totals: dict[str, dict[str, BookTotals]]
    digest: str
    reason: str
    """VOID, TERMINATED, NO_BET_COUP, WITHDRAWAL or WAGER_VOIDED."""

    players: tuple[PlayerStakes, ...] = ()


EVENTS: dict[str, type[Event]] = {
    event.type: event
    for event in (
        RulebookActivated,
        LimitsPublished,
        LimitChangeNotified,
        SignRemoved,
        LimitsChanged,
        PlayerLimitsGranted,
        StandingWagerPermitted,
        AreaSharingPermitted,
        OpposingWagerApproved,
        PermissionRevoked,
        PlayerBarred,
        BarLifted,
        BettingStopped,
        StopLifted,
        DebitRequested,
        SlipDebitRequested,
        SlipRejected,
        WagerAccepted,
        WagerRejected,
        WagerChanged,
        WagerCancelled,
        WagerReduced,
        WagerWithdrawn,
        WagerKept,
        WagerVoided,
        WagerRefunded,
        RefundOutstanding,
        RefundRepeated,
        RefundDelivered,
        PromoTokenConsumed,
        PromoTokenReturned,
        WagerLocked,
        DifferentialUpdated,
        DifferentialBreached,
        BookClosed,
        BookRevised,
    )
}
"""Every event of the service by its stable name."""
