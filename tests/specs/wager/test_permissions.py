"""What supervisors allow beyond the default, and whom they bar."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts.common import Limit
from services.contracts.core import Refused
from services.contracts.round import SeatTaken, SeatVacated, TableOpened
from services.contracts.wager import (
    AreaSharingPermitted,
    BarLifted,
    DebitRequested,
    OpposingWagerApproved,
    PermissionRevoked,
    PlayerBarred,
    PlayerLimitsGranted,
    StandingWagerPermitted,
    WagerRejected,
)
from services.wager import domain as wager
from services.wager.commands import (
    ApproveOpposing,
    BarPlayer,
    CancelWager,
    ChangeWager,
    GrantLimits,
    LiftBar,
    PermitSharing,
    PermitStanding,
    RejectWager,
    RevokePermission,
)
from services.wager.domain.facts import Facts
from tests.support.spec import AT_US, Like, Spec, like, person, spec
from tests.support.tables import (
    accepted,
    betting,
    opened,
    over,
    place,
    settings,
    sign,
)

DUTY_MANAGER = person("DUTY_MANAGER")
CASINO_SUPERVISOR = person("CASINO_SUPERVISOR")
GAME_SUPERVISOR = person("GAME_SUPERVISOR")
HOUR_US = 3_600_000_000
BARRED = Facts(barred=frozenset({"p1"}))


def table(rulebook: str = "nsw-mini", *seated: tuple[str, int]) -> Spec:
    """A table with a sign of limits, and players in seats."""
    taken = [SeatTaken(seat=seat, player=player) for player, seat in seated]
    return spec(wager).given(opened(rulebook), sign(), *taken)


def refuses(code: str) -> Like:
    return like(WagerRejected, code=code, accepted=False, refund_minor=0)


# --- both hands ---


@pytest.mark.parametrize("rulebook", ["nsw-mini", "nsw-baccarat", "live-studio"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_subsets_of_the_three_wagers_that_one_player_may_hold(rulebook: str, size: int) -> None:
    """D-25, F-71: all subsets but both hands together; the streamed tables allow those too (X-13)."""
    for areas in combinations(("PLAYER", "BANKER", "TIE"), size):
        *before, last = areas
        held = [accepted(f"w-{area}", area=area) for area in before]
        told = table(rulebook, ("p1", 4)).given(betting(), *held).when(place("w9", area=last))
        both = {"PLAYER", "BANKER"} <= set(areas)
        if both and rulebook != "live-studio":
            told.then(refuses("COMBINATION"))
        else:
            told.then(like(DebitRequested, area=last))


def test_both_hands_are_open_to_the_player_whom_the_duty_manager_approved() -> None:
    """D-26, F-72: his approval exists before; another player is refused as ever."""
    never = ApproveOpposing(at_us=AT_US, by=DUTY_MANAGER, player="p1", coups=0)
    table().when(never).then_raises("NOT_PERMITTED")
    approve = ApproveOpposing(at_us=AT_US, by=DUTY_MANAGER, player="p1", coups=1)
    approved = (
        table()
        .when(approve)
        .then(OpposingWagerApproved(player="p1", until_coup=1, clauses=("004:5.6.6", "004:5.6.7")))
    )
    at_betting = approved.given(betting(), accepted("w1"), accepted("w2", "p2"))
    at_betting.when(place("w3", area="PLAYER")).then(like(DebitRequested))
    at_betting.when(place("w3", "p2", "PLAYER")).then(refuses("COMBINATION"))


@pytest.mark.parametrize("role", ["PLAYER", "DEALER", "GAME_SUPERVISOR", "CASINO_SUPERVISOR"])
def test_a_lower_role_approves_no_opposing_wagers(role: str) -> None:
    """D-26, F-72: the Duty Manager's discretion, nobody else's."""
    table().when(ApproveOpposing(at_us=AT_US, by=person(role))).then_raises("ROLE")


def test_an_approval_ends_with_its_last_coup() -> None:
    """D-26, F-72: two coups from the one that takes wagers; the third is without it."""
    approve = ApproveOpposing(at_us=AT_US, by=DUTY_MANAGER, player="p1", coups=2)
    approved = (
        table().given(betting()).when(approve).then(like(OpposingWagerApproved, until_coup=2))
    )
    for number, allowed in ((1, True), (2, True), (3, False)):
        now = approved.given(betting(number), accepted("w1", number=number))
        wanted = like(DebitRequested) if allowed else refuses("COMBINATION")
        now.when(place("w2", area="PLAYER")).then(wanted)


def test_an_approval_during_the_deal_counts_from_the_next_coup() -> None:
    """D-26: a coup whose betting is over can take no such wager, so it is none of those named."""
    running = table().given(betting(closes_at_us=AT_US))
    approve = ApproveOpposing(at_us=AT_US, by=DUTY_MANAGER, coups=1)
    running.when(approve).then(like(OpposingWagerApproved, until_coup=2, player=None))


def test_an_approval_ends_at_its_instant() -> None:
    """D-26, F-72: expired is refused."""
    approve = ApproveOpposing(at_us=AT_US, by=DUTY_MANAGER, until_us=AT_US + HOUR_US)
    approved = table().when(approve).then(like(OpposingWagerApproved, until_coup=None))
    now = approved.given(betting(), accepted("w1"))
    now.when(place("w2", area="PLAYER", at_us=AT_US + HOUR_US - 1)).then(like(DebitRequested))
    now.when(place("w2", area="PLAYER", at_us=AT_US + HOUR_US)).then(refuses("COMBINATION"))


def test_where_both_hands_are_free_there_is_nothing_to_approve() -> None:
    """X-13: what the rulebook does not know is not permitted, whatever the role."""
    approve = ApproveOpposing(at_us=AT_US, by=DUTY_MANAGER)
    table("live-studio").when(approve).then_raises("NOT_PERMITTED")


def test_a_revoked_approval_leaves_accepted_wagers_alone() -> None:
    """D-26: the permission is gone for what comes, not for what is in the book."""
    approved = table().given(
        OpposingWagerApproved(player="p1"),
        betting(),
        accepted("w1"),
        accepted("w2", area="PLAYER"),
    )
    take = RevokePermission(at_us=AT_US, by=DUTY_MANAGER, permission="OPPOSING_WAGERS", player="p1")
    after = approved.when(take).then(PermissionRevoked(permission="OPPOSING_WAGERS", player="p1"))
    assert set(after.state.book.wagers) == {"w1", "w2"}
    after.when(place("w3", area="BANKER")).then(refuses("COMBINATION"))
    approved.when(
        RevokePermission(at_us=AT_US, by=CASINO_SUPERVISOR, permission="OPPOSING_WAGERS")
    ).then_raises("ROLE")


# --- boxes and standing players ---


def test_one_player_wagers_on_a_box_until_a_casino_supervisor_lets_more() -> None:
    """F-70: second refused without, three with permission, the fourth always refused."""
    seats = (("p1", 4), ("p2", 1), ("p3", 2), ("p4", 3))
    start = table("nsw-mini", *seats).given(betting(), accepted("w1", box="4"))
    start.when(place("w2", "p2", box="4")).then(refuses("BOX_FULL"))
    permit = PermitSharing(at_us=AT_US, by=CASINO_SUPERVISOR)
    shared = start.when(permit).then(like(AreaSharingPermitted, players_max=3, box=None))
    shared.when(place("w2", "p2", box="4")).then(like(DebitRequested, box="4"))
    full = shared.given(accepted("w2", "p2", box="4"), accepted("w3", "p3", box="4"))
    full.when(place("w4", "p4", box="4")).then(refuses("BOX_FULL"))
    full.when(place("w4", "p1", "TIE", box="4")).then(like(DebitRequested))


def test_sharing_may_be_for_one_box_and_for_fewer_players() -> None:
    """F-70: the permission names the box and how many; other boxes stay as they are."""
    permit = PermitSharing(at_us=AT_US, by=CASINO_SUPERVISOR, players_max=2, box="4")
    shared = table().when(permit).then(like(AreaSharingPermitted, players_max=2, box="4"))
    now = shared.given(betting(), accepted("w1", box="4"), accepted("w2", box="5"))
    now.when(place("w3", "p2", box="5")).then(refuses("BOX_FULL"))
    now.when(place("w3", "p2", box="4")).then(like(DebitRequested))
    now.given(accepted("w3", "p2", box="4")).when(place("w4", "p3", box="4")).then(
        refuses("BOX_FULL")
    )


def test_who_may_share_a_box_out_and_among_how_many() -> None:
    """F-70: CASINO_SUPERVISOR; more than three are not to be had."""
    table().when(PermitSharing(at_us=AT_US, by=GAME_SUPERVISOR)).then_raises("ROLE")
    four = PermitSharing(at_us=AT_US, by=CASINO_SUPERVISOR, players_max=4)
    table().when(four).then_raises("NOT_PERMITTED")
    unknown = PermitSharing(at_us=AT_US, by=CASINO_SUPERVISOR, box="10")
    table().when(unknown).then_raises("UNKNOWN")
    streamed = PermitSharing(at_us=AT_US, by=CASINO_SUPERVISOR)
    table("live-studio").when(streamed).then_raises("NOT_PERMITTED")


def test_revoked_sharing_closes_the_box_to_the_next_player() -> None:
    """F-70: accepted wagers stand."""
    shared = table().given(
        AreaSharingPermitted(players_max=3),
        betting(),
        accepted("w1", box="4"),
        accepted("w2", "p2", box="4"),
    )
    take = RevokePermission(at_us=AT_US, by=CASINO_SUPERVISOR, permission="AREA_SHARING")
    after = shared.when(take).then(like(PermissionRevoked, permission="AREA_SHARING"))
    assert len(after.state.book.wagers) == 2
    after.when(place("w3", "p3", box="4")).then(refuses("BOX_FULL"))


def test_a_box_belongs_to_the_player_in_its_seat() -> None:
    """F-70, X-12: his wager is on it also where he names none, and nobody else's is before it."""
    start = table("nsw-mini", ("p1", 4), ("p2", 1)).given(betting())
    start.when(place("w1")).then(like(DebitRequested, box="4"))
    start.when(place("w1", "p2", box="4")).then(refuses("BOX_FULL"))


