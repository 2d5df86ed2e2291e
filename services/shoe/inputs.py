"""What the requests of the shoe service may hold, beyond the rules of all services."""

from __future__ import annotations

from typing import Final

from services.chassis.inputs import LOOKED_UP, NUMBER_MAX, Inputs, items, note, number, words

LOADED_DECKS_MAX: Final = 12
CARDS_MAX: Final = LOADED_DECKS_MAX * 52
CERTIFICATE_CHARACTERS_MAX: Final = 16_000
NAME: Final = words(needed=True)
CARDS: Final = items(CARDS_MAX)

INPUTS: Final = Inputs(
    {
        "coup": LOOKED_UP,
        "shoe_id": NAME,
        "witness": NAME,
        "player": NAME,
        "deck_id": NAME,
        "sabot.shoe.v1.RegisterShoeDeviceRequest.device_id": NAME,
        "sabot.shoe.v1.RegisterShuffleDeviceRequest.device_id": NAME,
        "sabot.shoe.v1.SealPackRequest.seal_id": NAME,
        "seat": LOOKED_UP,
        "decks": LOOKED_UP,
        "position": LOOKED_UP,
        "from_back": LOOKED_UP,
        "sequence": number(1, NUMBER_MAX),
        "order": CARDS,
        "cards": CARDS,
        "defects": CARDS,
        "damaged": CARDS,
        "video": note(),
        "defect": note(),
        "place": note(),
        "approval": note(),
        "certificate": note(CERTIFICATE_CHARACTERS_MAX),
    }
)
