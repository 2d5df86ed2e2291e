from sabot.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class View(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VIEW_UNSPECIFIED: _ClassVar[View]
    VIEW_BASIC: _ClassVar[View]
    VIEW_FULL: _ClassVar[View]
VIEW_UNSPECIFIED: View
VIEW_BASIC: View
VIEW_FULL: View

class AreaLimit(_message.Message):
    __slots__ = ("currency", "area", "min_minor", "max_minor", "unit_minor")
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    MIN_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAX_MINOR_FIELD_NUMBER: _ClassVar[int]
    UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    currency: str
    area: str
    min_minor: int
    max_minor: int
    unit_minor: int
    def __init__(self, currency: _Optional[str] = ..., area: _Optional[str] = ..., min_minor: _Optional[int] = ..., max_minor: _Optional[int] = ..., unit_minor: _Optional[int] = ...) -> None: ...

class Seated(_message.Message):
    __slots__ = ("seat", "player")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player: str
    def __init__(self, seat: _Optional[int] = ..., player: _Optional[str] = ...) -> None: ...

class RoadMark(_message.Message):
    __slots__ = ("coup", "result", "player_pair", "banker_pair", "natural", "no_bet")
    COUP_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_PAIR_FIELD_NUMBER: _ClassVar[int]
    BANKER_PAIR_FIELD_NUMBER: _ClassVar[int]
    NATURAL_FIELD_NUMBER: _ClassVar[int]
    NO_BET_FIELD_NUMBER: _ClassVar[int]
    coup: int
    result: str
    player_pair: bool
    banker_pair: bool
    natural: bool
    no_bet: bool
    def __init__(self, coup: _Optional[int] = ..., result: _Optional[str] = ..., player_pair: _Optional[bool] = ..., banker_pair: _Optional[bool] = ..., natural: _Optional[bool] = ..., no_bet: _Optional[bool] = ...) -> None: ...

class Table(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "table_number", "session", "status", "phase", "held", "reason", "rulebook_id", "rulebook_hash", "currency", "method", "test", "dealer", "supervisor", "shift", "shoe_id", "coup_id", "betting_closes_us", "limits_version", "limits", "differential_minor", "seats", "road_tail", "opened_us", "closed_us", "updated_us", "gaming_day", "incidents_open", "book", "latest_gaming_day")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_HASH_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SUPERVISOR_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    BETTING_CLOSES_US_FIELD_NUMBER: _ClassVar[int]
    LIMITS_VERSION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    DIFFERENTIAL_MINOR_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROAD_TAIL_FIELD_NUMBER: _ClassVar[int]
    OPENED_US_FIELD_NUMBER: _ClassVar[int]
    CLOSED_US_FIELD_NUMBER: _ClassVar[int]
    UPDATED_US_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    INCIDENTS_OPEN_FIELD_NUMBER: _ClassVar[int]
    BOOK_FIELD_NUMBER: _ClassVar[int]
    LATEST_GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    table_number: str
    session: int
    status: str
    phase: str
    held: str
    reason: str
    rulebook_id: str
    rulebook_hash: str
    currency: str
    method: str
    test: bool
    dealer: str
    supervisor: str
    shift: int
    shoe_id: str
    coup_id: str
    betting_closes_us: int
    limits_version: int
    limits: _containers.RepeatedCompositeFieldContainer[AreaLimit]
    differential_minor: int
    seats: _containers.RepeatedCompositeFieldContainer[Seated]
    road_tail: _containers.RepeatedCompositeFieldContainer[RoadMark]
    opened_us: int
    closed_us: int
    updated_us: int
    gaming_day: str
    incidents_open: int
    book: str
    latest_gaming_day: str
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., table_number: _Optional[str] = ..., session: _Optional[int] = ..., status: _Optional[str] = ..., phase: _Optional[str] = ..., held: _Optional[str] = ..., reason: _Optional[str] = ..., rulebook_id: _Optional[str] = ..., rulebook_hash: _Optional[str] = ..., currency: _Optional[str] = ..., method: _Optional[str] = ..., test: _Optional[bool] = ..., dealer: _Optional[str] = ..., supervisor: _Optional[str] = ..., shift: _Optional[int] = ..., shoe_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., betting_closes_us: _Optional[int] = ..., limits_version: _Optional[int] = ..., limits: _Optional[_Iterable[_Union[AreaLimit, _Mapping]]] = ..., differential_minor: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[Seated, _Mapping]]] = ..., road_tail: _Optional[_Iterable[_Union[RoadMark, _Mapping]]] = ..., opened_us: _Optional[int] = ..., closed_us: _Optional[int] = ..., updated_us: _Optional[int] = ..., gaming_day: _Optional[str] = ..., incidents_open: _Optional[int] = ..., book: _Optional[str] = ..., latest_gaming_day: _Optional[str] = ...) -> None: ...

