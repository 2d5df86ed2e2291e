"""Rulebooks: immutable, content-hashed documents that hold every number of the rules.

A document is what is written down, signed off and embedded in events: JSON of strings,
whole numbers, lists and objects, odds as pairs of whole numbers. A `Rulebook` is the typed
view of one document that passed every check; `rulebook.cut_depth.mode` is the value that
the document holds under `cut_depth`, `mode`. Enumerations are upper-case strings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Final, TypeVar, cast

from services.rules import areas, checks
from services.rules.area_language import Definition
from services.rules.areas import AREAS, GROUP
from services.rules.checks import Failure
from services.rules.fields import FIELDS, OPTIONAL, flatten

Document = Mapping[str, object]

HOUSE_CHOICES: Final = (
    "betting_seconds",
    "burn.game_error_counts_set_aside",
    "debit_drain_ms",
    "games_supervisor_counts_as_casino_supervisor",
)
"""Fields that the texts leave to the house, so that one table may set them otherwise.

Whether set-aside cards count in an error burn (X-6), whether a game supervisor stands in
for a casino supervisor (F-06), how long betting is open by the timer, and how long a debit
that was asked for in time may drain: the last two are named as a table's to set.
"""

_KEPT_RULEBOOKS_MAX: Final = 256
"""Distinct documents whose parsed form is kept; a process meets a handful."""

_Section = TypeVar("_Section")


class RulebookRejected(ValueError):
    """The document is no rulebook; every fault is named.

    `missing` and `unknown` are dotted field names (V-1), `failed` the other checks that
    failed, each with its field and the problem in words.
    """

    def __init__(
        self,
        missing: tuple[str, ...] = (),
        unknown: tuple[str, ...] = (),
        failed: tuple[Failure, ...] = (),
    ) -> None:
        """Keep the faults by kind."""
        self.missing = missing
        self.unknown = unknown
        self.failed = failed
        parts = [
            *(f"V-1 {name}: missing" for name in missing),
            *(f"V-1 {name}: unknown" for name in unknown),
            *map(str, failed),
        ]
        super().__init__("rulebook refused: " + "; ".join(parts))


@dataclass(frozen=True, slots=True)
class Inspection:
    """How cards are looked at: persons, video, and the stages at which it is due."""

    persons: int
    video_required: bool
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutDepth:
    """Cards behind the cutting card: exactly (EXACT) or at least (MIN) so many."""

    mode: str
    cards: int


@dataclass(frozen=True, slots=True)
class Burn:
    """How many cards are burned, when, and on whose word."""

    new_shoe: str
    new_shoe_cards: int | None
    first_counts: bool | None
    ten_value: int | None
    first_card_face_up: bool
    between_coups: int
    dealer_change: int
    game_error: int
    game_error_counts_set_aside: bool | None
    game_error_by: str | None
    discretionary_by: str | None
    discretionary_max_cards: int
    missing: str


@dataclass(frozen=True, slots=True)
class MethodApproval:
    """The roles that approve dealing method B, and methods C and D."""

    b: str | None
    c_d: str | None


@dataclass(frozen=True, slots=True)
class MethodLayout:
    """The table layout that methods C and D need."""

    c_d: str | None


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """When players may take their wagers off, for how long, and what silence means."""

    after_reconstruction: bool
    after_reconstruction_silence: str | None
    after_device_failure: bool
    after_device_failure_silence: str | None
    window_seconds: int | None


@dataclass(frozen=True, slots=True)
class Rounding:
    """How winnings become payable: the mode, what they are a multiple of, and per what."""

    mode: str
    unit: str
    level: str


@dataclass(frozen=True, slots=True, eq=False)
class Rulebook:
    """A document that passed every check, as typed values.

    `definitions` says of every offered area when it wins and what it then pays, when it
    pushes and when it loses: settlement, exposure and odds ask nothing else.

    `pay` and `commission` are the pay table to show, and hold only what has a value, as
    exact fractions: winnings per unit staked, and the part of the winnings that is taken.
    An area of the rulebook's own that pays by cases has a line for each, `AREA.1` and so
    on. What Banker pays when he wins with a count of 6 (`pay.BANKER_ON_SIX` of the
    document) is `pay_on_six`, None where a six pays like any other count. Two rulebooks are equal when their hashes
    are. Pickling and copying keep the document and parse it anew.
    """

    hash: str
    canonical: bytes
    warnings: tuple[str, ...]

    rulebook_id: str
    seeds: tuple[str, ...]
    base: str | None
    jurisdiction: str
    table_kind: str

    decks: tuple[int, ...]
    jokers: bool
    card_sources: tuple[str, ...]
    multishuffler_decks: tuple[int, ...]
    pre_shuffled_packs: bool
    card_identity: tuple[str, ...]
    manual_entry_persons: int
    inspection: Inspection
    replace_cards_by: str
    retire_handled_cards: bool
    reshuffle_between_coups_by: str | None

    shuffle_procedure: str
    riffle_on_request: bool
    cut_by: str
    cut_in_min_cards: int
    cut_markers: tuple[str, ...]
    cut_depth: CutDepth
    end_of_shoe: str
    cutting_card_in_burn: str
    last_coup_call: str

    burn: Burn

    methods: tuple[str, ...]
    method_approval: MethodApproval
    method_layout: MethodLayout
    method_fallback: str | None
    play_player_hand_by: str | None
    third_card_rule: str
    announce_points: bool
    announcement_mismatch: str

    misdeal: str
    misdeal_by: str
    excess_initial: str
    multi_pull: str
    multi_pull_max_cards: int
    extra_card: str
    exposed_card: str
    insufficient_cards: str
    withdrawal: Withdrawal
    reconstruction_alarm_seconds: int | None
    cannot_continue: str
    card_before_close: str

    betting_close: str
    betting_seconds: int | None
    call_tolerance_seconds: int
    coup_cycle_min_seconds: int
    book_close: str
    debit_drain_ms: int
    cancel_before_close: bool
    out_of_limits: str
    opposing_wagers: str
    opposing_wagers_by: str | None
    area_wagers_max: int | None
    area_wagers_scope: str | None
    box_players_default: int | None
    box_players_max: int | None
    box_sharing_by: str | None
    standing_players: str
    standing_players_by: str | None
    limits_changed_by: str
    personal_limits_by: str | None
    differential_policy: str
    promo_tokens: bool
    promo_on_push_or_void: str | None
    raise_minimum_notice_minutes: int
    close_table_notice_minutes: int
    variant_change_to: str | None
    variant_change_notice_minutes: int | None
    seat_idle_rounds: int | None
    seat_vacate_by: str | None
    sign_odds_required: bool

    areas: tuple[str, ...]
    definitions: Mapping[str, Definition]
    pay: Mapping[str, Fraction]
    pay_on_six: Fraction | None
    commission: Mapping[str, Fraction]
    commission_timing: str | None
    rounding: Rounding
    tie_main_areas: str
    push_word: str
    push_counts_as_turnover: bool
    void_coup: str
    invalidate_by: str
    invalidated_default: str
    forfeit_by: str | None

    roads_no_bet_coups: str
    roads_void_coups: str
    dispute_levels: tuple[str, ...]
    games_supervisor_counts_as_casino_supervisor: bool
    inspector_advice: bool
    rules_on_request: bool

    @classmethod
    def from_document(
        cls,
        document: Document,
        *,
        others: Mapping[str, Document] | None = None,
        expected_hash: str | None = None,
    ) -> Rulebook:
        """Return the rulebook that `document` describes, or refuse it with every fault.

        `others` are the documents of the house's other rulebooks by id, to check a change
        of game between two of them (V-9); without them that check is only partial.
        `expected_hash` is a hash that the document is claimed to have (V-13).

        Raises RulebookRejected.
        """
        flat = _checked(document, others, expected_hash)
        canonical = canonical_json(document)
        values = {name: _typed(value) for name, value in flat.items()}
        pay = _present({area: values[f"pay.{area}"] for area in AREAS})
        on_six = cast("Fraction | None", values["pay.BANKER_ON_SIX"])
        commission = _present({"BANKER": values["commission.BANKER"]})
        own, _ = areas.defined(cast("Document", values.pop(GROUP, {})))
        sections = {
            "definitions": areas.definitions(
                cast("tuple[str, ...]", values["areas"]),
                pay=pay,
                on_six=on_six,
                commission=commission,
                tie_pushes=values["tie_main_areas"] == "PUSH",
                own=own,
            ),
            "inspection": _section(Inspection, values, "inspection"),
            "cut_depth": _section(CutDepth, values, "cut_depth"),
            "burn": _section(Burn, values, "burn"),
            "method_approval": _section(MethodApproval, values, "method_approval"),
            "method_layout": _section(MethodLayout, values, "method_layout"),
            "withdrawal": _section(Withdrawal, values, "withdrawal"),
            "rounding": _section(Rounding, values, "rounding"),
            "pay": MappingProxyType({**pay, **dict(areas.pay_lines(own))}),
            "pay_on_six": on_six,
            "commission": commission,
        }
        plain = {name: value for name, value in values.items() if "." not in name}
        build = cast("Callable[..., Rulebook]", cls)
        return build(
            hash=hashlib.sha256(canonical).hexdigest(),
            canonical=canonical,
            warnings=checks.warnings(flat),
            **plain,
            **sections,
        )

    @property
    def document(self) -> dict[str, object]:
        """The document, as plain JSON values to embed in an event.

        A new object each time: changing it changes no rulebook.
        """
        return cast("dict[str, object]", json.loads(self.canonical))

    def __eq__(self, other: object) -> bool:
        """Equal when the documents have the same hash."""
        return isinstance(other, Rulebook) and self.hash == other.hash

    def __hash__(self) -> int:
        """Hash by the document's hash."""
        return hash(self.hash)

    def __reduce__(self) -> tuple[Callable[[Document], Rulebook], tuple[Document]]:
        """Pickle as the document; the mappings inside cannot be pickled themselves."""
        return rulebook_of, (self.document,)


