from sabot.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Limit(_message.Message):
    __slots__ = ("min_minor", "max_minor", "unit_minor")
    MIN_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAX_MINOR_FIELD_NUMBER: _ClassVar[int]
    UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    min_minor: int
    max_minor: int
    unit_minor: int
    def __init__(self, min_minor: _Optional[int] = ..., max_minor: _Optional[int] = ..., unit_minor: _Optional[int] = ...) -> None: ...

class AreaLimits(_message.Message):
    __slots__ = ("areas",)
    class AreasEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Limit
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Limit, _Mapping]] = ...) -> None: ...
    AREAS_FIELD_NUMBER: _ClassVar[int]
    areas: _containers.MessageMap[str, Limit]
    def __init__(self, areas: _Optional[_Mapping[str, Limit]] = ...) -> None: ...

class OpenTableRequest(_message.Message):
    __slots__ = ("meta", "table_id", "rulebook_id", "decks", "currency", "limits", "mode", "table_number", "smallest_chip_minor", "seats", "left_of_dealer", "layout", "method", "manual_burns", "differential_minor", "player_coup_maximum_minor", "maximum_win_minor", "table_exposure_minor", "betting_seconds", "debit_drain_ms", "options_json", "time_zone", "day_starts_minute", "book")
    class LimitsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: AreaLimits
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[AreaLimits, _Mapping]] = ...) -> None: ...
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    DECKS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    TABLE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    SMALLEST_CHIP_MINOR_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    LEFT_OF_DEALER_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    MANUAL_BURNS_FIELD_NUMBER: _ClassVar[int]
    DIFFERENTIAL_MINOR_FIELD_NUMBER: _ClassVar[int]
    PLAYER_COUP_MAXIMUM_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_WIN_MINOR_FIELD_NUMBER: _ClassVar[int]
    TABLE_EXPOSURE_MINOR_FIELD_NUMBER: _ClassVar[int]
    BETTING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DEBIT_DRAIN_MS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    TIME_ZONE_FIELD_NUMBER: _ClassVar[int]
    DAY_STARTS_MINUTE_FIELD_NUMBER: _ClassVar[int]
    BOOK_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    rulebook_id: str
    decks: int
    currency: str
    limits: _containers.MessageMap[str, AreaLimits]
    mode: str
    table_number: str
    smallest_chip_minor: int
    seats: int
    left_of_dealer: int
    layout: str
    method: str
    manual_burns: bool
    differential_minor: int
    player_coup_maximum_minor: int
    maximum_win_minor: int
    table_exposure_minor: int
    betting_seconds: int
    debit_drain_ms: int
    options_json: str
    time_zone: str
    day_starts_minute: int
    book: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., rulebook_id: _Optional[str] = ..., decks: _Optional[int] = ..., currency: _Optional[str] = ..., limits: _Optional[_Mapping[str, AreaLimits]] = ..., mode: _Optional[str] = ..., table_number: _Optional[str] = ..., smallest_chip_minor: _Optional[int] = ..., seats: _Optional[int] = ..., left_of_dealer: _Optional[int] = ..., layout: _Optional[str] = ..., method: _Optional[str] = ..., manual_burns: _Optional[bool] = ..., differential_minor: _Optional[int] = ..., player_coup_maximum_minor: _Optional[int] = ..., maximum_win_minor: _Optional[int] = ..., table_exposure_minor: _Optional[int] = ..., betting_seconds: _Optional[int] = ..., debit_drain_ms: _Optional[int] = ..., options_json: _Optional[str] = ..., time_zone: _Optional[str] = ..., day_starts_minute: _Optional[int] = ..., book: _Optional[str] = ...) -> None: ...

class OpenTableResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CloseTableRequest(_message.Message):
    __slots__ = ("meta", "table_id", "exemption")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    EXEMPTION_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    exemption: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., exemption: _Optional[str] = ...) -> None: ...

class CloseTableResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class TakeSeatRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat", "player")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    player: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ..., player: _Optional[str] = ...) -> None: ...

class TakeSeatResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class LeaveSeatRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class LeaveSeatResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AssignDealerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dealer")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dealer: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dealer: _Optional[str] = ...) -> None: ...

class AssignDealerResponse(_message.Message):
    __slots__ = ("result", "shift")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    shift: int
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., shift: _Optional[int] = ...) -> None: ...

class ChangeDealerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dealer")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dealer: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dealer: _Optional[str] = ...) -> None: ...