class Custody(_message.Message):
    __slots__ = ("at_us", "what", "by", "second", "detail_json")
    AT_US_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    DETAIL_JSON_FIELD_NUMBER: _ClassVar[int]
    at_us: int
    what: str
    by: _common_pb2.Actor
    second: _common_pb2.Actor
    detail_json: str
    def __init__(self, at_us: _Optional[int] = ..., what: _Optional[str] = ..., by: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., second: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., detail_json: _Optional[str] = ...) -> None: ...

class Shoe(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "shoe_id", "session", "gaming_day", "number", "status", "reason", "source", "decks", "cards", "device", "drawn", "burned", "cuts_after", "cut_card_after", "last_coup", "coups", "banker_wins", "player_wins", "ties", "ended_us", "commitment_number", "commitment", "revealed_order", "revealed_secret", "custody", "test", "rulebook_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DECKS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    BURNED_FIELD_NUMBER: _ClassVar[int]
    CUTS_AFTER_FIELD_NUMBER: _ClassVar[int]
    CUT_CARD_AFTER_FIELD_NUMBER: _ClassVar[int]
    LAST_COUP_FIELD_NUMBER: _ClassVar[int]
    COUPS_FIELD_NUMBER: _ClassVar[int]
    BANKER_WINS_FIELD_NUMBER: _ClassVar[int]
    PLAYER_WINS_FIELD_NUMBER: _ClassVar[int]
    TIES_FIELD_NUMBER: _ClassVar[int]
    ENDED_US_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    REVEALED_ORDER_FIELD_NUMBER: _ClassVar[int]
    REVEALED_SECRET_FIELD_NUMBER: _ClassVar[int]
    CUSTODY_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    shoe_id: str
    session: int
    gaming_day: str
    number: int
    status: str
    reason: str
    source: str
    decks: int
    cards: int
    device: bool
    drawn: int
    burned: int
    cuts_after: int
    cut_card_after: int
    last_coup: int
    coups: int
    banker_wins: int
    player_wins: int
    ties: int
    ended_us: int
    commitment_number: int
    commitment: str
    revealed_order: _containers.RepeatedScalarFieldContainer[str]
    revealed_secret: str
    custody: _containers.RepeatedCompositeFieldContainer[Custody]
    test: bool
    rulebook_id: str
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., shoe_id: _Optional[str] = ..., session: _Optional[int] = ..., gaming_day: _Optional[str] = ..., number: _Optional[int] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., source: _Optional[str] = ..., decks: _Optional[int] = ..., cards: _Optional[int] = ..., device: _Optional[bool] = ..., drawn: _Optional[int] = ..., burned: _Optional[int] = ..., cuts_after: _Optional[int] = ..., cut_card_after: _Optional[int] = ..., last_coup: _Optional[int] = ..., coups: _Optional[int] = ..., banker_wins: _Optional[int] = ..., player_wins: _Optional[int] = ..., ties: _Optional[int] = ..., ended_us: _Optional[int] = ..., commitment_number: _Optional[int] = ..., commitment: _Optional[str] = ..., revealed_order: _Optional[_Iterable[str]] = ..., revealed_secret: _Optional[str] = ..., custody: _Optional[_Iterable[_Union[Custody, _Mapping]]] = ..., test: _Optional[bool] = ..., rulebook_id: _Optional[str] = ...) -> None: ...

