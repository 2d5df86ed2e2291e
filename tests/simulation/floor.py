"""The people: dealers, supervisors and players, who mostly do what they should.

What they do next is drawn from what the table is at, so that a run goes through whole coups with
voids, misdeals, corrections, shoe changes and disputes in them. Each table has a dealer and players
who act at the same time; nobody waits for messages to arrive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from msgspec import Struct

from services.contracts.common import Limit
from services.contracts.core import SYSTEM, Actor
from services.round import commands as table
from services.round.domain.coup import is_complete
from services.rulebooks.catalogue import document
from services.rulebooks.settings import table_settings
from services.rules.cards import FULL_DECK
from services.settlement import commands as money
from services.shoe import commands as cards
from services.shoe.sealing import Order
from services.wager import commands as book
from tests.simulation.calls import Desk

SHOE, ROUND, WAGER, SETTLEMENT = "shoe", "round", "wager", "settlement"
RULEBOOKS: Final = (
    "live-lobby", "live-studio", "nsw-baccarat", "nsw-mini",
    "nsw-mini-even-money", "super-six", "super-six-commission",
)  # fmt: skip
PLAYERS: Final = ("ada", "ben", "cleo", "dan", "eva")
"""Each of them has one account, and may play at every table at once."""

DEALER = Actor("dealer", "DEALER")
PIT = Actor("pit", "GAME_SUPERVISOR")
BOSS = Actor("boss", "CASINO_SUPERVISOR")
DUTY = Actor("duty", "DUTY_MANAGER")
INSPECTOR = Actor("inspector", "INSPECTOR")
RELIEF: Final = "relief"
"""The dealer who takes over for a while."""

WIDE_FROM: Final = 2_000_000
"""From this seed on people do more than below it: they relieve dealers, change the game, bring devices and
packs, close a table and open it again, and abandon one. A seed below plays as it did when it failed."""
TWO: Final[Mapping[str, Any]] = {"by": BOSS, "second": PIT}

FACED_WITH_S = 0.02, 0.9
BETTING_S = 1.0, 4.0
STAKES = (100, 101, 250, 333, 1_000, 2_525, 40_000)

Option = tuple[str, type[Any], dict[str, Any]]
"""Service, command and fields."""


class Plan(Struct, frozen=True):
    """What a table is."""

    table_id: str
    rulebook_id: str
    mode: str
    source: str
    """Of its shoes: SCANNED, PRESET or GENERATED."""

    method: str
    decks: int
    coups: int
    chip_minor: int
    auto_burn: bool
    differential_minor: int | None
    odd: float
    """How often people do something out of the ordinary."""

    wide: bool = False
    sessions: int = 1
    """How often the table is opened."""


def planned(number: int, random: Random, *, wide: bool = False) -> Plan:
    """A table that this seed has."""
    rulebook_id = random.choice(RULEBOOKS)
    rules: Any = document(rulebook_id)
    mode = random.choice(("TEST", "TEST", "LIVE"))
    live = mode == "LIVE"
    seated = rules["table_kind"] == "SEATED"
    return Plan(
        table_id=f"T{number}",
        rulebook_id=rulebook_id,
        mode=mode,
        source="SCANNED" if live else random.choice(("PRESET", "PRESET", "GENERATED", "SCANNED")),
        method="A" if live else random.choice(("A", "A", "A", *rules["methods"])),
        decks=random.choice(rules["decks"]),
        coups=random.choice((1, 3, 5)),
        chip_minor=random.choice((1, 50)),
        auto_burn=random.random() < 0.7,
        differential_minor=random.choice((None, 3_000)) if seated else None,
        odd=random.choice((0.0, 0.1, 0.3)),
        wide=wide,
        sessions=random.choice((1, 2)) if wide else 1,
    )


class Floor:
    """One table with its people."""

    def __init__(self, world: Any, plan: Plan) -> None:
        self.plan = plan
        self.rules: Any = document(plan.rulebook_id)
        self.desk = Desk(world, plan.table_id)
        self.leaving = False
        """The people finish what is begun, and begin nothing any more."""

        self.closed = False
        self._world = world
        self._random: Random = world.chance.random
        self._order: tuple[str, ...] = ()
        self._shoes = 0
        self._wagers = 0
        self._disputes = 0
        self._patience = 0
        self._sessions = 0
        self._devices = 0

    async def look(self, service: str) -> Any:
        """What a service knows of the table; None while nobody answers."""
        return await self._world.look(service, self.plan.table_id)

    # --- the dealer -------------------------------------------------------------------------------

    async def deal(self) -> None:
        """From the opening of the table to its rest."""
        await self._open()
        while True:
            await asyncio.sleep(self._world.chance.between(*FACED_WITH_S))
            state, shoe = await self.look(ROUND), await self.look(SHOE)
            if state is None or shoe is None:
                continue
            if not state.open:
                if self.leaving or self._sessions >= self.plan.sessions:
                    return
                await self._open()
            elif state.coup is None and state.request is None and self._done(state):
                if self.leaving or self._sessions >= self.plan.sessions:
                    return
                await self.desk.act(ROUND, table.CloseTable, BOSS, exemption="another table opens")
            else:
                await self._next(state, shoe)

    def _done(self, state: Any) -> bool:
        return self.leaving or state.coups >= self.plan.coups

    async def _open(self) -> None:
        plan, act = self.plan, self.desk.act
        self._sessions += 1
        settings = table_settings(
            table_id=plan.table_id,
            table_number=plan.table_id,
            rulebook_id=plan.rulebook_id,
            options={},
            decks=plan.decks,
            currency="EUR",
            limits={"EUR": {"*": Limit(100, 50_000)}},
            mode=plan.mode,
            smallest_chip_minor=plan.chip_minor,
            seats=9,
            left_of_dealer=9,
            layout="C" if plan.method in ("C", "D") else "A",
            method=plan.method,
            auto_burn=plan.auto_burn,
            differential_minor=plan.differential_minor,
            betting_seconds=3 if self.rules["betting_close"] == "TIMER" else None,
        )
        await act(ROUND, table.OpenTable, BOSS, settings=settings)
        await act(ROUND, table.AssignDealer, PIT, dealer=DEALER.id)
        if self.rules["sign_odds_required"]:
            await act(ROUND, table.DisplaySign, PIT, sign="ODDS")
        if plan.method != "A":
            by = INSPECTOR if plan.method == "B" else DUTY
            await act(ROUND, table.ApproveMethod, by, method=plan.method)
        if self.rules["table_kind"] == "SEATED":
            for seat, player in enumerate(PLAYERS, 1):
                await act(ROUND, table.TakeSeat, _player(player), seat=seat, player=player)

    async def _next(self, state: Any, shoe: Any) -> None:
        """Do one of the things that may be done now."""
        before = state.coup and (state.coup.coup_id, state.coup.phase, state.coup.dealt)
        self._patience = self._patience + 1 if before == getattr(self, "_before", None) else 0
        self._before = before
        usual = list(self._usual(state, shoe))
        odd = [] if self.leaving else list(self._odd(state, shoe))
        if self._patience > 40 and state.coup is not None:
            usual = [*self._way_out(state)]
        pool = odd if odd and self._random.random() < self.plan.odd else usual
        if not pool:
            return
        service, command, fields = self._random.choice(pool)
        dealer = Actor(state.crew.dealer, "DEALER") if self.plan.wide else DEALER
        by = fields.pop("by", dealer)
        await self.desk.act(service, command, by, **fields)

    def _usual(self, state: Any, shoe: Any) -> Iterator[Option]:
        coup = state.coup
        if coup is None:
            yield from self._between(state, shoe)
        elif coup.hold is not None:
            yield from self._held(coup, shoe)
        elif coup.window is not None:
            if self._patience > 8:
                yield ROUND, table.CloseWithdrawals, {}
        elif coup.phase == "BETTING":
            if self._patience > 4 or self._random.random() < 0.1:
                yield ROUND, table.CallNoMoreBets, {}
        elif coup.phase == "CLOSED":
            if not coup.book_asked:
                yield ROUND, table.CloseBook, {}
            elif not coup.deal_called and self.plan.source != "SCANNED":
                yield ROUND, table.DealCoup, {}
        elif coup.phase == "DEALING":
            yield from self._dealing(state, coup, shoe)

    def _between(self, state: Any, shoe: Any) -> Iterator[Option]:
        on_table = shoe.shoe
        over = on_table is None or on_table.ended or on_table.invalid
        view = state.shoe
        last = view is not None and view.last_coup is not None and state.coups >= view.last_coup
        if state.suspension is not None:
            yield ROUND, table.ResumeTable, {"by": BOSS, "second": PIT}
            if not over:
                yield SHOE, cards.EndShoe, {"by": PIT, "reason": "suspended"}
        if over or (last and on_table is not None and on_table.ended):
            yield from self._new_shoe(shoe)
            return
        if last:
            yield SHOE, cards.EndShoe, {"by": PIT, "reason": "last coup"}
        for reason in on_table.owed:
            if reason == "GAME_ERROR":
                yield SHOE, cards.ApproveErrorBurn, {"by": PIT}
            yield SHOE, cards.BurnCards, {"reason": reason, **self._burnt(on_table)}
        if not on_table.owed and state.request is None and not self._done(state):
            yield ROUND, table.OpenBetting, {}

    def _burnt(self, shoe: Any) -> dict[str, Any]:
        if self.plan.source != "SCANNED" or shoe.drawn >= len(self._order):
            return {}
        return {"first_card": self._order[shoe.drawn]}

    def _new_shoe(self, shoe: Any) -> Iterator[Option]:
        """The next step until a shoe is on the table."""
        plan, done = self.plan, shoe.preparation
        if plan.mode == "TEST":
            yield self._load(stands_for_preparation=True)
        elif not done.inspected:
            witness = {"witness": "pit", "video": "camera", "stage": "PRE"}
            yield SHOE, cards.InspectCards, witness
        elif not done.shuffled:
            yield SHOE, cards.ShuffleCards, {"procedure": "MANUAL"}
        elif done.cut is None:
            yield from self._cut(done)
        elif done.from_back is None:
            most = plan.decks * 52 // 2
            depth = self.rules["cut_depth"]
            from_back = depth["cards"] if depth["mode"] == "EXACT" else most
            yield SHOE, cards.PlaceCutCard, {"from_back": from_back}
        else:
            yield self._load()

    def _cut(self, done: Any) -> Iterator[Option]:
        position = self.plan.decks * 52 // 2
        if self.rules["cut_by"] == "DEALER":
            yield SHOE, cards.CutCards, {"position": position}
            return
        seats = range(1, len(PLAYERS) + 1)
        if done.offered is not None:
            by = _player(PLAYERS[done.offered - 1])
            yield SHOE, cards.CutCards, {"by": by, "position": position, "seat": done.offered}
            yield SHOE, cards.DeclineCut, {"by": by, "seat": done.offered}
            return
        for seat in seats:
            if seat not in done.declined:
                yield SHOE, cards.OfferCut, {"seat": seat}
        yield SHOE, cards.CutCards, {"by": PIT, "position": position}

    def _load(self, **fields: Any) -> Option:
        plan = self.plan
        self._shoes += 1
        stack = list(FULL_DECK) * plan.decks
        self._random.shuffle(stack)
        self._order = tuple(stack)
        named: dict[str, Any] = {"shoe_id": f"{plan.table_id}-S{self._shoes}", **fields}
        if plan.mode == "TEST":
            named["cuts_after"] = self._random.choice((None, 15, 40))
        if plan.source != "SCANNED":
            secret = self._random.randbytes(32) if plan.source == "GENERATED" else b""
            named["order"] = Order(self._order, secret)
        return SHOE, cards.LoadShoe, {"source": plan.source, **named}

    def _held(self, coup: Any, shoe: Any) -> Iterator[Option]:
        number = {"coup": coup.number}
        yield ROUND, table.RuleOnDeal, {"by": BOSS, "ruling": "RECONSTRUCT", **number}
        yield ROUND, table.RuleOnDeal, {"by": BOSS, "ruling": "NOT_RECONSTRUCTIBLE", **number}
        yield ROUND, table.RuleOnDeal, {"by": BOSS, "ruling": "CORRECT_PLACEMENT", **number}
        yield ROUND, table.ConfirmResult, {"by": BOSS, **number}
        yield ROUND, table.AttestCard, {"by": BOSS, "seen": self._random.random() < 0.5}
        yield SHOE, cards.ResumeCoup, {"by": BOSS}
        if self._patience > 10:
            yield from self._way_out_of(coup)

    def _way_out(self, state: Any) -> Iterator[Option]:
        yield from self._way_out_of(state.coup)

    def _way_out_of(self, coup: Any) -> Iterator[Option]:
        yield ROUND, table.VoidCoup, {**TWO, "coup": coup.number, "reason": "EVACUATION"}
        if coup.hold is not None:  # a card before the close is attested, never voided
            yield ROUND, table.AttestCard, {"by": BOSS, "seen": False}
        if coup.phase == "BETTING":
            yield ROUND, table.CallNoMoreBets, {}

    def _drawn(self, shoe: Any, **fields: Any) -> Option:
        """The next card comes out; a scanner reads it where the platform does not know it."""
        drawn = shoe.shoe.drawn if shoe.shoe else 0
        if self.plan.source == "SCANNED" and drawn < len(self._order):
            fields["card"] = self._order[drawn]
        return SHOE, cards.DrawCard, fields

    def _dealing(self, state: Any, coup: Any, shoe: Any) -> Iterator[Option]:
        if coup.method == "A":
            complete = is_complete(coup)
            if complete:
                yield ROUND, table.AnnounceResult, {}
            elif self.plan.source == "SCANNED" or self._random.random() < 0.5:
                yield self._drawn(shoe)
            elif not coup.deal_called:
                yield ROUND, table.DealCoup, {}
            return
        yield self._drawn(shoe)
        yield ROUND, table.AnnounceResult, {}
        yield ROUND, table.DealCoup, {}
        seat = self._random.randint(1, len(PLAYERS))
        hand = self._random.choice(("PLAYER", "BANKER"))
        by = {"by": _player(PLAYERS[seat - 1])}
        if coup.method == "B":
            yield ROUND, table.OfferCards, {"hand": hand, "seat": seat}
            for make in (table.AcceptCards, table.DeclineCards, table.ReturnCards):
                yield ROUND, make, {**by, "hand": hand, "seat": seat}
        else:
            yield ROUND, table.OfferShoe, {"seat": seat}
            yield ROUND, table.AcceptShoe, {**by, "hand": hand, "seat": seat}
            yield ROUND, table.DeclineShoe, {**by, "seat": seat}

    # --- what should not happen -------------------------------------------------------------------

    def _odd(self, state: Any, shoe: Any) -> Iterator[Option]:
        """Irregularities, rulings and changes that are possible just now."""
        coup = state.coup
        if coup is not None:
            yield SHOE, cards.ExposeNext, {}
            yield ROUND, table.VoidCoup, {**TWO, "coup": coup.number, "reason": "EVACUATION"}
            if coup.phase in ("BETTING", "CLOSED", "DEALING"):
                yield self._drawn(shoe)
            if coup.phase == "DEALING":
                for hand in ("PLAYER", "BANKER"):
                    yield self._drawn(shoe, to=hand)
                    yield self._drawn(shoe, to=hand)
                yield ROUND, table.AnnounceResult, {"winner": "TIE"}
            if self._wagers:
                wager_id = self._some_wager()
                yield WAGER, book.VoidWager, {**TWO, "wager_id": wager_id, "reason": "DEVICE"}
                yield SETTLEMENT, money.VoidWager, {**TWO, "wager_id": wager_id}
                yield WAGER, book.RejectWager, {"wager_id": wager_id}
        if state.coups > 1:
            number = {"coup": self._random.randint(1, state.coups), **TWO}
            hands = _some_hands(self._random)
            yield ROUND, table.CorrectResult, {**number, **hands, "reason": "misread"}
            yield ROUND, table.InvalidateOutcome, {**number, "reason": "FIRE"}
            forfeit = {"reason": "FRAUD", "forfeit": (self._random.choice(PLAYERS),)}
            yield ROUND, table.InvalidateOutcome, {**number, **forfeit}
            yield from self._disputed(number["coup"])
        yield ROUND, table.SuspendTable, {"by": PIT, "reason": "look"}
        yield ROUND, table.ResumeTable, {"by": BOSS, "second": PIT}
        yield ROUND, table.ChangeDealer, {"by": PIT, "dealer": DEALER.id}
        yield ROUND, table.RecordIncident, {"by": PIT, "code": "OTHER", "note": "x"}
        yield WAGER, book.BarPlayer, {"by": BOSS, "player": PLAYERS[-1], "reason": "device"}
        yield WAGER, book.ApproveOpposing, {"by": DUTY, "coups": 2}
        limits = {"*": Limit(100, self._random.choice((20_000, 50_000)))}
        yield WAGER, book.ChangeLimits, {"by": BOSS, "limits": limits}
        yield SHOE, cards.EndShoe, {"by": PIT, "reason": "worn"}
        if self.plan.wide:
            yield from self._people_and_things(state)
            yield from self._other_games(state)

    def _people_and_things(self, state: Any) -> Iterator[Option]:
        """Dealers and supervisors who take turns, devices, packs."""
        self._devices += 1
        device = {"device_id": f"{self.plan.table_id}-d{self._devices}"}
        other = DEALER.id if state.crew.dealer == RELIEF else RELIEF
        yield ROUND, table.ChangeDealer, {"by": PIT, "dealer": other}
        yield ROUND, table.AssignSupervisor, {"by": BOSS, "supervisor": PIT.id}
        yield SHOE, cards.RegisterShoeDevice, {"by": PIT, **device}
        kind = self._random.choice(("MULTISHUFFLER", "SHUFFLING_DEVICE"))
        approved = {"kind": kind, "approval": "a"}
        yield SHOE, cards.RegisterShuffleDevice, {"by": PIT, **device, **approved}
        harm = {name: self._random.random() < 0.5 for name in ("disadvantage", "spare")}
        yield SHOE, cards.ReportFault, {"by": PIT, **harm, "transferable": True}
        seal = {"seal_id": f"s{self._devices}", "place": "safe"}
        yield SHOE, cards.SealPack, {"by": PIT, **seal}
        yield SHOE, cards.RemoveCards, {"by": PIT}
        yield SHOE, cards.CollectCards, {"direction": "LEFT_TO_RIGHT"}
        if self.plan.mode == "TEST" and self._sessions < self.plan.sessions:
            yield ROUND, table.AbandonTable, {"by": BOSS}

    def _other_games(self, state: Any) -> Iterator[Option]:
        """Another rulebook between coups, with the consent of all who sit there."""
        yield ROUND, table.AskConsent, {"by": PIT}
        for player in PLAYERS:
            yield ROUND, table.GiveConsent, {"by": _player(player), "player": player}
        rulebook_id = self._random.choice(RULEBOOKS)
        yield ROUND, table.ChangeGame, {"by": BOSS, "rulebook_id": rulebook_id}

    def _disputed(self, coup: int) -> Iterator[Option]:
        self._disputes += 1
        name = {"dispute_id": f"d{self._disputes}"}
        by = _player(self._random.choice(PLAYERS))
        yield SETTLEMENT, money.OpenDispute, {"by": by, **name, "coup": coup, "claim": "mispaid"}
        before = {"dispute_id": f"d{self._random.randint(1, self._disputes)}"}
        decided = {"by": PIT, **before, "level": 1, "decision": "DISMISSED"}
        yield SETTLEMENT, money.DecideDispute, decided

    def _some_wager(self) -> str:
        return f"w{self._random.randint(max(1, self._wagers - 6), self._wagers)}"

    # --- the players ------------------------------------------------------------------------------

    async def play(self, player: str) -> None:
        """Stake when there is betting, and sometimes when there is none."""
        chance = self._random
        while not self.leaving:
            await asyncio.sleep(self._world.chance.between(0.1, 2.5))
            state = await self.look(ROUND)
            if state is None or state.coup is None or self.leaving:
                continue
            coup = state.coup
            if coup.window is not None:
                make = chance.choice((book.WithdrawWager, book.KeepWager))
                await self._on_wager(make, player)
            elif coup.phase == "BETTING" or chance.random() < 0.15:
                await self._stake(player, coup)
                if chance.random() < 0.2:
                    await self._on_wager(book.CancelWager, player)
                elif chance.random() < 0.2:
                    amount = {"amount_minor": chance.choice(STAKES)}
                    await self._on_wager(book.ChangeWager, player, **amount)

    async def _stake(self, player: str, coup: Any) -> None:
        self._wagers += 1
        wager_id = f"w{self._wagers}"
        chance = self._random
        area = chance.choice(self.rules["areas"])
        fields: dict[str, Any] = {
            "wager_id": wager_id,
            "player": player,
            "area": area,
            "amount_minor": chance.choice(STAKES),
        }
        if chance.random() < 0.8:
            fields["coup_id"] = coup.coup_id
        if self.rules["promo_tokens"] and chance.random() < 0.1:
            fields["token"] = f"t{chance.randint(1, 6)}"
            fields["amount_minor"] = 500
        key = f"wager/{self.plan.table_id}/{wager_id}"
        # A token is handed to who deals, and staked by him.
        by = SYSTEM if "token" in fields else _player(player)
        await self.desk.act(WAGER, book.PlaceWager, by, key=key, **fields)

    async def _on_wager(self, make: type[Any], player: str, **fields: Any) -> None:
        if self._wagers:
            wager_id = self._some_wager()
            await self.desk.act(WAGER, make, _player(player), wager_id=wager_id, **fields)


def _player(name: str) -> Actor:
    return Actor(name, "PLAYER")


def _some_hands(random: Random) -> dict[str, Any]:
    """Hands as a supervisor may find that they really were."""
    return random.choice(
        (
            {"player": ("6S", "3D"), "banker": ("7H", "KC")},
            {"player": ("6S", "KD"), "banker": ("7H", "KC")},
            {"player": ("7S", "KD"), "banker": ("7H", "KC")},
        )
    )
