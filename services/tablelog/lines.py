"""The lines of a table log, one frozen struct per action, and the reading of a single line.

Each struct is what the log said, checked and complete: times and actors that the log left out are
filled in. Whether the rules allow it is nobody's business here. `schema.md` beside this file lists
the actions with the person each belongs to.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, get_args, get_type_hints

from msgspec import Struct
from msgspec.structs import fields

from services.contracts.core import SYSTEM, Actor
from services.tablelog import values as v

DEALER: Final = "DEALER"
GAME_SUPERVISOR: Final = "GAME_SUPERVISOR"
CASINO_SUPERVISOR: Final = "CASINO_SUPERVISOR"
DUTY_MANAGER: Final = "DUTY_MANAGER"
INSPECTOR: Final = "INSPECTOR"
PLAYER: Final = "PLAYER"

STAFF: Final = {
    DEALER: Actor("dealer-1", DEALER),
    GAME_SUPERVISOR: Actor("game-supervisor-1", GAME_SUPERVISOR),
    CASINO_SUPERVISOR: Actor("casino-supervisor-1", CASINO_SUPERVISOR),
    DUTY_MANAGER: Actor("duty-manager-1", DUTY_MANAGER),
    INSPECTOR: Actor("inspector-1", INSPECTOR),
    PLAYER: Actor("player-1", PLAYER),
    SYSTEM.role: SYSTEM,
}
"""Who acts in a line without `by`. `player-1` only where the line tells no player in any way."""


def action_name(class_name: str) -> str:
    """The action of a class: `OpenTable` is `open_table`."""
    words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in class_name)
    return words.removeprefix("_")


class Line(Struct, frozen=True, tag_field="do", tag=action_name):
    """What every line has."""

    role: ClassVar[str] = DEALER
    """The role that the action belongs to: that of a line without `by`."""

    player_field: ClassVar[str] = ""
    """The field that tells which player acts: his id, his seat, or his wager's id."""

    number: int
    """Place in the file, from 1; blank lines count."""

    at_us: int
    """Microseconds since 1970-01-01T00:00:00Z; never before the line before."""

    by: Actor

    @property
    def do(self) -> str:
        """The action as the log names it."""
        return _NAMES[type(self)]

    @staticmethod
    def belongs_to(fields: Any) -> str:  # noqa: ARG004 - the answer of most actions
        """The role of an action whose role depends on its fields; "" for the class's own."""
        return ""

    def fault(self) -> str:
        """What is wrong between the fields of this line; "" where nothing is."""
        return ""


class OpenTable(Line, frozen=True):
    """The table opens under a rulebook. Always the first line, and only that."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    table: v.Id
    rulebook: v.Text
    decks: v.Whole | None = None
    """None: the largest number that the rulebook has."""

    currency: v.Currency = "EUR"
    limits: v.AreaLimits | None = None
    """A table without limits opens no betting."""

    currencies: v.CurrencyLimits | None = None
    """Limits of further currencies of a streamed table, by code."""

    differential: v.Money | None = None
    chip: v.Chip = 1
    """The smallest payable amount, minor units."""

    seats: v.Positive = 9
    left_of_dealer: v.Whole | None = None
    """The seat at the dealer's immediate left; None: the highest."""

    layout: v.Layout = "A"
    method: v.Method = "A"
    auto_burn: v.Flag = True
    player_coup_maximum: v.Money | None = None
    maximum_win: v.Money | None = None
    exposure: v.Money | None = None
    options: v.Options | None = None
    """Overrides of rulebook fields that the rulebook leaves to the house."""

    time_zone: v.Text = "UTC"
    """By which gaming days are counted."""

    day_starts_minute: v.Whole = 0
    """Minutes after midnight, there, at which the gaming day begins."""

    book: v.Book = "KEPT"
    """none: chips alone are staked, and the table deals without the wager service."""


class Seat(Line, frozen=True):
    """A player takes a numbered place."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "player"
    player: v.Id
    seat: v.Whole


class Unseat(Line, frozen=True):
    """A player leaves his place."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "player"
    player: v.Id
    seat: v.Whole


class Standing(Line, frozen=True):
    """Players without a seat may wager from now on, or no longer."""

    role: ClassVar[str] = GAME_SUPERVISOR
    permitted: v.Flag


