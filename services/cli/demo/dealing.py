"""A table from its opening to its close, played by the calls that a casino's applications make.

The dealer's application prepares and loads the shoe, opens betting, makes the calls and announces
the result; players stake under their own names; the electronic shoe reports each card that leaves.
Nobody here tells the platform what a card means.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable
from typing import Any, Final

from sabot.wager.v1 import wager_service_pb2, wallet_service_pb2
from services.cli.demo.desk import Desk, Stuck, called
from services.cli.demo.plan import Pattern, Recording, Scanner, Stake, TablePlan, seats, stack_cards
from services.contracts.core import Actor, Refused
from services.devstack.operator import SimulatedWallet
from services.rules import cutting, tableau
from services.rules.cards import Card
from services.rules.outcome import outcome
from services.tablelog.calls import Services

SHOE, ROUND, WAGER = "shoe", "round", "wager"
BEFORE_PLAY, AFTER_PLAY = "PRE", "POST"
PIT: Final = Actor("petra", "GAME_SUPERVISOR")
CAGE: Final = Actor("cage", "CASINO_SUPERVISOR")
COUP_CARDS_MAX: Final = 8
"""What a coup and the burn before it take at the most."""

LATE_EVERY_COUPS: Final = 5
"""In one of so many coups somebody stakes after the call."""

LATE_PLACE: Final = 99

DEPOSIT_STAKES: Final = 8_000
"""What a player brings, in minimum stakes of the table."""

SMALL_DEPOSIT_STAKES: Final = 50
"""What the last player of a table brings: he will be refused when it is spent."""


@dataclasses.dataclass(slots=True)
class Placed:
    """A wager as it was answered."""

    place: int
    """Its place among the wagers of the coup."""

    wager_id: str
    player: str
    area: str
    stake_minor: int
    cancelled: bool = False


@dataclasses.dataclass(slots=True)
class PlayedCoup:
    """What those at the table know of a coup: they saw the cards and got the answers."""

    coup_id: str
    number: int
    player: list[Card] = dataclasses.field(default_factory=list)
    banker: list[Card] = dataclasses.field(default_factory=list)
    wagers: list[Placed] = dataclasses.field(default_factory=list)
    rejected: dict[str, int] = dataclasses.field(default_factory=dict)
    """How many wagers were rejected, by reason."""


@dataclasses.dataclass(slots=True)
class Played:
    """All that happened at one table, as those at it know it."""

    plan: TablePlan
    coups: list[PlayedCoup] = dataclasses.field(default_factory=list)
    deposits: dict[str, int] = dataclasses.field(default_factory=dict)
    """By player, minor units of the table's currency."""

    shoes: dict[str, int] = dataclasses.field(default_factory=dict)
    """By shoe: cards that left it, burned ones with them."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast the demo plays."""

    card_s: float
    """From one card to the next at the least, so that a person can follow."""

    ends: float
    """On the monotonic clock: no coup is begun after it."""

    def over(self) -> bool:
        return time.monotonic() > self.ends


