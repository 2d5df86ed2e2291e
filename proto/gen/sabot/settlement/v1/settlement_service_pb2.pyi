from sabot.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetCoupRequest(_message.Message):
    __slots__ = ("coup_id", "min_position")
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    min_position: str
    def __init__(self, coup_id: _Optional[str] = ..., min_position: _Optional[str] = ...) -> None: ...

class SettledWager(_message.Message):
    __slots__ = ("wager_id", "player", "area", "currency", "stake_minor", "outcome", "returned_minor", "winnings_minor", "commission_exact", "rounding_exact")
    WAGER_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    AREA_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    RETURNED_MINOR_FIELD_NUMBER: _ClassVar[int]
    WINNINGS_MINOR_FIELD_NUMBER: _ClassVar[int]
    COMMISSION_EXACT_FIELD_NUMBER: _ClassVar[int]
    ROUNDING_EXACT_FIELD_NUMBER: _ClassVar[int]
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    outcome: str
    returned_minor: int
    winnings_minor: int
    commission_exact: str
    rounding_exact: str
    def __init__(self, wager_id: _Optional[str] = ..., player: _Optional[str] = ..., area: _Optional[str] = ..., currency: _Optional[str] = ..., stake_minor: _Optional[int] = ..., outcome: _Optional[str] = ..., returned_minor: _Optional[int] = ..., winnings_minor: _Optional[int] = ..., commission_exact: _Optional[str] = ..., rounding_exact: _Optional[str] = ...) -> None: ...

class Coup(_message.Message):
    __slots__ = ("coup_id", "table_id", "number", "shoe_id", "status", "reason", "player", "banker", "player_points", "banker_points", "winner", "natural", "revision", "wagers", "rulebook_id", "rulebook_hash", "test")
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BANKER_FIELD_NUMBER: _ClassVar[int]
    PLAYER_POINTS_FIELD_NUMBER: _ClassVar[int]
    BANKER_POINTS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    NATURAL_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_HASH_FIELD_NUMBER: _ClassVar[int]
    TEST_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    table_id: str
    number: int
    shoe_id: str
    status: str
    reason: str
    player: _containers.RepeatedScalarFieldContainer[str]
    banker: _containers.RepeatedScalarFieldContainer[str]
    player_points: int
    banker_points: int
    winner: str
    natural: bool
    revision: int
    wagers: _containers.RepeatedCompositeFieldContainer[SettledWager]
    rulebook_id: str
    rulebook_hash: str
    test: bool
    def __init__(self, coup_id: _Optional[str] = ..., table_id: _Optional[str] = ..., number: _Optional[int] = ..., shoe_id: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., player: _Optional[_Iterable[str]] = ..., banker: _Optional[_Iterable[str]] = ..., player_points: _Optional[int] = ..., banker_points: _Optional[int] = ..., winner: _Optional[str] = ..., natural: _Optional[bool] = ..., revision: _Optional[int] = ..., wagers: _Optional[_Iterable[_Union[SettledWager, _Mapping]]] = ..., rulebook_id: _Optional[str] = ..., rulebook_hash: _Optional[str] = ..., test: _Optional[bool] = ...) -> None: ...

class GetCoupResponse(_message.Message):
    __slots__ = ("coup", "as_of_token")
    COUP_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    coup: Coup
    as_of_token: str
    def __init__(self, coup: _Optional[_Union[Coup, _Mapping]] = ..., as_of_token: _Optional[str] = ...) -> None: ...

class ListCoupsRequest(_message.Message):
    __slots__ = ("table_id", "page_size", "page_token", "min_position")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    page_size: int
    page_token: str
    min_position: str
    def __init__(self, table_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., min_position: _Optional[str] = ...) -> None: ...