class DealtCard(_message.Message):
    __slots__ = ("draw_number", "hand", "place", "card")
    DRAW_NUMBER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    draw_number: int
    hand: str
    place: int
    card: str
    def __init__(self, draw_number: _Optional[int] = ..., hand: _Optional[str] = ..., place: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class CardDecision(_message.Message):
    __slots__ = ("hand", "draw", "rule", "clause")
    HAND_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    CLAUSE_FIELD_NUMBER: _ClassVar[int]
    hand: str
    draw: bool
    rule: str
    clause: str
    def __init__(self, hand: _Optional[str] = ..., draw: _Optional[bool] = ..., rule: _Optional[str] = ..., clause: _Optional[str] = ...) -> None: ...

class Money(_message.Message):
    __slots__ = ("currency", "staked_minor", "returned_minor", "lost_minor", "forfeited_minor", "winnings_minor", "house_minor", "commission_exact", "rounding_exact", "tokens_spent_minor")
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKED_MINOR_FIELD_NUMBER: _ClassVar[int]
    RETURNED_MINOR_FIELD_NUMBER: _ClassVar[int]
    LOST_MINOR_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_MINOR_FIELD_NUMBER: _ClassVar[int]
    WINNINGS_MINOR_FIELD_NUMBER: _ClassVar[int]
    HOUSE_MINOR_FIELD_NUMBER: _ClassVar[int]
    COMMISSION_EXACT_FIELD_NUMBER: _ClassVar[int]
    ROUNDING_EXACT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_SPENT_MINOR_FIELD_NUMBER: _ClassVar[int]
    currency: str
    staked_minor: int
    returned_minor: int
    lost_minor: int
    forfeited_minor: int
    winnings_minor: int
    house_minor: int
    commission_exact: str
    rounding_exact: str
    tokens_spent_minor: int
    def __init__(self, currency: _Optional[str] = ..., staked_minor: _Optional[int] = ..., returned_minor: _Optional[int] = ..., lost_minor: _Optional[int] = ..., forfeited_minor: _Optional[int] = ..., winnings_minor: _Optional[int] = ..., house_minor: _Optional[int] = ..., commission_exact: _Optional[str] = ..., rounding_exact: _Optional[str] = ..., tokens_spent_minor: _Optional[int] = ...) -> None: ...

class Coup(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "session", "number", "gaming_day", "shoe_id", "shoe_number", "number_in_shoe", "status", "reason", "under_review", "rulebook_id", "rulebook_hash", "test", "no_bet", "method", "dealer", "limits_version", "player", "banker", "player_points", "banker_points", "winner", "natural", "player_pair", "banker_pair", "book_revision", "book_digest", "wagers", "revision", "betting_closed_us", "started_us", "resulted_us", "closed_us", "totals", "cards", "decisions", "incidents", "backfilled", "dealt_us")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    SHOE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    NUMBER_IN_SHOE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    UNDER_REVIEW_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_HASH_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    NO_BET_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    LIMITS_VERSION_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BANKER_FIELD_NUMBER: _ClassVar[int]
    PLAYER_POINTS_FIELD_NUMBER: _ClassVar[int]
    BANKER_POINTS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    NATURAL_FIELD_NUMBER: _ClassVar[int]
    PLAYER_PAIR_FIELD_NUMBER: _ClassVar[int]
    BANKER_PAIR_FIELD_NUMBER: _ClassVar[int]
    BOOK_REVISION_FIELD_NUMBER: _ClassVar[int]
    BOOK_DIGEST_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    BETTING_CLOSED_US_FIELD_NUMBER: _ClassVar[int]
    STARTED_US_FIELD_NUMBER: _ClassVar[int]
    RESULTED_US_FIELD_NUMBER: _ClassVar[int]
    CLOSED_US_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    INCIDENTS_FIELD_NUMBER: _ClassVar[int]
    BACKFILLED_FIELD_NUMBER: _ClassVar[int]
    DEALT_US_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    session: int
    number: int
    gaming_day: str
    shoe_id: str
    shoe_number: int
    number_in_shoe: int
    status: str
    reason: str
    under_review: bool
    rulebook_id: str
    rulebook_hash: str
    test: bool
    no_bet: bool
    method: str
    dealer: str
    limits_version: int
    player: _containers.RepeatedScalarFieldContainer[str]
    banker: _containers.RepeatedScalarFieldContainer[str]
    player_points: int
    banker_points: int
    winner: str
    natural: bool
    player_pair: bool
    banker_pair: bool
    book_revision: int
    book_digest: str
    wagers: int
    revision: int
    betting_closed_us: int
    started_us: int
    resulted_us: int
    closed_us: int
    totals: _containers.RepeatedCompositeFieldContainer[Money]
    cards: _containers.RepeatedCompositeFieldContainer[DealtCard]
    decisions: _containers.RepeatedCompositeFieldContainer[CardDecision]
    incidents: _containers.RepeatedScalarFieldContainer[str]
    backfilled: bool
    dealt_us: int
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., session: _Optional[int] = ..., number: _Optional[int] = ..., gaming_day: _Optional[str] = ..., shoe_id: _Optional[str] = ..., shoe_number: _Optional[int] = ..., number_in_shoe: _Optional[int] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., under_review: _Optional[bool] = ..., rulebook_id: _Optional[str] = ..., rulebook_hash: _Optional[str] = ..., test: _Optional[bool] = ..., no_bet: _Optional[bool] = ..., method: _Optional[str] = ..., dealer: _Optional[str] = ..., limits_version: _Optional[int] = ..., player: _Optional[_Iterable[str]] = ..., banker: _Optional[_Iterable[str]] = ..., player_points: _Optional[int] = ..., banker_points: _Optional[int] = ..., winner: _Optional[str] = ..., natural: _Optional[bool] = ..., player_pair: _Optional[bool] = ..., banker_pair: _Optional[bool] = ..., book_revision: _Optional[int] = ..., book_digest: _Optional[str] = ..., wagers: _Optional[int] = ..., revision: _Optional[int] = ..., betting_closed_us: _Optional[int] = ..., started_us: _Optional[int] = ..., resulted_us: _Optional[int] = ..., closed_us: _Optional[int] = ..., totals: _Optional[_Iterable[_Union[Money, _Mapping]]] = ..., cards: _Optional[_Iterable[_Union[DealtCard, _Mapping]]] = ..., decisions: _Optional[_Iterable[_Union[CardDecision, _Mapping]]] = ..., incidents: _Optional[_Iterable[str]] = ..., backfilled: _Optional[bool] = ..., dealt_us: _Optional[int] = ...) -> None: ...

