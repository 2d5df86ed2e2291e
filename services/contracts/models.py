"""The published language as pydantic models, made from the event classes and never written twice.

The services themselves read and write the event classes. These models say the same thing to
everybody else: the JSON Schemas and the AsyncAPI documents are made from them, and a consumer in
Python can validate with them. There are two forms. Reading ignores keys that it does not know,
because a later release may add some; writing refuses them, because we know all of ours.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.json_schema import DEFAULT_REF_TEMPLATE, GenerateJsonSchema, JsonSchemaMode

from services.contracts import common, core, settlement, shoe, wager
from services.contracts import round as table
from services.contracts.core import Event

SERVICES: Final[Mapping[str, Mapping[str, type[Event]]]] = {
    module.SERVICE: module.EVENTS for module in (shoe, table, wager, settlement)
}
"""Every event by service and type, private ones included."""

Extra = Literal["ignore", "forbid"]

_ALIASES_IN: Final = (common, core)
"""Modules whose type aliases (`Card`) explain the fields that use them."""

_PLAIN: Final = frozenset({str, int, bool, NoneType, Any})
"""Types that are taken as they are. There is no floating point number among them: it would be
money, or it would be a measurement, and neither may differ between two readers."""


class UnknownMessage(Exception):
    """The type of a message is none that this release knows: pass over it, it is a later one."""


class _NoFieldTitles(GenerateJsonSchema):
    """`coup_id` needs no title that says "Coup Id"."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False


class Data(BaseModel):
    """What every model of this module is: strict, frozen, and sparing with titles."""

    model_config = ConfigDict(strict=True, frozen=True, protected_namespaces=())

    @classmethod
    def model_json_schema(
        cls,
        by_alias: bool | None = None,  # noqa: FBT001 - pydantic's signature
        ref_template: str = DEFAULT_REF_TEMPLATE,
        schema_generator: type[GenerateJsonSchema] = _NoFieldTitles,
        mode: JsonSchemaMode = "validation",
        *,
        union_format: Literal["any_of", "primitive_type_array"] = "any_of",
    ) -> dict[str, Any]:
        """The JSON Schema, without a title on every field."""
        return super().model_json_schema(
            by_alias, ref_template, schema_generator, mode, union_format=union_format
        )


class _Read(Data):
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": True})


class _Written(Data):
    model_config = ConfigDict(extra="forbid")


def published(service: str) -> dict[str, type[Event]]:
    """The events of a service that leave it, by type, in the order of its module."""
    return {name: event for name, event in SERVICES[service].items() if event.published}


def ce_type(service: str, event: type[Event]) -> str:
    """The CloudEvents type: what the header `ce_type` says of such an event."""
    return f"sabot.{service}.{event.type}.v{event.schema_version}"


def reading_model(event: type[Struct]) -> type[Data]:
    """The model of a tolerant reader: keys that it does not know are ignored."""
    return _model(event, "ignore")


def writing_model(event: type[Struct]) -> type[Data]:
    """The model of what we write ourselves: a key that it does not know is a mistake."""
    return _model(event, "forbid")


@cache
def message_models(service: str) -> dict[str, type[Data]]:
    """By CloudEvents type: a message as `{"type": ..., "data": ...}`.

    The type travels in a header and the data are the value, so that a consumer puts them together
    before it validates; CloudEvents calls the same two `type` and `data` in its JSON form.
    """
    models = {}
    for event in published(service).values():
        name = ce_type(service, event)
        fields: dict[str, Any] = {"type": Literal[name], "data": reading_model(event)}
        models[name] = create_model(
            f"{event.__name__}Message", __base__=Data, __doc__=text_of(event), **fields
        )
    return models


@cache
def reader(service: str) -> TypeAdapter[Any]:
    """Validates any message of a service; the union is discriminated by the CloudEvents type."""
    union: Any = Union[tuple(message_models(service).values())]  # noqa: UP007 - made at run time
    message: Any = Annotated[union, Field(discriminator="type")]
    return TypeAdapter(message)


