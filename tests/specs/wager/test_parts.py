"""Tables that share almost everything with what they were: they are read as a dictionary would be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.wager.domain.parts import PART_KEYS_MAX, Parts, dropped, found, put, values
from services.wager.domain.state import Wager, Wagers

KEYS = st.integers(0, 3 * PART_KEYS_MAX).map(str)
STEPS = st.lists(st.tuples(st.sampled_from(["put", "put", "drop"]), KEYS), max_size=400)


@given(STEPS)
def test_it_is_read_like_a_dictionary(steps: list[tuple[str, str]]) -> None:
    parts: Parts[int] = ()
    plain: dict[str, int] = {}
    for number, (what, key) in enumerate(steps):
        before, listed = parts, list(values(parts))
        if what == "put":
            parts, plain[key] = put(parts, key, number), number
        else:
            parts = dropped(parts, key)
            plain.pop(key, None)
        assert list(values(before)) == listed
        assert found(parts, key) == plain.get(key)
    assert list(values(parts)) == list(plain.values())


PLACED = st.lists(
    st.tuples(st.sampled_from(["put", "put", "put", "drop"]), KEYS, st.sampled_from("aaaab")),
    max_size=300,
)


@given(PLACED)
def test_a_players_wagers_are_his_among_all_in_their_order(
    steps: list[tuple[str, str, str]],
) -> None:
    """However many he has, and whatever was dropped between."""
    wagers = Wagers()
    for what, key, player in steps:
        name = f"{player}{key}"
        if what == "put":
            wagers = wagers.put(Wager(name, player, "TIE", "EUR", 100, "TABLE"))
        else:
            wagers = wagers.without(name)
    for player in "ab":
        mine = [wager for wager in wagers.values() if wager.player == player]
        assert wagers.of(player) == mine


def test_a_change_copies_one_part() -> None:
    parts: Parts[int] = ()
    for number in range(10 * PART_KEYS_MAX):
        parts = put(parts, str(number), number)
    assert list(values(parts)) == list(range(10 * PART_KEYS_MAX))
    assert max(map(len, parts)) == PART_KEYS_MAX
    assert len(parts) <= 12, "small parts do not pile up"
    later = put(parts, "0", 1)
    assert later[0] is not parts[0]
    assert all(one is other for one, other in zip(later[1:], parts[1:], strict=True))
