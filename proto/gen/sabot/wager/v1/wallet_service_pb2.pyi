from sabot.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FundAccountRequest(_message.Message):
    __slots__ = ("movement_id", "player", "currency", "amount_minor")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    player: str
    currency: str
    amount_minor: int
    def __init__(self, movement_id: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class FundAccountResponse(_message.Message):
    __slots__ = ("balance_minor", "duplicate")
    BALANCE_MINOR_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    balance_minor: int
    duplicate: bool
    def __init__(self, balance_minor: _Optional[int] = ..., duplicate: _Optional[bool] = ...) -> None: ...

class CreditShare(_message.Message):
    __slots__ = ("wager_id", "area", "amount_minor")
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    wager_id: str
    area: str
    amount_minor: int
    def __init__(self, wager_id: _Optional[str] = ..., area: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class CreditAccountRequest(_message.Message):
    __slots__ = ("movement_id", "player", "currency", "amount_minor", "table_id", "coup_id", "wager_id", "test", "context", "wagers")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    player: str
    currency: str
    amount_minor: int
    table_id: str
    coup_id: str
    wager_id: str
    test: bool
    context: _common_pb2.PlayerContext
    wagers: _containers.RepeatedCompositeFieldContainer[CreditShare]
    def __init__(self, movement_id: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount_minor: _Optional[int] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., test: _Optional[bool] = ..., context: _Optional[_Union[_common_pb2.PlayerContext, _Mapping]] = ..., wagers: _Optional[_Iterable[_Union[CreditShare, _Mapping]]] = ...) -> None: ...

class CreditAccountResponse(_message.Message):
    __slots__ = ("balance_minor", "duplicate", "outcome", "reason")
    BALANCE_MINOR_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    balance_minor: int
    duplicate: bool
    outcome: str
    reason: str
    def __init__(self, balance_minor: _Optional[int] = ..., duplicate: _Optional[bool] = ..., outcome: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ReverseAccountRequest(_message.Message):
    __slots__ = ("movement_id", "player", "currency", "amount_minor", "table_id", "coup_id", "wager_id", "test", "context")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    player: str
    currency: str
    amount_minor: int
    table_id: str
    coup_id: str
    wager_id: str
    test: bool
    context: _common_pb2.PlayerContext
    def __init__(self, movement_id: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount_minor: _Optional[int] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., wager_id: _Optional[str] = ..., test: _Optional[bool] = ..., context: _Optional[_Union[_common_pb2.PlayerContext, _Mapping]] = ...) -> None: ...

class ReverseAccountResponse(_message.Message):
    __slots__ = ("done", "balance_minor", "duplicate", "outcome", "reason")
    DONE_FIELD_NUMBER: _ClassVar[int]
    BALANCE_MINOR_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    done: bool
    balance_minor: int
    duplicate: bool
    outcome: str
    reason: str
    def __init__(self, done: _Optional[bool] = ..., balance_minor: _Optional[int] = ..., duplicate: _Optional[bool] = ..., outcome: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class GetBalanceRequest(_message.Message):
    __slots__ = ("player", "currency", "operator")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    player: str
    currency: str
    operator: str
    def __init__(self, player: _Optional[str] = ..., currency: _Optional[str] = ..., operator: _Optional[str] = ...) -> None: ...

class GetBalanceResponse(_message.Message):
    __slots__ = ("balance_minor",)
    BALANCE_MINOR_FIELD_NUMBER: _ClassVar[int]
    balance_minor: int
    def __init__(self, balance_minor: _Optional[int] = ...) -> None: ...

class ListMovementsRequest(_message.Message):
    __slots__ = ("player", "currency", "page_size", "page_token", "operator")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    player: str
    currency: str
    page_size: int
    page_token: str
    operator: str
    def __init__(self, player: _Optional[str] = ..., currency: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., operator: _Optional[str] = ...) -> None: ...

class Movement(_message.Message):
    __slots__ = ("movement_id", "kind", "amount_minor", "balance_minor", "table_id", "coup_id", "moved_at_us", "player", "currency", "wager_id", "cancels", "status", "operator")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    BALANCE_MINOR_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    MOVED_AT_US_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    CANCELS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    kind: str
    amount_minor: int
    balance_minor: int
    table_id: str
    coup_id: str
    moved_at_us: int
    player: str
    currency: str
    wager_id: str
    cancels: str
    status: str
    operator: str
    def __init__(self, movement_id: _Optional[str] = ..., kind: _Optional[str] = ..., amount_minor: _Optional[int] = ..., balance_minor: _Optional[int] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., moved_at_us: _Optional[int] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., wager_id: _Optional[str] = ..., cancels: _Optional[str] = ..., status: _Optional[str] = ..., operator: _Optional[str] = ...) -> None: ...

class ExportMovementsRequest(_message.Message):
    __slots__ = ("from_us", "until_us", "operator")
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    from_us: int
    until_us: int
    operator: str
    def __init__(self, from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., operator: _Optional[str] = ...) -> None: ...

class ListMovementsResponse(_message.Message):
    __slots__ = ("movements", "next_page_token")
    MOVEMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    movements: _containers.RepeatedCompositeFieldContainer[Movement]
    next_page_token: str
    def __init__(self, movements: _Optional[_Iterable[_Union[Movement, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExportMovementsResponse(_message.Message):
    __slots__ = ("movements",)
    MOVEMENTS_FIELD_NUMBER: _ClassVar[int]
    movements: _containers.RepeatedCompositeFieldContainer[Movement]
    def __init__(self, movements: _Optional[_Iterable[_Union[Movement, _Mapping]]] = ...) -> None: ...