def test_a_player_without_a_seat_wagers_on_a_box_of_his_own_or_a_shared_one() -> None:
    """F-70: with standing_players SHARED_BOX_ONLY no permission is asked for, the box decides."""
    start = table("nsw-mini", ("p1", 4)).given(betting(), accepted("w1", box="4"))
    start.when(place("w2", "p9")).then(like(DebitRequested, box=None, standing=False))
    start.when(place("w2", "p9", box="4")).then(refuses("BOX_FULL"))
    shared = start.given(AreaSharingPermitted(players_max=2))
    shared.when(place("w2", "p9", box="4")).then(like(DebitRequested, box="4"))


def test_a_standing_player_needs_a_live_permission() -> None:
    """D-23: with and without; revocation leaves accepted wagers alone."""
    start = table("nsw-baccarat", ("p1", 4)).given(betting())
    start.when(place("w1", "p9", box="5")).then(refuses("STANDING_NOT_PERMITTED"))
    start.when(place("w1", "p1")).then(like(DebitRequested, standing=False))
    permit = PermitStanding(at_us=AT_US, by=GAME_SUPERVISOR, permitted=True)
    allowed = start.when(permit).then(like(StandingWagerPermitted, player=None))
    staked = allowed.when(place("w1", "p9", box="5")).then(like(DebitRequested, standing=True))
    assert staked.state.book.pending
    end = PermitStanding(at_us=AT_US, by=GAME_SUPERVISOR, permitted=False)
    ended = (
        allowed.given(accepted("w1", "p9", box="5", standing=True))
        .when(end)
        .then(like(PermissionRevoked, permission="STANDING"))
    )
    assert set(ended.state.book.wagers) == {"w1"}
    ended.when(place("w2", "p9", "TIE", box="5")).then(refuses("STANDING_NOT_PERMITTED"))
    ended.when(end).then_nothing()