def read(kind: str, value: bytes) -> Data:
    """The value of a message whose header `ce_type` is `kind`. Raises `UnknownMessage`.

    Raises pydantic's `ValidationError` where the value is not what the type promises.
    """
    for service in SERVICES:
        message = message_models(service).get(kind)
        if message is not None:
            model = cast("type[Data]", message.model_fields["data"].annotation)
            return model.model_validate_json(value)
    raise UnknownMessage(kind)


def text_of(described: type[Struct]) -> str:
    """The docstring of a class, each paragraph on one line."""
    return _unwrapped(inspect.getdoc(described) or "")


def first_line(described: type[Struct]) -> str:
    """The first paragraph of the docstring."""
    return text_of(described).partition("\n")[0]


@cache
def field_texts(struct: type[Struct]) -> Mapping[str, str]:
    """What the docstrings below the fields say, inherited ones included, by field."""
    texts: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if base in (Struct, Event) or not issubclass(base, Struct):
            continue
        aliases = _alias_texts(base.__module__)
        for statement, text in _documented(_class_body(base)):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                names = [n.id for n in ast.walk(statement.annotation) if isinstance(n, ast.Name)]
                said = [f"{name}: {aliases[name]}" for name in names if name in aliases]
                whole = " ".join([text, *said] if text else said)
                if whole:
                    texts[statement.target.id] = whole
    return texts


# --- from a struct to a model ---------------------------------------------------------------------


@cache
def _model(struct: type[Struct], extra: Extra) -> type[Data]:
    if struct.__struct_config__.array_like or struct.__struct_config__.tag is not None:
        raise TypeError(f"{struct.__name__}: neither arrays nor tags are published")
    texts = field_texts(struct)
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(struct):
        if field.encode_name != field.name:
            raise TypeError(f"{struct.__name__}.{field.name}: one name in code and on the wire")
        annotation = _annotation(field.type, extra, f"{struct.__name__}.{field.name}")
        said = texts.get(field.name)
        if field.required:
            fields[field.name] = (annotation, Field(description=said))
        else:
            default = _default(field, annotation)
            fields[field.name] = (annotation, Field(default=default, description=said))
    return create_model(
        struct.__name__,
        __base__=_Read if extra == "ignore" else _Written,
        __doc__=text_of(struct),
        __module__=__name__,
        **fields,
    )


def _annotation(hint: Any, extra: Extra, where: str) -> Any:
    """The same type with models in place of structs. Raises TypeError for what is not published."""
    if hint in _PLAIN:
        return hint
    if hint is msgspec.Raw:
        return Any
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _model(hint, extra)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return hint
    if origin in (Union, UnionType):
        return Union[tuple(_annotation(each, extra, where) for each in arguments)]  # noqa: UP007
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:  # noqa: PLR2004
        return tuple[_annotation(arguments[0], extra, where), ...]  # type: ignore[misc]
    if origin is dict and arguments[0] is str:
        return dict[str, _annotation(arguments[1], extra, where)]  # type: ignore[misc]
    raise TypeError(f"{where}: nothing says yet how {hint!r} is published")


def _default(field: msgspec.structs.FieldInfo, annotation: Any) -> Any:
    value = field.default
    if value is msgspec.NODEFAULT:
        value = field.default_factory()
    return TypeAdapter(annotation).validate_json(msgspec.json.encode(value))


# --- docstrings -----------------------------------------------------------------------------------


def _unwrapped(text: str) -> str:
    """One line for each paragraph."""
    return "\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _class_body(struct: type) -> Sequence[ast.stmt]:
    for node in _tree(struct.__module__).body:
        if isinstance(node, ast.ClassDef) and node.name == struct.__name__:
            return node.body
    return ()


def _documented(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement with the docstring below it, or an empty one."""
    for statement, below in zip(body, [*body[1:], ast.Pass()], strict=False):
        text = ""
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            text = below.value.value if isinstance(below.value.value, str) else ""
        yield statement, _unwrapped(inspect.cleandoc(text))


@cache
def _alias_texts(module: str) -> Mapping[str, str]:
    """The docstrings of the type aliases that a module can use."""
    texts = {}
    for name in (*(alias.__name__ for alias in _ALIASES_IN), module):
        for statement, text in _documented(_tree(name).body):
            if text and isinstance(statement, ast.Assign):
                target = statement.targets[0]
                if isinstance(target, ast.Name):
                    texts[target.id] = text
    return texts
