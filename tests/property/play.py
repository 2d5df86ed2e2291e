"""What comes next at a random table: by its state, or anything at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from types import ModuleType

from tests.property import commands, lines
from tests.property.wanderer import COPIES, COUNTER, CUTS, DEVICE, HANDS, Wanderer

Move = Callable[[Wanderer], None]

STEPS = 160
"""Moves of a table where nobody says otherwise: a shoe or two, a dozen coups."""


def _moves(module: ModuleType) -> tuple[Move, ...]:
    return tuple(
        member
        for name, member in vars(module).items()
        if not name.startswith("_")
        and getattr(member, "__module__", "") == module.__name__
        and callable(member)
    )


LINES, COMMANDS = _moves(lines), _moves(commands)
ENDINGS = (lines.close_table, commands.close_unseen, commands.abandon)
RARE = (*ENDINGS, lines.bar_player, lines.overfull_shoe)


def wander(rulebook: str, seed: int, *, steps: int = STEPS, lines_only: bool = False) -> Wanderer:
    """A table with so many moves behind it."""
    choose = Random(f"{rulebook}/{seed}").randrange
    return played(Wanderer(choose, rulebook, lines_only=lines_only), steps)


def wander_by(rulebook: str, seed: int, flags: Sequence[bool]) -> Wanderer:
    """The same from moves that do not rest on each other: any of them may be left out."""
    chance = Random(seed)
    wanderer = Wanderer(chance.randrange, rulebook)
    for number, taken in enumerate(flags):
        chance.seed(f"{seed}/{number}")
        if taken:
            step(wanderer)
    wanderer.rest()
    return wanderer


def played(wanderer: Wanderer, steps: int) -> Wanderer:
    """The table after so many moves, and with all that was under way arrived."""
    for _ in range(steps):
        step(wanderer)
    wanderer.rest()
    return wanderer


def step(w: Wanderer) -> None:
    """One move: four of five times one that fits."""
    w.steps += 1
    anything = LINES if w.lines_only else (*LINES, *COMMANDS)
    if w.odds(4, 5):
        known = set(anything)
        more = _THEMES.get(w.theme, ())
        among = [
            move
            for move, weight in _next(w)
            for _ in range(weight * 4 if move in more else weight)
            if move in known
        ]
        w.pick(among)(w)
        return
    move = w.pick(anything)
    if move not in RARE or w.odds(1, 6):
        move(w)


def _next(w: Wanderer) -> Iterator[tuple[Move, int]]:
    table, coup = w.round, w.round.coup
    if not table.open:
        yield commands.open_again, 9
        yield lines.open_betting, 1
    elif coup is None:
        yield from _between(w)
    elif coup.hold is not None:
        yield from _HELD.get(coup.hold.code, ((lines.void, 1),))
        yield lines.tick, 1
        yield lines.void, 1
        if coup.window is not None:
            yield from _WINDOW
    elif coup.window is not None:
        yield from _WINDOW
    elif coup.phase == "BETTING":
        yield from _BETTING
    elif coup.phase == "CLOSED":
        yield from _CLOSED
        yield from _dealing(w)
    elif coup.phase == "DEALING":
        yield from _dealing(w)
    else:
        yield from _AFTER
        yield lines.void_wager, 6
    yield lines.tick, 1
    if w.book and w.book.pending:
        yield commands.record_debit, 6
        yield commands.expire_debits, 2


def _between(w: Wanderer) -> Iterator[tuple[Move, int]]:
    shoe, view = w.cards.shoe, w.round.shoe
    if w.table.lags and w.book and w.book.wagers:
        yield lines.void_wager, 12
    if w.round.suspension is not None:
        yield lines.resume_table, 6
        yield lines.load_shoe, 3
        yield commands.close_review, 1
    if shoe is None or shoe.ended or shoe.invalid or view is None:
        faulty = w.cards.preparation.out or w.cards.preparation.incomplete
        yield lines.load_shoe, 3 if faulty else 16
        yield commands.inspect_again, 12 if faulty else 1
        yield commands.generated_shoe, 2
        yield from _PREPARING
    else:
        if shoe.owed:
            yield lines.burn, 12
            yield commands.read_burn, 8 if shoe.source == "SCANNED" else 1
            yield lines.three_card_burn, 3
            yield lines.draw, 1
        yield lines.open_betting, 3 if shoe.owed else 24
        yield lines.no_bet_coup, 1
        if shoe.source == "SCANNED":
            yield commands.backfill_coup, 8
        yield lines.expose_next, 1
        yield commands.exposed_by, 1
        yield lines.change_dealer, 1
        if w.round.holder is not None:
            yield lines.forfeit_shoe, 6
            yield lines.offers, 2
        yield commands.end_shoe, 1
    if w.round.method != "A" and w.round.method not in w.round.approvals:
        yield lines.method, 8
    if w.seated:
        yield from _SEATS
        if max(w.round.idle.values(), default=0) >= 3:
            yield lines.vacate_seat, 6
    if w.theme == COUNTER or w.odds(1, 4):
        yield from _AFTER


_THEMES: dict[str, tuple[Move, ...]] = {
    CUTS: (lines.prepare,),
    COUNTER: (lines.correct_result, commands.go_on_with_dispute, commands.go_on_with_debit),
    COPIES: (lines.draw, lines.deal, commands.close_review),
    HANDS: (
        lines.offers,
        lines.odd_draw,
        lines.misdeal,
        commands.instruct_draw,
        commands.show_hand,
        lines.close_book,
    ),
    DEVICE: (lines.shuffler_fault, lines.draw, lines.resume_coup, lines.prepare),
}
"""Moves that come four times as often at a table with this theme."""

_PREPARING: tuple[tuple[Move, int], ...] = (
    (lines.prepare, 6),
    (lines.inspect_cards, 1),
    (commands.shuffle_in_machine, 1),
    (commands.assemble_shoe, 1),
    (commands.seal_pack, 1),
    (commands.open_pack, 1),
    (commands.remove_cards, 1),
    (commands.register_shuffle_device, 1),
)
_SEATS: tuple[tuple[Move, int], ...] = (
    (lines.seat, 5),
    (lines.unseat, 1),
    (lines.standing, 1),
    (lines.area_sharing, 1),
    (lines.opposing_wagers, 1),
    (commands.select_method, 1),
    (commands.ask_consent, 1),
    (lines.consent, 1),
    (lines.change_game, 1),
    (lines.notice, 1),
)
_AFTER: tuple[tuple[Move, int], ...] = (
    (lines.correct_result, 2),
    (lines.invalidate, 1),
    (lines.fraud, 1),
    (lines.void_wager, 1),
    (lines.dispute, 1),
    (commands.go_on_with_dispute, 2),
    (commands.go_on_with_debit, 2),
    (commands.close_dispute, 1),
    (commands.export_evidence, 1),
    (commands.record_credit, 1),
    (commands.record_refund, 1),
    (commands.repeat_credit, 1),
    (commands.repeat_refund, 1),
    (commands.collect_cards, 1),
)
_BETTING: tuple[tuple[Move, int], ...] = (
    (lines.wager, 16),
    (lines.same_wager, 1),
    (lines.change_wager, 3),
    (lines.cancel_wager, 2),
    (lines.no_more_bets, 6),
    (lines.draw, 1),
    (lines.expose_next, 1),
    (lines.void, 1),
    (commands.recover, 1),
)
_CLOSED: tuple[tuple[Move, int], ...] = (
    (lines.close_book, 5),
    (lines.reject_wager, 4),
    (lines.cancel_wager, 1),
)
_WINDOW: tuple[tuple[Move, int], ...] = (
    (lines.withdraw_wager, 3),
    (lines.keep_wager, 3),
    (lines.close_withdrawals, 3),
    (commands.extend_withdrawals, 1),
)
_HELD: dict[str, tuple[tuple[Move, int], ...]] = {
    "CARD_BEFORE_CLOSE": ((lines.attest, 6), (lines.wager, 1)),
    "ANNOUNCEMENT_MISMATCH": ((lines.confirm_result, 3), (lines.correct_result, 3)),
    "MISDEAL": ((lines.misdeal, 6), (lines.not_reconstructible, 1), (lines.draw, 1)),
    "DEVICE": (
        (lines.resume_coup, 4),
        (lines.prepare, 8),
    ),
    "SCAN_GAP": ((commands.enter_card, 6),),
}


def _dealing(w: Wanderer) -> Iterator[tuple[Move, int]]:
    yield lines.deal, 6 if w.round.coup.method == "A" else 2
    yield lines.draw, 10
    yield lines.odd_draw, 3
    yield lines.announce, 3
    yield lines.void_wager, 3 if w.table.lags else 1
    if not w.round.coup.drawn:
        yield lines.lay_wrong, 4
    yield lines.multi_pull, 1
    yield lines.extra_cards, 1
    yield lines.expose_next, 1
    if w.cards.custody.devices:
        yield commands.scanned_draw, 4
    else:
        yield commands.register_shoe_device, 1
    if w.cards.shoe is not None and w.cards.shoe.device:
        yield lines.shuffler_fault, 3
    method = w.round.coup.method
    if method in ("C", "D"):
        yield commands.instruct_draw, 4
        yield commands.held_draw, 6
        yield lines.act_as_player, 1
        if w.round.holder is not None:
            yield lines.forfeit_shoe, 3
    if method != "A":
        yield lines.offers, 10
        yield commands.show_hand, 4
