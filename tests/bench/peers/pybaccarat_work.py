"""Coups a second of CPU that pybaccarat plays: `pybaccarat_work.py SHOES`, told as one line of JSON."""

from __future__ import annotations

import json
import sys
import time

from pybaccarat.baccarat import Game, Hand  # type: ignore[import-not-found]
from pybaccarat.playingcards import Shoe  # type: ignore[import-not-found]

DECKS = 8
CUT_CARD = -7
"""From the end: a coup takes six cards at most, so all of them but the last are dealt."""


def main() -> None:
    """Shuffle and deal as `Game.play` does, without what it prints."""
    shoe, player, banker = Shoe(DECKS), Hand(), Hand()
    game = Game(shoe, player, banker)
    coups, began = 0, time.process_time()
    for _ in range(int(sys.argv[1])):
        shoe.reset()
        shoe.shuffle()
        shoe.set_cut_card(CUT_CARD)
        while not shoe.cut_card_seen():
            player.empty()
            banker.empty()
            game.play_hand()
            coups += 1
    sys.stdout.write(json.dumps({"coups": coups / (time.process_time() - began)}) + "\n")


if __name__ == "__main__":
    main()
