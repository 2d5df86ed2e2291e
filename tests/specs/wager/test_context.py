"""The player's context: it stays with the wager, chooses the wallet, and binds by a limit set."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import SecretStr

from services.chassis.auth import Stamp
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.decider import Staged
from services.contracts.common import Limit, PlayerContext
from services.contracts.core import Actor, Command, Event, Meta, Refused
from services.contracts.wager import DebitRequested, WagerAccepted, WagerCancelled, WagerRejected
from services.wager import domain as wager
from services.wager import wallets
from services.wager.api import context_of
from services.wager.commands import CancelWager, ChangeWager, RecordDebit
from services.wager.config import WalletSettings, operators_in
from services.wager.domain.facts import Facts, OperatorLimits
from services.wager.movements import movement_of
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import betting, opened, place, sign, voided

PLAYER = person("PLAYER", "p1")
ACME = PlayerContext(operator="acme", brand="b", jurisdiction="MT", session="s1")
VIP = replace(ACME, limit_set="vip")
LIMITS = OperatorLimits(
    areas={"*": Limit(500, 5_000)}, coup_maximum_minor=6_000, maximum_win_minor=39_999
)
SECRET = "0123456789abcdef0123456789abcdef"


def table(mode: str = "LIVE") -> Spec:
    return spec(wager).given(opened("live-lobby", mode=mode), sign(), betting())


def staking(context: PlayerContext | None = ACME, **fields: Any) -> Command:
    return replace(place(**fields), context=context)


def decided(command: Command, state: Any, facts: Facts) -> Event:
    return next(iter(wager.decide(command, state, facts)))


def test_a_wager_keeps_the_context_that_it_was_staked_under() -> None:
    """D13: debit, acceptance, cancel and their movements name it; nobody else's does."""
    asked = table().when(staking()).then(like(DebitRequested, context=ACME))
    paid = RecordDebit(at_us=AT_US, by=PLAYER, movement_id="T1/w1/1", outcome="DONE")
    held = asked.when(paid).then(like(WagerAccepted, context=ACME))
    back = held.when(CancelWager(at_us=AT_US, by=PLAYER, wager_id="w1"))
    back.then(like(WagerCancelled, context=ACME))
    movement = movement_of(back.events[0], "T1")
    assert movement is not None
    assert (movement.verb, movement.operator, movement.context) == ("CANCEL", "acme", ACME)
    refunds = held.when_heard(voided())
    assert all(event.context == ACME for event in refunds.only(wager.EVENTS["wager-refunded"]))
    assert refunds.only(wager.EVENTS["wager-refunded"])


def test_the_context_is_of_players_who_stake_themselves() -> None:
    """A dealer who stakes for a player has a token of his own; what is unknown is passed over."""
    told = {"operator": "acme", "session": "s1", "shoe_size": "43"}
    of_player = context_of(Stamp(AT_US, PLAYER, None, None, context=told))
    assert of_player == PlayerContext(operator="acme", session="s1")
    assert context_of(Stamp(AT_US, person("DEALER"), None, None, context=told)) is None
    assert context_of(Stamp(AT_US, PLAYER, None, None)) is None


def test_an_increase_is_debited_under_the_token_of_its_own_call() -> None:
    """A new session is taken, another operator is not."""
    held = table().given(WagerAccepted(
        coup_id="T1:1:1", wager_id="w1", player="p1", area="BANKER", currency="EUR",
        stake_minor=1000, channel="SCREEN", limits_version=1, context=ACME,
    ))  # fmt: skip
    more = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=2000)
    held.when(more).then(like(DebitRequested, context=ACME))
    later = replace(ACME, session="s2")
    held.when(replace(more, context=later)).then(like(DebitRequested, context=later))
    held.when(replace(more, context=PlayerContext(operator="b"))).then_raises("NOT_PERMITTED")


# --- limit sets ---


@pytest.mark.parametrize(
    ("stakes", "code"),
    [
        ((499,), "BELOW_MINIMUM"),
        ((500,), ""),
        ((5_001,), "ABOVE_MAXIMUM"),
        ((4_000, 1_500), "ABOVE_MAXIMUM"),
        ((50_000_000,), "ABOVE_MAXIMUM"),
    ],
)
def test_the_stricter_of_table_and_limit_set_refuses(stakes: tuple[int, ...], code: str) -> None:
    """Domain 4.2: operator limits apply on top of the table's; the player's total counts."""
    held = table()
    for number, stake in enumerate(stakes[:-1]):
        held = held.given(_accepted(f"w{number}", "BANKER", stake))
    last = staking(VIP, wager="last", area="BANKER", amount=stakes[-1])
    event = decided(last, held.state, Facts(limits={"EUR": LIMITS}))
    assert getattr(event, "code", "") == code
    free = decided(replace(last, context=ACME), held.state, Facts())
    assert (getattr(free, "code", "") == "ABOVE_MAXIMUM") == (stakes == (50_000_000,))


