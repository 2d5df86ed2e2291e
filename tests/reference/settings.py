"""docs/reference/settings.md, from the settings classes of the services."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr

from services.chassis.config import Settings, Variable, variables
from services.console.config import ConsoleSettings
from services.round.config import RoundSettings
from services.settlement.config import SettlementSettings
from services.shoe.config import ShoeSettings
from services.wager.config import WagerSettings
from tests.reference.pages import NOTICE, cell, table

SERVICES: dict[str, type[Settings]] = {
    "shoe": ShoeSettings,
    "round": RoundSettings,
    "wager": WagerSettings,
    "settlement": SettlementSettings,
}
HEAD = f"""# Settings

{NOTICE}

Everything that a service is told stands in its environment. It reads every setting before anything
starts, and ends with status 2 and a list of all faults where one is wrong.

- `python -m services.round --check-config` prints the values that hold, or the faults, and ends.
- Any variable can come from a file: `NAME_FILE` names a file with the value, and
  `SABOT_SECRETS_DIR` a directory with one file per variable, named as the variable. A value given in
  two places is a fault. An empty variable is an unset one.
- Secret settings are never logged or printed, only whether they are set.
- A variable that begins with `SABOT_` and that the service does not know is warned of at
  `--check-config`.

Settings that only hold together are checked too: no development callers outside the environment
`development` and off the loopback address, no test tables in production, certificates or
`SABOT_GRPC_PLAINTEXT=true` outside development, both files of a certificate or neither.
"""
HEADERS = ("variable", "kind", "default", "meaning", "secret")


def settings() -> str:
    """The page."""
    parts = [HEAD, "## All services\n"]
    common = {variable.name for variable in variables(Settings)}
    parts += sections(Settings, variables(Settings))
    for service, model in SERVICES.items():
        own = [variable for variable in variables(model) if variable.name not in common]
        parts.append(f"## The {service} service besides\n")
        parts += sections(model, own) if own else ["Nothing beyond what every service is told.\n"]
    parts.append("## The console\n\nIt is told these, and none of the others.\n")
    parts += sections(ConsoleSettings, variables(ConsoleSettings))
    return "\n".join(parts)


def sections(model: type[BaseModel], found: Iterable[Variable]) -> Iterator[str]:
    """A table for each group of settings."""
    groups: dict[str, list[Variable]] = {}
    for variable in found:
        groups.setdefault(variable.path[0] if len(variable.path) > 1 else "", []).append(variable)
    for group, held in groups.items():
        if group:
            about = model.model_fields[group].annotation
            assert about is not None
            yield f"### {(about.__doc__ or '').strip()}\n"
        yield table(HEADERS, map(row, held))


def row(variable: Variable) -> tuple[str, ...]:
    """One setting."""
    required = variable.field.is_required()
    text = variable.default_text
    if variable.field.annotation is bool:
        text = text.lower()
    default = "**required**" if required else cell(text, code=True)
    return (
        f"`{variable.name}`",
        kind(variable),
        default,
        cell(variable.field.description or ""),
        "yes" if variable.secret else "",
    )


def kind(variable: Variable) -> str:
    """What a value may be, with its bounds."""
    told = word(variable.field.annotation)
    bounds = dict(bounds_of(variable.field.metadata))
    limits = [
        f"{sign} {bounds[name]:,}"
        for name, sign in (("gt", "above"), ("ge", "from"), ("lt", "below"), ("le", "to"))
        if name in bounds
    ]
    return " ".join((told, *limits))


def bounds_of(metadata: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    for each in metadata:
        for name in ("gt", "ge", "lt", "le"):
            if getattr(each, name, None) is not None:
                yield name, getattr(each, name)


def word(annotation: Any) -> str:
    """A type, for people."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return word(next(each for each in arguments if each is not type(None)))
    if origin is Literal:
        return "one of " + ", ".join(f"`{each}`" if each else "empty" for each in arguments)
    if origin is tuple:
        return "texts with commas between"
    words: dict[Any, str] = {
        bool: "`true` or `false`",
        int: "whole number",
        float: "number",
        str: "text",
        SecretStr: "text",
    }
    return words[annotation]