def test_a_permission_to_stand_may_be_one_players() -> None:
    """D-23: it names the player; whoever left his seat stands as well."""
    permit = PermitStanding(at_us=AT_US, by=GAME_SUPERVISOR, permitted=True, player="p9")
    allowed = (
        table("nsw-baccarat", ("p1", 4))
        .when(permit)
        .then(like(StandingWagerPermitted, player="p9"))
    )
    left = allowed.given(SeatVacated(seat=4, player="p1"), betting())
    left.when(place("w1", "p9")).then(like(DebitRequested, standing=True))
    left.when(place("w1", "p1")).then(refuses("STANDING_NOT_PERMITTED"))


def test_a_permission_to_stand_opens_the_named_box_and_counts_in_its_cap() -> None:
    """D-23, X-12: beside the one player of the box, up to three in all."""
    start = table("nsw-baccarat", ("p1", 4), ("p2", 1)).given(
        StandingWagerPermitted(), betting(), accepted("w1", box="4")
    )
    start.when(place("w2", "p9", box="4")).then(like(DebitRequested, standing=True))
    three = start.given(
        accepted("w2", "p9", box="4", standing=True), accepted("w3", "p8", box="4", standing=True)
    )
    three.when(place("w4", "p7", box="4")).then(refuses("BOX_FULL"))
    three.when(place("w4", "p1", "TIE", box="4")).then(like(DebitRequested))
    start.when(place("w4", "p2", box="4")).then(refuses("BOX_FULL"))


