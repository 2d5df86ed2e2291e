"""The areas a wager can be on."""

from __future__ import annotations

from typing import Final

AREAS: Final = ("PLAYER", "BANKER", "TIE", "PLAYER_PAIR", "BANKER_PAIR", "BIG", "SMALL")
"""Every area that has a definition (when it wins); a rulebook offers a closed list of these."""

MAIN_AREAS: Final = ("PLAYER", "BANKER")
"""The two hands: they push on a tie, oppose each other, and make up the differential."""