class TablePlay:
    """One table."""

    def __init__(
        self,
        services: Services,
        plan: TablePlan,
        recorded: Recording,
        pace: Pace,
        operator: SimulatedWallet | None = None,
    ) -> None:
        """`operator` has the players' money, if the ledger has not."""
        self._operator = operator
        self.plan = plan
        self.played = Played(plan)
        self._services = services
        self._desk = Desk(services, plan.table_id)
        self._pace = pace
        self._dealer = Actor(plan.dealer, "DEALER")
        self._shoes = iter(recorded.shoes[plan.first_shoe :])
        self._pattern = Pattern(plan, recorded.stakes)
        self._scanner = Scanner(())
        self._opened = 0.0

    async def play(self) -> None:
        """From the opening of the table to its close."""
        await self._open()
        await self._new_shoe()
        for number in range(1, self.plan.coups + 1):
            if self._pace.over() or not await self._open_betting(number):
                break
            await self._coup(number)
            if self.plan.relief and number == self.plan.coups // 2:
                await self._change_dealer()
        await self._close()

    # The table

    async def _open(self) -> None:
        plan = self.plan
        limits = {"*": {"min_minor": plan.min_minor, "max_minor": plan.max_minor}}
        optional = {} if plan.betting_seconds is None else {"betting_seconds": plan.betting_seconds}
        await self._desk.act(
            ROUND,
            "OpenTable",
            PIT,
            rulebook_id=plan.rulebook_id,
            decks=plan.decks,
            currency=plan.currency,
            limits={plan.currency: {"areas": limits}},
            mode="LIVE",
            table_number=plan.table_id,
            smallest_chip_minor=plan.chip_minor,
            **optional,
        )
        if plan.rules.sign_odds_required:
            await self._desk.act(ROUND, "DisplaySign", PIT, sign="ODDS")
        assigned = await self._desk.act(ROUND, "AssignDealer", PIT, dealer=self._dealer.id)
        self._desk.shift = assigned.shift
        await asyncio.gather(*(self._fund(player) for player in plan.everybody))
        if plan.seated:
            for seat, player in seats(plan).items():
                await self._desk.act(ROUND, "TakeSeat", _player(player), seat=seat, player=player)

    async def _fund(self, player: str) -> None:
        plan = self.plan
        small = player == plan.everybody[-1]
        amount = plan.min_minor * (SMALL_DEPOSIT_STAKES if small else DEPOSIT_STAKES)
        key = f"demo/{plan.table_id}/{player}"
        if self._operator is not None:
            await asyncio.to_thread(self._operator.fund, key, player, plan.currency, amount)
        else:
            request = wallet_service_pb2.FundAccountRequest(
                movement_id=key, player=player, currency=plan.currency, amount_minor=amount
            )
            await called(self._services, "wallet", "FundAccount", CAGE, request)
        self.played.deposits[player] = amount

    async def _change_dealer(self) -> None:
        changed = await self._desk.act(ROUND, "ChangeDealer", PIT, dealer=self.plan.relief)
        self._desk.shift = changed.shift
        self._dealer = Actor(self.plan.relief, "DEALER")

    async def _close(self) -> None:
        if self.plan.seated:
            for player in self.plan.everybody:
                await self._desk.act(ROUND, "LeaveSeat", _player(player), player=player)
        if AFTER_PLAY in self.plan.rules.inspection.stages:
            await self._inspect(AFTER_PLAY)
        await self._desk.act(ROUND, "CloseTable", PIT)
        await self._count()

    # The shoe

    async def _count(self) -> int:
        """Cards that have left the shoe on the table."""
        shoe = await self._desk.shoe(self._dealer)
        gone = int(shoe.dealt + shoe.burned)
        self.played.shoes[shoe.shoe_id] = gone
        return gone

    async def _new_shoe(self) -> bool:
        """Prepare, load and burn the next recorded shoe; False where there is none."""
        shoe_id, order = next(self._shoes, ("", ()))
        if not order:
            return False
        act, dealer = self._desk.act, self._dealer
        await self._inspect(BEFORE_PLAY)
        await act(SHOE, "ShuffleCards", dealer, procedure="MANUAL")
        await self._cut()
        await act(SHOE, "PlaceCutCard", dealer, from_back=self.plan.from_back)
        name = f"{self.plan.table_id}-{shoe_id}"
        await act(SHOE, "LoadShoe", dealer, shoe_id=name, source="SCANNED")
        self._scanner = Scanner(order)
        if (await self._desk.shoe(dealer)).owed:
            first = self._scanner.card(1)
            await act(SHOE, "BurnCards", dealer, reason="NEW_SHOE", first_card=first)
        return True

    async def _inspect(self, stage: str) -> None:
        """The dealer looks at every card, the supervisor and a camera at the dealer."""
        video = f"{self.plan.table_id}/camera-1"
        await self._desk.act(
            SHOE, "InspectCards", self._dealer, witness=PIT.id, video=video, stage=stage
        )

    async def _cut(self) -> None:
        """The cut goes round the table; who is asked first declines, so that a second one cuts."""
        plan, act = self.plan, self._desk.act
        position = stack_cards(plan) // 2
        if plan.rules.cut_by == cutting.DEALER.upper():
            await act(SHOE, "CutCards", self._dealer, position=position)
            return
        taken = seats(plan)
        asked = cutting.cut_offers(
            plan.rules,
            seated=list(taken),
            first_shoe=not self.played.shoes,
            left_of_dealer=9,
            seats=9,
        )
        first, second = (int(seat) for seat in asked[:2])
        await act(SHOE, "OfferCut", self._dealer, seat=first)
        await act(SHOE, "DeclineCut", _player(taken[first]), seat=first)
        await act(SHOE, "OfferCut", self._dealer, seat=second)
        await act(SHOE, "CutCards", _player(taken[second]), position=position, seat=second)

    # The coup

    async def _open_betting(self, number: int) -> bool:
        """Open betting on the next coup, on a new shoe where the old one has ended."""
        rest = self._opened + self.plan.rules.coup_cycle_min_seconds - time.monotonic()
        await asyncio.sleep(max(rest, 0.0))
        if not self._scanner.lasts(await self._count(), COUP_CARDS_MAX):
            return False
        try:
            await self._desk.act(ROUND, "OpenBetting", self._dealer)
        except Refused as no:
            if no.reason != "SHOE_ENDED":
                raise
            if not await self._new_shoe():
                return False
            await self._desk.until(self._dealer, lambda t: not t.waits_for, "a burned shoe")
            await self._desk.act(ROUND, "OpenBetting", self._dealer)
        table = await self._desk.until(
            self._dealer, lambda t: t.coups == number and bool(t.coup_id), f"betting on {number}"
        )
        self._opened = time.monotonic()
        self.played.coups.append(PlayedCoup(table.coup_id, number))
        return True

    async def _coup(self, number: int) -> None:
        coup = self.played.coups[-1]
        desk, dealer, rules = self._desk, self._dealer, self.plan.rules
        await self._stake(coup)
        if rules.betting_close == "TIMER":
            await desk.until(dealer, lambda t: t.phase != "BETTING", "the end of betting")
        await desk.act(ROUND, "CallNoMoreBets", dealer)
        if number % LATE_EVERY_COUPS == 1:
            await self._too_late(coup)
        if rules.book_close == "BY_DEALER":
            await desk.act(ROUND, "CloseBook", dealer)
        await desk.until(dealer, lambda t: t.phase == "DEALING", "the closed book")
        await self._draw(coup)
        end = outcome(coup.player, coup.banker)
        await desk.act(
            ROUND,
            "AnnounceResult",
            dealer,
            winner=end.winner.upper(),
            player_points=end.player_points,
            banker_points=end.banker_points,
        )
        await desk.until(dealer, lambda t: t.coup_id != coup.coup_id, "the settled coup")

    async def _draw(self, coup: PlayedCoup) -> None:
        """Every card that the coup needs, as the scanner reads it."""
        desk, dealer = self._desk, self._dealer
        number = await self._count()
        while (hand := tableau.next_hand(coup.player, coup.banker)) is not None:
            began = time.monotonic()
            number += 1
            card = self._scanner.card(number)
            answer = await desk.act(SHOE, "DrawCard", dealer, card=card, to=hand.upper())
            if answer.draw_number != number:
                raise Stuck(
                    f"{self.plan.table_id}: the scanner read card {number}, {card}; the shoe says "
                    f"it was {answer.draw_number or 'none'}"
                )
            held = coup.player if hand == "player" else coup.banker
            held.append(card)
            await desk.until(dealer, _shows(len(coup.player) + len(coup.banker)), "the card")
            await asyncio.sleep(max(began + self._pace.card_s - time.monotonic(), 0.0))

    # The players

    async def _stake(self, coup: PlayedCoup) -> None:
        """Everybody stakes at once; one of them thinks again and takes something back or adds."""
        by_player: dict[str, list[tuple[int, Stake]]] = {}
        for place, stake in enumerate(self._pattern.coup(coup.number), start=1):
            by_player.setdefault(stake.player, []).append((place, stake))
        await asyncio.gather(*(self._slip(coup, p, slip) for p, slip in by_player.items()))
        coup.wagers.sort(key=lambda w: w.place)  # the answers came in any order
        standing = [w for w in coup.wagers if w.player != self.plan.recorded_player]
        if standing and coup.number % 4 == 2:
            await self._cancel(standing[0])
        if standing and coup.number % 4 == 3:
            await self._raise(coup, standing[-1])

    async def _slip(self, coup: PlayedCoup, player: str, slip: list[tuple[int, Stake]]) -> None:
        """A player's stakes in one call."""
        desk, by = self._desk, _player(player)
        wagers = []
        for place, stake in slip:
            wager = wager_service_pb2.PlaceWagerRequest(
                table_id=desk.table_id,
                wager_id=f"c{coup.number}-w{place}",
                player=player,
                area=stake.area,
                amount_minor=stake.amount_minor,
                coup_id=coup.coup_id,
            )
            wager.meta.command_id = desk.command_id()
            wagers.append(wager)
        request = wager_service_pb2.PlaceWagersRequest(wagers=wagers)
        answer = await desk.call(WAGER, "PlaceWagers", by, request)
        for (place, stake), asked, said in zip(slip, wagers, answer.responses, strict=True):
            if _accepted(coup, said):
                placed = Placed(place, asked.wager_id, player, stake.area, said.stake_minor)
                coup.wagers.append(placed)

    async def _cancel(self, wager: Placed) -> None:
        by = _player(wager.player)
        await self._desk.act(WAGER, "CancelWager", by, wager_id=wager.wager_id)
        wager.cancelled = True

    async def _raise(self, coup: PlayedCoup, wager: Placed) -> None:
        answer = await self._desk.act(
            WAGER,
            "ChangeWager",
            _player(wager.player),
            wager_id=wager.wager_id,
            amount_minor=wager.stake_minor + 2 * self.plan.min_minor,
        )
        if _accepted(coup, answer):
            wager.stake_minor = answer.stake_minor

    async def _too_late(self, coup: PlayedCoup) -> None:
        """Somebody stakes after the call: the wager is rejected, whatever the cards will be."""
        plan = self.plan
        await self._desk.until_closed(coup.coup_id, self._dealer)
        player = plan.recorded_player
        stake = Stake(player, "PLAYER", plan.min_minor)
        await self._slip(coup, player, [(LATE_PLACE, stake)])


def _shows(cards: int) -> Callable[[Any], bool]:
    """Whether the table has so many cards."""
    return lambda table: len(table.player) + len(table.banker) == cards


def _player(name: str) -> Actor:
    return Actor(name, "PLAYER")


def _accepted(coup: PlayedCoup, answer: Any) -> bool:
    """Whether the wager stands; why not is counted."""
    if answer.result.HasField("refusal"):
        reason = answer.result.refusal.reason
    elif answer.status == "REJECTED":
        reason = answer.code
    else:
        assert answer.status == "ACCEPTED", f"the wallet did not answer in time: {answer}"
        return True
    coup.rejected[reason] = coup.rejected.get(reason, 0) + 1
    return False
