from sabot.common.v1 import common_pb2 as _common_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InspectCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "witness", "video", "stage", "defects", "incomplete")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WITNESS_FIELD_NUMBER: _ClassVar[int]
    VIDEO_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    DEFECTS_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    witness: str
    video: str
    stage: str
    defects: _containers.RepeatedScalarFieldContainer[str]
    incomplete: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., witness: _Optional[str] = ..., video: _Optional[str] = ..., stage: _Optional[str] = ..., defects: _Optional[_Iterable[str]] = ..., incomplete: _Optional[_Iterable[str]] = ...) -> None: ...

class InspectCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ShuffleCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "procedure", "device_id", "seal_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PROCEDURE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAL_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    procedure: str
    device_id: str
    seal_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., procedure: _Optional[str] = ..., device_id: _Optional[str] = ..., seal_id: _Optional[str] = ...) -> None: ...

class ShuffleCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RequestRiffleRequest(_message.Message):
    __slots__ = ("meta", "table_id", "player")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    player: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., player: _Optional[str] = ...) -> None: ...

class RequestRiffleResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class OfferCutRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class OfferCutResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DeclineCutRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class DeclineCutResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CutCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "position", "seat")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    position: int
    seat: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., position: _Optional[int] = ..., seat: _Optional[int] = ...) -> None: ...

class CutCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class PlaceCutCardRequest(_message.Message):
    __slots__ = ("meta", "table_id", "from_back")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    FROM_BACK_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    from_back: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., from_back: _Optional[int] = ...) -> None: ...

class PlaceCutCardResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class LoadShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "shoe_id", "source", "decks", "partial", "cuts_after", "stands_for_preparation", "order", "device")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    DECKS_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    CUTS_AFTER_FIELD_NUMBER: _ClassVar[int]
    STANDS_FOR_PREPARATION_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    shoe_id: str
    source: str
    decks: int
    partial: bool
    cuts_after: int
    stands_for_preparation: bool
    order: _containers.RepeatedScalarFieldContainer[str]
    device: bool
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., shoe_id: _Optional[str] = ..., source: _Optional[str] = ..., decks: _Optional[int] = ..., partial: _Optional[bool] = ..., cuts_after: _Optional[int] = ..., stands_for_preparation: _Optional[bool] = ..., order: _Optional[_Iterable[str]] = ..., device: _Optional[bool] = ...) -> None: ...

class LoadShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class BurnCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "reason", "count", "first_card", "cards")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_CARD_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    reason: str
    count: int
    first_card: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., reason: _Optional[str] = ..., count: _Optional[int] = ..., first_card: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ...) -> None: ...

class BurnCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class DrawCardRequest(_message.Message):
    __slots__ = ("meta", "table_id", "card", "to", "face_down", "source", "count", "cards", "layers", "face", "device_id", "sequence", "unread")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    FACE_DOWN_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    LAYERS_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    UNREAD_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    card: str
    to: str
    face_down: bool
    source: str
    count: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    layers: _containers.RepeatedScalarFieldContainer[int]
    face: str
    device_id: str
    sequence: int
    unread: bool
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., card: _Optional[str] = ..., to: _Optional[str] = ..., face_down: _Optional[bool] = ..., source: _Optional[str] = ..., count: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ..., layers: _Optional[_Iterable[int]] = ..., face: _Optional[str] = ..., device_id: _Optional[str] = ..., sequence: _Optional[int] = ..., unread: _Optional[bool] = ...) -> None: ...

class DrawCardResponse(_message.Message):
    __slots__ = ("result", "draw_number")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    DRAW_NUMBER_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    draw_number: int
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ..., draw_number: _Optional[int] = ...) -> None: ...

class GetShoeRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class GetShoeResponse(_message.Message):
    __slots__ = ("shoe_id", "cards", "dealt", "burned", "left", "owed", "ended", "last_coup")
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DEALT_FIELD_NUMBER: _ClassVar[int]
    BURNED_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    OWED_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    LAST_COUP_FIELD_NUMBER: _ClassVar[int]
    shoe_id: str
    cards: int
    dealt: int
    burned: int
    left: int
    owed: _containers.RepeatedScalarFieldContainer[str]
    ended: bool
    last_coup: int
    def __init__(self, shoe_id: _Optional[str] = ..., cards: _Optional[int] = ..., dealt: _Optional[int] = ..., burned: _Optional[int] = ..., left: _Optional[int] = ..., owed: _Optional[_Iterable[str]] = ..., ended: _Optional[bool] = ..., last_coup: _Optional[int] = ...) -> None: ...

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

class EnterCardRequest(_message.Message):
    __slots__ = ("meta", "table_id", "draw_number", "card")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DRAW_NUMBER_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    draw_number: int
    card: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., draw_number: _Optional[int] = ..., card: _Optional[str] = ...) -> None: ...

class EnterCardResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ExposeNextRequest(_message.Message):
    __slots__ = ("meta", "table_id", "person")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PERSON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    person: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., person: _Optional[str] = ...) -> None: ...

class ExposeNextResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ApproveErrorBurnRequest(_message.Message):
    __slots__ = ("meta", "table_id", "coup")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    COUP_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    coup: int
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., coup: _Optional[int] = ...) -> None: ...

class ApproveErrorBurnResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class EndShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class EndShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ReportFaultRequest(_message.Message):
    __slots__ = ("meta", "table_id", "disadvantage", "spare", "transferable", "damaged", "new_deck_id")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DISADVANTAGE_FIELD_NUMBER: _ClassVar[int]
    SPARE_FIELD_NUMBER: _ClassVar[int]
    TRANSFERABLE_FIELD_NUMBER: _ClassVar[int]
    DAMAGED_FIELD_NUMBER: _ClassVar[int]
    NEW_DECK_ID_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    disadvantage: bool
    spare: bool
    transferable: bool
    damaged: _containers.RepeatedScalarFieldContainer[str]
    new_deck_id: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., disadvantage: _Optional[bool] = ..., spare: _Optional[bool] = ..., transferable: _Optional[bool] = ..., damaged: _Optional[_Iterable[str]] = ..., new_deck_id: _Optional[str] = ...) -> None: ...

class ReportFaultResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ResumeCoupRequest(_message.Message):
    __slots__ = ("meta", "table_id", "new_order", "order")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    NEW_ORDER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    new_order: bool
    order: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., new_order: _Optional[bool] = ..., order: _Optional[_Iterable[str]] = ...) -> None: ...

class ResumeCoupResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RegisterShoeDeviceRequest(_message.Message):
    __slots__ = ("meta", "table_id", "device_id", "certificate", "replaces", "reason")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    device_id: str
    certificate: str
    replaces: str
    reason: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., device_id: _Optional[str] = ..., certificate: _Optional[str] = ..., replaces: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RegisterShoeDeviceResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RegisterShuffleDeviceRequest(_message.Message):
    __slots__ = ("meta", "table_id", "device_id", "kind", "approval")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    device_id: str
    kind: str
    approval: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., device_id: _Optional[str] = ..., kind: _Optional[str] = ..., approval: _Optional[str] = ...) -> None: ...

class RegisterShuffleDeviceResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class AssembleShoeRequest(_message.Message):
    __slots__ = ("meta", "table_id", "decks", "deck_ids", "back_colour")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DECKS_FIELD_NUMBER: _ClassVar[int]
    DECK_IDS_FIELD_NUMBER: _ClassVar[int]
    BACK_COLOUR_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    decks: int
    deck_ids: _containers.RepeatedScalarFieldContainer[str]
    back_colour: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., decks: _Optional[int] = ..., deck_ids: _Optional[_Iterable[str]] = ..., back_colour: _Optional[str] = ...) -> None: ...

class AssembleShoeResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RejectDeckRequest(_message.Message):
    __slots__ = ("meta", "table_id", "deck_id", "defect")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DECK_ID_FIELD_NUMBER: _ClassVar[int]
    DEFECT_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    deck_id: str
    defect: str
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., deck_id: _Optional[str] = ..., defect: _Optional[str] = ...) -> None: ...

class RejectDeckResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class ReplaceCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "reason", "new_deck_ids")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    NEW_DECK_IDS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    reason: str
    new_deck_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., reason: _Optional[str] = ..., new_deck_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ReplaceCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class RemoveCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "deck_ids")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DECK_IDS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    deck_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., deck_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class RemoveCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class SealPackRequest(_message.Message):
    __slots__ = ("meta", "table_id", "seal_id", "place", "deck_ids")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAL_ID_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    DECK_IDS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    seal_id: str
    place: str
    deck_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., seal_id: _Optional[str] = ..., place: _Optional[str] = ..., deck_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class SealPackResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...

class CollectCardsRequest(_message.Message):
    __slots__ = ("meta", "table_id", "direction", "draw_numbers")
    META_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    DIRECTION_FIELD_NUMBER: _ClassVar[int]
    DRAW_NUMBERS_FIELD_NUMBER: _ClassVar[int]
    meta: _common_pb2.CommandMeta
    table_id: str
    direction: str
    draw_numbers: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, meta: _Optional[_Union[_common_pb2.CommandMeta, _Mapping]] = ..., table_id: _Optional[str] = ..., direction: _Optional[str] = ..., draw_numbers: _Optional[_Iterable[int]] = ...) -> None: ...

class CollectCardsResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: _common_pb2.CommandResult
    def __init__(self, result: _Optional[_Union[_common_pb2.CommandResult, _Mapping]] = ...) -> None: ...