class AssignDealer(Line, frozen=True):
    """The table's dealer goes on duty."""

    role: ClassVar[str] = GAME_SUPERVISOR
    dealer: v.Id


class ChangeDealer(Line, frozen=True):
    """Another dealer takes over, which may owe a burn."""

    role: ClassVar[str] = GAME_SUPERVISOR
    dealer: v.Id


class InspectCards(Line, frozen=True):
    """The cards are looked through in front of a witness."""

    witness: v.Id
    video: v.Text
    """Where the recording is; may be empty, which rules may refuse."""

    defects: v.Cards = ()
    stage: v.Stage = "pre"


class Shuffle(Line, frozen=True):
    """The cards are shuffled in the way told."""

    procedure: v.Procedure


class RequestRiffle(Line, frozen=True):
    """A player asks for a riffle of pre-shuffled cards before the cut."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "player"
    player: v.Id


class OfferCut(Line, frozen=True):
    """The cut is offered to the player in a seat."""

    seat: v.Whole


class DeclineCut(Line, frozen=True):
    """The player in a seat declines the cut."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    seat: v.Whole


class Cut(Line, frozen=True):
    """The cards are cut: the first `position` cards go behind the others."""

    player_field: ClassVar[str] = "seat"
    position: v.Whole
    seat: v.Whole | None = None
    """The seat of the player who cuts."""

    @staticmethod
    def belongs_to(fields: Any) -> str:
        return GAME_SUPERVISOR if fields.seat is None else PLAYER


class PlaceCutCard(Line, frozen=True):
    """The cutting card goes in, so many cards from the back."""

    from_back: v.Whole


class LoadShoe(Line, frozen=True):
    """A shoe is loaded; between coups it ends the one before."""

    shoe: v.Id
    decks: v.Whole | None = None
    cards: v.Cards | None = None
    """Dealing order, burns included. None: the platform shuffles."""

    partial: v.Flag = False
    """True: `cards` is the front of the shoe and the rest is not known."""

    cut_card_after: v.Count | None = None
    """Cards before the cutting card shows."""

    source: v.Source = "shoe"


class Burn(Line, frozen=True):
    """Cards are burned."""

    reason: v.BurnReason
    count: v.Count | None = None
    """None: as many as are owed."""

    @staticmethod
    def belongs_to(fields: Any) -> str:
        return GAME_SUPERVISOR if fields.reason == "discretion" else DEALER


class OpenBetting(Line, frozen=True):
    """The next coup takes wagers."""

    closes_in_s: v.Positive | None = None
    """Seconds until the timer closes it; None: as the rulebook has it."""

    no_bet: v.Flag = False


class Wager(Line, frozen=True):
    """A player stakes on an area. `id` is his key against repeats."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "player"
    id: v.Id
    player: v.Id
    area: v.Area
    amount: v.Money
    token: v.Id | None = None
    """A promotional token; `amount` is its face value."""

    box: v.Whole | None = None
    channel: v.Channel | None = None
    """None: by the rulebook's kind of table."""

    currency: v.Currency | None = None
    """None: the table's."""


class ChangeWager(Line, frozen=True):
    """A wager gets another amount, `amount` being the new total."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "id"
    id: v.Id
    amount: v.Money


class CancelWager(Line, frozen=True):
    """A wager is taken back before the close."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "id"
    id: v.Id


class RejectWager(Line, frozen=True):
    """The dealer refuses a wager outside the limits, before the first card."""

    id: v.Id


class NoMoreBets(Line, frozen=True):
    """The call that closes betting."""


class CloseBook(Line, frozen=True):
    """The dealer is done rejecting."""


class Draw(Line, frozen=True):
    """Cards come out of the shoe in one movement."""

    count: v.Positive = 1
    card: v.Card | None = None
    """What the scanner read, where the shoe's order is not known."""

    to: v.Hand | None = None
    """Where the dealer laid it."""

    face: v.Face | None = None
    """None: up in method A, down in B, C and D."""


class Deal(Line, frozen=True):
    """All cards that the rules still call for, and the result."""


class Announce(Line, frozen=True):
    """The end of a coup drawn card by card, with the dealer's words where given."""

    winner: v.Winner | None = None
    player_points: v.Count | None = None
    banker_points: v.Count | None = None


class ExposeNext(Line, frozen=True):
    """The next card of the shoe is disclosed or lies face up."""