def test_only_a_game_supervisor_lets_standing_players_wager() -> None:
    """D-23: his discretion; no permission where the rulebook asks for none."""
    permit = PermitStanding(at_us=AT_US, by=person("DEALER"), permitted=True)
    table("nsw-baccarat").when(permit).then_raises("ROLE")
    by_supervisor = PermitStanding(at_us=AT_US, by=GAME_SUPERVISOR, permitted=True)
    table("nsw-mini").when(by_supervisor).then_raises("NOT_PERMITTED")


def test_a_box_that_the_table_does_not_have_is_unknown() -> None:
    """F-17: seats and boxes are 1 to n."""
    table().given(betting()).when(place(box="10")).then_raises("UNKNOWN")


# --- one player's own limits ---


def test_own_limits_replace_the_tables_for_that_player_alone() -> None:
    """F-81: above the maximum and inside; below his own minimum is outside; another is as ever."""
    grant = GrantLimits(
        at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", minimum_minor=500, maximum_minor=9000
    )
    granted = (
        spec(wager)
        .given(opened(), sign({"*": Limit(100, 1000)}))
        .when(grant)
        .then(like(PlayerLimitsGranted, player="p1", minimum_minor=500, maximum_minor=9000))
        .given(betting())
    )
    granted.when(place("w1", amount=9000)).then(like(DebitRequested, out_of_limits=False))
    granted.when(place("w1", amount=9001)).then(like(DebitRequested, out_of_limits=True))
    granted.when(place("w1", amount=499)).then(like(DebitRequested, out_of_limits=True))
    granted.when(place("w1", "p2", amount=1001)).then(like(DebitRequested, out_of_limits=True))
    on_screen = place("w1", amount=499, channel="SCREEN")
    granted.when(on_screen).then(refuses("BELOW_MINIMUM"))
    inside = granted.given(
        accepted("w1", stake=9000), accepted("w2", "p2", stake=9000, out_of_limits=True)
    )
    dealer = person("DEALER")
    inside.when(RejectWager(at_us=AT_US, by=dealer, wager_id="w1")).then_raises("STATE")
    inside.when(RejectWager(at_us=AT_US, by=dealer, wager_id="w2")).then(
        like(WagerRejected, code="BY_DEALER", accepted=True, refund_minor=9000)
    )


def test_one_of_own_minimum_and_maximum_may_be_the_tables() -> None:
    """F-81: what is not named stays."""
    granted = spec(wager).given(
        opened("nsw-mini"),
        sign({"*": Limit(100, 1000)}),
        PlayerLimitsGranted(player="p1", currency="EUR", maximum_minor=5000),
        betting(),
    )
    granted.when(place(amount=99, channel="SCREEN")).then(refuses("BELOW_MINIMUM"))
    granted.when(place(amount=5000, channel="SCREEN")).then(like(DebitRequested))
    granted.when(place(amount=5001, channel="SCREEN")).then(refuses("ABOVE_MAXIMUM"))


def test_own_limits_end_at_their_instant_and_after_revocation_with_the_next_coup() -> None:
    """F-81: they expire; revoked they hold for the coup in progress."""
    granted = spec(wager).given(
        opened("nsw-mini"),
        sign({"*": Limit(100, 1000)}),
        PlayerLimitsGranted(
            player="p1", currency="EUR", maximum_minor=5000, until_us=AT_US + HOUR_US
        ),
        betting(),
    )
    on_screen = place(amount=5000, channel="SCREEN", at_us=AT_US + HOUR_US)
    granted.when(on_screen).then(refuses("ABOVE_MAXIMUM"))
    take = RevokePermission(
        at_us=AT_US, by=CASINO_SUPERVISOR, permission="PLAYER_LIMITS", player="p1"
    )
    revoked = granted.when(take).then(like(PermissionRevoked, player="p1", from_coup=2))
    now = place(amount=5000, channel="SCREEN")
    revoked.when(now).then(like(DebitRequested))
    revoked.given(over(), betting(2)).when(now).then(refuses("ABOVE_MAXIMUM"))


