"""Everything that must hold at every table, whatever was done there."""

from __future__ import annotations

from collections.abc import Callable

from tests.property import cards, records, wagers
from tests.property.wanderer import Wanderer

INVARIANTS: tuple[Callable[[Wanderer], None], ...] = (
    cards.every_card_is_in_one_place,
    cards.the_draw_order_decides,
    cards.entered_coups_end_as_they_were_entered,
    cards.burns_are_the_rulebooks,
    cards.extra_cards_go_where_they_belong,
    wagers.nothing_comes_at_the_wrong_time,
    wagers.every_wager_ends_once,
    wagers.the_money_adds_up,
    wagers.payments_are_the_rulebooks,
    wagers.tokens_are_spent_or_returned,
    wagers.the_book_keeps_the_differential,
    wagers.void_coups_change_nothing,
    records.roads_come_from_results,
    records.every_state_is_the_fold_of_its_log,
    records.no_undealt_card_is_told,
)


def check(w: Wanderer) -> None:
    """Hold every invariant against a table. Raises `AssertionError`, with the table's log as a note."""
    for invariant in INVARIANTS:
        try:
            invariant(w)
        except AssertionError as error:
            error.add_note(f"{invariant.__name__}: {invariant.__doc__}")
            error.add_note(w.story())
            raise