class Wager(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "wager_id", "coup_id", "gaming_day", "player", "area", "box", "channel", "currency", "stake_minor", "funding", "token", "status", "reason", "message", "returned_minor", "winnings_minor", "commission_exact", "rounding_exact", "turnover_minor", "valid_bet_minor", "revision", "accepted_us", "decided_us", "limits_version", "test", "rulebook_id", "movement_ids", "clauses", "operator", "brand", "jurisdiction")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    FUNDING_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    RETURNED_MINOR_FIELD_NUMBER: _ClassVar[int]
    WINNINGS_MINOR_FIELD_NUMBER: _ClassVar[int]
    COMMISSION_EXACT_FIELD_NUMBER: _ClassVar[int]
    ROUNDING_EXACT_FIELD_NUMBER: _ClassVar[int]
    TURNOVER_MINOR_FIELD_NUMBER: _ClassVar[int]
    VALID_BET_MINOR_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_US_FIELD_NUMBER: _ClassVar[int]
    DECIDED_US_FIELD_NUMBER: _ClassVar[int]
    LIMITS_VERSION_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    MOVEMENT_IDS_FIELD_NUMBER: _ClassVar[int]
    CLAUSES_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    BRAND_FIELD_NUMBER: _ClassVar[int]
    JURISDICTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    wager_id: str
    coup_id: str
    gaming_day: str
    player: str
    area: str
    box: str
    channel: str
    currency: str
    stake_minor: int
    funding: str
    token: str
    status: str
    reason: str
    message: str
    returned_minor: int
    winnings_minor: int
    commission_exact: str
    rounding_exact: str
    turnover_minor: int
    valid_bet_minor: int
    revision: int
    accepted_us: int
    decided_us: int
    limits_version: int
    test: bool
    rulebook_id: str
    movement_ids: _containers.RepeatedScalarFieldContainer[str]
    clauses: _containers.RepeatedScalarFieldContainer[str]
    operator: str
    brand: str
    jurisdiction: str
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., player: _Optional[str] = ..., area: _Optional[str] = ..., box: _Optional[str] = ..., channel: _Optional[str] = ..., currency: _Optional[str] = ..., stake_minor: _Optional[int] = ..., funding: _Optional[str] = ..., token: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., returned_minor: _Optional[int] = ..., winnings_minor: _Optional[int] = ..., commission_exact: _Optional[str] = ..., rounding_exact: _Optional[str] = ..., turnover_minor: _Optional[int] = ..., valid_bet_minor: _Optional[int] = ..., revision: _Optional[int] = ..., accepted_us: _Optional[int] = ..., decided_us: _Optional[int] = ..., limits_version: _Optional[int] = ..., test: _Optional[bool] = ..., rulebook_id: _Optional[str] = ..., movement_ids: _Optional[_Iterable[str]] = ..., clauses: _Optional[_Iterable[str]] = ..., operator: _Optional[str] = ..., brand: _Optional[str] = ..., jurisdiction: _Optional[str] = ...) -> None: ...

