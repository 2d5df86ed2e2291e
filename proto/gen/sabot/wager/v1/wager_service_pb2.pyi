from sabot.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlaceWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id", "player", "area", "amount_minor", "currency", "channel", "box", "token", "coup_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    player: str
    area: str
    amount_minor: int
    currency: str
    channel: str
    box: str
    token: str
    coup_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., player: _Optional[str] = ..., area: _Optional[str] = ..., amount_minor: _Optional[int] = ..., currency: _Optional[str] = ..., channel: _Optional[str] = ..., box: _Optional[str] = ..., token: _Optional[str] = ..., coup_id: _Optional[str] = ...) -> None: ...

class PlaceWagerResponse(_message.Message):
    __slots__ = ("result", "status", "code", "stake_minor", "message", "error")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    status: str
    code: str
    stake_minor: int
    message: str
    error: _common_pb2.CallError
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., status: _Optional[str] = ..., code: _Optional[str] = ..., stake_minor: _Optional[int] = ..., message: _Optional[str] = ..., error: _Optional[_Union[_common_pb2.CallError, _Mapping]] = ...) -> None: ...

class ChangeWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id", "amount_minor")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    amount_minor: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class ChangeWagerResponse(_message.Message):
    __slots__ = ("result", "status", "code", "stake_minor", "message")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    status: str
    code: str
    stake_minor: int
    message: str
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., status: _Optional[str] = ..., code: _Optional[str] = ..., stake_minor: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class CancelWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ...) -> None: ...

class CancelWagerResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RejectWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ...) -> None: ...

class RejectWagerResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class PermitStandingRequest(_message.Message):
    __slots__ = ("meta", "table_id", "permitted", "player")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PERMITTED_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    permitted: bool
    player: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., permitted: _Optional[bool] = ..., player: _Optional[str] = ...) -> None: ...

class PermitStandingResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class GetBookRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class LiveWager(_message.Message):
    __slots__ = ("wager_id", "player", "area", "currency", "stake_minor")
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    def __init__(self, wager_id: _Optional[str] = ..., player: _Optional[str] = ..., area: _Optional[str] = ..., currency: _Optional[str] = ..., stake_minor: _Optional[int] = ...) -> None: ...

class GetBookResponse(_message.Message):
    __slots__ = ("coup_id", "phase", "wagers", "pending_debits", "limits_version", "currency", "currency_exponent")
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    PENDING_DEBITS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_VERSION_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_EXPONENT_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    phase: str
    wagers: _containers.RepeatedCompositeFieldContainer[LiveWager]
    pending_debits: int
    limits_version: int
    currency: str
    currency_exponent: int
    def __init__(self, coup_id: _Optional[str] = ..., phase: _Optional[str] = ..., wagers: _Optional[_Iterable[_Union[LiveWager, _Mapping]]] = ..., pending_debits: _Optional[int] = ..., limits_version: _Optional[int] = ..., currency: _Optional[str] = ..., currency_exponent: _Optional[int] = ...) -> None: ...

class PlaceWagersRequest(_message.Message):
    __slots__ = ("wagers",)
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    wagers: _containers.RepeatedCompositeFieldContainer[PlaceWagerRequest]
    def __init__(self, wagers: _Optional[_Iterable[_Union[PlaceWagerRequest, _Mapping]]] = ...) -> None: ...

class PlaceWagersResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[PlaceWagerResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[PlaceWagerResponse, _Mapping]]] = ...) -> None: ...

class SlipStake(_message.Message):
    __slots__ = ("area", "amount_minor")
    AREA_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    area: str
    amount_minor: int
    def __init__(self, area: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class PlaceSlipRequest(_message.Message):
    __slots__ = ("meta", "table_id", "slip_id", "player", "wagers", "currency", "channel", "box", "coup_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SLIP_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    slip_id: str
    player: str
    wagers: _containers.RepeatedCompositeFieldContainer[SlipStake]
    currency: str
    channel: str
    box: str
    coup_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., slip_id: _Optional[str] = ..., player: _Optional[str] = ..., wagers: _Optional[_Iterable[_Union[SlipStake, _Mapping]]] = ..., currency: _Optional[str] = ..., channel: _Optional[str] = ..., box: _Optional[str] = ..., coup_id: _Optional[str] = ...) -> None: ...

class PlaceSlipResponse(_message.Message):
    __slots__ = ("result", "status", "code", "message", "wager_ids")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WAGER_IDS_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    status: str
    code: str
    message: str
    wager_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., status: _Optional[str] = ..., code: _Optional[str] = ..., message: _Optional[str] = ..., wager_ids: _Optional[_Iterable[str]] = ...) -> None: ...

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

class WithdrawWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ...) -> None: ...

class WithdrawWagerResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class KeepWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ...) -> None: ...

class KeepWagerResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class VoidWagerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "wager_id", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    wager_id: str
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class VoidWagerResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class PermitSharingRequest(_message.Message):
    __slots__ = ("meta", "table_id", "players_max", "box")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_MAX_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    players_max: int
    box: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., players_max: _Optional[int] = ..., box: _Optional[str] = ...) -> None: ...

class PermitSharingResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ApproveOpposingRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player", "coups", "until_us")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    COUPS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    coups: int
    until_us: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ..., coups: _Optional[int] = ..., until_us: _Optional[int] = ...) -> None: ...

class ApproveOpposingResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class GrantLimitsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player", "minimum_minor", "maximum_minor", "until_us")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_MINOR_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    minimum_minor: int
    maximum_minor: int
    until_us: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ..., minimum_minor: _Optional[int] = ..., maximum_minor: _Optional[int] = ..., until_us: _Optional[int] = ...) -> None: ...

class GrantLimitsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RevokePermissionRequest(_message.Message):
    __slots__ = ("meta", "table_id", "permission", "player", "box")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BOX_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    permission: str
    player: str
    box: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., permission: _Optional[str] = ..., player: _Optional[str] = ..., box: _Optional[str] = ...) -> None: ...

class RevokePermissionResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class BarPlayerRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player", "scope", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    scope: str
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ..., scope: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class BarPlayerResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class LiftBarRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player", "scope", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    scope: str
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ..., scope: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class LiftBarResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class OrderStopRequest(_message.Message):
    __slots__ = ("meta", "table_id", "of", "value", "operator", "everywhere", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    EVERYWHERE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    of: str
    value: str
    operator: str
    everywhere: bool
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., of: _Optional[str] = ..., value: _Optional[str] = ..., operator: _Optional[str] = ..., everywhere: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class OrderStopResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class LiftStopRequest(_message.Message):
    __slots__ = ("meta", "table_id", "of", "value", "operator", "everywhere", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    OF_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    EVERYWHERE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    of: str
    value: str
    operator: str
    everywhere: bool
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., of: _Optional[str] = ..., value: _Optional[str] = ..., operator: _Optional[str] = ..., everywhere: _Optional[bool] = ..., reason: _Optional[str] = ...) -> None: ...

class LiftStopResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ListStopsRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class ListStopsResponse(_message.Message):
    __slots__ = ("stops",)
    STOPS_FIELD_NUMBER: _ClassVar[int]
    stops: _containers.RepeatedCompositeFieldContainer[Stop]
    def __init__(self, stops: _Optional[_Iterable[_Union[Stop, _Mapping]]] = ...) -> None: ...

class Stop(_message.Message):
    __slots__ = ("of", "value", "operator", "everywhere", "table_id", "reason", "ordered_by", "at_us")
    OF_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    EVERYWHERE_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ORDERED_BY_FIELD_NUMBER: _ClassVar[int]
    AT_US_FIELD_NUMBER: _ClassVar[int]
    of: str
    value: str
    operator: str
    everywhere: bool
    table_id: str
    reason: str
    ordered_by: str
    at_us: int
    def __init__(self, of: _Optional[str] = ..., value: _Optional[str] = ..., operator: _Optional[str] = ..., everywhere: _Optional[bool] = ..., table_id: _Optional[str] = ..., reason: _Optional[str] = ..., ordered_by: _Optional[str] = ..., at_us: _Optional[int] = ...) -> None: ...

class ChangeLimitsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "limits", "differential_minor")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    DIFFERENTIAL_MINOR_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    limits: AreaLimits
    differential_minor: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., limits: _Optional[_Union[AreaLimits, _Mapping]] = ..., differential_minor: _Optional[int] = ...) -> None: ...

class ChangeLimitsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class NotifyMinimumRequest(_message.Message):
    __slots__ = ("meta", "table_id", "minimum_minor", "effective_at_us")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_MINOR_FIELD_NUMBER: _ClassVar[int]
    EFFECTIVE_AT_US_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    minimum_minor: int
    effective_at_us: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., minimum_minor: _Optional[int] = ..., effective_at_us: _Optional[int] = ...) -> None: ...

class NotifyMinimumResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RemoveSignRequest(_message.Message):
    __slots__ = ("meta", "table_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class RemoveSignResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RepeatRefundRequest(_message.Message):
    __slots__ = ("meta", "table_id", "movement_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    movement_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., movement_id: _Optional[str] = ...) -> None: ...

class RepeatRefundResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ListOpenItemsRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class ListOpenItemsResponse(_message.Message):
    __slots__ = ("items",)
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_common_pb2.OpenItem]
    def __init__(self, items: _Optional[_Iterable[_Union[_common_pb2.OpenItem, _Mapping]]] = ...) -> None: ...