def test_who_grants_own_limits_and_where_there_are_none() -> None:
    """F-81: CASINO_SUPERVISOR; a rulebook without them, a minimum above the maximum."""
    by_dealer = GrantLimits(at_us=AT_US, by=person("DEALER"), player="p1", maximum_minor=9)
    table().when(by_dealer).then_raises("ROLE")
    grant = GrantLimits(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", maximum_minor=99)
    table("super-six").when(grant).then_raises("NOT_PERMITTED")
    table().when(grant).then_raises("STATE")
    nothing = GrantLimits(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1")
    table().when(nothing).then_raises("STATE")


def test_a_game_supervisor_counts_only_where_the_house_says_so() -> None:
    """F-06: refused by default; with the field accepted for CASINO_SUPERVISOR, not beyond."""
    field = {"games_supervisor_counts_as_casino_supervisor": True}
    house = spec(wager).given(opened(changed=field), sign())
    house.when(PermitSharing(at_us=AT_US, by=GAME_SUPERVISOR)).then(like(AreaSharingPermitted))
    house.when(ApproveOpposing(at_us=AT_US, by=GAME_SUPERVISOR)).then_raises("ROLE")
    table().when(PermitSharing(at_us=AT_US, by=GAME_SUPERVISOR)).then_raises("ROLE")


# --- barred players ---


def test_no_wager_of_a_barred_player_is_taken() -> None:
    """F-168: out of the game; he may take back what he staked before, and raise nothing."""
    start = table().given(betting(), accepted("w1"))
    bar = BarPlayer(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", reason="PROHIBITED_DEVICE")
    barred = start.when(bar).then(like(PlayerBarred, player="p1", scope="GAME"))
    barred.when(place("w2")).then(refuses("BARRED"))
    barred.when(place("w2", "p2")).then(like(DebitRequested))
    player = person("PLAYER", "p1")
    raised = ChangeWager(at_us=AT_US, by=player, wager_id="w1", amount_minor=2000)
    barred.when(raised).then_raises("BARRED")
    assert barred.when(CancelWager(at_us=AT_US, by=player, wager_id="w1")).events
    start.when(BarPlayer(at_us=AT_US, by=GAME_SUPERVISOR, player="p1")).then_raises("ROLE")


@pytest.mark.parametrize(("scope", "taken"), [("GAME", True), ("CASINO", False)])
def test_a_bar_from_the_casino_outlasts_the_table(scope: str, taken: bool) -> None:
    """F-169: from the game for this session, from the casino for good."""
    bar = BarPlayer(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", scope=scope)
    barred = table().when(bar).then(like(PlayerBarred, scope=scope))
    reopened = barred.when_heard(TableOpened(session=2, settings=settings()))
    again = reopened.before.given(*reopened.events, betting())
    again.when(place()).then(like(DebitRequested) if taken else refuses("BARRED"))


def test_whom_another_table_barred_from_the_casino_stakes_at_none() -> None:
    """F-169: no wager and no increase; what was accepted stands, and may be lowered or taken back."""
    state = table().given(betting(), accepted("w1")).state
    assert not state.settings.test
    [refused] = wager.decide(place("w2"), state, BARRED)
    assert refuses("BARRED").fits(refused)
    assert isinstance(refused, WagerRejected)
    assert refused.clauses == ("004:14.1", "004:14.3")
    assert like(DebitRequested).fits(wager.decide(place("w2", "p2"), state, BARRED)[0])
    player = person("PLAYER", "p1")
    change = ChangeWager(at_us=AT_US, by=player, wager_id="w1", amount_minor=2000)
    with pytest.raises(Refused) as no:
        wager.decide(change, state, BARRED)
    assert no.value.reason == "BARRED"
    assert wager.decide(replace(change, amount_minor=500), state, BARRED)
    assert wager.decide(CancelWager(at_us=AT_US, by=player, wager_id="w1"), state, BARRED)


def test_the_casinos_bars_are_not_asked_for_at_a_table_in_test_mode() -> None:
    """F-169: a recorded or tried table is not the casino; nor does a command that stakes nothing ask."""
    trial = spec(wager).given(opened(mode="TEST"), sign(), betting(), accepted("w1")).state
    assert wager.staking_player(place("w2"), trial) == ""
    assert like(DebitRequested).fits(wager.decide(place("w2"), trial, BARRED)[0])
    live = table().given(betting(), accepted("w1")).state
    by = person("DEALER")
    asked = {
        "p9": place("w2", "p9"),
        "p1": ChangeWager(at_us=AT_US, by=by, wager_id="w1", amount_minor=2000),
        "": CancelWager(at_us=AT_US, by=by, wager_id="w1"),
    }
    for player, command in asked.items():
        assert wager.staking_player(command, live) == player


def lift(scope: str, **fields: Any) -> LiftBar:
    return LiftBar(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", scope=scope, **fields)


@pytest.mark.parametrize("scope", ["GAME", "CASINO"])
def test_a_bar_ends_by_the_word_of_who_may_give_it(scope: str) -> None:
    """F-168, F-169: from then on wagers are taken again; who is not barred is not let back."""
    bar = BarPlayer(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", scope=scope)
    start = table().given(betting())
    barred = start.when(bar).then(like(PlayerBarred, scope=scope))
    start.when(lift(scope)).then_raises("UNKNOWN")
    barred.when(lift("CASINO" if scope == "GAME" else "GAME")).then_raises("UNKNOWN")
    barred.when(replace(lift(scope), by=GAME_SUPERVISOR)).then_raises("ROLE")
    barred.when(replace(lift(scope), player="p2")).then_raises("UNKNOWN")
    lifted = barred.when(lift(scope, reason="a mistake")).then(
        like(BarLifted, player="p1", scope=scope, reason="a mistake")
    )
    lifted.when(place()).then(like(DebitRequested))
    lifted.when(lift(scope)).then_raises("UNKNOWN")


def test_of_two_bars_the_other_holds_on() -> None:
    """F-168, F-169: out of the game and out of the casino are ended one by one."""
    bar = BarPlayer(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", scope="CASINO")
    both = table().given(
        betting(), *(PlayerBarred(player="p1", scope=s) for s in ("CASINO", "GAME"))
    )
    for first, second in (("GAME", "CASINO"), ("CASINO", "GAME")):
        one = both.when(lift(first)).then(like(BarLifted, scope=first))
        one.when(place()).then(refuses("BARRED"))
        none = one.when(lift(second)).then(like(BarLifted, scope=second))
        none.when(place()).then(like(DebitRequested))
        assert none.when(bar).events


def test_another_table_may_have_lifted_the_bar_that_this_one_gave() -> None:
    """F-169: at a live table the register of all tables decides who is out of the casino."""
    state = table().given(betting(), PlayerBarred(player="p1", scope="CASINO")).state
    free = Facts(barred=frozenset())
    assert like(DebitRequested).fits(wager.decide(place(), state, free)[0])
    with pytest.raises(Refused) as no:
        wager.decide(lift("CASINO"), state, free)
    assert no.value.reason == "UNKNOWN"
    [lifted] = wager.decide(lift("CASINO"), table().state, BARRED)
    assert like(BarLifted, scope="CASINO").fits(lifted)


def test_a_bar_from_the_game_lets_nobody_back_into_the_casino() -> None:
    """F-169: the wider bar outlasts a narrower one that is given after it."""
    bar = BarPlayer(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", scope="CASINO")
    barred = table().when(bar).then(like(PlayerBarred, scope="CASINO"))
    again = barred.when(replace(bar, scope="GAME")).then(like(PlayerBarred, scope="GAME"))
    reopened = again.when_heard(TableOpened(session=2, settings=settings()))
    reopened.before.given(*reopened.events, betting()).when(place()).then(refuses("BARRED"))


def test_there_is_no_third_scope_of_a_bar() -> None:
    """F-168, F-169: the game or the casino."""
    table().when(
        BarPlayer(at_us=AT_US, by=CASINO_SUPERVISOR, player="p1", scope="TOWN")
    ).then_raises("UNKNOWN")
