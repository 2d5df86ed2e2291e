"""What the requests of the round service may hold, beyond the rules of all services."""

from __future__ import annotations

from typing import Final

from services.chassis.inputs import LOOKED_UP, Inputs, items, note, words

CURRENCIES_MAX: Final = 200
NAME: Final = words(needed=True)

INPUTS: Final = Inputs(
    {
        "player": NAME,
        "dealer": NAME,
        "supervisor": NAME,
        "seat": LOOKED_UP,
        "coup": LOOKED_UP,
        "decks": LOOKED_UP,
        "left_of_dealer": LOOKED_UP,
        "limits": items(CURRENCIES_MAX),
        "exemption": note(),
        "conditions": note(),
    }
)