class ChangeDealerResponse(_message.Message):
    __slots__ = ("result", "shift")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    shift: int
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., shift: _Optional[int] = ...) -> None: ...

class OpenBettingRequest(_message.Message):
    __slots__ = ("meta", "table_id", "closes_in_us", "no_bet")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    CLOSES_IN_US_FIELD_NUMBER: _ClassVar[int]
    NO_BET_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    closes_in_us: int
    no_bet: bool
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., closes_in_us: _Optional[int] = ..., no_bet: _Optional[bool] = ...) -> None: ...

class OpenBettingResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CallNoMoreBetsRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class CallNoMoreBetsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CloseBookRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class CloseBookResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DealCoupRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class DealCoupResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AnnounceResultRequest(_message.Message):
    __slots__ = ("meta", "table_id", "winner", "player_points", "banker_points")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    PLAYER_POINTS_FIELD_NUMBER: _ClassVar[int]
    BANKER_POINTS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    winner: str
    player_points: int
    banker_points: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., winner: _Optional[str] = ..., player_points: _Optional[int] = ..., banker_points: _Optional[int] = ...) -> None: ...

class AnnounceResultResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RecordIncidentRequest(_message.Message):
    __slots__ = ("meta", "table_id", "code", "note", "person")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    code: str
    note: str
    person: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., code: _Optional[str] = ..., note: _Optional[str] = ..., person: _Optional[str] = ...) -> None: ...

class RecordIncidentResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AdvanceTimeRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class AdvanceTimeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class GetTableRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class GetTableResponse(_message.Message):
    __slots__ = ("open", "session", "rulebook_id", "rulebook_hash", "dealer", "coups", "coup_id", "phase", "closes_at_us", "player", "banker", "waits_for", "test", "supervisor", "shift")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_HASH_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    COUPS_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    CLOSES_AT_US_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BANKER_FIELD_NUMBER: _ClassVar[int]
    WAITS_FOR_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    SUPERVISOR_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    open: bool
    session: int
    rulebook_id: str
    rulebook_hash: str
    dealer: str
    coups: int
    coup_id: str
    phase: str
    closes_at_us: int
    player: _containers.RepeatedScalarFieldContainer[str]
    banker: _containers.RepeatedScalarFieldContainer[str]
    waits_for: str
    test: bool
    supervisor: str
    shift: int
    def __init__(self, open: _Optional[bool] = ..., session: _Optional[int] = ..., rulebook_id: _Optional[str] = ..., rulebook_hash: _Optional[str] = ..., dealer: _Optional[str] = ..., coups: _Optional[int] = ..., coup_id: _Optional[str] = ..., phase: _Optional[str] = ..., closes_at_us: _Optional[int] = ..., player: _Optional[_Iterable[str]] = ..., banker: _Optional[_Iterable[str]] = ..., waits_for: _Optional[str] = ..., test: _Optional[bool] = ..., supervisor: _Optional[str] = ..., shift: _Optional[int] = ...) -> None: ...

class GetTableProgressRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class GetTableProgressResponse(_message.Message):
    __slots__ = ("progress",)
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    progress: _common_pb2.TableProgress
    def __init__(self, progress: _Optional[_Union[_common_pb2.TableProgress, _Mapping]] = ...) -> None: ...

class ListCommandEventsRequest(_message.Message):
    __slots__ = ("table_id", "command_ids")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_IDS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    command_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table_id: _Optional[str] = ..., command_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ListCommandEventsResponse(_message.Message):
    __slots__ = ("events",)
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_common_pb2.StoredEvent]
    def __init__(self, events: _Optional[_Iterable[_Union[_common_pb2.StoredEvent, _Mapping]]] = ...) -> None: ...

class AbandonTableRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class AbandonTableResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AssignSupervisorRequest(_message.Message):
    __slots__ = ("meta", "table_id", "supervisor")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SUPERVISOR_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    supervisor: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., supervisor: _Optional[str] = ...) -> None: ...

class AssignSupervisorResponse(_message.Message):
    __slots__ = ("result", "shift")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    shift: int
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., shift: _Optional[int] = ...) -> None: ...

class SuspendTableRequest(_message.Message):
    __slots__ = ("meta", "table_id", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SuspendTableResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ResumeTableRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class ResumeTableResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DisplayNoticeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "change", "effective_at_us", "rulebook_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_AT_US_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    change: str
    effective_at_us: int
    rulebook_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., change: _Optional[str] = ..., effective_at_us: _Optional[int] = ..., rulebook_id: _Optional[str] = ...) -> None: ...

class DisplayNoticeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DisplaySignRequest(_message.Message):
    __slots__ = ("meta", "table_id", "sign")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SIGN_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    sign: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., sign: _Optional[str] = ...) -> None: ...

class DisplaySignResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RemoveSignRequest(_message.Message):
    __slots__ = ("meta", "table_id", "sign")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SIGN_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    sign: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., sign: _Optional[str] = ...) -> None: ...

class RemoveSignResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AskConsentRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class AskConsentResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class GiveConsentRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ...) -> None: ...

class GiveConsentResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ChangeGameRequest(_message.Message):
    __slots__ = ("meta", "table_id", "rulebook_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    rulebook_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., rulebook_id: _Optional[str] = ...) -> None: ...

class ChangeGameResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class SelectMethodRequest(_message.Message):
    __slots__ = ("meta", "table_id", "method")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    method: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., method: _Optional[str] = ...) -> None: ...

class SelectMethodResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ApproveMethodRequest(_message.Message):
    __slots__ = ("meta", "table_id", "method", "coups", "conditions")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    COUPS_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    method: str
    coups: int
    conditions: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., method: _Optional[str] = ..., coups: _Optional[int] = ..., conditions: _Optional[str] = ...) -> None: ...

class ApproveMethodResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ApproveRoleRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player", "coups")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    COUPS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    coups: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ..., coups: _Optional[int] = ...) -> None: ...

class ApproveRoleResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class VacateSeatRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class VacateSeatResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class InstructDrawRequest(_message.Message):
    __slots__ = ("meta", "table_id", "count")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    count: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class InstructDrawResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class OfferCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "hand", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    hand: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., hand: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class OfferCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AcceptCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "hand", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    hand: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., hand: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class AcceptCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DeclineCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "hand", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    hand: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., hand: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class DeclineCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ReturnCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "hand", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    hand: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., hand: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ReturnCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ShowHandRequest(_message.Message):
    __slots__ = ("meta", "table_id", "hand", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    hand: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., hand: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ShowHandResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class OfferShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class OfferShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AcceptShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat", "hand")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    hand: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ..., hand: _Optional[str] = ...) -> None: ...

class AcceptShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DeclineShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class DeclineShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class PassShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class PassShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ForfeitShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class ForfeitShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ApproveErrorRequest(_message.Message):
    __slots__ = ("meta", "table_id", "what", "coup")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WHAT_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    what: str
    coup: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., what: _Optional[str] = ..., coup: _Optional[int] = ...) -> None: ...

class ApproveErrorResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RuleOnDealRequest(_message.Message):
    __slots__ = ("meta", "table_id", "ruling", "coup")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RULING_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    ruling: str
    coup: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., ruling: _Optional[str] = ..., coup: _Optional[int] = ...) -> None: ...

class RuleOnDealResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CloseWithdrawalsRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class CloseWithdrawalsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ExtendWithdrawalsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seconds")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seconds: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seconds: _Optional[int] = ...) -> None: ...

class ExtendWithdrawalsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AttestCardRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seen", "coup")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seen: bool
    coup: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seen: _Optional[bool] = ..., coup: _Optional[int] = ...) -> None: ...

class AttestCardResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class VoidCoupRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup: int
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class VoidCoupResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ConfirmResultRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup: _Optional[int] = ...) -> None: ...

class ConfirmResultResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CorrectResultRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup", "player", "banker", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BANKER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup: int
    player: _containers.RepeatedScalarFieldContainer[str]
    banker: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup: _Optional[int] = ..., player: _Optional[_Iterable[str]] = ..., banker: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ...) -> None: ...

class CorrectResultResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class InvalidateOutcomeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup", "reason", "player", "forfeit")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup: int
    reason: str
    player: str
    forfeit: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup: _Optional[int] = ..., reason: _Optional[str] = ..., player: _Optional[str] = ..., forfeit: _Optional[_Iterable[str]] = ...) -> None: ...

class InvalidateOutcomeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class BackfillCoupRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup", "cards", "winner", "dealt_at_us", "reason", "video", "device_id", "sequence")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    DEALT_AT_US_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    VIDEO_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    winner: str
    dealt_at_us: int
    reason: str
    video: str
    device_id: str
    sequence: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ..., winner: _Optional[str] = ..., dealt_at_us: _Optional[int] = ..., reason: _Optional[str] = ..., video: _Optional[str] = ..., device_id: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class BackfillCoupResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...