class ListCoupsResponse(_message.Message):
    __slots__ = ("coups", "next_page_token", "as_of_token")
    COUPS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TOKEN_FIELD_NUMBER: _ClassVar[int]
    coups: _containers.RepeatedCompositeFieldContainer[Coup]
    next_page_token: str
    as_of_token: str
    def __init__(self, coups: _Optional[_Iterable[_Union[Coup, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., as_of_token: _Optional[str] = ...) -> None: ...

class RebuildCoupRequest(_message.Message):
    __slots__ = ("coup_id",)
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    def __init__(self, coup_id: _Optional[str] = ...) -> None: ...

class RebuildCoupResponse(_message.Message):
    __slots__ = ("evidence", "digest", "matches", "differences")
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    evidence: bytes
    digest: str
    matches: bool
    differences: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, evidence: _Optional[bytes] = ..., digest: _Optional[str] = ..., matches: _Optional[bool] = ..., differences: _Optional[_Iterable[str]] = ...) -> None: ...

class GetEvidenceRequest(_message.Message):
    __slots__ = ("coup_id", "position")
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    position: int
    def __init__(self, coup_id: _Optional[str] = ..., position: _Optional[int] = ...) -> None: ...

class GetEvidenceResponse(_message.Message):
    __slots__ = ("position", "digest", "part")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    position: int
    digest: str
    part: bytes
    def __init__(self, position: _Optional[int] = ..., digest: _Optional[str] = ..., part: _Optional[bytes] = ...) -> None: ...

class ExportEvidenceRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup_id", "purpose", "dispute_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup_id: str
    purpose: str
    dispute_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup_id: _Optional[str] = ..., purpose: _Optional[str] = ..., dispute_id: _Optional[str] = ...) -> None: ...

class ExportEvidenceResponse(_message.Message):
    __slots__ = ("result", "position", "digest")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    position: int
    digest: str
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., position: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class ListEvidenceExportsRequest(_message.Message):
    __slots__ = ("coup_id",)
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    coup_id: str
    def __init__(self, coup_id: _Optional[str] = ...) -> None: ...

class EvidenceExport(_message.Message):
    __slots__ = ("event_id", "exported_at_us", "by", "purpose", "dispute_id", "position", "digest")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    EXPORTED_AT_US_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    exported_at_us: int
    by: _common_pb2.Actor
    purpose: str
    dispute_id: str
    position: int
    digest: str
    def __init__(self, event_id: _Optional[str] = ..., exported_at_us: _Optional[int] = ..., by: _Optional[_Union[_common_pb2.Actor, _Mapping]] = ..., purpose: _Optional[str] = ..., dispute_id: _Optional[str] = ..., position: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class ListEvidenceExportsResponse(_message.Message):
    __slots__ = ("exports",)
    EXPORTS_FIELD_NUMBER: _ClassVar[int]
    exports: _containers.RepeatedCompositeFieldContainer[EvidenceExport]
    def __init__(self, exports: _Optional[_Iterable[_Union[EvidenceExport, _Mapping]]] = ...) -> None: ...

class GetRulebookRequest(_message.Message):
    __slots__ = ("rulebook_hash", "coup_id", "min_position")
    RULEBOOK_HASH_FIELD_NUMBER: _ClassVar[int]
    COUP_ID_FIELD_NUMBER: _ClassVar[int]
    MIN_POSITION_FIELD_NUMBER: _ClassVar[int]
    rulebook_hash: str
    coup_id: str
    min_position: str
    def __init__(self, rulebook_hash: _Optional[str] = ..., coup_id: _Optional[str] = ..., min_position: _Optional[str] = ...) -> None: ...

class GetRulebookResponse(_message.Message):
    __slots__ = ("rulebook_id", "rulebook_hash", "document", "text")
    RULEBOOK_ID_FIELD_NUMBER: _ClassVar[int]
    RULEBOOK_HASH_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    rulebook_id: str
    rulebook_hash: str
    document: bytes
    text: str
    def __init__(self, rulebook_id: _Optional[str] = ..., rulebook_hash: _Optional[str] = ..., document: _Optional[bytes] = ..., text: _Optional[str] = ...) -> None: ...

class RebuildProjectionsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RebuildProjectionsResponse(_message.Message):
    __slots__ = ("projection", "position", "end", "switched")
    PROJECTION_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    SWITCHED_FIELD_NUMBER: _ClassVar[int]
    projection: str
    position: int
    end: int
    switched: bool
    def __init__(self, projection: _Optional[str] = ..., position: _Optional[int] = ..., end: _Optional[int] = ..., switched: _Optional[bool] = ...) -> None: ...

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

class RepeatReversalRequest(_message.Message):
    __slots__ = ("meta", "table_id", "movement_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    movement_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., movement_id: _Optional[str] = ...) -> None: ...

class RepeatReversalResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class OpenDisputeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dispute_id", "coup", "claim")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dispute_id: str
    coup: int
    claim: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dispute_id: _Optional[str] = ..., coup: _Optional[int] = ..., claim: _Optional[str] = ...) -> None: ...

class OpenDisputeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DecideDisputeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dispute_id", "level", "decision", "note", "evidence_digest")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    EVIDENCE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dispute_id: str
    level: int
    decision: str
    note: str
    evidence_digest: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dispute_id: _Optional[str] = ..., level: _Optional[int] = ..., decision: _Optional[str] = ..., note: _Optional[str] = ..., evidence_digest: _Optional[str] = ...) -> None: ...

class DecideDisputeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AdviseInspectorRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dispute_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dispute_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dispute_id: _Optional[str] = ...) -> None: ...

class AdviseInspectorResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class EscalateDisputeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dispute_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dispute_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dispute_id: _Optional[str] = ...) -> None: ...

class EscalateDisputeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CloseDisputeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "dispute_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    dispute_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., dispute_id: _Optional[str] = ...) -> None: ...

class CloseDisputeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RepeatCreditRequest(_message.Message):
    __slots__ = ("meta", "table_id", "movement_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    movement_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., movement_id: _Optional[str] = ...) -> None: ...

class RepeatCreditResponse(_message.Message):
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
