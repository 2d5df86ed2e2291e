"""Words about a coup that is over already: what a form says that was filled in for it."""

from __future__ import annotations

from typing import Any

from services.round.commands import ApproveError, AttestCard
from tests.support.played import NATURAL_NINE, SIX_SEVEN, Played, person


def test_a_word_on_another_coup_than_the_one_at_hand_is_refused() -> None:
    """A-25, F-126: a form that was filled in for an earlier coup decides nothing; without a number it may."""
    played = Played("super-six").shoe(f"AC 9D 2S {SIX_SEVEN} {NATURAL_NINE}").betting()
    played.do("draw")
    attest: dict[str, Any] = {"at_us": played.at_us, "by": person("GAME_SUPERVISOR"), "seen": False}
    for coup, reason in ((2, "STATE"), (0, "STATE"), (1, None)):
        assert played.send("round", AttestCard(coup=coup, **attest)).reason == reason
    played.do("draw", count=2)
    pull: dict[str, Any] = {
        "at_us": played.at_us,
        "by": person("GAME_SUPERVISOR"),
        "what": "MULTI_PULL",
    }
    assert played.send("round", ApproveError(coup=2, **pull)).reason == "STATE"
    assert played.refused is not None
    assert played.refused.message == "coup 2 was meant, and the one that runs is 1"
    assert played.send("round", ApproveError(coup=1, **pull)).reason is None
    assert played.send("round", ApproveError(**pull)).reason is None