class OfferCards(Line, frozen=True):
    """A hand's cards are offered to the player in a seat (method B)."""

    hand: v.Hand
    seat: v.Whole


class AcceptCards(Line, frozen=True):
    """The player in a seat takes the hand."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    hand: v.Hand
    seat: v.Whole


class DeclineCards(Line, frozen=True):
    """The player in a seat does not take the hand."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    hand: v.Hand
    seat: v.Whole


class ReturnCards(Line, frozen=True):
    """The player in a seat gives the hand back, face up."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    hand: v.Hand
    seat: v.Whole


class OfferShoe(Line, frozen=True):
    """The shoe is offered to the player in a seat (methods C and D)."""

    seat: v.Whole


class AcceptShoe(Line, frozen=True):
    """The player in a seat takes the shoe, to act for a hand."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    seat: v.Whole
    hand: v.Hand


class DeclineShoe(Line, frozen=True):
    """The player in a seat does not take the shoe."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    seat: v.Whole


class PassShoe(Line, frozen=True):
    """The holder, in this seat, passes the shoe on."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "seat"
    seat: v.Whole


class Approve(Line, frozen=True):
    """An approval by the role in `by`."""

    what: v.Approval
    player: v.Id | None = None
    area: v.Area | None = None
    max: v.Positive | None = None
    method: v.Method | None = None
    coups: v.Positive | None = None
    seat: v.Whole | None = None
    """The box of `area_sharing`; None: every box of the table."""

    @staticmethod
    def belongs_to(fields: Any) -> str:
        if fields.what == "method":
            return INSPECTOR if fields.method == "B" else DUTY_MANAGER
        return {
            "opposing_wagers": DUTY_MANAGER,
            "area_sharing": CASINO_SUPERVISOR,
            "act_as_player": CASINO_SUPERVISOR,
            "multi_pull": CASINO_SUPERVISOR,
        }.get(fields.what, GAME_SUPERVISOR)


RULING_NEEDS: Final = {
    "reconstruct": ("coup",),
    "not_reconstructible": ("coup",),
    "correct_placement": ("coup",),
    "void": ("coup", "reason"),
    "confirm_result": ("coup",),
    "correct_result": ("coup", "reason", "cards"),
    "invalidate": ("coup", "reason"),
    "void_wager": ("wager",),
    "bar_player": ("player",),
    "lift_bar": ("player",),
    "vacate_seat": ("seat",),
    "forfeit_shoe": (),
    "attest": ("seen",),
}
"""The fields that each kind of ruling must have."""

GAME_SUPERVISOR_RULES: Final = (
    "confirm_result",
    "correct_result",
    "vacate_seat",
    "attest",
)
"""Rulings for which the game supervisor is enough, whatever the rulebook and the moment."""


class Ruling(Line, frozen=True):
    """A supervisor's decision."""

    kind: v.RulingKind
    coup: v.Whole | None = None
    reason: v.Text | None = None
    wager: v.Id | None = None
    player: v.Id | None = None
    seat: v.Whole | None = None
    forfeit: v.Ids | None = None
    cards: v.BothHands | None = None
    seen: v.Flag | None = None
    second: v.Person | None = None
    """The second person."""

    @staticmethod
    def belongs_to(fields: Any) -> str:
        return GAME_SUPERVISOR if fields.kind in GAME_SUPERVISOR_RULES else CASINO_SUPERVISOR

    def fault(self) -> str:
        for name in RULING_NEEDS[self.kind]:
            if getattr(self, name) is None:
                return f'a ruling of kind "{self.kind}" needs the key `{name}`'
        return ""


class WithdrawWager(Line, frozen=True):
    """A player takes his wager out while a withdrawal window is open."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "id"
    id: v.Id


class KeepWager(Line, frozen=True):
    """A player leaves his wager in while a withdrawal window is open."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "id"
    id: v.Id


class CloseWithdrawals(Line, frozen=True):
    """Everybody was asked: the withdrawal window closes."""

    role: ClassVar[str] = GAME_SUPERVISOR


class ShufflerFault(Line, frozen=True):
    """The shuffling device fails."""

    role: ClassVar[str] = GAME_SUPERVISOR
    disadvantage: v.Flag
    spare: v.Flag
    transferable: v.Flag
    damaged: v.Cards = ()