def _section(build: Callable[..., _Section], values: Mapping[str, object], group: str) -> _Section:
    """Build the dataclass of one group from the values under its dotted names."""
    names = [name for name in values if name.startswith(f"{group}.")]
    return build(**{name.removeprefix(f"{group}."): values[name] for name in names})


def _present(rates: Mapping[str, object]) -> Mapping[str, Fraction]:
    kept = {area: rate for area, rate in rates.items() if isinstance(rate, Fraction)}
    return MappingProxyType(kept)


def _typed(value: object) -> object:
    """Return a document's value in its typed form: lists become tuples."""
    return tuple(value) if isinstance(value, list) else value


def _checked(
    document: Document, others: Mapping[str, Document] | None, expected_hash: str | None
) -> dict[str, object]:
    """Return the values of a sound document, odds as fractions; else refuse it."""
    flat = flatten(document)
    missing = tuple(name for name in FIELDS if name not in flat)
    known = {**FIELDS, **OPTIONAL}
    unknown = tuple(name for name in flat if name not in known)
    failed = [
        Failure(field.check, name, f"must be {field.wants}")
        for name, field in known.items()
        if name in flat and not field.accepts(flat[name])
    ]
    failed += [
        Failure("V-5", name, "only BANKER has a commission")
        for name in unknown
        if name.startswith("commission.")
    ]
    bad = {failure.field for failure in failed}
    sound = {name: held for name, held in flat.items() if name in known and name not in bad}
    failed += checks.agreement(sound, others)
    failed += _hash_failures(document, expected_hash)
    if missing or unknown or failed:
        raise RulebookRejected(missing, unknown, tuple(failed))
    return {name: _odds(name, held) for name, held in sound.items()}


