from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListReportsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReportColumn(_message.Message):
    __slots__ = ("name", "unit", "about", "total")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    name: str
    unit: str
    about: str
    total: bool
    def __init__(self, name: _Optional[str] = ..., unit: _Optional[str] = ..., about: _Optional[str] = ..., total: _Optional[bool] = ...) -> None: ...

class ReportDescription(_message.Message):
    __slots__ = ("name", "title", "version", "about", "columns", "filters", "period", "formula")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ABOUT_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    PERIOD_FIELD_NUMBER: _ClassVar[int]
    FORMULA_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    version: int
    about: str
    columns: _containers.RepeatedCompositeFieldContainer[ReportColumn]
    filters: _containers.RepeatedScalarFieldContainer[str]
    period: bool
    formula: str
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., version: _Optional[int] = ..., about: _Optional[str] = ..., columns: _Optional[_Iterable[_Union[ReportColumn, _Mapping]]] = ..., filters: _Optional[_Iterable[str]] = ..., period: _Optional[bool] = ..., formula: _Optional[str] = ...) -> None: ...

class ListReportsResponse(_message.Message):
    __slots__ = ("reports",)
    REPORTS_FIELD_NUMBER: _ClassVar[int]
    reports: _containers.RepeatedCompositeFieldContainer[ReportDescription]
    def __init__(self, reports: _Optional[_Iterable[_Union[ReportDescription, _Mapping]]] = ...) -> None: ...

class GetReportRequest(_message.Message):
    __slots__ = ("name", "as_of_token", "from_day", "to_day", "to_date", "test", "table_id", "rulebook_id", "dealer", "area", "currency", "player", "threshold_minor", "after_row")
    NAME_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FROM_DAY_FIELD_NUMBER: _ClassVar[int]
    TO_DAY_FIELD_NUMBER: _ClassVar[int]
    TO_DATE_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_MINOR_FIELD_NUMBER: _ClassVar[int]
    AFTER_ROW_FIELD_NUMBER: _ClassVar[int]
    name: str
    as_of_token: str
    from_day: str
    to_day: str
    to_date: str
    test: bool
    table_id: str
    rulebook_id: str
    dealer: str
    area: str
    currency: str
    player: str
    threshold_minor: int
    after_row: int
    def __init__(self, name: _Optional[str] = ..., as_of_token: _Optional[str] = ..., from_day: _Optional[str] = ..., to_day: _Optional[str] = ..., to_date: _Optional[str] = ..., test: _Optional[bool] = ..., table_id: _Optional[str] = ..., rulebook_id: _Optional[str] = ..., dealer: _Optional[str] = ..., area: _Optional[str] = ..., currency: _Optional[str] = ..., player: _Optional[str] = ..., threshold_minor: _Optional[int] = ..., after_row: _Optional[int] = ...) -> None: ...

class ReportHeader(_message.Message):
    __slots__ = ("report", "software", "zones", "as_of_token", "as_of_position", "from_day", "to_day", "filters", "generated_at_us")
    class FiltersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    REPORT_FIELD_NUMBER: _ClassVar[int]
    SOFTWARE_FIELD_NUMBER: _ClassVar[int]
    ZONES_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_POSITION_FIELD_NUMBER: _ClassVar[int]
    FROM_DAY_FIELD_NUMBER: _ClassVar[int]
    TO_DAY_FIELD_NUMBER: _ClassVar[int]
    FILTERS_FIELD_NUMBER: _ClassVar[int]
    GENERATED_AT_US_FIELD_NUMBER: _ClassVar[int]
    report: ReportDescription
    software: str
    zones: str
    as_of_token: str
    as_of_position: int
    from_day: str
    to_day: str
    filters: _containers.ScalarMap[str, str]
    generated_at_us: int
    def __init__(self, report: _Optional[_Union[ReportDescription, _Mapping]] = ..., software: _Optional[str] = ..., zones: _Optional[str] = ..., as_of_token: _Optional[str] = ..., as_of_position: _Optional[int] = ..., from_day: _Optional[str] = ..., to_day: _Optional[str] = ..., filters: _Optional[_Mapping[str, str]] = ..., generated_at_us: _Optional[int] = ...) -> None: ...

class ReportRow(_message.Message):
    __slots__ = ("cells",)
    CELLS_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cells: _Optional[_Iterable[str]] = ...) -> None: ...

class ReportRows(_message.Message):
    __slots__ = ("rows",)
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[ReportRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[ReportRow, _Mapping]]] = ...) -> None: ...

class ReportCheck(_message.Message):
    __slots__ = ("equation", "holds")
    EQUATION_FIELD_NUMBER: _ClassVar[int]
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    equation: str
    holds: bool
    def __init__(self, equation: _Optional[str] = ..., holds: _Optional[bool] = ...) -> None: ...

class ReportTotals(_message.Message):
    __slots__ = ("currency", "rows", "sums", "checks")
    class SumsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    SUMS_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    currency: str
    rows: int
    sums: _containers.ScalarMap[str, str]
    checks: _containers.RepeatedCompositeFieldContainer[ReportCheck]
    def __init__(self, currency: _Optional[str] = ..., rows: _Optional[int] = ..., sums: _Optional[_Mapping[str, str]] = ..., checks: _Optional[_Iterable[_Union[ReportCheck, _Mapping]]] = ...) -> None: ...

class ReportEnding(_message.Message):
    __slots__ = ("rows", "totals", "digest")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    rows: int
    totals: _containers.RepeatedCompositeFieldContainer[ReportTotals]
    digest: str
    def __init__(self, rows: _Optional[int] = ..., totals: _Optional[_Iterable[_Union[ReportTotals, _Mapping]]] = ..., digest: _Optional[str] = ...) -> None: ...

class GetReportResponse(_message.Message):
    __slots__ = ("header", "rows", "ending")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    header: ReportHeader
    rows: ReportRows
    ending: ReportEnding
    def __init__(self, header: _Optional[_Union[ReportHeader, _Mapping]] = ..., rows: _Optional[_Union[ReportRows, _Mapping]] = ..., ending: _Optional[_Union[ReportEnding, _Mapping]] = ...) -> None: ...
