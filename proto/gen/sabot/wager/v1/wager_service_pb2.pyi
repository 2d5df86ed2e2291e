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
    __slots__ = ("meta", "table_id", "permitted")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PERMITTED_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    permitted: bool
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., permitted: _Optional[bool] = ...) -> None: ...

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
    __slots__ = ("coup_id", "phase", "wagers", "pending_debits", "limits_version")
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    PENDING_DEBITS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_VERSION_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    phase: str
    wagers: _containers.RepeatedCompositeFieldContainer[LiveWager]
    pending_debits: int
    limits_version: int
    def __init__(self, coup_id: _Optional[str] = ..., phase: _Optional[str] = ..., wagers: _Optional[_Iterable[_Union[LiveWager, _Mapping]]] = ..., pending_debits: _Optional[int] = ..., limits_version: _Optional[int] = ...) -> None: ...

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