def _odds(name: str, held: object) -> object:
    if name.startswith(("pay.", "commission.")) and held is not None:
        return Fraction(*cast("list[int]", held))
    return held


def _hash_failures(document: Document, expected_hash: str | None) -> list[Failure]:
    try:
        found = rulebook_hash(document)
    except (TypeError, ValueError) as error:
        return [Failure("V-13", "rulebook_hash", f"the document has no hash: {error}")]
    if expected_hash is not None and found != expected_hash:
        return [Failure("V-13", "rulebook_hash", f"the document hashes to {found}")]
    return []


def canonical_json(document: Document) -> bytes:
    """Return the one byte form of a document: sorted keys, no spaces, UTF-8 (V-13).

    Raises TypeError or ValueError for what is no JSON of whole numbers and text: a
    fractional number has no single spelling and so could have two hashes.
    """
    _refuse_fractional(document)
    text = json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_as_object
    )
    return text.encode("utf-8")


def _as_object(value: object) -> dict[str, object]:
    if isinstance(value, Mapping):
        return dict(value)
    message = f"{type(value).__name__} is no JSON value"
    raise TypeError(message)


def _refuse_fractional(value: object) -> None:
    if isinstance(value, float):
        message = f"{value} is no whole number"
        raise TypeError(message)
    if isinstance(value, Mapping):
        for held in value.values():
            _refuse_fractional(held)
    elif isinstance(value, list | tuple):
        for held in value:
            _refuse_fractional(held)


def rulebook_hash(document: Document) -> str:
    """Return the SHA-256 of the canonical JSON, in lower-case hexadecimal (V-13).

    Raises TypeError or ValueError as `canonical_json` does.
    """
    return hashlib.sha256(canonical_json(document)).hexdigest()


def rulebook_of(document: Document) -> Rulebook:
    """Return the rulebook of a document, parsed at most once per content.

    For folding events, which carry the document itself: the same content gives the same
    object. Raises RulebookRejected.
    """
    try:
        canonical = canonical_json(document)
    except (TypeError, ValueError):
        return Rulebook.from_document(document)
    return _parsed(canonical)


@lru_cache(maxsize=_KEPT_RULEBOOKS_MAX)
def _parsed(canonical: bytes) -> Rulebook:
    return Rulebook.from_document(cast("Document", json.loads(canonical)))


def with_options(document: Document, options: Mapping[str, object]) -> dict[str, object]:
    """Return a copy of the document with the house's own choices put in.

    `options` are dotted names of `HOUSE_CHOICES`. Raises ValueError, with the option
    named, for a field that is not the house's to choose, and RulebookRejected (also a
    ValueError) when the rulebook would not stand with the value.
    """
    for name in options:
        if name not in HOUSE_CHOICES:
            message = f"{name} is not for the house to choose"
            raise ValueError(message)
    changed: dict[str, object] = json.loads(canonical_json(document))
    for name, value in options.items():
        group, _, inner = name.rpartition(".")
        target = cast("dict[str, object]", changed[group]) if group else changed
        target[inner] = value
    Rulebook.from_document(changed)
    return changed
