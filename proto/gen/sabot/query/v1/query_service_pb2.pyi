from sabot.query.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetRoadsRequest(_message.Message):
    __slots__ = ("id", "table_id", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    table_id: str
    min_position: str
    def __init__(self, id: _Optional[str] = ..., table_id: _Optional[str] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetRoadsResponse(_message.Message):
    __slots__ = ("roads", "as_of_token", "as_of_us")
    ROADS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    roads: _resources_pb2.Roads
    as_of_token: str
    as_of_us: int
    def __init__(self, roads: _Optional[_Union[_resources_pb2.Roads, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class FindWagersRequest(_message.Message):
    __slots__ = ("movement_id", "view", "min_position")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, movement_id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class FindWagersResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Wager]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Wager, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetPlayerRecallRequest(_message.Message):
    __slots__ = ("player", "coups", "min_position")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    COUPS_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    player: str
    coups: int
    min_position: str
    def __init__(self, player: _Optional[str] = ..., coups: _Optional[int] = ..., min_position: _Optional[str] = ...) -> None: ...

class RecalledCoup(_message.Message):
    __slots__ = ("coup", "wagers")
    COUP_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    coup: _resources_pb2.Coup
    wagers: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Wager]
    def __init__(self, coup: _Optional[_Union[_resources_pb2.Coup, _Mapping]] = ..., wagers: _Optional[_Iterable[_Union[_resources_pb2.Wager, _Mapping]]] = ...) -> None: ...

class GetPlayerRecallResponse(_message.Message):
    __slots__ = ("coups", "recall", "as_of_token", "as_of_us")
    COUPS_FIELD_NUMBER: _ClassVar[int]
    RECALL_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    coups: _containers.RepeatedCompositeFieldContainer[RecalledCoup]
    recall: bool
    as_of_token: str
    as_of_us: int
    def __init__(self, coups: _Optional[_Iterable[_Union[RecalledCoup, _Mapping]]] = ..., recall: _Optional[bool] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetPlayerStatementRequest(_message.Message):
    __slots__ = ("player", "from_us", "until_us", "min_position")
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    player: str
    from_us: int
    until_us: int
    min_position: str
    def __init__(self, player: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., min_position: _Optional[str] = ...) -> None: ...

class StatementLine(_message.Message):
    __slots__ = ("gaming_day", "currency", "funding", "test", "wagers", "open_minor", "turnover_minor", "valid_bet_minor", "returned_minor", "winnings_minor", "forfeited_minor", "net_minor")
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    FUNDING_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    OPEN_MINOR_FIELD_NUMBER: _ClassVar[int]
    TURNOVER_MINOR_FIELD_NUMBER: _ClassVar[int]
    VALID_BET_MINOR_FIELD_NUMBER: _ClassVar[int]
    RETURNED_MINOR_FIELD_NUMBER: _ClassVar[int]
    WINNINGS_MINOR_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_MINOR_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    gaming_day: str
    currency: str
    funding: str
    test: bool
    wagers: int
    open_minor: int
    turnover_minor: int
    valid_bet_minor: int
    returned_minor: int
    winnings_minor: int
    forfeited_minor: int
    net_minor: int
    def __init__(self, gaming_day: _Optional[str] = ..., currency: _Optional[str] = ..., funding: _Optional[str] = ..., test: _Optional[bool] = ..., wagers: _Optional[int] = ..., open_minor: _Optional[int] = ..., turnover_minor: _Optional[int] = ..., valid_bet_minor: _Optional[int] = ..., returned_minor: _Optional[int] = ..., winnings_minor: _Optional[int] = ..., forfeited_minor: _Optional[int] = ..., net_minor: _Optional[int] = ...) -> None: ...

class GetPlayerStatementResponse(_message.Message):
    __slots__ = ("lines", "as_of_token", "as_of_us")
    LINES_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[StatementLine]
    as_of_token: str
    as_of_us: int
    def __init__(self, lines: _Optional[_Iterable[_Union[StatementLine, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetTableRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetTableResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Table
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Table, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetTablesRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetTablesResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Table]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Table, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListTablesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListTablesResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Table]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Table, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportTablesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportTablesResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Table]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Table, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetShoeRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetShoeResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Shoe
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Shoe, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetShoesRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetShoesResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Shoe]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Shoe, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListShoesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListShoesResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Shoe]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Shoe, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportShoesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportShoesResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Shoe]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Shoe, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetCoupRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetCoupResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Coup
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Coup, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetCoupsRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetCoupsResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Coup]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Coup, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListCoupsRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListCoupsResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Coup]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Coup, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportCoupsRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportCoupsResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Coup]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Coup, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetWagerRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetWagerResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Wager
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Wager, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetWagersRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetWagersResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Wager]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Wager, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListWagersRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListWagersResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Wager]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Wager, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportWagersRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportWagersResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Wager]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Wager, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetIncidentRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetIncidentResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Incident
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Incident, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetIncidentsRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetIncidentsResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Incident]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Incident, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListIncidentsRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListIncidentsResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Incident]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Incident, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportIncidentsRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportIncidentsResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Incident]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Incident, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetExceptionEntryRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetExceptionEntryResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.ExceptionEntry
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.ExceptionEntry, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetExceptionEntriesRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetExceptionEntriesResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.ExceptionEntry]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.ExceptionEntry, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListExceptionEntriesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListExceptionEntriesResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.ExceptionEntry]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.ExceptionEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportExceptionEntriesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportExceptionEntriesResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.ExceptionEntry]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.ExceptionEntry, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetDisputeRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetDisputeResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Dispute
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Dispute, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetDisputesRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetDisputesResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Dispute]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Dispute, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListDisputesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListDisputesResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Dispute]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Dispute, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportDisputesRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportDisputesResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Dispute]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Dispute, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetLimitsRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetLimitsResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Limits
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Limits, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetLimitsHistoryRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetLimitsHistoryResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Limits]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Limits, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListLimitsHistoryRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListLimitsHistoryResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Limits]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Limits, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportLimitsHistoryRequest(_message.Message):
    __slots__ = ("table_id", "gaming_day", "from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    gaming_day: str
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., gaming_day: _Optional[str] = ..., from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportLimitsHistoryResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Limits]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Limits, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class GetRulebookRequest(_message.Message):
    __slots__ = ("id", "view", "min_position")
    ID_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    id: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, id: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetRulebookResponse(_message.Message):
    __slots__ = ("item", "as_of_token", "as_of_us")
    ITEM_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    item: _resources_pb2.Rulebook
    as_of_token: str
    as_of_us: int
    def __init__(self, item: _Optional[_Union[_resources_pb2.Rulebook, _Mapping]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class BatchGetRulebooksRequest(_message.Message):
    __slots__ = ("ids", "view", "min_position")
    IDS_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    ids: _containers.RepeatedScalarFieldContainer[str]
    view: _resources_pb2.View
    min_position: str
    def __init__(self, ids: _Optional[_Iterable[str]] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class BatchGetRulebooksResponse(_message.Message):
    __slots__ = ("items", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Rulebook]
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Rulebook, _Mapping]]] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ListRulebooksRequest(_message.Message):
    __slots__ = ("from_us", "until_us", "filter", "order_by", "page_size", "page_token", "view", "min_position")
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_BY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    from_us: int
    until_us: int
    filter: str
    order_by: str
    page_size: int
    page_token: str
    view: _resources_pb2.View
    min_position: str
    def __init__(self, from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., order_by: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListRulebooksResponse(_message.Message):
    __slots__ = ("items", "next_page_token", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Rulebook]
    next_page_token: str
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Rulebook, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class ExportRulebooksRequest(_message.Message):
    __slots__ = ("from_us", "until_us", "filter", "view", "resume_cursor", "follow", "min_position")
    FROM_US_FIELD_NUMBER: _ClassVar[int]
    UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    from_us: int
    until_us: int
    filter: str
    view: _resources_pb2.View
    resume_cursor: str
    follow: bool
    min_position: str
    def __init__(self, from_us: _Optional[int] = ..., until_us: _Optional[int] = ..., filter: _Optional[str] = ..., view: _Optional[_Union[_resources_pb2.View, str]] = ..., resume_cursor: _Optional[str] = ..., follow: _Optional[bool] = ..., min_position: _Optional[str] = ...) -> None: ...

class ExportRulebooksResponse(_message.Message):
    __slots__ = ("items", "resume_cursor", "checksum", "complete", "count", "as_of_token", "as_of_us")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    CHECKSUM_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Rulebook]
    resume_cursor: str
    checksum: str
    complete: bool
    count: int
    as_of_token: str
    as_of_us: int
    def __init__(self, items: _Optional[_Iterable[_Union[_resources_pb2.Rulebook, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., checksum: _Optional[str] = ..., complete: _Optional[bool] = ..., count: _Optional[int] = ..., as_of_token: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...
