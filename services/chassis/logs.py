"""Structured logs: one JSON object a line on standard output, with the trace they belong to.

Everything goes through the standard library's root logger, so that the lines of libraries have the
same form. Secrets are taken out here, once, whoever logs them.
"""

from __future__ import annotations

import json
import logging
import logging.config
import re
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, Final, TextIO

import structlog
from opentelemetry import trace
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.stdlib import BoundLogger, ProcessorFormatter

from services.chassis.clock import Clock, rfc3339

REDACTED = "[redacted]"
DEPTH_MAX = 4
"""Levels of nesting that are searched for secrets; what lies deeper is not logged."""
ITEMS_MAX = 100
"""Elements of one list or mapping that are logged."""
TEXT_CHARACTERS_MAX = 8_000
"""A longer text is cut: one line must not fill a collector."""

SECRET_KEYS = frozenset(
    {
        "authorization",
        "client_secret",
        "credentials",
        "key_material",
        "password",
        "passphrase",
        "private_key",
        "sasl_password",
        "secret",
        "token",
    }
)
"""Keys whose values never appear, in any case and nested. Services add what is secret there."""

CHATTY: Final = ("aiokafka", "faststream", "sabot.bus")
"""Libraries that tell at INFO what is of interest only when something is searched for."""

_URL_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")
_BEARER = re.compile(r"(?i)\b(bearer\s+)[\w.~+/-]+=*")

_log_record = MutableMapping[str, Any]


def add_trace(_logger: Any, _method: str, record: _log_record) -> _log_record:
    """Add the ids of the current span, so that a line leads to its trace and back."""
    context = trace.get_current_span().get_span_context()
    if context.is_valid:
        record["trace_id"] = trace.format_trace_id(context.trace_id)
        record["span_id"] = trace.format_span_id(context.span_id)
    return record


class AddTime:
    """Adds the instant, from the clock that everything else uses."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __call__(self, _logger: Any, _method: str, record: _log_record) -> _log_record:
        record["at"] = rfc3339(self._clock.now_us())
        return record


class AddService:
    """Adds who writes."""

    def __init__(self, service: str) -> None:
        self._service = service

    def __call__(self, _logger: Any, _method: str, record: _log_record) -> _log_record:
        record["service"] = self._service
        return record


class Redact:
    """Replaces the values of secret keys, and passwords and bearer tokens inside texts."""

    def __init__(self, secret_keys: frozenset[str]) -> None:
        self._secret_keys = frozenset(key.lower() for key in secret_keys)

    def __call__(self, _logger: Any, _method: str, record: _log_record) -> _log_record:
        for key, value in list(record.items()):
            # Keys with an underscore in front belong to the formatter and are removed by it.
            if not key.startswith("_"):
                record[key] = self._of_key(key, value, DEPTH_MAX)
        return record

    def _of_key(self, key: str, value: Any, depth: int) -> Any:
        return REDACTED if key.lower() in self._secret_keys else self._clean(value, depth)

    def _clean(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return _clean_text(value)
        if isinstance(value, Mapping):
            if depth == 0:
                return "[too deep]"
            items = list(value.items())[:ITEMS_MAX]
            return {str(k): self._of_key(str(k), v, depth - 1) for k, v in items}
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            if depth == 0:
                return "[too deep]"
            return [self._clean(item, depth - 1) for item in value[:ITEMS_MAX]]
        if value is None or isinstance(value, bool | int | float):
            return value
        return _clean_text(repr(value))


def _clean_text(text: str) -> str:
    if len(text) > TEXT_CHARACTERS_MAX:
        text = text[:TEXT_CHARACTERS_MAX] + "[cut]"
    return _BEARER.sub(rf"\1{REDACTED}", _URL_PASSWORD.sub(rf"\1{REDACTED}@", text))


def _encode(record: Any, **_options: Any) -> str:
    # A key such as `_record` that slipped through must not make a line fail, hence `default`.
    return json.dumps(record, default=repr, ensure_ascii=False, separators=(",", ":"))


def configure(
    *,
    service: str,
    level: str,
    clock: Clock,
    stream: TextIO,
    secret_keys: frozenset[str] = frozenset(),
) -> None:
    """Send every log line of the process to `stream` as JSON. Called once, at start."""
    redact = Redact(SECRET_KEYS | secret_keys)
    shared: list[Any] = [
        merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.stdlib.ExtraAdder(),
        AddTime(clock),
        AddService(service),
        add_trace,
    ]
    formatter = ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            ProcessorFormatter.remove_processors_meta,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            # After the exception was written out, whose text may hold a secret too.
            redact,
            structlog.processors.JSONRenderer(serializer=_encode),
        ],
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in CHATTY:
        quiet = logging.WARNING if level == "info" else logging.NOTSET
        logging.getLogger(name).setLevel(quiet)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        # Modules take their logger at import; caching would freeze the configuration before ours.
        cache_logger_on_first_use=False,
    )


def logger(name: str) -> BoundLogger:
    """Take a module's logger; it may be taken before `configure`."""
    taken: BoundLogger = structlog.stdlib.get_logger(name)
    return taken


bound = bound_contextvars
"""`with bound(table_id=...)`: every line inside carries the value, in tasks begun there too."""