def test_a_limit_set_bounds_all_of_a_players_stakes_and_what_they_could_win() -> None:
    """Domain 4.2: maximum win and stake in a coup, over all areas."""
    facts = Facts(limits={"EUR": LIMITS})
    held = table().given(_accepted("w1", "BANKER", 4_000)).state
    second = staking(VIP, wager="w2", area="TIE", amount=2_001)
    assert getattr(decided(second, held, facts), "code", "") == "PLAYER_COUP_MAXIMUM"
    tie = staking(VIP, wager="w2", area="TIE", amount=5_000)
    assert getattr(decided(tie, table().state, facts), "code", "") == "MAXIMUM_WIN"


def _accepted(wager_id: str, area: str, stake: int) -> WagerAccepted:
    return WagerAccepted(
        coup_id="T1:1:1", wager_id=wager_id, player="p1", area=area, currency="EUR",
        stake_minor=stake, channel="SCREEN", limits_version=1, context=VIP,
    )  # fmt: skip


def test_a_limit_set_that_nobody_knows_takes_no_wager() -> None:
    """It binds the player, so that a missing one is no permission; a TEST table is not bound."""
    held = table()
    held.when(staking(VIP)).then(like(WagerRejected, code="LIMIT_SET"))
    dollars = Facts(limits={"USD": LIMITS})
    assert getattr(decided(staking(VIP), held.state, dollars), "code", "") == "LIMIT_SET"
    table("TEST").when(staking(VIP)).then(like(DebitRequested))


# --- operators' own settings ---


OPERATORS = {
    "acme": {
        "kind": "http",
        "url": "https://wallet.acme.example",
        "key_id": "k",
        "secret": SECRET,
        "partial_cancel": False,
    },
    "small": {"limit_sets": {"vip": {"EUR": {"areas": {"*": {"min_minor": 1, "max_minor": 9}}}}}},
    "house": {"kind": "ledger"},
}


def settings(**more: Any) -> WalletSettings:
    return WalletSettings(operators=SecretStr(json.dumps(OPERATORS)), **more)


def test_each_operators_players_have_their_money_in_his_wallet() -> None:
    """Who has none of his own has the default one; TEST tables have the ledger (D8)."""
    mixed = settings()
    for operator, away in (("acme", True), ("small", False), ("house", False), ("", False)):
        assert wallets.is_elsewhere(mixed, operator, test=False) == away
        assert not wallets.is_elsewhere(mixed, operator, test=True)
    http = settings(kind="http", url="https://w.example", key_id="k", secret=SecretStr(SECRET))
    for operator, away in (("acme", True), ("small", True), ("house", False), ("other", True)):
        assert wallets.is_elsewhere(http, operator, test=False) == away
    routed = wallets.wallets_of(http, SYSTEM_CLOCK)
    assert routed is not None
    assert routed.of("acme") is not routed.of("small") is routed.of("")
    only = wallets.wallets_of(mixed, SYSTEM_CLOCK)
    assert only is not None
    with pytest.raises(LookupError):
        only.of("small")
    assert wallets.wallets_of(WalletSettings(), SYSTEM_CLOCK) is None


def test_an_event_is_routed_by_the_context_of_its_wager() -> None:
    """The journal takes what is elsewhere, the ledger the rest."""
    away = wallets.elsewhere(settings())
    assert away is not None
    meta = Meta(
        table_id="T1", occurred_at_us=AT_US, actor=Actor("p1", "PLAYER"), command_id="c", cause="c",
        depth=1,
    )  # fmt: skip
    for context, there in ((ACME, True), (None, False), (PlayerContext(operator="house"), False)):
        event = table().when(staking(context)).events[0]
        staged = Staged("T1", event, meta)
        assert away(staged) == there
        assert not away(replace(staged, meta=replace(meta, test=True)))
    assert wallets.elsewhere(WalletSettings()) is None


def test_what_a_wallet_cannot_do_binds_its_own_players_alone() -> None:
    """Domain 4.2, switch: whole cancels at one operator are no rule for the others."""
    check = wallets.rules(settings())
    assert check is not None
    state = table().given(_accepted("w1", "BANKER", 1_000)).state
    change = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="w1", amount_minor=500)
    with pytest.raises(Refused):
        check(change, state)
    check(replace(change, context=PlayerContext(operator="small")), state)


def test_a_limit_set_is_the_operators_own() -> None:
    """The same name at another operator is another set."""
    find = wallets.limit_sets(settings())
    found = find(PlayerContext(operator="small", limit_set="vip"))
    assert found == {"EUR": OperatorLimits(areas={"*": Limit(1, 9)})}
    assert find(PlayerContext(operator="acme", limit_set="vip")) is None
    assert find(None) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "is no JSON"),
        ('{"acme": {"secret": "very private", "colour": 1}}', "acme.colour"),
        ('{"acme": {"kind": "post"}}', "acme.kind"),
        ('{"acme": {"limit_sets": {"v": {"EUR": {"areas": {"*": {}}}}}}}', "min_minor"),
    ],
)
def test_a_fault_in_the_operators_settings_is_named_without_their_secrets(
    text: str, fault: str
) -> None:
    """Which operator and which setting; never a value."""
    with pytest.raises(ValueError, match=fault) as wrong:
        operators_in(text)
    assert "private" not in str(wrong.value)