class Incident(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "coup_id", "shoe_id", "gaming_day", "kind", "code", "note", "person", "status", "resolved_how", "resolved_us", "by", "second", "test", "clauses", "detail_json")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_HOW_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_US_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    CLAUSES_FIELD_NUMBER: _ClassVar[int]
    DETAIL_JSON_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    coup_id: str
    shoe_id: str
    gaming_day: str
    kind: str
    code: str
    note: str
    person: str
    status: str
    resolved_how: str
    resolved_us: int
    by: _common_pb2.Actor
    second: _common_pb2.Actor
    test: bool
    clauses: _containers.RepeatedScalarFieldContainer[str]
    detail_json: str
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., shoe_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., kind: _Optional[str] = ..., code: _Optional[str] = ..., note: _Optional[str] = ..., person: _Optional[str] = ..., status: _Optional[str] = ..., resolved_how: _Optional[str] = ..., resolved_us: _Optional[int] = ..., by: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., second: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., test: _Optional[bool] = ..., clauses: _Optional[_Iterable[str]] = ..., detail_json: _Optional[str] = ...) -> None: ...

class ExceptionEntry(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "coup_id", "wager_id", "gaming_day", "kind", "what", "parameter", "before", "after", "reason", "player", "currency", "amount_minor", "by", "second", "test", "clauses", "detail_json")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    PARAMETER_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    CLAUSES_FIELD_NUMBER: _ClassVar[int]
    DETAIL_JSON_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    coup_id: str
    wager_id: str
    gaming_day: str
    kind: str
    what: str
    parameter: str
    before: str
    after: str
    reason: str
    player: str
    currency: str
    amount_minor: int
    by: _common_pb2.Actor
    second: _common_pb2.Actor
    test: bool
    clauses: _containers.RepeatedScalarFieldContainer[str]
    detail_json: str
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., kind: _Optional[str] = ..., what: _Optional[str] = ..., parameter: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ..., reason: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount_minor: _Optional[int] = ..., by: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., second: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., test: _Optional[bool] = ..., clauses: _Optional[_Iterable[str]] = ..., detail_json: _Optional[str] = ...) -> None: ...

class DisputeDecision(_message.Message):
    __slots__ = ("at_us", "level", "decision", "decided_by", "note", "evidence_digest")
    AT_US_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    at_us: int
    level: int
    decision: str
    decided_by: str
    note: str
    evidence_digest: str
    def __init__(self, at_us: _Optional[int] = ..., level: _Optional[int] = ..., decision: _Optional[str] = ..., decided_by: _Optional[str] = ..., note: _Optional[str] = ..., evidence_digest: _Optional[str] = ...) -> None: ...

class Dispute(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "dispute_id", "coup_id", "gaming_day", "status", "level", "claim", "inspector_advised", "escalated", "closed_us", "opened_by", "evidence_exports", "test", "decisions")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    INSPECTOR_ADVISED_FIELD_NUMBER: _ClassVar[int]
    ESCALATED_FIELD_NUMBER: _ClassVar[int]
    CLOSED_US_FIELD_NUMBER: _ClassVar[int]
    OPENED_BY_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_EXPORTS_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    dispute_id: str
    coup_id: str
    gaming_day: str
    status: str
    level: int
    claim: str
    inspector_advised: bool
    escalated: bool
    closed_us: int
    opened_by: _common_pb2.Actor
    evidence_exports: int
    test: bool
    decisions: _containers.RepeatedCompositeFieldContainer[DisputeDecision]
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., dispute_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., status: _Optional[str] = ..., level: _Optional[int] = ..., claim: _Optional[str] = ..., inspector_advised: _Optional[bool] = ..., escalated: _Optional[bool] = ..., closed_us: _Optional[int] = ..., opened_by: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., evidence_exports: _Optional[int] = ..., test: _Optional[bool] = ..., decisions: _Optional[_Iterable[_Union[DisputeDecision, _Mapping]]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("id", "at_us", "position", "table_id", "session", "version", "gaming_day", "limits", "differential_minor", "replaced_us", "by", "test")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    DIFFERENTIAL_MINOR_FIELD_NUMBER: _ClassVar[int]
    REPLACED_US_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    table_id: str
    session: int
    version: int
    gaming_day: str
    limits: _containers.RepeatedCompositeFieldContainer[AreaLimit]
    differential_minor: int
    replaced_us: int
    by: _common_pb2.Actor
    test: bool
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., table_id: _Optional[str] = ..., session: _Optional[int] = ..., version: _Optional[int] = ..., gaming_day: _Optional[str] = ..., limits: _Optional[_Iterable[_Union[AreaLimit, _Mapping]]] = ..., differential_minor: _Optional[int] = ..., replaced_us: _Optional[int] = ..., by: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., test: _Optional[bool] = ...) -> None: ...