class ResumeCoup(Line, frozen=True):
    """A coup that a device fault stopped goes on, with the order after shuffle and cut."""

    role: ClassVar[str] = GAME_SUPERVISOR
    cards: v.Cards | None = None


class Notice(Line, frozen=True):
    """A sign is shown from this line's time."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    change: v.NoticeChange
    effective_at: v.Instant
    value: v.NoticeValue | None = None
    """The new minimum in minor units, the next rulebook's id, or None for a close."""

    def fault(self) -> str:
        value = self.value
        if self.change == "close":
            return "" if value is None else "`value` is left out where `change` is close"
        if value is None:
            return "the key `value` is missing"
        if self.change == "game":
            return "" if isinstance(value, str) else "`value` must be the id of a rulebook"
        if isinstance(value, int) and 0 <= value <= v.MONEY_MAX:
            return ""
        return "`value` must be whole minor units from 0 to 10^15"


class Consent(Line, frozen=True):
    """A player agrees to a change of game."""

    role: ClassVar[str] = PLAYER
    player_field: ClassVar[str] = "player"
    player: v.Id
    change: v.ConsentChange


class ChangeLimits(Line, frozen=True):
    """The table gets other limits, in its own currency."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    limits: v.AreaLimits
    differential: v.Money | None = None


class GrantLimits(Line, frozen=True):
    """A player gets limits of his own, in the table's currency. At least one of the two."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    player: v.Id
    min: v.Money | None = None
    max: v.Money | None = None

    def fault(self) -> str:
        missing = self.min is None and self.max is None
        return "one of the keys `min` and `max` must be there" if missing else ""


class ChangeGame(Line, frozen=True):
    """The table goes over to another rulebook."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    rulebook: v.Text


class Dispute(Line, frozen=True):
    """A player disputes a coup."""

    role: ClassVar[str] = PLAYER
    id: v.Id
    coup: v.Whole
    claim: v.Text


class DecideDispute(Line, frozen=True):
    """A dispute is decided, or reviewed, at a level."""

    id: v.Id
    level: v.Whole
    decision: v.Decision
    note: v.Text | None = None

    @staticmethod
    def belongs_to(fields: Any) -> str:
        return GAME_SUPERVISOR if fields.level == 1 else CASINO_SUPERVISOR


class AdviseInspector(Line, frozen=True):
    """The complainant is told of the inspector."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    id: v.Id


class Incident(Line, frozen=True):
    """Something that can only be recorded."""

    role: ClassVar[str] = GAME_SUPERVISOR
    code: v.Text
    note: v.Text


class Tick(Line, frozen=True):
    """Time passes; timers run."""

    role: ClassVar[str] = SYSTEM.role


class ResumeTable(Line, frozen=True):
    """A suspension ends."""

    role: ClassVar[str] = CASINO_SUPERVISOR
    second: v.Person | None = None


class CloseTable(Line, frozen=True):
    """The table closes."""

    role: ClassVar[str] = CASINO_SUPERVISOR


ACTIONS: Final[dict[str, type[Line]]] = {
    action_name(line.__name__): line for line in Line.__subclasses__()
}
"""Every action of the format with the struct of its line."""

_NAMES: Final = {line: name for name, line in ACTIONS.items()}


class Field(Struct, frozen=True):
    """A key of an action, besides `do`, `at` and `by`."""

    name: str
    form: v.Form
    required: bool
    default: Any


def _form_of(annotation: Any) -> v.Form:
    """The form in the type of a field, which is `Annotated[...]`, or that or None."""
    for part in (annotation, *get_args(annotation)):
        for extra in getattr(part, "__metadata__", ()):
            if isinstance(extra, v.Form):
                return extra.of(part.__origin__)
    raise TypeError(f"no form in {annotation}")


def _fields_of(line: type[Line]) -> tuple[Field, ...]:
    hints = get_type_hints(line, include_extras=True)
    return tuple(
        Field(field.name, _form_of(hints[field.name]), field.required, field.default)
        for field in fields(line)
        if field.name not in Line.__struct_fields__
    )


FIELDS: Final[dict[str, tuple[Field, ...]]] = {do: _fields_of(line) for do, line in ACTIONS.items()}
"""The keys of every action, in the order of its struct."""

AT_REQUIRED: Final = ("tick",)
"""Actions that are nothing without a time, and so must give it."""
