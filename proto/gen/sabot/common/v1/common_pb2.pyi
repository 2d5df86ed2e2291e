from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Actor(_message.Message):
    __slots__ = ("id", "role")
    ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    id: str
    role: str
    def __init__(self, id: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...

class Recorded(_message.Message):
    __slots__ = ("at_us", "by", "second")
    AT_US_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    at_us: int
    by: Actor
    second: Actor
    def __init__(self, at_us: _Optional[int] = ..., by: _Optional[_Union[Actor, _Mapping]] = ..., second: _Optional[_Union[Actor, _Mapping]] = ...) -> None: ...

class PlayerContext(_message.Message):
    __slots__ = ("operator", "brand", "jurisdiction", "session", "limit_set")
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    BRAND_FIELD_NUMBER: _ClassVar[int]
    JURISDICTION_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    LIMIT_SET_FIELD_NUMBER: _ClassVar[int]
    operator: str
    brand: str
    jurisdiction: str
    session: str
    limit_set: str
    def __init__(self, operator: _Optional[str] = ..., brand: _Optional[str] = ..., jurisdiction: _Optional[str] = ..., session: _Optional[str] = ..., limit_set: _Optional[str] = ...) -> None: ...

class CommandMeta(_message.Message):
    __slots__ = ("command_id", "recorded", "shift")
    COMMAND_ID_FIELD_NUMBER: _ClassVar[int]
    RECORDED_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    command_id: str
    recorded: Recorded
    shift: int
    def __init__(self, command_id: _Optional[str] = ..., recorded: _Optional[_Union[Recorded, _Mapping]] = ..., shift: _Optional[int] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("reason", "message", "clauses")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CLAUSES_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    clauses: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ..., clauses: _Optional[_Iterable[str]] = ...) -> None: ...

class CallError(_message.Message):
    __slots__ = ("code", "reason", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: str
    reason: str
    message: str
    def __init__(self, code: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class CommandResult(_message.Message):
    __slots__ = ("duplicate", "refusal", "position_token")
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    POSITION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    duplicate: bool
    refusal: Refusal
    position_token: str
    def __init__(self, duplicate: _Optional[bool] = ..., refusal: _Optional[_Union[Refusal, _Mapping]] = ..., position_token: _Optional[str] = ...) -> None: ...

class Handled(_message.Message):
    __slots__ = ("upstream", "position", "event_id")
    UPSTREAM_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    upstream: str
    position: int
    event_id: str
    def __init__(self, upstream: _Optional[str] = ..., position: _Optional[int] = ..., event_id: _Optional[str] = ...) -> None: ...

class Parked(_message.Message):
    __slots__ = ("upstream", "event_id", "reason")
    UPSTREAM_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    upstream: str
    event_id: str
    reason: str
    def __init__(self, upstream: _Optional[str] = ..., event_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class TableProgress(_message.Message):
    __slots__ = ("table_id", "own_position", "handled", "parked", "open_wallet_movements", "position_token", "published_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    OWN_POSITION_FIELD_NUMBER: _ClassVar[int]
    HANDLED_FIELD_NUMBER: _ClassVar[int]
    PARKED_FIELD_NUMBER: _ClassVar[int]
    OPEN_WALLET_MOVEMENTS_FIELD_NUMBER: _ClassVar[int]
    POSITION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    own_position: int
    handled: _containers.RepeatedCompositeFieldContainer[Handled]
    parked: _containers.RepeatedCompositeFieldContainer[Parked]
    open_wallet_movements: int
    position_token: str
    published_position: int
    def __init__(self, table_id: _Optional[str] = ..., own_position: _Optional[int] = ..., handled: _Optional[_Iterable[_Union[Handled, _Mapping]]] = ..., parked: _Optional[_Iterable[_Union[Parked, _Mapping]]] = ..., open_wallet_movements: _Optional[int] = ..., position_token: _Optional[str] = ..., published_position: _Optional[int] = ...) -> None: ...

class StoredEvent(_message.Message):
    __slots__ = ("service", "table_id", "version", "position", "previous", "type", "schema_version", "meta", "body", "previous_digest", "digest", "published", "recorded_at_us")
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    META_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_DIGEST_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PUBLISHED_FIELD_NUMBER: _ClassVar[int]
    RECORDED_AT_US_FIELD_NUMBER: _ClassVar[int]
    service: str
    table_id: str
    version: int
    position: int
    previous: int
    type: str
    schema_version: int
    meta: bytes
    body: bytes
    previous_digest: bytes
    digest: bytes
    published: bool
    recorded_at_us: int
    def __init__(self, service: _Optional[str] = ..., table_id: _Optional[str] = ..., version: _Optional[int] = ..., position: _Optional[int] = ..., previous: _Optional[int] = ..., type: _Optional[str] = ..., schema_version: _Optional[int] = ..., meta: _Optional[bytes] = ..., body: _Optional[bytes] = ..., previous_digest: _Optional[bytes] = ..., digest: _Optional[bytes] = ..., published: _Optional[bool] = ..., recorded_at_us: _Optional[int] = ...) -> None: ...

class OpenItem(_message.Message):
    __slots__ = ("movement_id", "kind", "table_id", "coup_id", "wager_id", "player", "currency", "amount_minor", "status", "reason", "attempts")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    kind: str
    table_id: str
    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    status: str
    reason: str
    attempts: int
    def __init__(self, movement_id: _Optional[str] = ..., kind: _Optional[str] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount_minor: _Optional[int] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., attempts: _Optional[int] = ...) -> None: ...