class Rulebook(_message.Message):
    __slots__ = ("id", "at_us", "position", "rulebook_id", "table_id", "document")
    ID_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    id: str
    at_us: int
    position: int
    rulebook_id: str
    table_id: str
    document: bytes
    def __init__(self, id: _Optional[str] = ..., at_us: _Optional[int] = ..., position: _Optional[int] = ..., rulebook_id: _Optional[str] = ..., table_id: _Optional[str] = ..., document: _Optional[bytes] = ...) -> None: ...

class Bead(_message.Message):
    __slots__ = ("column", "row", "mark")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    MARK_FIELD_NUMBER: _ClassVar[int]
    column: int
    row: int
    mark: RoadMark
    def __init__(self, column: _Optional[int] = ..., row: _Optional[int] = ..., mark: _Optional[_Union[RoadMark, _Mapping]] = ...) -> None: ...

class BigRoadCell(_message.Message):
    __slots__ = ("column", "row", "mark", "ties")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    MARK_FIELD_NUMBER: _ClassVar[int]
    TIES_FIELD_NUMBER: _ClassVar[int]
    column: int
    row: int
    mark: RoadMark
    ties: int
    def __init__(self, column: _Optional[int] = ..., row: _Optional[int] = ..., mark: _Optional[_Union[RoadMark, _Mapping]] = ..., ties: _Optional[int] = ...) -> None: ...

class DerivedCell(_message.Message):
    __slots__ = ("column", "row", "mark")
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    MARK_FIELD_NUMBER: _ClassVar[int]
    column: int
    row: int
    mark: str
    def __init__(self, column: _Optional[int] = ..., row: _Optional[int] = ..., mark: _Optional[str] = ...) -> None: ...

class DerivedRoad(_message.Message):
    __slots__ = ("cells", "ask_banker", "ask_player")
    CELLS_FIELD_NUMBER: _ClassVar[int]
    ASK_BANKER_FIELD_NUMBER: _ClassVar[int]
    ASK_PLAYER_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedCompositeFieldContainer[DerivedCell]
    ask_banker: str
    ask_player: str
    def __init__(self, cells: _Optional[_Iterable[_Union[DerivedCell, _Mapping]]] = ..., ask_banker: _Optional[str] = ..., ask_player: _Optional[str] = ...) -> None: ...

class Roads(_message.Message):
    __slots__ = ("shoe_id", "bead_plate", "leading_ties", "streaks", "big_road", "big_eye_boy", "small_road", "cockroach_pig")
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    BEAD_PLATE_FIELD_NUMBER: _ClassVar[int]
    LEADING_TIES_FIELD_NUMBER: _ClassVar[int]
    STREAKS_FIELD_NUMBER: _ClassVar[int]
    BIG_ROAD_FIELD_NUMBER: _ClassVar[int]
    BIG_EYE_BOY_FIELD_NUMBER: _ClassVar[int]
    SMALL_ROAD_FIELD_NUMBER: _ClassVar[int]
    COCKROACH_PIG_FIELD_NUMBER: _ClassVar[int]
    shoe_id: str
    bead_plate: _containers.RepeatedCompositeFieldContainer[Bead]
    leading_ties: int
    streaks: _containers.RepeatedScalarFieldContainer[int]
    big_road: _containers.RepeatedCompositeFieldContainer[BigRoadCell]
    big_eye_boy: DerivedRoad
    small_road: DerivedRoad
    cockroach_pig: DerivedRoad
    def __init__(self, shoe_id: _Optional[str] = ..., bead_plate: _Optional[_Iterable[_Union[Bead, _Mapping]]] = ..., leading_ties: _Optional[int] = ..., streaks: _Optional[_Iterable[int]] = ..., big_road: _Optional[_Iterable[_Union[BigRoadCell, _Mapping]]] = ..., big_eye_boy: _Optional[_Union[DerivedRoad, _Mapping]] = ..., small_road: _Optional[_Union[DerivedRoad, _Mapping]] = ..., cockroach_pig: _Optional[_Union[DerivedRoad, _Mapping]] = ...) -> None: ...
