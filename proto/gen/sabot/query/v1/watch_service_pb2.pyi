from sabot.query.v1 import resources_pb2 as _resources_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WatchTableRequest(_message.Message):
    __slots__ = ("table_id", "resume_cursor")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    resume_cursor: str
    def __init__(self, table_id: _Optional[str] = ..., resume_cursor: _Optional[str] = ...) -> None: ...

class WatchTableResponse(_message.Message):
    __slots__ = ("table", "shoe", "coup", "resume_cursor", "as_of_us")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SHOE_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    table: _resources_pb2.Table
    shoe: _resources_pb2.Shoe
    coup: _resources_pb2.Coup
    resume_cursor: str
    as_of_us: int
    def __init__(self, table: _Optional[_Union[_resources_pb2.Table, _Mapping]] = ..., shoe: _Optional[_Union[_resources_pb2.Shoe, _Mapping]] = ..., coup: _Optional[_Union[_resources_pb2.Coup, _Mapping]] = ..., resume_cursor: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...

class WatchTablesRequest(_message.Message):
    __slots__ = ("table_ids", "resume_cursor", "include_closed")
    TABLE_IDS_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    table_ids: _containers.RepeatedScalarFieldContainer[str]
    resume_cursor: str
    include_closed: bool
    def __init__(self, table_ids: _Optional[_Iterable[str]] = ..., resume_cursor: _Optional[str] = ..., include_closed: _Optional[bool] = ...) -> None: ...

class WatchTablesResponse(_message.Message):
    __slots__ = ("tables", "resume_cursor", "as_of_us")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    RESUME_CURSOR_FIELD_NUMBER: _ClassVar[int]
    AS_OF_US_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[_resources_pb2.Table]
    resume_cursor: str
    as_of_us: int
    def __init__(self, tables: _Optional[_Iterable[_Union[_resources_pb2.Table, _Mapping]]] = ..., resume_cursor: _Optional[str] = ..., as_of_us: _Optional[int] = ...) -> None: ...
